//! The configuration by itself: rules that nobody could answer, pages that others reach, tools that moved.
//!
//! Clauses: AUTH-4 (passphrase; console, login), CAT-8 (diff), UP-2 (operator's files).

use super::Patient;
use super::finding::Finding;
use crate::admin::Boundary;
use crate::admin::passphrase::Lock as Passphrase;
use crate::cli::drift::{Chosen, Drift};
use crate::cli::lack::{Kind, Lack};
use crate::cli::print::counted;
use crate::config::{Config, OperatorName, Role};
use crate::lock::Lock;
use agent_core::request::Strength;
use agent_engine::policy::Verdict;
use std::path::Path;

/// What its reading said.
pub(super) fn read(config: &Config) -> Vec<Finding> {
    let warned = config.warnings.iter().map(|warning| match warning.rsplit_once("; ") {
        Some((what, hint)) => Finding::wrong("configuration", what, hint),
        None => Finding::wrong("configuration", warning.as_str(), "`agent-host config` prints every value and where it came from"),
    });
    let servers = counted(config.servers.len(), "server");
    let there = if config.path.exists() { "is valid" } else { "is not there: everything is as built in" };
    std::iter::once(Finding::well("configuration", format!("{} {there}, {servers}", config.path.display()))).chain(warned).collect()
}

/// Who could answer, and who could come to the pages.
pub(super) fn said(patient: &Patient<'_>, config: &Config) -> Vec<Finding> {
    let mut findings = answers(patient, config);
    findings.extend(exposed(config));
    findings
}

/// The operators who log in, with their roles; the owner alone where none is named.
fn operators(config: &Config) -> Vec<(OperatorName, Role)> {
    if config.operators.is_empty() {
        return vec![(OperatorName::owner(), Role::Admin)];
    }
    config.operators.iter().map(|(name, entitled)| (name.clone(), entitled.role)).collect()
}

fn answers(patient: &Patient<'_>, config: &Config) -> Vec<Finding> {
    let (mut findings, mut able) = (Vec::new(), Vec::new());
    let named = !config.operators.is_empty();
    let set = |name: &OperatorName| {
        if named { format!("`agent-host passphrase set --operator {name}`") } else { "`agent-host passphrase set`".to_owned() }
    };
    for (name, role) in operators(config) {
        match Passphrase::of(patient.state, &name).mark() {
            Ok(Some(_)) if role >= Role::Approver => able.push(name),
            Ok(Some(_)) => {}
            Ok(None) if named => {
                findings.push(Finding::wrong("passphrase", format!("operator `{name}` has none, and can't log in"), set(&name)))
            }
            Ok(None) if config.console.listen.is_some() => {
                findings.push(Finding::wrong("passphrase", "none is set, so nobody can log in to the console", set(&name)));
            }
            Ok(None) => {}
            Err(error) => findings.push(Finding::wrong("passphrase", format!("that of `{name}` can't be read: {error}"), set(&name))),
        }
    }
    let policy = &config.policy;
    let asks = policy.activation == Verdict::Prompt || policy.rules.iter().any(|rule| rule.decision == Verdict::Prompt);
    let strong = policy.rules.iter().filter(|rule| rule.strength == Some(Strength::Strong)).count();
    let rules = if strong == 1 { "1 rule demands".to_owned() } else { format!("{strong} rules demand") };
    if strong > 0 && able.is_empty() {
        let what = format!("{rules} a strong yes, and nobody who may give it has a passphrase");
        let apart = patient.users.boundary() == Boundary::SeparateUser;
        let hint = "`agent-host passphrase set`, for a named operator with `--operator NAME`";
        // Root comes to the socket as another user than the client, and that is strong.
        let root = || {
            Finding::note(
                "answers",
                format!("{what}; root's answer, `sudo agent-host approve REQUEST --state {}`, is strong", patient.state.display()),
            )
        };
        findings.push(if apart { root().hint(hint) } else { Finding::wrong("answers", what, hint) });
    } else if strong > 0 {
        findings.push(Finding::well(
            "answers",
            format!("{rules} a strong yes; passphrases of {} can give it", counted(able.len(), "operator")),
        ));
    }
    let elsewhere = config.console.listen.is_some() || config.notify;
    if asks && !elsewhere {
        let what = "a client without forms leaves its questions until somebody looks: there is no console, and nobody is notified";
        findings.push(Finding::note("answers", what).hint("`agent-host approvals --watch` asks at a terminal; or `listen` in `[console]`"));
    }
    if policy.activation == Verdict::Auto && policy.rules.is_empty() {
        let what = "`activation = \"auto\"` and no rule: whatever a model asks for is switched on, and nobody is asked";
        findings.push(Finding::note("answers", what).hint("`activation = \"prompt\"` asks"));
    }
    findings
}

/// Who reaches the pages and the clients' way over HTTP.
fn exposed(config: &Config) -> Vec<Finding> {
    let console = &config.console;
    let mut findings = Vec::new();
    match console.listen {
        Some(at) if at.ip().is_loopback() => findings.push(Finding::well("console", format!("it listens at {at}, on this machine alone"))),
        Some(at) if console.tls.is_some() => {
            findings.push(Finding::note("console", format!("other machines reach it at {at}, over its own TLS")))
        }
        Some(at) if console.proxy => {
            let what = format!("it listens at {at} in the clear, for a proxy; who reaches that address past the proxy is not encrypted");
            findings.push(
                Finding::note("console", what)
                    .hint("let the proxy run on this machine and `listen` on 127.0.0.1, or close the port to others"),
            );
        }
        Some(at) => findings.push(Finding::wrong(
            "console",
            format!("it would listen at {at}, and nothing encrypts the way there; the host does not start"),
            "`[console.tls]` names a certificate, or `listen` on 127.0.0.1",
        )),
        None => {}
    }
    if console.links {
        let what = "clients are given links that hold the console's secret path (`console.links`)";
        findings.push(Finding::note("console", what).hint("take it out where a client runs as another user than the host"));
    }
    if config.http.proxy && config.http.tls.is_none() {
        let what = "`http.proxy = true`: `run --http` listens beyond this machine in the clear where it is told to";
        findings.push(Finding::note("http", what).hint("let `--http` name an address that the proxy alone reaches"));
    }
    for (whose, tls) in [("console", &console.tls), ("http", &config.http.tls)] {
        for path in tls.iter().flat_map(|tls| [&tls.certificate, &tls.key]) {
            if let Err(error) = std::fs::File::open(path) {
                let hint = format!("`[{whose}.tls]` names two PEM files that the host's user reads");
                findings.push(Finding::wrong(whose, format!("{} can't be read: {error}", path.display()), hint));
            }
        }
    }
    findings
}

/// The lock file beside what was accepted.
pub(super) fn moved(config: &Config, state: &Path) -> Vec<Finding> {
    let lock = match Lock::read(&Lock::path(config)) {
        Ok(lock) => lock,
        Err(error) => return vec![Finding::failed("lock file", &error.into())],
    };
    let lacks = config.servers.keys().filter_map(|alias| Lack::of(config, &lock, alias)).filter(|lack| lack.kind != Kind::Disabled);
    let mut findings: Vec<_> = lacks.map(|lack| Finding::note("lock file", lack.what).hint(lack.hint)).collect();
    if lock.servers.is_empty() {
        return findings;
    }
    let drift = match Drift::read(config, state, &Chosen::All) {
        Ok(drift) => drift,
        Err(failure) => return vec![Finding::failed("lock file", &failure)],
    };
    let moved = |what: &str, count: usize| format!("{} {what}", counted(count, "tool"));
    if !drift.drifted.is_empty() {
        let what = moved("moved since accepted, with what was granted of it suspended", drift.drifted.len());
        let ids = drift.drifted.iter().map(|found| found.tool.descriptor.id.to_string()).collect();
        findings.push(Finding::wrong("lock file", what, "`agent-host diff` shows what moved, `agent-host accept ID` accepts it").list(ids));
    }
    if !drift.gone.is_empty() {
        let what = moved("accepted once and no longer served", drift.gone.len());
        findings.push(Finding::note("lock file", what).list(drift.gone.iter().map(|(id, why)| format!("{id}: {why}")).collect()));
    }
    let refused = drift.catalog.quarantined().len();
    if refused > 0 {
        findings
            .push(Finding::note("lock file", moved("not served, for what stands in them", refused)).hint("`agent-host tools` says why"));
    }
    if findings.is_empty() {
        findings
            .push(Finding::well("lock file", format!("every tool in it is as it was accepted, or new: {}", drift.catalog.tools().len())));
    }
    findings
}
