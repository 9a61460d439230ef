//! The compact face of a tool: what the catalog holds, search returns and rules see.
//!
//! Is: at most 1 KiB as JSON, whatever the source sent. Is not: the definition, which lives apart under its digest.
//! Clauses: CAT-2, SRCH-2, CAT-5.

use crate::definition::Definition;
use crate::digest::Digest;
use crate::effect::{Acts, Declared, Safety};
use crate::id::{Alias, IdError, SourceClass, ToolId, WireName};
use crate::limits::DESCRIPTOR_BYTES;
use crate::safety::{cut, prose};
use serde::{Deserialize, Serialize};

/// One tool in the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Descriptor {
    /// Its identity.
    pub id: ToolId,
    /// The name a model sees.
    pub wire: WireName,
    /// A title of at most 80 bytes, made visible.
    pub title: Option<String>,
    /// The description's beginning on one line, at most 200 bytes, made visible.
    pub summary: String,
    /// The operator's words for it.
    pub tags: Vec<String>,
    /// Parameter names for a signature, `?` after optional ones.
    pub parameters: Vec<String>,
    /// What it can do.
    pub safety: Safety,
    /// As whom it acts at its server, where that is a matter of a login there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts: Option<Acts>,
    /// The digest of its definition.
    pub digest: Digest,
    /// Bytes of its definition.
    pub size: usize,
    /// Whether a person should look twice.
    pub flagged: bool,
}

impl Descriptor {
    /// The descriptor of a checked definition under its operator's alias.
    ///
    /// # Errors
    /// [`IdError`] where alias and name together are too long for an id.
    pub fn new(class: SourceClass, alias: &Alias, definition: &Definition, declared: &Declared, tags: &[String]) -> Result<Self, IdError> {
        let id = ToolId::new(class, alias, &definition.name)?;
        let mut made = Self {
            wire: id.wire(),
            title: definition.title.as_deref().map(|title| prose(title, 80)).filter(|title| !title.is_empty()),
            summary: prose(&definition.description, 200),
            tags: tags.iter().take(8).map(|tag| prose(tag, 24)).collect(),
            parameters: Vec::new(),
            safety: Safety::of(declared, definition.annotations),
            acts: declared.acts,
            digest: definition.digest,
            size: definition.raw.len(),
            flagged: definition.flagged,
            id,
        };
        let mut left = DESCRIPTOR_BYTES.saturating_sub(made.json_bytes());
        for parameter in &definition.parameters {
            let shown = signature_name(&parameter.name, parameter.required);
            let Some(rest) = left.checked_sub(shown.len() + 3) else { break };
            left = rest;
            made.parameters.push(shown);
        }
        while made.json_bytes() > DESCRIPTOR_BYTES && made.parameters.pop().is_some() {}
        while made.json_bytes() > DESCRIPTOR_BYTES && !made.summary.is_empty() {
            made.summary = cut(&made.summary, made.summary.len() / 2);
            if made.summary.len() <= 3 {
                made.summary.clear();
            }
        }
        Ok(made)
    }

    /// Bytes of the descriptor as JSON.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |json| json.len())
    }
}

/// A parameter's name as a signature shows it: `...` for anything but `[A-Za-z0-9_.-]{1,64}` (SRCH-2).
fn signature_name(name: &str, required: bool) -> String {
    let plain = (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    let shown = if plain { name } else { "..." };
    format!("{shown}{}", if required { "" } else { "?" })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn cat_2_a_descriptor_is_compact_whatever_was_sent() {
        let properties: Vec<_> = (0..300).map(|at| format!(r#""parameter_number_{at}":{{}}"#)).collect();
        let raw = format!(
            r#"{{"name":"{}","title":"{}","description":"{}","inputSchema":{{"properties":{{{}}}}}}}"#,
            "n".repeat(128),
            "\\\"".repeat(200),
            "\\u202e".repeat(2000),
            properties.join(",")
        );
        let definition = Definition::parse(&raw).unwrap();
        let made = Descriptor::new(SourceClass::Mcp, &Alias::parse("s").unwrap(), &definition, &Declared::default(), &[]).unwrap();
        assert!(made.json_bytes() <= DESCRIPTOR_BYTES, "{}", made.json_bytes());
        assert!(made.flagged && made.id.name().len() == 128);
    }

    #[test]
    fn srch_2_odd_parameter_names_are_not_shown() {
        assert_eq!(signature_name("repo", true), "repo");
        assert_eq!(signature_name("ignore previous", false), "...?");
        assert_eq!(signature_name("", true), "...");
    }
}
