//! What was recorded, and whether the chain of it is whole.
//!
//! Clauses: AUD-1, AUD-2.

use super::{Frame, records, words};
use crate::admin::{Over, RecordPage, Records};
use crate::store::audit::SCAN;
use agent_core::safety::visible;
use agent_core::transition::Stream;
use maud::{Markup, html};

/// Kinds that can be chosen.
const KINDS: [&str; 27] = [
    "opened",
    "closed",
    "searched",
    "requested",
    "granted",
    "answered",
    "denied",
    "denials-cleared",
    "withdrawn",
    "starting",
    "ended",
    "refused",
    "revoked",
    "deactivated",
    "expired",
    "replaced",
    "suspended",
    "unsuspended",
    "stopped",
    "resumed",
    "pinned",
    "policy-set",
    "token-made",
    "token-revoked",
    "standing-made",
    "standing-revoked",
    "relayed",
];

/// The page.
#[must_use]
pub fn list(frame: &Frame<'_>, asked: &Records, page: &RecordPage) -> Markup {
    let stream = asked.stream.as_ref().map(Stream::to_string).unwrap_or_default();
    let (kind, text) = (asked.kind.as_deref().unwrap_or_default(), asked.text.as_deref().unwrap_or_default());
    html! {
        form.filter method="get" action={ (frame.prefix) "/audit" } role="search" {
            label { "stream" input type="text" name="stream" value=(stream) placeholder="host, principal:… or session:…" size="28"; }
            label { "kind" select name="kind" {
                option value="" { "all" }
                @for one in KINDS { option value=(one) selected[one == kind] { (one.replace('-', " ")) } }
            } }
            label { "holds" input type="search" name="text" value=(text) placeholder="a tool, a name, a code"; }
            button type="submit" { "Filter" }
        }
        @for broken in &page.broken { p.note { (visible(broken)) } }
        @if page.records.is_empty() { p.empty { @if page.stopped.is_some() { "No record fits, of those that were looked at." } @else { "No record fits." } } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th.num scope="col" { "no." } th scope="col" { "time (UTC)" } th scope="col" { "stream" } th scope="col" { "kind" }
                    th scope="col" { "what" } th scope="col" { "hash" }
                } }
                tbody { @for record in &page.records { (records::row(frame, record)) } }
            } }
        }
        @if let Some(at) = page.stopped {
            p.note { "The look ended at record " (words::number(at)) ", after " (words::number(SCAN)) " records. Older ones were not looked at." }
        }
        @if let Some(next) = page.next {
            nav.pages aria-label="older records" {
                a rel="next" href=(words::link(frame, "/audit", &[("stream", &stream), ("kind", kind), ("text", text), ("before", &next.to_string())])) { @if page.stopped.is_some() { "look on from there" } @else { "older records" } }
            }
        }
        @if frame.operator.over == Over::All {
            section aria-labelledby="chain" {
                h2 id="chain" { "The chain" }
                p.dim { "Each record holds the hash of the one before it. Verifying reads all of them and folds them to compare with every stored state." }
                (words::button(frame, "verify", "/audit", &[], "Verify the chain", ""))
            }
        }
    }
}
