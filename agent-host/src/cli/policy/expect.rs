//! `policy test FILE`: decisions that an operator expects, each beside what the policy decides.
//!
//! Is: rules and ceiling over the tools of the lock file, so that it says the same wherever it runs. Is not: what a person
//! denied or accepted. A tool that the lock file doesn't have is an error and no pass. Clauses: POL-1, POL-3, HOST-3 (see).

use super::super::drift::asked;
use super::super::print::{counted, json, print};
use super::super::table::{table, width};
use super::super::{Exit, Failure};
use crate::config::Config;
use agent_core::id::ToolId;
use agent_core::request::Strength;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionId};
use agent_engine::catalog::Snapshot;
use agent_engine::policy::{Policy, Verdict};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Spanned;

/// Bytes of a file of expected decisions.
const FILE_BYTES: usize = 4 * 1024 * 1024;

/// A file of expected decisions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    expect: Vec<Spanned<Expect>>,
}

/// One expected decision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Who asks.
    principal: PrincipalId,
    /// Under which profile; none is no ceiling.
    profile: Option<ProfileId>,
    /// For what.
    tool: ToolId,
    /// What is to be decided. What lies beyond the ceiling is `hide`.
    decision: Verdict,
    /// With `prompt`: what an answer has to be worth; not compared where it is left out.
    strength: Option<Strength>,
    /// Calls that a grant is good for; not compared where it is left out.
    max_calls: Option<u32>,
    /// Whether the tool's definition was accepted before, for a rule with `new`.
    #[serde(default)]
    accepted: bool,
}

/// What came of one.
#[derive(Debug, Serialize, PartialEq, Eq)]
struct Row {
    line: usize,
    principal: PrincipalId,
    profile: Option<ProfileId>,
    tool: ToolId,
    /// What differs, or why nothing could be compared; none where all is as expected.
    differs: Option<String>,
    /// The rule that decides, from 1.
    rule: Option<usize>,
}

pub(super) fn test(config: &Config, file: &Path, as_json: bool) -> Result<(), Failure> {
    let wrong = |what: String| Failure::new(Exit::Usage, format!("{}: {what}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    if text.len() > FILE_BYTES {
        return Err(wrong(format!("it is larger than {FILE_BYTES} bytes")));
    }
    let expected: File = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    if expected.expect.is_empty() {
        return Err(wrong("it expects nothing\nhint: write `[[expect]]`".to_owned()));
    }
    let rows = rows(&config.policy, &asked(config)?.catalog(config), &text, expected);
    let differing = rows.iter().filter(|row| row.differs.is_some()).count();
    print(&if as_json { json(&rows)? } else { lines(&rows, width()) });
    if differing == 0 {
        return Ok(());
    }
    let text = format!("{} of {} not as expected", differing, counted(rows.len() as u64, "decision"));
    Err(Failure::new(Exit::Moved, text))
}

fn rows(policy: &Policy, catalog: &Snapshot, text: &str, expected: File) -> Vec<Row> {
    let row = |spanned: Spanned<Expect>| {
        let line = text.get(..spanned.span().start).map_or(0, |before| before.matches('\n').count()) + 1;
        let expect = spanned.into_inner();
        let (differs, rule) = differs(policy, catalog, &expect);
        let Expect { principal, profile, tool, .. } = expect;
        Row { line, principal, profile, tool, differs, rule }
    };
    expected.expect.into_iter().map(row).collect()
}

/// What differs, and the rule that decides.
fn differs(policy: &Policy, catalog: &Snapshot, expect: &Expect) -> (Option<String>, Option<usize>) {
    let Some(tool) = catalog.get(expect.tool.as_str()) else {
        return (Some("error: the lock file has no such tool".to_owned()), None);
    };
    if expect.strength.is_some() && expect.decision != Verdict::Prompt {
        return (Some("error: `strength` goes with `decision = \"prompt\"`".to_owned()), None);
    }
    if let Some(profile) = expect.profile.as_ref().filter(|profile| !policy.profiles.contains_key(profile)) {
        return (Some(format!("error: the configuration has no profile `{profile}`")), None);
    }
    let asker = Asker { session: SessionId::new(0), principal: expect.principal.clone(), profile: expect.profile.clone() };
    let explained = policy.explain(&asker, &tool.descriptor, expect.accepted);
    let ruling = explained.ruling;
    let verdict = if explained.within { ruling.verdict } else { Verdict::Hide };
    let strength = if ruling.strong { Strength::Strong } else { Strength::Weak };
    let (expected, found) = (word(expect.decision), word(verdict));
    let differs = match expect {
        _ if expected != found && !explained.within => Some(format!("expected {expected}, is beyond the ceiling")),
        _ if expected != found => Some(format!("expected {expected}, is {found}")),
        Expect { strength: Some(wanted), .. } if *wanted != strength => {
            Some(format!("expected a {} answer, asks for a {} one", word(wanted), word(strength)))
        }
        Expect { max_calls: Some(wanted), .. } if Some(*wanted) != ruling.max_calls => {
            let found = ruling.max_calls.map_or_else(|| "unbounded".to_owned(), |most| most.to_string());
            Some(format!("expected max_calls {wanted}, is {found}"))
        }
        _ => None,
    };
    (differs, ruling.rule.map(|rule| rule + 1))
}

/// A value as a file writes it.
fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn lines(rows: &[Row], width: Option<u16>) -> Vec<String> {
    let row = |row: &Row| {
        let rule = row.rule.map_or_else(|| "-".to_owned(), |rule| rule.to_string());
        let who = row.profile.as_ref().map_or_else(|| row.principal.to_string(), |profile| format!("{} ({profile})", row.principal));
        vec![row.tool.to_string(), row.line.to_string(), who, rule, row.differs.clone().unwrap_or_default()]
    };
    let differing: Vec<_> = rows.iter().filter(|row| row.differs.is_some()).map(row).collect();
    if differing.is_empty() {
        return vec![format!("{} as expected", counted(rows.len() as u64, "decision"))];
    }
    table(&["TOOL", "LINE", "FOR", "RULE", "DIFFERS"], &differing, width)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::super::tools::tests::lock;
    use super::*;
    use crate::lock::Lock;

    const RULES: &str = "[servers.clock]\ncommand = \"/nowhere/clock\"\n[profiles.work]\ntools = [\"mcp:clock/set\"]\n\
        [[rule]]\ntools = [\"mcp:clock/now\"]\ndecision = \"auto\"\nnew = \"prompt\"\nmax_calls = 2\n\
        [[rule]]\ntools = [\"mcp:clock/set\"]\ndecision = \"prompt\"\nstrength = \"strong\"\n";

    #[test]
    fn pol_1_expected_decisions_are_compared_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(&folder.path().join("agent-host.toml"), RULES).unwrap();
        lock().write(&Lock::path(&config)).unwrap();
        let file = folder.path().join("expected.toml");
        let of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            test(&config, &file, false)
        };
        let good = "[[expect]]\nprincipal = \"ada\"\ntool = \"mcp:clock/now\"\ndecision = \"prompt\"\n\
            [[expect]]\nprincipal = \"ada\"\ntool = \"mcp:clock/now\"\ndecision = \"auto\"\naccepted = true\nmax_calls = 2\n\
            [[expect]]\nprincipal = \"ada\"\nprofile = \"work\"\ntool = \"mcp:clock/now\"\ndecision = \"hide\"\n\
            [[expect]]\nprincipal = \"ada\"\ntool = \"mcp:clock/set\"\ndecision = \"prompt\"\nstrength = \"strong\"\n";
        assert_eq!(of(good), Ok(()));
        let catalog = asked(&config).unwrap().catalog(&config);
        for (wrong, why) in [
            ("tool = \"mcp:clock/set\"\ndecision = \"auto\"", "expected auto, is prompt"),
            ("tool = \"mcp:clock/set\"\ndecision = \"prompt\"\nstrength = \"weak\"", "expected a weak answer, asks for a strong one"),
            ("tool = \"mcp:clock/set\"\ndecision = \"prompt\"\nmax_calls = 1", "expected max_calls 1, is unbounded"),
            ("tool = \"mcp:clock/now\"\ndecision = \"auto\"\nstrength = \"weak\"", "error: `strength` goes with `decision = \"prompt\"`"),
            ("tool = \"mcp:clock/none\"\ndecision = \"prompt\"", "error: the lock file has no such tool"),
            ("tool = \"mcp:clock/now\"\ndecision = \"prompt\"\nprofile = \"work\"", "expected prompt, is beyond the ceiling"),
            ("tool = \"mcp:clock/now\"\ndecision = \"prompt\"\nprofile = \"wrok\"", "error: the configuration has no profile `wrok`"),
        ] {
            let text = format!("{good}\n[[expect]]\nprincipal = \"ada\"\n{wrong}\n");
            let failed = of(&text).unwrap_err();
            assert_eq!((failed.exit, failed.text.as_str()), (Exit::Moved, "1 of 5 decisions not as expected"));
            let found = rows(&config.policy, &catalog, &text, toml::from_str(&text).unwrap());
            assert_eq!((found[4].differs.as_deref(), found[4].line), (Some(why), 22));
            assert!(lines(&found, None)[1].contains(why));
        }
        for slip in ["", "[[expect]]\nprincipal = \"ada\"\n", "[[expect]]\nprincipal = \"ada\"\ntool = \"now\"\ndecision = \"auto\"\n"] {
            assert_eq!(of(slip).unwrap_err().exit, Exit::Usage, "{slip}");
        }
    }
}
