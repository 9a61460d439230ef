//! What the regular expressions of a schema cost, told from how they are written.
//!
//! Is: one pass over each, by the syntax that compiles them later; so that reading ten thousand tools compiles nothing. Is
//! not: a compiler. Whatever is let in here compiles within [`COMPILED_BYTES`]. Clauses: GATE-1, GATE-6. Attack 53.

use agent_core::canon::Node;
use agent_core::subschema::all;
use jsonschema_regex::to_rust_regex;
use regex_syntax::ast::{Ast, ClassSet, ClassSetItem, GroupKind, RepetitionKind, RepetitionRange, parse::ParserBuilder};
use std::collections::BTreeMap;

/// Different patterns of one schema.
const PATTERNS: usize = 64;
/// Bytes of all of them.
const BYTES: usize = 8 * 1024;
/// States of all of them.
const STATES: u64 = 100_000;
/// Groups within groups.
const NEST: u32 = 32;
/// Control letters (`\cA`) of one; each is another pass to the translator.
const CONTROLS: usize = 4;
/// States of a class that names a script or the like: some hundreds of ranges, each of up to four bytes.
const WIDE: u64 = 2000;
/// Bytes that one compiled pattern may take; no pattern of at most [`STATES`] takes them.
pub(super) const COMPILED_BYTES: usize = 16 * 1024 * 1024;

/// The states of each pattern, by its text.
pub(super) type Weights<'a> = BTreeMap<&'a str, u64>;

/// Weighs the patterns of a schema: all can be enforced, or none is.
///
/// # Errors
/// Why not, for a note.
pub(super) fn weights(schema: &Node) -> Result<Weights<'_>, String> {
    let mut found = Weights::new();
    for pattern in patterns(schema) {
        found.insert(pattern, 0);
    }
    if found.len() > PATTERNS || found.keys().map(|pattern| pattern.len()).sum::<usize>() > BYTES {
        return Err(format!("they are more than {PATTERNS}, or longer than {BYTES} bytes"));
    }
    let mut left = STATES;
    for (pattern, weight) in &mut found {
        let states = states(pattern).ok_or_else(|| format!("`{pattern}` is no pattern that can be matched in linear time"))?;
        left = left.checked_sub(states).ok_or_else(|| format!("`{pattern}` and those before it have more than {STATES} states"))?;
        *weight = states;
    }
    Ok(found)
}

fn patterns(schema: &Node) -> Vec<&str> {
    let mut found = Vec::new();
    for (keyword, value) in all(schema).into_iter().flat_map(Node::members) {
        match (keyword.as_str(), value) {
            ("pattern", Node::String(pattern)) => found.push(pattern.as_str()),
            ("patternProperties", _) => found.extend(value.members().iter().map(|(pattern, _)| pattern.as_str())),
            _ => {}
        }
    }
    found
}

/// About as many states as it compiles to; none where it does not.
fn states(pattern: &str) -> Option<u64> {
    if pattern.matches(r"\c").count() > CONTROLS {
        return None;
    }
    // The usual way to say any character, which is a hundred ranges only before they are joined.
    let any = if pattern.contains(r"\[\s\S]") { pattern.to_owned() } else { pattern.replace(r"[\s\S]", ".") };
    let ast = ParserBuilder::new().nest_limit(NEST).build().parse(&to_rust_regex(&any).ok()?).ok()?;
    let mut flags = false;
    let states = of(&ast, &mut flags);
    // Without regard to case a letter is up to four.
    Some(if flags { states.saturating_mul(4) } else { states })
}

fn of(ast: &Ast, flags: &mut bool) -> u64 {
    match ast {
        Ast::Empty(_) | Ast::Assertion(_) => 1,
        Ast::Flags(_) => {
            *flags = true;
            1
        }
        Ast::Literal(_) => 4,
        Ast::Dot(_) => 16,
        Ast::ClassUnicode(_) | Ast::ClassPerl(_) => WIDE,
        Ast::ClassBracketed(class) => set(&class.kind).saturating_add(16),
        Ast::Repetition(repetition) => of(&repetition.ast, flags).saturating_add(1).saturating_mul(match &repetition.op.kind {
            RepetitionKind::Range(RepetitionRange::Exactly(count) | RepetitionRange::Bounded(_, count)) => u64::from(*count).max(1),
            RepetitionKind::Range(RepetitionRange::AtLeast(count)) => u64::from(*count) + 1,
            RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => 1,
        }),
        Ast::Group(group) => {
            *flags |= matches!(&group.kind, GroupKind::NonCapturing(set) if !set.items.is_empty());
            of(&group.ast, flags).saturating_add(2)
        }
        Ast::Alternation(either) => each(&either.asts, flags),
        Ast::Concat(parts) => each(&parts.asts, flags),
    }
}

fn each(parts: &[Ast], flags: &mut bool) -> u64 {
    parts.iter().map(|part| of(part, flags).saturating_add(1)).fold(0, u64::saturating_add)
}

fn set(class: &ClassSet) -> u64 {
    match class {
        ClassSet::Item(item) => self::item(item),
        ClassSet::BinaryOp(both) => set(&both.lhs).saturating_add(set(&both.rhs)),
    }
}

fn item(item: &ClassSetItem) -> u64 {
    match item {
        ClassSetItem::Empty(_) => 0,
        ClassSetItem::Literal(_) | ClassSetItem::Ascii(_) => 4,
        ClassSetItem::Range(_) => 16,
        ClassSetItem::Unicode(_) | ClassSetItem::Perl(_) => WIDE,
        ClassSetItem::Bracketed(class) => set(&class.kind),
        ClassSetItem::Union(union) => union.items.iter().map(self::item).fold(0, u64::saturating_add),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::compile::build;
    use super::*;
    use serde_json::json;

    fn weighed(pattern: &str) -> bool {
        weights(&Node::parse(&json!({"pattern": pattern}).to_string(), 8, 64).unwrap()).is_ok()
    }

    #[test]
    fn gate_1_a_pattern_that_is_let_in_compiles_and_one_that_is_not_would_not_be_cheap() {
        let good = [
            "^[a-z]+$",
            r"^\w+@\w+\.\w{2,}$",
            r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
            r"^\d{4}-\d\d$",
            r"\cA\/\-",
            "(?i)^get|put$",
            r"^[\s\S]{1,1000}$",
            "^.{1,2000}$",
            r"[\p{L}\p{N}_]{1,8}",
            "(?:(?:a{9}){9}){9}",
            "",
            r"[^\W\d]{0,30}",
            "(?<year>[0-9]{4})",
            "(?is)(x|y|[^é]){1,99}",
        ];
        let wrong = good.into_iter().filter(|pattern| !weighed(pattern) || build(&json!({"pattern": pattern})).is_err());
        assert_eq!(wrong.map(|pattern| (pattern, states(pattern))).collect::<Vec<_>>(), []);
        let odd = [
            r"(?<=x)y\1",
            "(?=a)b",
            "[",
            "(",
            "a{2,1}",
            r"\y",
            r"\ca\cb\cc\cd\ce",
            "((a{1000}){1000}){1000}",
            r"\p{L}{1000}",
            r"^[\s\S]{8,204800}$",
        ];
        for pattern in odd {
            assert!(!weighed(pattern), "{pattern}");
        }
        assert!(
            !weighed(&"(".repeat(4000)) && !weighed(&format!("{}{}", "(".repeat(40), ")".repeat(40))) && !weighed(&"a".repeat(BYTES + 1))
        );
    }

    #[test]
    fn attack_53_whatever_is_let_in_fits_its_compiled_bytes() {
        for part in [".", "[^a]", r"\p{L}", r"[\p{L}\p{N}]", r"\w", r"\S", "x", "(?i:k)", "(?:a|bc)", "[a-zà-ÿ]", r"[\D]"] {
            let most = (1..).map(|count| format!("{part}{{{count}}}")).take_while(|pattern| weighed(pattern)).last();
            let most = most.unwrap();
            assert!(build(&json!({"pattern": most})).is_ok(), "{most}");
        }
    }
}
