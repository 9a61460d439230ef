//! Which parts of a JSON Schema are schemas, which are names, and which are data.
//!
//! Is: the one place that tells a keyword from a name that somebody chose. Is not: a validator. What a keyword unknown here
//! holds counts as schemas, and so does data that a reference leads to: some reader takes them for that. Clauses: CAT-4,
//! CAT-5, GATE-1. Attack 53.

use crate::canon::Node;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What stands under a keyword of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Data, in which nothing is a keyword.
    Data,
    /// An object whose keys are names, or patterns of names, with a schema under each.
    Named,
    /// A schema, a list of them, or what is neither and does not look like one.
    Schemas,
}

/// What a keyword holds. Only for keys of a schema, never for the keys of what is [`Holds::Named`].
#[must_use]
pub fn holds(keyword: &str) -> Holds {
    match keyword {
        "enum" | "const" | "default" | "examples" => Holds::Data,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
            Holds::Named
        }
        _ => Holds::Schemas,
    }
}

/// Where a member of a schema refers to, if it is a reference.
#[must_use]
pub fn reference<'a>(keyword: &str, value: &'a Node) -> Option<&'a str> {
    value.as_str().filter(|_| matches!(keyword, "$ref" | "$dynamicRef" | "$recursiveRef"))
}

/// The subschemas right inside of a schema, or of a list of them.
#[must_use]
pub fn inside(schema: &Node) -> Vec<&Node> {
    let mut found: Vec<&Node> = schema.items().iter().collect();
    for (keyword, value) in schema.members() {
        match holds(keyword) {
            Holds::Data => {}
            Holds::Named => found.extend(value.members().iter().map(|(_, one)| one)),
            Holds::Schemas => found.push(value),
        }
    }
    found
}

/// A schema, everything inside of it that is one, and everything that a reference within the document makes one; each once.
#[must_use]
pub fn all(root: &Node) -> Vec<&Node> {
    let (mut seen, mut left, mut found) = (BTreeSet::new(), vec![root], Vec::new());
    while let Some(schema) = left.pop() {
        if seen.insert(std::ptr::from_ref(schema)) {
            left.extend(inside(schema));
            let references = schema.members().iter().filter_map(|(keyword, value)| reference(keyword, value));
            left.extend(references.filter_map(|target| resolve(root, target)));
            found.push(schema);
        }
    }
    found
}

/// Hands every schema of a document with its members to `change`, outer ones first.
pub fn each_mut(schema: &mut Node, change: &impl Fn(&mut Vec<(String, Node)>)) {
    match schema {
        Node::Array(items) => items.iter_mut().for_each(|item| each_mut(item, change)),
        Node::Object(members) => {
            change(members);
            for (keyword, value) in members {
                match (holds(keyword), value) {
                    (Holds::Data, _) => {}
                    (Holds::Named, Node::Object(named)) => named.iter_mut().for_each(|(_, one)| each_mut(one, change)),
                    (Holds::Named, _) => {}
                    (Holds::Schemas, value) => each_mut(value, change),
                }
            }
        }
        _ => {}
    }
}

/// What a reference by a path within the document leads to: `#`, or `#/` and a JSON pointer (RFC 6901, section 6).
#[must_use]
pub fn resolve<'a>(root: &'a Node, target: &str) -> Option<&'a Node> {
    let pointer = unescaped(target.strip_prefix('#')?)?;
    let mut keys = pointer.split('/');
    if keys.next() != Some("") {
        return None;
    }
    keys.try_fold(root, |node, key| match node {
        Node::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => node.get(&key.replace("~1", "/").replace("~0", "~")),
    })
}

/// Without its percent signs; none where that is no text.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    out.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        out.push(u8::from_str_radix(code, 16).ok()?);
        out.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn node(text: &str) -> Node {
        Node::parse(text, 32, 8192).unwrap()
    }

    fn refs(text: &str) -> Vec<String> {
        let node = node(text);
        let all = all(&node);
        let members = all.iter().flat_map(|schema| schema.members());
        members.filter_map(|(keyword, value)| reference(keyword, value)).map(str::to_owned).collect()
    }

    #[test]
    fn attack_53_a_name_is_no_keyword_and_data_no_schema() {
        for data in ["enum", "const", "default", "examples"] {
            assert!(refs(&format!(r#"{{"{data}":{{"$ref":"x"}}}}"#)).is_empty());
            for named in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"] {
                assert_eq!(refs(&format!(r#"{{"{named}":{{"{data}":{{"items":[{{"$ref":"x"}}]}}}}}}"#)), ["x"], "{named} {data}");
                assert!(refs(&format!(r#"{{"{data}":{{"{named}":{{"a":{{"$ref":"x"}}}}}}}}"#)).is_empty());
            }
        }
        assert_eq!(refs(r#"{"properties":{"properties":{"default":{"$ref":"x"},"not":{"$ref":"y"}},"$ref":{"type":"string"}}}"#), ["y"]);
    }

    #[test]
    fn attack_53_data_that_is_referred_to_is_a_schema() {
        let mut found = refs(r##"{"$ref":"#/%65num/0/a~1b","enum":[{"a/b":{"not":{"$ref":"x"}}}]}"##);
        found.sort();
        assert_eq!(found, ["#/%65num/0/a~1b", "x"]);
        assert_eq!(refs(r##"{"not":{"$ref":"#"}}"##), ["#"]);
        let root = node(r#"{"a":[1,{"%":2}]}"#);
        assert_eq!(resolve(&root, "#/a/1/%25"), Some(&Node::Number("2".to_owned())));
        for nowhere in ["a", "#a", "#/b", "#/a/2", "#/%", "#/%zz", "#/%ff", "#/a/0/0"] {
            assert_eq!(resolve(&root, nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn cat_5_what_is_changed_of_a_schema_is_no_data_and_no_name() {
        let text = r#"{"title":1,"default":{"title":1},"properties":{"title":{"title":1},"default":{"title":1,"items":[{"title":1}]}}}"#;
        let mut node = node(text);
        each_mut(&mut node, &|members| members.retain(|(key, _)| key != "title"));
        assert_eq!(node.text(), r#"{"default":{"title":1},"properties":{"title":{},"default":{"items":[{}]}}}"#);
    }
}
