//! Whether the parts of `[oauth]` fit together and to the profiles.
//!
//! Is not: a look at the issuer; it may be down now. Clause: SES-4 (OAuth).

use super::{Wrong, profile, wrong};
use crate::config::{OAuth, is_scope};
use agent_core::session::ProfileId;
use agent_engine::policy::Profile;
use std::collections::BTreeMap;

/// The whole table.
pub(in crate::config) fn oauth(oauth: &OAuth, profiles: &BTreeMap<ProfileId, Profile>) -> Result<(), Wrong> {
    let mapped = || oauth.scopes.0.iter();
    if [&oauth.issuer, &oauth.resource].iter().any(|address| address.url().query().is_some()) {
        return wrong("`issuer` and `resource` have no `?`", "write the address up to it");
    }
    if oauth.audience().is_empty() || oauth.principal.is_empty() {
        return wrong("`audience` or `principal` is empty", "leave it out, or name what tokens hold");
    }
    if oauth.algorithms.is_empty() {
        return wrong("`algorithms` is empty", "leave it out, or name at least one");
    }
    if !oauth.required.iter().chain(mapped().map(|(scope, _)| scope)).all(|scope| is_scope(scope)) {
        return wrong("a scope is one word", "letters, digits and signs, without blanks, quotes and backslashes");
    }
    if oauth.scopes.0.is_empty() && oauth.profile.is_none() {
        return wrong("no token could come in", "give `scopes` profiles, or name a `profile` for all");
    }
    mapped().map(|(_, name)| name).chain(&oauth.profile).try_for_each(|name| profile(name, profiles))
}
