//! Arguments of a call that stand in headers as well (`Mcp-Param-*`, MCP 2026-07-28), written and compared.
//!
//! Is: both ends of one rule: what we send a server behind a URL, and what a client over HTTP has to send us. Is not: which
//! arguments those are (`agent_core::mirrored`). Clauses: UP-6 (eras), SES-2 (HTTP). Source: MCP 2026-07-28, basic/transports,
//! custom headers from tool parameters.

use agent_core::mirrored::Mirrored;
use agent_core::safety::echo;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Number, Value};

const PREFIX: &str = "mcp-param-";
const BASE64: (&str, &str) = ("=?base64?", "?=");
/// Past it not every whole number is a double of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The headers of one call.
pub(crate) fn headers(mirrored: &[Mirrored], arguments: Option<&Map<String, Value>>) -> Vec<(HeaderName, HeaderValue)> {
    let header = |mirrored: &Mirrored| {
        let value = text(mirrored.value(arguments?)?)?;
        Some((HeaderName::from_bytes(name(mirrored).as_bytes()).ok()?, header_value(&value)))
    };
    mirrored.iter().filter_map(header).collect()
}

/// Whether the headers of a call say what its arguments say.
///
/// # Errors
/// Where they don't; it repeats no value.
pub(crate) fn agree(mirrored: &[Mirrored], arguments: Option<&Map<String, Value>>, headers: &HeaderMap) -> Result<(), String> {
    for one in mirrored {
        let (name, argument) = (name(one), echo(&one.path.join(".")));
        let mut sent = headers.get_all(&name).iter();
        let value = arguments.and_then(|arguments| one.value(arguments)).filter(|value| text(value).is_some());
        let header = match (sent.next(), sent.next(), value) {
            (None, _, None) => continue,
            (Some(_), Some(_), _) => return Err(format!("the header `{name}` stands twice")),
            (Some(_), _, None) => return Err(format!("the header `{name}` is there, and `{argument}` is not")),
            (None, _, Some(_)) => return Err(format!("the header `{name}` is missing, for `{argument}` is there")),
            (Some(header), None, Some(value)) => (header, value),
        };
        let read = header.0.to_str().ok().and_then(decoded).ok_or_else(|| format!("the header `{name}` can't be read"))?;
        if !says(&read, header.1) {
            return Err(format!("the header `{name}` says something else than `{argument}`"));
        }
    }
    Ok(())
}

fn name(mirrored: &Mirrored) -> String {
    format!("{PREFIX}{}", mirrored.header)
}

/// What a header carries of a value; nothing of a list or an object.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether a text is that of a value. Whole numbers are compared as numbers: 42.0 is 42.
fn says(read: &str, value: &Value) -> bool {
    text(value).is_some_and(|text| text == read) || matches!(value, Value::Number(number) if same(read, number))
}

fn same(read: &str, number: &Number) -> bool {
    let read = read.parse::<Number>().ok().and_then(|read| read.as_f64());
    let whole = read.filter(|read| read.fract() == 0.0 && read.abs() < EXACT);
    whole.is_some() && whole == number.as_f64()
}

/// A text as a header's value: as it is, or in base64 where a header could not carry it or a reader would take it for base64.
pub(crate) fn header_value(text: &str) -> HeaderValue {
    let seen = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text;
    let plain = seen && !(text.starts_with(BASE64.0) && text.ends_with(BASE64.1));
    let carried = if plain { text.to_owned() } else { format!("{}{}{}", BASE64.0, BASE64_STANDARD.encode(text), BASE64.1) };
    HeaderValue::from_str(&carried).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// What [`header_value`] made a header's value of. Without both ends of its wrapping it is what it looks like.
fn decoded(carried: &str) -> Option<String> {
    match carried.strip_prefix(BASE64.0).and_then(|rest| rest.strip_suffix(BASE64.1)) {
        Some(packed) => String::from_utf8(BASE64_STANDARD.decode(packed).ok()?).ok(),
        None => Some(carried.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use agent_core::canon::Node;
    use agent_core::mirrored::mirrored;
    use serde_json::json;

    fn marks(properties: &Value) -> Vec<Mirrored> {
        mirrored(&Node::parse(&json!({"type": "object", "properties": properties}).to_string(), 32, 8192).unwrap()).unwrap()
    }

    #[test]
    fn up_6_marked_arguments_stand_in_headers() {
        let marks = marks(&json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        }));
        let arguments = json!({"region": " \u{e9}", "deep": {"n": 7}});
        let sent = headers(&marks, arguments.as_object());
        let shown: Vec<_> = sent.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        assert_eq!(shown, ["mcp-param-n: 7", "mcp-param-region: =?base64?IMOp?="]);
        assert_eq!(agree(&marks, arguments.as_object(), &sent.into_iter().collect()), Ok(()), "what is sent is what is taken");
        assert_eq!(headers(&marks, json!({"deep": 1}).as_object()), []);
        assert_eq!(header_value("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
        assert_eq!((header_value("plain word"), header_value("")), (HeaderValue::from_static("plain word"), HeaderValue::from_static("")));
    }

    #[test]
    fn attack_13_a_header_says_what_its_argument_says() {
        let marks = marks(&json!({"a": {"type": "string", "x-mcp-header": "A"}, "n": {"type": "integer", "x-mcp-header": "n"}}));
        let says = |sent: &[(&'static str, &'static str)], arguments: Value| {
            let mut headers = HeaderMap::new();
            for (name, value) in sent {
                headers.append(*name, HeaderValue::from_static(value));
            }
            agree(&marks, arguments.as_object(), &headers)
        };
        assert_eq!(says(&[("mcp-param-a", "=?base64?SGVsbG8=?=")], json!({"a": "Hello"})), Ok(()));
        assert_eq!(says(&[("mcp-param-a", "=?base64?SGVsbG8=")], json!({"a": "=?base64?SGVsbG8="})), Ok(()), "no wrapping, no base64");
        assert_eq!(says(&[("mcp-param-n", "42.0")], json!({"n": 42})), Ok(()));
        assert_eq!(says(&[("mcp-param-n", "9007199254740993")], json!({"n": 9_007_199_254_740_993_u64})), Ok(()));
        assert_eq!(says(&[], json!({"a": null})), Ok(()));
        for (sent, arguments) in [
            (&[("mcp-param-a", "b")][..], json!({"a": "a"})),
            (&[], json!({"a": "a"})),
            (&[("mcp-param-a", "a")], json!({})),
            (&[("mcp-param-a", "a"), ("mcp-param-a", "b")], json!({"a": "a"})),
            (&[("mcp-param-a", "=?base64?SGVsbG8?=")], json!({"a": "Hello"})),
            (&[("mcp-param-a", "=?base64?SGVs!!!bG8=?=")], json!({"a": "Hello"})),
            (&[("mcp-param-n", "9007199254740992")], json!({"n": 9_007_199_254_740_993_u64})),
            (&[("mcp-param-n", "nan")], json!({"n": 42})),
        ] {
            assert!(says(sent, arguments.clone()).is_err(), "{sent:?} {arguments}");
        }
    }
}
