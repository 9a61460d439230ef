//! Catalogs of any size, made up and the same on every run.
//!
//! Is: shaped like listings of real servers, or as long as the bounds allow. Is not: labelled; how well search finds what
//! it should is measured on other data. Clauses: BLT-4, SRCH-2.

use crate::catalog::Source;
use agent_core::id::{Alias, SourceClass};
use agent_core::limits::NAME_BYTES;
use serde_json::{Map, Value, json};

/// Tools of one server.
const PER_SERVER: usize = 40;

const VERBS: [&str; 16] = [
    "list", "get", "create", "update", "delete", "find", "send", "export", "merge", "archive", "assign", "copy", "count", "check", "move",
    "watch",
];
const NOUNS: [&str; 24] = [
    "issue", "invoice", "branch", "calendar", "ticket", "payment", "contact", "report", "folder", "message", "order", "device", "budget",
    "record", "schedule", "image", "comment", "account", "project", "shipment", "query", "page", "webhook", "backup",
];
const FILL: [&str; 24] = [
    "the",
    "of",
    "a",
    "with",
    "for",
    "by",
    "in",
    "from",
    "which",
    "and",
    "returns",
    "given",
    "all",
    "matching",
    "optional",
    "current",
    "workspace",
    "owner",
    "status",
    "date",
    "when",
    "already",
    "identifier",
    "results",
];

/// How long names, descriptions and parameters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// As servers write them: 13 to 36 words, 2 to 6 parameters.
    Usual,
    /// Names and parameters at their bounds, descriptions far beyond what is ever shown, in characters that take escapes.
    Longest,
}

/// Sources of so many tools together, 40 a server.
#[must_use]
pub fn sources(tools: usize, length: Length) -> Vec<Source> {
    let servers = tools.div_ceil(PER_SERVER);
    (0..servers).filter_map(|server| source(server, PER_SERVER.min(tools - server * PER_SERVER), length)).collect()
}

fn source(server: usize, tools: usize, length: Length) -> Option<Source> {
    let alias = match length {
        Length::Usual => format!("{}-{server}", word(&NOUNS, server)),
        Length::Longest => format!("s{server:031}"),
    };
    Some(Source {
        definitions: (0..tools).map(|place| definition(server, place, length)).collect(),
        ..Source::new(SourceClass::Mcp, Alias::parse(&alias).ok()?)
    })
}

fn definition(server: usize, place: usize, length: Length) -> String {
    // No two places of one server share both words that `place` alone decides.
    let name = format!("{}_{}_{}", word(&VERBS, place), word(&NOUNS, place / VERBS.len() + server), word(&NOUNS, place * 7 + server * 5));
    let mut dice = Dice::of((server * PER_SERVER + place) as u64);
    let (name, description, parameters) = match length {
        Length::Usual => {
            let words = 13 + dice.below(24);
            (name, prose(&mut dice, words), 2 + dice.below(5))
        }
        Length::Longest => (format!("{name:_<NAME_BYTES$}"), "\"\\".repeat(300), 12),
    };
    let mut properties = Map::new();
    for at in 0..parameters {
        let parameter = match length {
            Length::Usual => format!("{}_{}", word(&NOUNS, place + at * 5), word(&FILL, 15 + at)),
            Length::Longest => format!("{:_<64}", format!("parameter_{at}")),
        };
        let words = 4 + dice.below(6);
        properties.insert(parameter, json!({"type": "string", "description": prose(&mut dice, words)}));
    }
    let required: Vec<_> = properties.keys().take(2).cloned().map(Value::from).collect();
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    })
    .to_string()
}

fn prose(dice: &mut Dice, words: usize) -> String {
    let words = (0..words).map(|at| word(if at % 3 == 1 { &NOUNS } else { &FILL }, dice.below(NOUNS.len())));
    words.collect::<Vec<_>>().join(" ")
}

fn word(words: &[&'static str], at: usize) -> &'static str {
    words.get(at % words.len()).copied().unwrap_or_default()
}

/// Numbers by chance that are the same on every run: SplitMix64. Source: Steele, Lea and Flood 2014.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Begins where a number says.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below that of the sides, which is at least 1.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::assemble;

    #[test]
    fn every_tool_is_served() {
        for (tools, length) in [(10, Length::Usual), (1000, Length::Usual), (1000, Length::Longest)] {
            let made = assemble(&sources(tools, length));
            assert_eq!((made.tools().len(), made.quarantined()), (tools, &[][..]), "{length:?}");
        }
    }
}
