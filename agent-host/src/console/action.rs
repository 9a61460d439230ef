//! A form's fields as an operator's request, and what came of it.
//!
//! Is not: a judge of who may; `admin::handle` is. No field names a command, a URL or a secret of an upstream. Clauses: AUTH-3,
//! AUTH-4 (console, login), REV-1, REV-4. Invariant: I-3.

use super::form::Form;
use super::logins::Flash;
use super::told::told;
use crate::admin::{Office, Operator, Request, Running, Scope, handle};
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::inquiry::Reply;
use agent_core::request::Decision;
use agent_core::safety::echo;
use agent_core::session::{Bound, PrincipalId, RequestId, SessionId, TokenId};
use std::collections::BTreeSet;

/// What a form asks; none where there is no such form, and words where its fields are not what they must be.
pub(super) fn request(what: &str, form: &Form) -> Result<Option<Request>, String> {
    let request = match what {
        "answer" => Request::Answer {
            session: session(form)?,
            request: read(form, "request", RequestId::parse)?,
            // INVARIANT: I-3 the form holds the digest of the question that it was made from
            shown: read(form, "shown", |text| Digest::parse(text).ok())?,
            answer: decision(form)?,
            passphrase: None,
        },
        "reply" => Request::Reply {
            session: session(form)?,
            index: read(form, "index", |text| text.parse().ok())?,
            reply: match (form.one("declined"), form.one("said")) {
                (Some("yes"), _) => Reply::Declined,
                (None, Some(said)) => Reply::Said(said.to_owned()),
                _ => return Err("nothing was answered: the form says nothing".to_owned()),
            },
        },
        "revoke" => Request::Revoke {
            scope: Scope::Grant { session: session(form)?, tool: tool(form)? },
            running: if form.one("running") == Some("cancel") { Running::Cancel } else { Running::Leave },
        },
        "stop" => Request::Stop {},
        "resume" => Request::Resume {},
        "verify" => Request::Verify {},
        "reload" => Request::Reload {},
        "clear-denials" => Request::ClearDenials { principal: principal(form)?, tool: optional(form)? },
        "end-standing" => Request::WithdrawStanding { principal: principal(form)?, tool: optional(form)? },
        "end" => Request::EndSession { session: session(form)? },
        "accept" => Request::Accept { bounds: bounds(form)? },
        "revoke-token" => Request::RevokeToken { id: read(form, "token", TokenId::parse)? },
        _ => return Ok(None),
    };
    Ok(Some(request))
}

/// Does it, and says what came of it.
pub(super) async fn done(office: &Office, operator: &Operator, request: Request) -> Flash {
    told(handle(office, operator, request).await)
}

fn read<T>(form: &Form, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let text = form.one(name).ok_or_else(|| format!("nothing was done: the form has no `{name}`"))?;
    parse(text).ok_or_else(|| format!("nothing was done: `{}` is no `{name}`", echo(text)))
}

fn session(form: &Form) -> Result<SessionId, String> {
    read(form, "session", SessionId::parse)
}

fn principal(form: &Form) -> Result<PrincipalId, String> {
    read(form, "principal", |text| PrincipalId::parse(text).ok())
}

/// A tool where the form names one.
fn optional(form: &Form) -> Result<Option<ToolId>, String> {
    form.one("tool").filter(|text| !text.is_empty()).map(|_| tool(form)).transpose()
}

fn tool(form: &Form) -> Result<ToolId, String> {
    read(form, "tool", |text| ToolId::parse(text).ok())
}

/// An Approve button is a yes, a Deny button a no; of some tools, where boxes say which.
fn decision(form: &Form) -> Result<Decision, String> {
    let said = form.one("decision");
    if matches!(said, Some("approve" | "once" | "always")) && form.all("tool").next().is_some() {
        return Err("nothing was decided: some tools are ticked to be denied; deny those, or untick them".to_owned());
    }
    match said {
        Some("approve") => Ok(Decision::Approve),
        Some("once") => Ok(Decision::Once),
        Some("always") => Ok(Decision::Always),
        Some("deny") => Ok(Decision::Deny),
        Some("deny-some") => {
            let tools: Result<BTreeSet<_>, _> = form.all("tool").map(ToolId::parse).collect();
            match tools {
                Ok(tools) if !tools.is_empty() => Ok(Decision::DenySome(tools)),
                _ => Err("nothing was decided: no tool is chosen".to_owned()),
            }
        }
        _ => Err("nothing was decided: the form says neither `approve` nor `deny`".to_owned()),
    }
}

/// Pairs of a tool and its digest, in the order of the fields.
fn bounds(form: &Form) -> Result<Vec<Bound>, String> {
    let (tools, digests): (Vec<_>, Vec<_>) = (form.all("tool").collect(), form.all("digest").collect());
    let pairs =
        tools.iter().zip(&digests).map(|(tool, digest)| Some(Bound { id: ToolId::parse(tool).ok()?, digest: Digest::parse(digest).ok()? }));
    let pairs: Option<Vec<_>> = pairs.collect();
    pairs
        .filter(|pairs| !pairs.is_empty() && tools.len() == digests.len())
        .ok_or_else(|| "nothing was accepted: the form names no exact definitions".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn asked(what: &str, fields: &str) -> Result<Option<Request>, String> {
        request(what, &Form::parse(fields.as_bytes()))
    }

    #[test]
    fn auth_3_only_a_button_that_says_yes_is_a_yes() {
        let (session, request, digest) = (SessionId::new(1), RequestId::new(2), "0".repeat(64));
        let form = |rest: &str| asked("answer", &format!("session={session}&request={request}&shown={digest}{rest}"));
        assert!(matches!(form("&decision=approve"), Ok(Some(Request::Answer { answer: Decision::Approve, passphrase: None, .. }))));
        assert!(matches!(form("&decision=deny"), Ok(Some(Request::Answer { answer: Decision::Deny, .. }))));
        for no in [
            "",
            "&decision=",
            "&decision=yes",
            "&decision=Approve",
            "&approve=true",
            "&decision=deny&decision=approve",
            "&decision=deny-some",
        ] {
            assert!(form(no).is_err(), "{no}");
        }
        for yes in ["approve", "once", "always"] {
            assert!(form(&format!("&decision={yes}")).is_ok());
            assert!(form(&format!("&decision={yes}&tool=mcp:a/b")).is_err(), "a tool is ticked to be denied");
        }
        let some = form("&decision=deny-some&tool=mcp:a/b&tool=mcp:a/c");
        assert!(matches!(some, Ok(Some(Request::Answer { answer: Decision::DenySome(tools), .. })) if tools.len() == 2));
    }

    #[test]
    fn attack_63_no_form_sets_a_command_or_a_secret() {
        for what in ["add", "server", "config", "create-token", "passphrase", "login", "tokens", ""] {
            assert_eq!(asked(what, "command=sh&url=http://evil.example&env=x"), Ok(None), "{what}");
        }
        assert!(asked("accept", "tool=mcp:a/b").is_err() && asked("accept", "").is_err());
    }
}
