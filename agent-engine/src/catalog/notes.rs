//! What an operator should know of a tool that is served all the same.
//!
//! Is not: a verdict; nothing is decided by a note, and no model is shown one. Clauses: CAT-4 (field), CAT-8 (overclaim).

use crate::schema;
use agent_core::definition::Definition;

/// Words in a name that say that something is taken away.
const TAKING: [&str; 21] = [
    "delete",
    "remove",
    "purge",
    "drop",
    "destroy",
    "erase",
    "wipe",
    "kill",
    "truncate",
    "clear",
    "overwrite",
    "reset",
    "uninstall",
    "revoke",
    "terminate",
    "unlink",
    "rm",
    "del",
    "trash",
    "discard",
    "shred",
];

/// The notes of one definition, in plain words: what was read otherwise than it was written, what is not enforced, and where
/// its annotations claim less than its name says. Compiles its schemas.
#[must_use]
pub fn notes(definition: &Definition) -> Vec<String> {
    let mut notes = definition.notes.clone();
    notes.extend(schema::notes(definition));
    notes.extend(overclaim(definition));
    notes
}

// Only claims count that would make a call look safer than it is.
fn overclaim(definition: &Definition) -> Option<String> {
    let claim = match (definition.annotations.read_only, definition.annotations.destructive) {
        (Some(true), _) => "only reads",
        (_, Some(false)) => "destroys nothing",
        _ => return None,
    };
    let words = words(&definition.name);
    let taking = TAKING.into_iter().find(|taking| words.iter().any(|word| word == taking))?;
    Some(format!("its server says that it {claim}, its name says `{taking}`; the claim is not believed unless the server is trusted"))
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && !before.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_alphanumeric()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn said(name: &str, annotations: &str) -> Vec<String> {
        let raw = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"annotations":{annotations}}}"#);
        notes(&Definition::parse(&raw).unwrap())
    }

    #[test]
    fn cat_8_overclaim_is_a_note() {
        for name in ["purge_mailbox", "box.purge", "mailboxPurge", "PURGE_ALL", "mail-purge"] {
            let notes = said(name, r#"{"readOnlyHint":true}"#);
            assert!(notes.first().is_some_and(|note| note.contains("only reads") && note.contains("`purge`")), "{name}: {notes:?}");
            assert_eq!(said(name, r#"{"destructiveHint":false}"#).len(), 1);
            assert!(said(name, r#"{"destructiveHint":true}"#).is_empty() && said(name, "{}").is_empty());
        }
        assert!(said("list_dropdowns", r#"{"readOnlyHint":true}"#).is_empty());
    }

    #[test]
    fn cat_4_field_what_is_not_enforced_is_a_note() {
        let of = |schema: &str| {
            let raw = format!(r#"{{"name":"t","inputSchema":{{"type":"object","properties":{{"a":{schema}}}}}}}"#);
            notes(&Definition::parse(&raw).unwrap())
        };
        assert!(of(r#"{"type":"integer","format":"uint64","enum":[1,2]}"#).is_empty());
        let noted = [
            (r#"{"items":[{"type":"string"}]}"#, "draft-07"),
            (r#"{"minimum":0,"exclusiveMinimum":true}"#, "draft-04"),
            (r#"{"pattern":"(?<=x)y\\1"}"#, "without its patterns"),
            (r#"{"type":"int"}"#, "not enforced"),
            (r##"{"$ref":"#"}"##, "not enforced"),
        ];
        for (schema, word) in noted {
            assert!(of(schema).iter().any(|note| note.contains(word)), "{schema}: {:?}", of(schema));
        }
    }
}
