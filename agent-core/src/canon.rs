//! Canonical JSON: one byte string for every JSON value, RFC 8785, and for what RFC 8785 can't carry.
//!
//! Is: a tree that keeps duplicate keys and number literals as written, and the bytes that are hashed. Is not: a JSON
//! lexer; `serde_json` reads each level as raw text. Clause: CAT-3. Invariant: I-3: what is read of a definition later is
//! made from this tree, never from its text once more, so it is what was hashed.
//!
//! A number that an IEEE 754 double carries exactly (in the sense that its shortest form has the same decimal value) is
//! written as RFC 8785 says. Any other is written as its literal text after a byte 0x01, which canonical JSON never holds.

mod private;

pub use private::plain;

use private::reserved;
use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// A JSON value as written: order and literals kept, keys unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number's literal text.
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object, in the order written.
    Object(Vec<(String, Node)>),
}

/// Why a text is not a JSON value that can be hashed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonError {
    /// Not JSON at all.
    #[error("not well-formed JSON: {0}")]
    Malformed(String),
    /// One object names a key twice.
    #[error("an object has the key `{0}` twice")]
    DuplicateKey(String),
    /// Nested deeper than the bound.
    #[error("nested deeper than {0} levels")]
    Depth(usize),
    /// More values than the bound.
    #[error("more than {0} JSON values")]
    Nodes(usize),
}

impl Node {
    /// Reads a text of at most `depth` levels and `nodes` values.
    ///
    /// # Errors
    /// [`CanonError`] names the first thing found wrong.
    pub fn parse(text: &str, depth: usize, nodes: usize) -> Result<Self, CanonError> {
        let raw: &RawValue = serde_json::from_str(text).map_err(malformed)?;
        Reader { depth, nodes, left: nodes }.value(raw, depth)
    }

    /// The member of an object by its key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an object, none for anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array, none for anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// The text without white space between its values: members in their order, numbers as they were written. It is never
    /// longer than the text that was parsed.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        self.write(Form::AsWritten, &mut out);
        // Every part that was written is text.
        String::from_utf8(out).unwrap_or_default()
    }

    /// The same value as `serde_json` has it, its numbers rounded to doubles; none where one is past a double's range.
    // INVARIANT: I-3 no text is read a second time, by other rules
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(literal) => Value::Number(literal.parse().ok()?),
            Self::String(text) => Value::String(text.clone()),
            Self::Array(items) => Value::Array(items.iter().map(Self::value).collect::<Option<_>>()?),
            Self::Object(members) => {
                let members = members.iter().map(|(key, value)| Some((key.clone(), value.value()?)));
                Value::Object(members.collect::<Option<Map<_, _>>>()?)
            }
        })
    }

    /// The canonical bytes.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(Form::Canonical, &mut out);
        out
    }

    fn write(&self, form: Form, out: &mut Vec<u8>) {
        match (self, form) {
            (Self::Null, _) => out.extend_from_slice(b"null"),
            (Self::Bool(true), _) => out.extend_from_slice(b"true"),
            (Self::Bool(false), _) => out.extend_from_slice(b"false"),
            (Self::Number(literal), Form::Canonical) => number(literal, out),
            (Self::Number(literal), Form::AsWritten) => out.extend_from_slice(literal.as_bytes()),
            (Self::String(text), _) => string(text, out),
            (Self::Array(items), _) => between(b'[', items, b']', out, |item, out| item.write(form, out)),
            (Self::Object(members), _) => {
                let mut members: Vec<_> = members.iter().collect();
                if form == Form::Canonical {
                    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
                }
                between(b'{', members, b'}', out, |(key, value), out| {
                    string(key, out);
                    out.push(b':');
                    value.write(form, out);
                });
            }
        }
    }
}

/// Which of a value's spellings is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Canonical,
    AsWritten,
}

fn between<T>(open: u8, items: impl IntoIterator<Item = T>, close: u8, out: &mut Vec<u8>, each: impl Fn(T, &mut Vec<u8>)) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        each(item, out);
    }
    out.push(close);
}

/// The canonical bytes of a JSON text.
///
/// # Errors
/// As [`Node::parse`].
pub fn canonical(text: &str, depth: usize, nodes: usize) -> Result<Vec<u8>, CanonError> {
    Node::parse(text, depth, nodes).map(|node| node.canonical())
}

fn malformed(error: serde_json::Error) -> CanonError {
    CanonError::Malformed(error.to_string())
}

/// RFC 8785 3.2.2.2; `serde_json` escapes as ECMAScript's JSON.stringify does.
fn string(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    drop(serde_json::to_writer(out, text));
}

/// RFC 8785 3.2.2.3 where it is exact, else the literal under its tag.
fn number(literal: &str, out: &mut Vec<u8>) {
    let mut buffer = ryu_js::Buffer::new();
    let shortest = literal
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite())
        .map(|value| buffer.format_finite(value))
        .filter(|shortest| decimal(shortest) == decimal(literal));
    match shortest {
        Some(shortest) => out.extend_from_slice(shortest.as_bytes()),
        None => {
            out.push(1);
            out.extend_from_slice(literal.as_bytes());
        }
    }
}

/// A literal's exact decimal value: sign, digits without outer zeros, power of ten of the last digit.
/// An exponent past 32 bits has no value here, so such a literal is never exact.
fn decimal(literal: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, i64::from(exponent.parse::<i32>().ok()?)),
        None => (literal, 0),
    };
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_end_matches('0');
    let power = exponent - fraction.len() as i64 + (digits.len() - trimmed.len()) as i64;
    let significant = trimmed.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    Some((negative, significant.to_owned(), power))
}

struct Reader {
    depth: usize,
    nodes: usize,
    left: usize,
}

impl Reader {
    fn value(&mut self, raw: &RawValue, depth: usize) -> Result<Node, CanonError> {
        self.left = self.left.checked_sub(1).ok_or(CanonError::Nodes(self.nodes))?;
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'n') => Ok(Node::Null),
            Some(b't') => Ok(Node::Bool(true)),
            Some(b'f') => Ok(Node::Bool(false)),
            Some(b'"') => serde_json::from_str(text).map(Node::String).map_err(malformed),
            Some(b'[') => {
                let below = depth.checked_sub(1).ok_or(CanonError::Depth(self.depth))?;
                let items = read(text, false, self.left, self.nodes)?;
                items.into_iter().map(|(_, item)| self.value(item, below)).collect::<Result<_, _>>().map(Node::Array)
            }
            Some(b'{') => {
                let below = depth.checked_sub(1).ok_or(CanonError::Depth(self.depth))?;
                let members = read(text, true, self.left, self.nodes)?;
                let mut seen = std::collections::BTreeSet::new();
                let mut out = Vec::with_capacity(members.len());
                for (key, value) in members {
                    if reserved(&key) {
                        return Err(CanonError::Malformed(format!("the key `{}` is a parser's own", crate::safety::echo(&key))));
                    }
                    if !seen.insert(key.clone()) {
                        return Err(CanonError::DuplicateKey(crate::safety::echo(&key)));
                    }
                    out.push((key, self.value(value, below)?));
                }
                Ok(Node::Object(out))
            }
            _ => Ok(Node::Number(text.to_owned())),
        }
    }
}

/// The members of one level, each as raw text; an array's have empty keys.
fn read(text: &str, object: bool, left: usize, nodes: usize) -> Result<Vec<(String, &RawValue)>, CanonError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let level = Level { left };
    let read = if object { reader.deserialize_map(level) } else { reader.deserialize_seq(level) };
    let (members, cut) = read.map_err(malformed)?;
    if cut { Err(CanonError::Nodes(nodes)) } else { Ok(members) }
}

struct Level {
    left: usize,
}

impl<'de> Visitor<'de> for Level {
    type Value = (Vec<(String, &'de RawValue)>, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(member) = map.next_entry()? {
            if out.len() <= self.left {
                out.push(member);
            }
        }
        let cut = out.len() > self.left;
        Ok((out, cut))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = seq.next_element()? {
            if out.len() <= self.left {
                out.push((String::new(), item));
            }
        }
        let cut = out.len() > self.left;
        Ok((out, cut))
    }
}

#[cfg(test)]
mod tests;
