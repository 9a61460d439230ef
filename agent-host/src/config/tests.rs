//! What a configuration may hold, and what is said of one that doesn't.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use agent_core::effect::{Capability, Effect};

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("/etc/demo/agent-host.toml"), text)
}

fn wrong(text: &str, line: usize, part: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.place().map(|place| place.0), Some(line), "{error}");
    assert!(error.to_string().contains(part) && error.to_string().contains("\nhint: "), "{error}");
}

#[test]
fn pol_1_an_empty_file_prompts() {
    let config = parse("").unwrap();
    assert_eq!(config.policy, Policy::of(Verdict::Prompt));
    assert_eq!(config.wait, Duration::from_secs(25));
    assert!(config.servers.is_empty() && config.state.is_none());
}

#[test]
fn pol_1_every_key_is_read() {
    let config = parse(
        r#"
activation = "auto"
profile = "work"
state = "state"

[approval]
wait = "5s"

[records]
start = "buffered"

[[rule]]
tools = ["mcp:time/*"]
server = "time"
effect = "read-only"
capabilities = ["private_data"]
principal = "local:1000"
profile = "work"
decision = "prompt"
strong = true
max_calls = 3

[[rule]]
decision = "hide"

[profiles.work]
tools = ["mcp:time/*"]
presets = ["mcp:time/get_current_time"]

[servers.time]
command = "bin/time"
args = ["--utc"]
env = { TZ = "UTC" }
cwd = "run"
trust = true
effect = "read-only"
capabilities = []
repeatable = true
tags = ["clock"]
description = "Clocks and time zones"
timeout = "3s"
enabled = false
"#,
    )
    .unwrap();
    assert_eq!((config.policy.rules.len(), config.policy.activation, config.wait), (2, Verdict::Auto, Duration::from_secs(5)));
    assert_eq!(config.starts, Starts::Buffered);
    let rule = &config.policy.rules[0];
    assert!(rule.tools[0].matches("mcp:time/now") && !rule.tools[0].matches("mcp:timer/now"));
    assert_eq!((rule.decision, rule.strong, rule.max_calls), (Verdict::Prompt, true, Some(3)));
    assert_eq!((rule.effect, rule.capabilities.contains(&Capability::PrivateData)), (Some(Effect::ReadOnly), true));
    assert_eq!(config.policy.rules[1].decision, Verdict::Hide);
    let server = config.servers.values().next().unwrap();
    assert_eq!((server.command.as_str(), server.enabled), ("/etc/demo/bin/time", false));
    assert_eq!(server.timeout, Some(Span(Duration::from_secs(3))));
    assert_eq!(server.cwd.as_deref(), Some(Path::new("/etc/demo/run")));
    assert_eq!(server.declared().capabilities, Some([].into()));
    assert_eq!(config.state.as_deref(), Some(Path::new("/etc/demo/state")));
    assert_eq!(config.policy.profiles[config.profile.as_ref().unwrap()].presets[0].as_str(), "mcp:time/get_current_time");
}

#[test]
fn pol_1_what_is_not_known_is_never_skipped() {
    wrong("activation = \"hide\"\n", 1, "unknown variant `hide`");
    wrong("activation = \"always\"\n", 1, "unknown variant `always`");
    wrong("\nactivate = \"auto\"\n", 2, "unknown field `activate`");
    wrong("[[rule]]\ntool = [\"*\"]\ndecision = \"auto\"\n", 2, "unknown field `tool`");
    wrong("[servers.time]\ncommand = \"x\"\nshell = true\n", 3, "unknown field `shell`");
    wrong("[[rule]]\ntools = [\"*\"]\n", 1, "missing field `decision`");
    wrong("[approval]\nwait = 25\n", 2, "expected a string");
    wrong("a = = 1\n", 1, "");
}

#[test]
fn pol_1_parts_of_a_file_fit_together() {
    wrong("\n[[rule]]\nserver = \"nope\"\ndecision = \"auto\"\n", 2, "no server `nope`");
    wrong("[[rule]]\nprofile = \"nope\"\ndecision = \"auto\"\n", 1, "no profile `nope`");
    wrong("profile = \"nope\"\n", 1, "no profile `nope`");
    wrong("[[rule]]\ndecision = \"auto\"\nstrong = true\n", 1, "asks nobody");
    wrong("[[rule]]\ndecision = \"deny\"\nnew = \"prompt\"\n", 1, "is not `auto`");
    wrong("[[rule]]\ndecision = \"deny\"\nmax_calls = 1\n", 1, "gives none");
    wrong("[[rule]]\ndecision = \"auto\"\nmax_calls = 0\n", 1, "`max_calls` is 0");
    wrong("[approval]\nwait = \"26s\"\n", 2, "longer than 25s");
    wrong("[approval]\nwait = \"soon\"\n", 2, "`soon` is not a time");
    wrong("[approval]\nwait = \"18446744073709551615h\"\n", 2, "is not a time");
}

#[test]
fn id_2_aliases_and_ids_are_checked_where_they_are_written() {
    wrong("[servers.Time]\ncommand = \"x\"\n", 1, "lower-case letter");
    wrong("[servers.native]\ncommand = \"x\"\n", 1, "reserved");
    wrong("[profiles.p]\npresets = [\"time/now\"]\n", 2, "an id reads");
    wrong("[profiles.p]\ntools = [\"time\"]\n", 2, "a pattern is");
    wrong("[servers.time]\ncommand = \"\"\n", 1, "`command` is empty");
    wrong("[servers.time]\ncommand = \"x\"\nenv = { \"A=B\" = \"c\" }\n", 1, "can't be given this");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::read(Path::new("/nowhere/agent-host.toml")).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/agent-host.toml: can't be read"), "{error}");
}
