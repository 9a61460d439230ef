//! What is other in one configuration than in another, as it is told.
//!
//! Is: names and counts. Is not: what is done about it. Clause: HOST-2.

use crate::admin::Changes;
use crate::config::{Config, Server};
use agent_core::id::{Alias, ToolId};
use agent_core::session::{ProfileId, SessionId};
use agent_engine::desk::Desk;
use std::collections::{BTreeMap, BTreeSet};

/// What differs, before anything is done about it.
pub(super) fn difference(before: &Config, after: &Config) -> Changes {
    let (from, to) = (enabled(before), enabled(after));
    let other = from.iter().filter(|(alias, server)| to.get(*alias).is_some_and(|now| now != *server));
    let at_once = [
        ("names", before.names != after.names),
        ("http.hosts", before.http.hosts != after.http.hosts),
        ("http.origins", before.http.origins != after.http.origins),
        ("console.hosts", before.console.hosts != after.console.hosts),
        ("console.oidc", before.console.oidc != after.console.oidc),
        ("operators", before.operators != after.operators),
        ("approval.own", before.own != after.own),
        ("catalog.tools", before.tools != after.tools),
        ("oauth", before.oauth != after.oauth),
        ("approval.notify", before.notify != after.notify),
        ("search.synonyms", before.synonyms != after.synonyms),
    ];
    let for_clients = [
        ("profile", before.profile != after.profile),
        ("presets", presets(before) != presets(after)),
        ("profiles.*.http", before.services != after.services),
        ("surface", before.surface != after.surface),
        ("approval.wait", before.wait != after.wait),
    ];
    Changes {
        added: only(&to, &from),
        changed: other.map(|(alias, _)| (*alias).clone()).collect(),
        removed: only(&from, &to),
        new_policy: before.policy != after.policy,
        at_once: differing(&at_once),
        for_clients: differing(&for_clients),
        ..Changes::none(after.policy.digest())
    }
}

fn differing(keys: &[(&str, bool)]) -> Vec<String> {
    keys.iter().filter(|(_, differs)| *differs).map(|(key, _)| (*key).to_owned()).collect()
}

type Enabled<'a> = BTreeMap<&'a Alias, &'a Server>;

fn enabled(config: &Config) -> Enabled<'_> {
    config.servers.iter().filter(|(_, server)| server.enabled).collect()
}

fn only(these: &Enabled<'_>, those: &Enabled<'_>) -> Vec<Alias> {
    these.keys().filter(|alias| !those.contains_key(*alias)).map(|alias| (*alias).clone()).collect()
}

fn presets(config: &Config) -> BTreeMap<&ProfileId, &[ToolId]> {
    config.policy.profiles.iter().map(|(name, profile)| (name, profile.presets.as_slice())).collect()
}

/// Which grants are suspended, for whatever reason.
pub(super) fn suspended(desk: &Desk) -> BTreeSet<(SessionId, ToolId)> {
    let mut all = BTreeSet::new();
    for cell in desk.sessions() {
        let (session, state) = (cell.asker().session, cell.state());
        let held = state.active.iter().filter(|held| held.suspended.is_some());
        all.extend(held.map(|held| (session, held.grant.bound.id.clone())));
    }
    all
}
