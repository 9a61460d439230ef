//! One tool: what we say of it, what its server sent, what moved since it was accepted, and a way to accept it.
//!
//! Is: the whole definition, as its digest is of it; what is accepted is what is shown. Clauses: CAT-5, CAT-8 (diff, accept).
//! Invariant: I-3.

use super::{Frame, words};
use crate::admin::{Over, Role, Standing, WholeTool};
use crate::foreign::{definition, shown};
use agent_core::descriptor::Descriptor;
use agent_core::safety::{cut, visible};
use agent_engine::catalog::diff::{Moved, Piece, words as pieces};
use maud::{Markup, html};

/// Bytes of a definition that are shown. One that is longer can't be accepted here, for not all of it was seen.
const SHOWN_BYTES: usize = 512 * 1024;
/// Bytes of one side of a part that moved.
const MOVED_BYTES: usize = 16 * 1024;

/// The page; none where no such tool is served.
#[must_use]
pub fn one(frame: &Frame<'_>, tool: Option<&WholeTool>) -> Markup {
    let Some(tool) = tool else {
        return html! { p.empty { "No such tool is served." } p { a href={ (frame.prefix) "/catalog" } { "the catalog" } } };
    };
    let text = definition(&tool.definition);
    html! {
        (face(frame, &tool.descriptor, tool))
        @if tool.state == Standing::Changed { (drift(tool)) }
        @if !tool.notes.is_empty() {
            section aria-labelledby="notes" { h2 id="notes" { "Notes" } ul { @for note in &tool.notes { li { (visible(note)) } } } }
        }
        section aria-labelledby="sent" {
            h2 id="sent" { "What the server sent (not checked), " (words::number(tool.descriptor.size as u64)) " bytes" }
            pre.foreign tabindex="0" aria-labelledby="sent" { (cut(&text, SHOWN_BYTES)) }
            @if text.len() > SHOWN_BYTES { p.note { "It is cut here: " code { "agent-host tool" } " prints all of it, and " code { "agent-host accept" } " accepts it." } }
        }
        @if !text.is_empty() && text.len() <= SHOWN_BYTES { (accept(frame, tool)) }
    }
}

fn face(frame: &Frame<'_>, face: &Descriptor, tool: &WholeTool) -> Markup {
    let server = face.id.server();
    html! {
        dl.facts {
            div { dt { "id" } dd { code { (visible(face.id.as_str())) } @if face.flagged { " " (words::mark("look twice")) } } }
            div { dt { "server" } dd { a href=(words::link(frame, "/catalog", &[("server", server.as_str())])) { (server) } } }
            div { dt { "called by models" } dd { code { (face.wire.as_str()) } } }
            div { dt { "effect" } dd { (words::effect(face.safety.effect)) " " span.dim { (words::capabilities(&face.safety.capabilities)) } } }
            div { dt { "its annotations" } dd { @if face.safety.trusted { "believed" } @else { "not believed" } @if face.safety.repeatable { ", a call may be repeated" } } }
            div { dt { "state" } dd { (words::mark(tool.state.as_str())) } }
            div { dt { "definition" } dd { code { (face.digest) } } }
            @if let Some(accepted) = tool.accepted.filter(|accepted| *accepted != face.digest) { div { dt { "accepted" } dd { code { (accepted) } } } }
            @if !face.tags.is_empty() { div { dt { "tags" } dd { (visible(&face.tags.join(", "))) } } }
        }
        @if face.flagged { p.note { "Look twice: it holds characters that can't be seen, letters of another script, or a schema that can't be checked." } }
        @if let Some(title) = &face.title { (words::says(title)) }
        (words::says(&face.summary))
    }
}

fn drift(tool: &WholeTool) -> Markup {
    html! {
        section aria-labelledby="moved" {
            h2 id="moved" { "What moved since it was accepted" }
            @match &tool.moved {
                None => p.note { "The definition that was accepted is not kept here, so what moved can't be shown. Read the whole of it below." },
                Some(moves) => dl.moved { @for moved in moves { (part(moved)) } },
            }
        }
    }
}

fn part(moved: &Moved) -> Markup {
    let at: Vec<_> = moved.at.iter().map(|key| shown(key)).collect();
    let old = cut(moved.old.as_deref().unwrap_or_default(), MOVED_BYTES);
    let new = cut(moved.new.as_deref().unwrap_or_default(), MOVED_BYTES);
    html! {
        dt { (moved.part.as_str()) " " code { (at.join(".")) } }
        dd.foreign {
            @for piece in pieces(&old, &new) {
                @match piece {
                    Piece::Same(text) => (crate::foreign::exact(text)),
                    Piece::Old(text) => del { (shown(text)) },
                    Piece::New(text) => ins { (shown(text)) },
                }
            }
        }
    }
}

fn accept(frame: &Frame<'_>, tool: &WholeTool) -> Markup {
    let (id, digest) = (tool.descriptor.id.to_string(), tool.descriptor.digest.to_string());
    let back = words::with("/catalog/tool", &[("id", &id)]);
    html! {
        @if tool.state != Standing::Accepted && frame.operator.role >= Role::Admin && frame.operator.over == Over::All {
            section.danger aria-labelledby="accept" {
                h2 id="accept" { "Accept this definition" }
                p { "From then on it is the one that counts: definition " code { (tool.descriptor.digest.short()) } ". Grants of another one are dropped. Nobody is given the tool by it." }
                (words::button(frame, "accept", &back, &[("tool", &id), ("digest", &digest)], "Accept this definition", "yes"))
            }
        }
    }
}
