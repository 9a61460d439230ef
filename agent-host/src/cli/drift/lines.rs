//! What moved, in lines for a person.
//!
//! Is: words that went as `[-old-]`, words that came as `{+new+}`, which colour is not needed to read. Nothing a stranger
//! wrote can pass for a mark, for a line of ours, or for nothing: `foreign` makes it so, and [`wrapped`] keeps it within a
//! terminal's lines. Clauses: CAT-5, CAT-8 (diff).

use super::{Drifted, QUOTE, whole};
use crate::cli::wrap::wrap;
use crate::foreign::{exact, folded, name, shown};
use agent_core::definition::Parameter;
use agent_core::effect::Capability;
use agent_core::safety::visible;
use agent_engine::catalog::Tool;
use agent_engine::catalog::diff::{Moved, Piece, words};

/// A drifted tool with everything that moved, or the whole of what it is now.
pub(in crate::cli) fn drifted(found: &Drifted) -> Vec<String> {
    let (id, now) = (&found.tool.descriptor.id, found.tool.descriptor.digest);
    match &found.moved {
        Some(moves) => {
            let head = format!("{}  pinned {}, now {}", visible(id.as_str()), found.pinned.short(), now.short());
            std::iter::once(head).chain(moves.iter().flat_map(moved)).collect()
        }
        None => {
            let mut lines = vec![format!("{}  pinned {}", visible(id.as_str()), found.pinned)];
            lines.push("  the definition of that digest is not kept here, so what moved can't be shown".to_owned());
            lines.extend(review(&found.tool));
            lines.extend(whole(&found.tool));
            lines
        }
    }
}

fn moved(moved: &Moved) -> Vec<String> {
    let at = moved.at.iter().map(|key| name(key)).collect::<Vec<_>>().join(".");
    let label = if at.is_empty() { moved.part.as_str().to_owned() } else { format!("{} {at}", moved.part.as_str()) };
    block(&label, &marked(moved.old.as_deref().unwrap_or_default(), moved.new.as_deref().unwrap_or_default()))
}

/// What to know of a tool first: effect, description, parameters. The whole of it is [`whole`].
pub(in crate::cli) fn review(tool: &Tool) -> Vec<String> {
    let descriptor = &tool.descriptor;
    let capabilities: Vec<_> = descriptor.safety.capabilities.iter().map(|capability: &Capability| capability.as_str()).collect();
    let capabilities = if capabilities.is_empty() { "none of the three capabilities".to_owned() } else { capabilities.join(", ") };
    let mut lines = vec![
        format!("{}  definition {}", visible(descriptor.id.as_str()), descriptor.digest),
        format!("  effect: {}", descriptor.safety.effect.as_str()),
        format!("  can: {capabilities}"),
    ];
    if descriptor.flagged {
        lines.push(
            "  look twice: it holds characters that can't be seen, letters of another script, or a schema that can't be checked".to_owned(),
        );
    }
    lines.extend(descriptor.title.iter().map(|title| format!("  title: {}", folded(title))));
    lines.extend(block("description", &folded(&tool.definition.description)));
    lines.extend(tool.definition.parameters.iter().flat_map(parameter));
    lines
}

fn parameter(parameter: &Parameter) -> Vec<String> {
    let required = if parameter.required { "required" } else { "optional" };
    let mut label = format!("{} ({}, {required})", name(&parameter.name), name(parameter.kind.as_deref().unwrap_or("any")));
    if !parameter.values.is_empty() {
        let values: Vec<_> = parameter.values.iter().map(|value| name(value)).collect();
        label.push_str(&format!(" one of {}", values.join(", ")));
    }
    block(&label, &folded(&parameter.description))
}

/// Lines that a terminal of so many columns does not wrap itself; what goes on is quoted. Where nobody looks, lines stay whole.
pub(in crate::cli) fn wrapped(lines: Vec<String>, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return lines };
    lines.iter().flat_map(|line| wrap(line, columns, QUOTE)).collect()
}

/// A text after its label: on the same line where it has one line, else quoted below.
fn block(label: &str, text: &str) -> Vec<String> {
    match text.trim_end_matches('\n') {
        "" => vec![format!("  {label}")],
        one if !one.contains('\n') => vec![format!("  {label}: {one}")],
        more => std::iter::once(format!("  {label}:")).chain(more.split('\n').map(|line| format!("{QUOTE}{line}"))).collect(),
    }
}

/// Two texts as one, with marks.
pub(super) fn marked(old: &str, new: &str) -> String {
    let mut out = String::new();
    for piece in words(old, new) {
        match piece {
            Piece::Same(text) => out.push_str(&exact(text)),
            Piece::Old(text) => mark("[-", text, "-]", &mut out),
            Piece::New(text) => mark("{+", text, "+}", &mut out),
        }
    }
    out
}

/// Marked line by line.
fn mark(open: &str, text: &str, close: &str, out: &mut String) {
    for line in text.split_inclusive('\n') {
        out.extend([open, &shown(line), close]);
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
}
