//! TOML as Codex has it, as the same tree.

use super::file::Malformed;
use super::tree::{Member, Node, Place};
use toml::de::{DeTable, DeValue};

/// The tree of a text.
pub(super) fn parse(text: &str) -> Result<Node, Malformed> {
    let wrong = |error: toml::de::Error| Malformed {
        place: Place::of(text, error.span().map_or(0, |span| span.start)),
        what: error.message().trim().replace('\n', ", "),
    };
    Ok(table(DeTable::parse(text).map_err(wrong)?.get_ref()))
}

fn table(table: &DeTable<'_>) -> Node {
    let member = |(key, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<DeValue<'_>>)| Member {
        name: key.get_ref().clone().into_owned(),
        at: key.span().start,
        node: node(value.get_ref()),
    };
    let mut members: Vec<Member> = table.iter().map(member).collect();
    members.sort_by_key(|member| member.at);
    Node::Table(members)
}

fn node(value: &DeValue<'_>) -> Node {
    match value {
        DeValue::String(text) => Node::Text(text.clone().into_owned()),
        DeValue::Integer(number) => Node::Number(number.as_str().to_owned()),
        DeValue::Float(number) => Node::Number(number.as_str().to_owned()),
        DeValue::Boolean(value) => Node::Bool(*value),
        DeValue::Datetime(moment) => Node::Text(moment.to_string()),
        DeValue::Array(items) => Node::List(items.iter().map(|item| node(item.get_ref())).collect()),
        DeValue::Table(inner) => table(inner),
    }
}
