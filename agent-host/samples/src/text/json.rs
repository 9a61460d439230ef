//! JSON, laid out and looked into.

use crate::server::{Wrong, wrong};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Values that one query gives.
const VALUES: usize = 1_000;

fn unreadable(error: serde_json::Error) -> Wrong {
    Wrong(format!("that is not JSON: {error}"))
}

/// Arguments of `format_json`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    /// The JSON document.
    #[schemars(length(min = 1, max = 100_000))]
    json: String,
    /// Spaces for each level; with 0 everything stands in one line.
    #[serde(default = "two")]
    #[schemars(range(min = 0, max = 8))]
    indent: usize,
}

fn two() -> usize {
    2
}

/// Only the space between signs is changed, so numbers and the order of keys stay.
pub(super) fn format(_: &(), Format { json, indent }: Format) -> Result<String, Wrong> {
    serde_json::from_str::<IgnoredAny>(&json).map_err(unreadable)?;
    let (mut out, mut depth) = (String::new(), 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    let mut signs = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        if indent > 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    while let Some(sign) = signs.next() {
        if quoted {
            quoted = escaped || sign != '"';
            escaped = !escaped && sign == '\\';
            out.push(sign);
            continue;
        }
        match sign {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                out.push(sign);
                while signs.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                match signs.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(sign);
            }
            ',' => {
                out.push(sign);
                line(&mut out, depth);
            }
            ':' => out.push_str(if indent > 0 { ": " } else { ":" }),
            _ => {
                quoted = sign == '"';
                out.push(sign);
            }
        }
    }
    Ok(out)
}

/// Arguments of `query_json`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Query {
    /// The JSON document.
    #[schemars(length(min = 1, max = 100_000))]
    json: String,
    /// The path: a `/` before each key or index (from 0), with `*` for all of them; a key's own `/` is written `~1`, its `~` `~0`.
    #[schemars(length(max = 1000))]
    path: String,
}

pub(super) fn query(_: &(), Query { json, path }: Query) -> Result<String, Wrong> {
    let document: Value = serde_json::from_str(&json).map_err(unreadable)?;
    if !path.is_empty() && !path.starts_with('/') {
        return wrong(format!("a path starts with `/`, such as `/{path}`"));
    }
    let mut found = vec![&document];
    for step in path.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        found = found.into_iter().flat_map(|value| inside(value, &key)).take(VALUES + 1).collect();
        if found.is_empty() {
            return wrong(format!("nothing is at `{path}`: no value has `{key}` there"));
        }
    }
    if found.len() > VALUES {
        return wrong(format!("that path gives more than {VALUES} values; name a part of them"));
    }
    let many = path.split('/').any(|step| step == "*");
    let shown = if many { serde_json::to_string_pretty(&found) } else { serde_json::to_string_pretty(&found.first()) };
    shown.map_err(unreadable)
}

/// What one step of a path leads to.
fn inside<'a>(value: &'a Value, key: &str) -> Vec<&'a Value> {
    match value {
        Value::Object(object) if key == "*" => object.values().collect(),
        Value::Object(object) => object.get(key).into_iter().collect(),
        Value::Array(items) if key == "*" => items.iter().collect(),
        Value::Array(items) => key.parse::<usize>().ok().and_then(|at| items.get(at)).into_iter().collect(),
        _ => Vec::new(),
    }
}
