//! The host that runs, and its servers.
//!
//! Is: what it answers; without a host, what can be known of servers that don't run. Clauses: HOST-3 (socket), UP-10, I-6's
//! exception (`--start`).

use super::Patient;
use super::finding::Finding;
use crate::admin::{Request, Response, Unanswered, ask, socket};
use crate::cli::print::{counted, stopped as banner};
use crate::cli::servers::{State, health};
use crate::cli::{Exit, Failure};
use crate::config::Config;
use crate::lock::Lock;
use crate::login::Logins;
use crate::shell::quoted;
use crate::system::asked_to_end;
use crate::upstream::{Health, Upstreams};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

/// Whether a host answers, and as which process.
pub(super) async fn said(patient: &Patient<'_>) -> (Option<u32>, Vec<Finding>) {
    let at = socket(patient.state);
    match ask(patient.state, &Request::Sessions {}).await {
        Ok(Response::Sessions { sessions, stopped, .. }) => {
            let pid = std::fs::read_to_string(patient.state.join("lock")).ok().and_then(|text| text.trim().parse().ok());
            let mut findings =
                vec![Finding::well("host", format!("it answers at {}, {}", at.display(), counted(sessions.len(), "session")))];
            findings.extend(stopped.map(|stop| Finding::note("host", banner(&stop))));
            (pid, findings)
        }
        Ok(Response::Failed { what, hint }) => (None, vec![Finding::wrong("host", what, hint)]),
        Ok(_) => (None, vec![Finding::wrong("host", "it answered something else", "end it, so that the next one is of this version")]),
        Err(Unanswered::NoHost) => {
            let what = format!("none runs on {}", patient.state.display());
            (None, vec![Finding::note("host", what).hint("a client starts it with `agent-host serve`, a service with `agent-host run`")])
        }
        Err(Unanswered::Broken(error)) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            let what = format!("{} is not for this user", at.display());
            (None, vec![Finding::note("host", what).hint("`sudo -u USER agent-host doctor` looks as the host's user")])
        }
        Err(error @ Unanswered::Broken(_)) => {
            (None, vec![Finding::wrong("host", format!("{error}, at {}", at.display()), "see its log, and end it where it hangs")])
        }
    }
}

/// How each server is; none is started.
pub(super) async fn servers(config: &Config, state: &Path) -> Vec<Finding> {
    let health = match health(config, state).await {
        Ok((health, _)) => health,
        Err(failure) => return vec![Finding::failed("servers", &failure)],
    };
    let mut findings = Vec::new();
    for (alias, settings) in config.servers.iter().filter(|(_, settings)| settings.enabled) {
        let wrong = |what: String, hint: String| Finding::wrong("servers", format!("`{alias}`: {what}"), hint);
        if settings.url.is_none() && super::files::program(settings).is_none() {
            let what = format!("its program `{}` is not found, or can't be run", quoted(&settings.command));
            findings.push(wrong(what, format!("install it, or name it by its whole path in {}", config.path.display())));
        }
        match health.get(alias) {
            Some(Health::NeedsLogin { why, command }) => {
                let hint = command
                    .as_ref()
                    .map_or_else(|| "put the credential where it is looked for".to_owned(), |command| format!("`{command}`"));
                findings.push(wrong(format!("needs login: {why}"), hint));
            }
            Some(failed @ Health::Failed { .. }) => {
                findings.push(wrong(failed.to_string(), format!("`agent-host sync {alias}` asks it again, and says why it can't be")));
            }
            None => findings.push(wrong(State::NotInTheRunningHost.word().to_owned(), "`agent-host reload`".to_owned())),
            Some(Health::Unstarted | Health::Running { .. }) => {}
        }
    }
    if findings.is_empty() {
        let enabled = config.servers.values().filter(|settings| settings.enabled).count();
        findings.push(Finding::well("servers", format!("nothing is held against {}; `--start` tries them", counted(enabled, "server"))));
    }
    findings
}

/// Each server started once, one after the other, and stopped. Asked to end, it kills what it started.
pub(super) async fn started(config: &Config, state: &Path) -> Result<Vec<Finding>, Failure> {
    let (lock, logins) = (Lock::read(&Lock::path(config)).unwrap_or_default(), Arc::new(Logins::of(state)));
    let mut end = pin!(asked_to_end());
    let mut findings = Vec::new();
    for (alias, settings) in config.servers.iter().filter(|(_, settings)| settings.enabled) {
        let looked = tokio::select! {
            looked = Upstreams::look(alias, settings, logins.clone()) => looked,
            () = &mut end => return Err(Failure::new(Exit::Failed, "interrupted; what was started is ended")),
        };
        findings.push(match looked {
            Err(why) => Finding::wrong(
                "start",
                format!("`{alias}`: {why}"),
                format!("mend it in {}; `agent-host sync {alias}` asks it again", config.path.display()),
            ),
            Ok(listed) => {
                let (tools, now) = (listed.definitions.len(), Lock { servers: [(alias.clone(), listed)].into() });
                if lock.servers.contains_key(alias) && now.definitions(alias) != lock.definitions(alias) {
                    let what = format!("`{alias}`: it starts, and lists something else than the lock file has");
                    Finding::wrong("start", what, format!("`agent-host sync {alias}`, then `agent-host diff --server {alias}`"))
                } else {
                    Finding::well("start", format!("`{alias}`: it starts and lists {}", counted(tools, "tool")))
                }
            }
        });
    }
    Ok(findings)
}
