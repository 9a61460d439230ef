//! `session` and `why`: everything of one session, and the gate's view of one tool of it.
//!
//! Is: what the host says, in words. Is not: a judgement; each condition comes from the gate itself. Clauses: GATE-1, HOST-3
//! (socket), CAT-5.

use super::far::At;
use super::operator::{done, odd};
use super::print::{json, moment, print, session as held_by};
use super::{Exit, Failure};
use crate::admin::{self, Request, Response};
use crate::question::how;
use agent_core::grant::Gone;
use agent_core::id::ToolId;
use agent_core::limits::RUNNING;
use agent_core::request::Decider;
use agent_core::safety::visible;
use agent_core::session::{Listing, SessionId};
use agent_engine::gate::{Condition, Facts};
use agent_engine::policy::Verdict;
use serde::Serialize;

fn unknown(session: SessionId) -> Failure {
    Failure::new(Exit::Nothing, format!("{session} is not a session of this host\nhint: `agent-host sessions` lists them"))
}

pub(super) async fn session(at: At<'_>, id: SessionId, as_json: bool) -> Result<(), Failure> {
    let Response::Session { session } = done(at, Request::Session { session: id }).await? else { return Err(odd()) };
    let found = session.ok_or_else(|| unknown(id))?;
    print(&if as_json { json(&found)? } else { lines(&found) });
    Ok(())
}

fn lines(found: &admin::Whole) -> Vec<String> {
    let mut lines = vec![held_by(&found.session), format!("  set version {}", found.set)];
    if found.ended {
        lines.push("  ended".to_owned());
    }
    let allowed = |held: &agent_core::state::Held| {
        format!("  {} allowed by {}, request {}", held.grant.bound.id, who(&held.grant.by), held.grant.request)
    };
    lines.extend(found.session.active.iter().map(allowed));
    lines.extend(found.calls.iter().map(|(call, bound)| format!("  {call} of {} started and has not ended", bound.id)));
    lines.extend(found.former.iter().map(|(id, gone)| format!("  held once: {id}, {}", gone_word(*gone))));
    lines.extend(found.denied.iter().map(|bound| format!("  a person said no: {}  definition {}", bound.id, bound.digest.short())));
    lines.extend(found.settled.iter().map(|(request, ended)| format!("  request {request}: {}", how(Some(ended)))));
    lines
}

/// A plain value as the records write it.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value).unwrap_or_default() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Who allowed something, and what their word is worth.
pub(super) fn who(by: &Decider) -> String {
    match by {
        Decider::Policy { policy } => format!("the policy {}", policy.short()),
        Decider::Person { name, channel, strength } => format!("{name} (a {} answer, by {})", word(strength), word(channel)),
        Decider::Standing { name, channel, strength, since } => {
            format!("{name}, who said always on {} (a {} answer, by {})", moment(*since), word(strength), word(channel))
        }
    }
}

const fn gone_word(gone: Gone) -> &'static str {
    match gone {
        Gone::Revoked => "revoked",
        Gone::Expired => "expired",
        Gone::Deactivated => "given up",
        Gone::Replaced => "replaced by another definition",
        Gone::Ended => "ended with the session",
    }
}

pub(super) async fn why(at: At<'_>, id: SessionId, tool: ToolId, as_json: bool) -> Result<(), Failure> {
    let asked = Request::Why { session: id, tool: tool.clone() };
    let Response::Why { why } = done(at, asked).await? else { return Err(odd()) };
    let why = why.ok_or_else(|| unknown(id))?;
    if as_json {
        print(&json(&why)?);
        return Ok(());
    }
    let told = match (&why.refused, &why.by_name) {
        (None, None) => format!("{tool} can be called in {id}"),
        (None, Some(refused)) => format!("{tool} can be called in {id} by its id alone; by its name: {refused}"),
        (Some(refused), _) => format!("{tool} can't be called in {id}: {refused}"),
    };
    let conditions = why.conditions.iter().map(|(condition, holds)| condition_line(*condition, *holds, &why.facts, &tool));
    let calls = format!("asked of each call besides: its arguments, the guards, {} of {RUNNING} calls running", why.facts.running);
    let lines: Vec<_> = std::iter::once(told).chain(conditions).chain([calls]).map(|line| visible(&line)).collect();
    print(&lines);
    Ok(())
}

/// `no   allowed       rule 2 says hide; change the policy`
fn condition_line(condition: Condition, holds: Option<bool>, facts: &Facts, tool: &ToolId) -> String {
    let mark = match holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    let change = match holds {
        Some(false) => format!("; {}", change(condition, facts, tool)),
        _ => String::new(),
    };
    format!("  {mark:<4} {:<14} {}{change}", word(&condition), value(condition, facts))
}

/// What a condition was judged by.
fn value(condition: Condition, facts: &Facts) -> String {
    let short = |digest: Option<agent_core::digest::Digest>| digest.map_or_else(|| "none".to_owned(), |digest| digest.short());
    let held = facts.held.as_ref();
    let nothing = || "nothing is granted".to_owned();
    match condition {
        Condition::Listed => match facts.listing {
            Some(Listing::Held) => "the client is listed what the session holds".to_owned(),
            Some(Listing::Builtins) => "the client is listed builtins alone, whatever the session holds".to_owned(),
            None => "the client called nothing yet".to_owned(),
        },
        Condition::NotStopped => {
            facts.stopped.as_ref().map_or_else(|| "nobody stopped everything".to_owned(), |by| format!("stopped by {by}"))
        }
        Condition::NotEnded => format!("session of {}", facts.asker.principal),
        Condition::Recorded => "what it rests on is on record".to_owned(),
        Condition::Granted => match (held, facts.former) {
            (Some(held), _) => format!("by {}, request {}", who(&held.grant.by), held.grant.request),
            (None, Some(gone)) => format!("held once: {}", gone_word(gone)),
            (None, None) => "never in this session".to_owned(),
        },
        Condition::NotExpired => match held.map(|held| held.grant.end) {
            Some(Some(end)) => format!("until {}", moment(end)),
            Some(None) => "ends with the session".to_owned(),
            None => nothing(),
        },
        Condition::Offered => format!("live definition {}", short(facts.live)),
        Condition::AsGranted => format!("live {}, granted {}", short(facts.live), short(held.map(|held| held.grant.bound.digest))),
        Condition::AsPinned => format!("live {}, accepted {}", short(facts.live), short(facts.pinned)),
        Condition::UnderCeiling => {
            facts.asker.profile.as_ref().map_or_else(|| "no profile, no ceiling".to_owned(), |name| format!("profile {name}"))
        }
        Condition::Allowed => match (facts.verdict, facts.rule) {
            (Some(verdict), Some(rule)) => format!("rule {} says {}", rule + 1, word(&verdict)),
            (Some(verdict), None) => format!("no rule matches, activation says {}", word(&verdict)),
            (None, _) => "no definition to judge".to_owned(),
        },
        Condition::StrongEnough => match (facts.strong, held) {
            (false, _) => "no strong answer is demanded".to_owned(),
            (true, Some(held)) => format!("a strong answer is demanded, granted by {}", who(&held.grant.by)),
            (true, None) => nothing(),
        },
        Condition::NotSuspended => match held.map(|held| held.suspended) {
            Some(Some(why)) => format!("suspended: {}", word(&why)),
            Some(None) => "no suspension on record".to_owned(),
            None => nothing(),
        },
        Condition::CallsLeft => match held.map(|held| (held.used, held.grant.max_calls)) {
            Some((used, Some(most))) => format!("{used} of {most} used"),
            Some((used, None)) => format!("{used} used, no bound"),
            None => nothing(),
        },
    }
}

/// What would make a condition hold.
fn change(condition: Condition, facts: &Facts, tool: &ToolId) -> String {
    let again = "the model asks for it again with activate_tools";
    match condition {
        Condition::Listed => "`call_tool` takes its id; `surface` in the configuration lists it by name".to_owned(),
        Condition::NotStopped => "`agent-host resume` lifts it".to_owned(),
        Condition::NotEnded => "a new session".to_owned(),
        Condition::Recorded => "the host tries again by itself; see whether the disk is full".to_owned(),
        Condition::Granted if facts.verdict.is_some_and(Verdict::denies) => "the policy has to allow it first".to_owned(),
        Condition::Granted | Condition::NotExpired | Condition::CallsLeft | Condition::StrongEnough => again.to_owned(),
        Condition::Offered => format!("the server `{}` has to offer it", tool.server()),
        Condition::AsGranted => format!("the definition that was granted comes back; or another is accepted, and {again}"),
        Condition::AsPinned => "an operator accepts the new definition".to_owned(),
        Condition::UnderCeiling => "the profile's `tools` in the configuration".to_owned(),
        Condition::Allowed => "the rules in the configuration".to_owned(),
        Condition::NotSuspended => "it is lifted by itself once what suspends it is over".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::who;
    use agent_core::request::{Channel, Decider, Strength};

    #[test]
    fn host_3_who_allowed_a_tool_is_said_in_words() {
        let by = Decider::Person { name: "local:7".to_owned(), channel: Channel::Socket, strength: Strength::Weak };
        assert_eq!(who(&by), "local:7 (a weak answer, by socket)");
    }
}
