//! JSON as clients' files have it: with comments and a comma too many, where a strict reader would give up.
//!
//! Is: a tree, and where a strict reader stops. Is not: JSON5; single quotes, bare names and missing commas are errors.

use super::file::Malformed;
use super::tree::{Member, Node, Place};
use jsonc_parser::ast::Value;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// How much is let pass.
const fn options(lax: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: lax,
        allow_trailing_commas: lax,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The tree of a text, and what a strict reader says of it.
pub(super) fn parse(text: &str) -> Result<(Node, Option<Malformed>), Malformed> {
    let read = |lax| parse_to_ast(text, &CollectOptions::default(), &options(lax));
    let root = read(true).map_err(|error| wrong(text, &error))?.value.as_ref().map_or(Node::Table(Vec::new()), node);
    Ok((root, read(false).err().map(|error| wrong(text, &error)).or_else(|| strict(text))))
}

/// What the parser lets pass and clients do not: line feeds in texts.
fn strict(text: &str) -> Option<Malformed> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let what = error.to_string().split(" at line").next().unwrap_or_default().to_owned();
    Some(Malformed { place: Place { line: error.line(), column: error.column() }, what })
}

fn wrong(text: &str, error: &ParseError) -> Malformed {
    let what = error.kind().to_string();
    let mut letters = what.chars();
    let what = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    Malformed { place: Place::of(text, error.range().start), what }
}

fn node(value: &Value<'_>) -> Node {
    match value {
        Value::NullKeyword(_) => Node::Null,
        Value::BooleanLit(value) => Node::Bool(value.value),
        Value::NumberLit(value) => Node::Number(value.value.to_owned()),
        Value::StringLit(value) => Node::Text(value.value.clone().into_owned()),
        Value::Array(list) => Node::List(list.elements.iter().map(node).collect()),
        Value::Object(table) => {
            let member = |property: &jsonc_parser::ast::ObjectProp<'_>| Member {
                name: property.name.as_str().to_owned(),
                at: property.range.start,
                node: node(&property.value),
            };
            Node::Table(table.properties.iter().map(member).collect())
        }
    }
}
