//! Servers by the names that a model gives them.
//!
//! Is: which alias an asker means, among the servers of which it can find a tool; and which servers it might, were they up. Is not:
//! what is configured; a server whose tools are all hidden is not there, like one that never was (SRCH-4). Clauses: SRCH-1, SRCH-4,
//! SRCH-6. Invariants: I-6.

use crate::call::Absent;
use crate::catalog::Snapshot;
use crate::projection::text;
use crate::search::{one_apart, shared};
use crate::view::Frame;
use agent_core::id::Alias;
use agent_core::refusal::Refusal;
use agent_core::session::Visibility;

/// Servers that a hint names at the most.
const NAMED: usize = 3;

/// The shortest alias that is recognised with a wrong letter.
const MENDED: usize = 4;

/// The aliases of the servers of which the asker can find a tool, in order.
// INVARIANT: I-6
pub(super) fn visible(catalog: &Snapshot, visible: &Visibility) -> Vec<Alias> {
    let mut found: Vec<Alias> = Vec::new();
    for tool in catalog.tools() {
        let id = &tool.descriptor.id;
        if found.last().is_none_or(|last| !id.is_of(last)) && visible.shows(id) {
            found.push(id.server());
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The server that an argument names: by its alias, or by a path in which that is the one alias, as `tools.github`,
/// `/tools/github/` or the id of a tool.
///
/// # Errors
/// A refusal that says which servers are near, where none is so named.
pub(super) fn named(catalog: &Snapshot, asker: &Visibility, asked: &str) -> Result<Alias, Refusal> {
    let known = visible(catalog, asker);
    let parts: Vec<_> = asked.trim().split(['.', '/', ':']).collect();
    let named: Vec<_> = known.iter().filter(|alias| parts.contains(&alias.as_str())).cloned().collect();
    match named.as_slice() {
        [alias] => Ok(alias.clone()),
        [] => Err(Refusal::Arguments(text::no_server(asked, &known, &meant(&known, &parts.join(" "))))),
        several => Err(Refusal::Arguments(text::no_server(asked, &known, several.get(..NAMED).unwrap_or(several)))),
    }
}

/// The aliases that stand in a text, whole or one letter away.
pub(super) fn meant(known: &[Alias], text: &str) -> Vec<Alias> {
    let text = text.to_lowercase();
    let words: Vec<_> =
        text.split(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter)).filter(|word| !word.is_empty()).collect();
    let near = |alias: &str| words.iter().any(|word| *word == alias || (alias.len() >= MENDED && one_apart(word, alias)));
    known.iter().filter(|alias| near(alias.as_str())).take(NAMED).cloned().collect()
}

/// The servers that can't be used now and that a query might mean: it says the alias, or half of it stands in the operator's words.
/// One whose tools the asker might not find is not among them, nor one that has tools.
// INVARIANT: I-6
pub(super) fn down(absent: Vec<Absent>, frame: &Frame, query: &str) -> Vec<(Alias, String)> {
    let shows = |one: &Absent| frame.policy.policy.might_show(&frame.asker, one.class, &one.server);
    let unknown = |one: &Absent| !frame.catalog.tools().iter().any(|tool| tool.descriptor.id.is_of(&one.server));
    let fits = |one: &Absent| {
        let (said, of) = shared(query, &one.words);
        shared(query, one.server.as_str()).0 > 0
            || (said > 0 && said * 2 >= of)
            || !meant(std::slice::from_ref(&one.server), query).is_empty()
    };
    let found = absent.into_iter().filter(|one| fits(one) && shows(one) && unknown(one));
    found.take(NAMED).map(|one| (one.server, one.how)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn srch_6_an_alias_is_recognised_whole_or_a_letter_away() {
        let known = ["db", "git-hub", "github", "linear"].map(|alias| Alias::parse(alias).unwrap());
        let said = |text: &str| meant(&known, text).iter().map(Alias::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(said("Fly to gihtub, or LINEAR"), "github linear");
        assert_eq!(said("githubs git-hub db"), "db git-hub github");
        assert_eq!(said("dc of a gthb lineal"), "linear");
        assert!(said("").is_empty() && said("raenil").is_empty());
    }
}
