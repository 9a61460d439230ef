//! What serde takes for more than it should: a list in place of an object, a number in place of a word.
//!
//! A request is read by serde's derived code, which takes a structure's fields as a list too, and the place of a variant for its name. A
//! decision is only read in its own words (AUTH-3), so these are looked at first. Is not: the reading itself. Nothing is copied, for a
//! request may hold a passphrase. Clauses: AUTH-3, HOST-3.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Shape<'a> {
    #[serde(borrow)]
    answer: Option<&'a RawValue>,
    #[serde(borrow)]
    reply: Option<&'a RawValue>,
    #[serde(borrow)]
    scope: Option<&'a RawValue>,
    #[serde(borrow)]
    token: Option<&'a RawValue>,
    #[serde(borrow)]
    records: Option<&'a RawValue>,
    #[serde(borrow)]
    bounds: Option<Vec<&'a RawValue>>,
}

/// The words that tell variants apart.
#[derive(Deserialize)]
struct Tags<'a> {
    #[serde(borrow)]
    decision: Option<&'a RawValue>,
    #[serde(borrow)]
    of: Option<&'a RawValue>,
    #[serde(borrow)]
    reply: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

/// What is of another shape than it must be; none where all is, or where the text is no object at all, which serde says itself.
pub(crate) fn misshapen(request: &[u8]) -> Option<&'static str> {
    let shape = serde_json::from_slice::<Shape<'_>>(request).ok()?;
    let parts = [shape.answer, shape.reply, shape.scope, shape.token, shape.records]
        .into_iter()
        .flatten()
        .chain(shape.bounds.into_iter().flatten());
    for part in parts {
        if !part.get().starts_with('{') {
            return Some("a part of it is no JSON object");
        }
        let Ok(tags) = serde_json::from_str::<Tags<'_>>(part.get()) else { continue };
        if [tags.decision, tags.of, tags.reply, tags.text].into_iter().flatten().any(|tag| !tag.get().starts_with('"')) {
            return Some("a word of it is no text");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_3_host_3_a_place_is_no_word_and_a_list_is_no_object() {
        for wrong in [
            r#"{"do":"answer","answer":{"decision":0}}"#,
            r#"{"answer":["approve"]}"#,
            r#"{"answer":"approve"}"#,
            r#"{"scope":{"of":0,"session":"s"}}"#,
            r#"{"records":[null,null]}"#,
            r#"{"reply":["said","x"]}"#,
            r#"{"reply":{"reply":0,"text":"x"}}"#,
            r#"{"token":["alice"]}"#,
            r#"{"bounds":[{"id":"a"},["a","b"]]}"#,
        ] {
            assert!(misshapen(wrong.as_bytes()).is_some(), "{wrong}");
        }
        for right in
            [r#"{"answer":{"decision":"approve"}}"#, r#"{"scope":{"of":"server","server":"a"}}"#, r#"{"records":{}}"#, "{}", "[]", "{"]
        {
            assert!(misshapen(right.as_bytes()).is_none(), "{right}");
        }
    }
}
