//! What may stand over the file, and what may not.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::config::tests::parse;
use std::time::Duration;

const FILE: &str = "activation = \"prompt\"\nstate = \"kept\"\nprofile = \"work\"\n[profiles.work]\n[profiles.wide]\n";

fn overlaid(file: &str, variables: &[(&str, &str)], flags: &Flags) -> Result<Config, ConfigError> {
    let mut config = parse(file).unwrap();
    config.overlay(&variables.iter().copied().collect(), flags)?;
    Ok(config)
}

fn refused(file: &str, name: &str, value: &str, part: &str) {
    let error = overlaid(file, &[(name, value)], &Flags::default()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{name}: ")) && error.contains(part) && error.contains("\nhint: "), "{error}");
}

#[test]
fn up_2_the_environment_switches_no_notification_on() {
    let variables: Environment = [("AGENT_HOST_APPROVAL_NOTIFY", "true")].into_iter().collect();
    assert!(!overlaid("", &[("AGENT_HOST_APPROVAL_NOTIFY", "true")], &Flags::default()).unwrap().notify);
    assert!(variables.unknown().iter().any(|said| said.contains("is not known and changes nothing")));
}

#[test]
fn up_2_each_layer_stands_over_the_one_before() {
    let variables = [
        ("AGENT_HOST_STATE", "/env"),
        ("AGENT_HOST_PROFILE", "work"),
        ("AGENT_HOST_APPROVAL_WAIT", "3s"),
        ("AGENT_HOST_ACTIVATION", "deny"),
    ];
    let file = "[profiles.work]\n[profiles.wide]\n[records]\nstart = \"buffered\"\n";
    let config = overlaid(file, &variables, &Flags::default()).unwrap();
    assert_eq!((config.state.unwrap(), config.profile.unwrap().as_str()), (PathBuf::from("/env"), "work"));
    assert_eq!((config.wait, config.policy.activation, config.starts), (Duration::from_secs(3), Verdict::Deny, Starts::Buffered));
    assert_eq!(config.origins.get("profile"), Origin::Environment { name: PROFILE });
    assert_eq!((config.origins.get("records.start"), config.origins.get("names")), (Origin::File { line: 4 }, Origin::Default));
    let flags = Flags { state: Some("/flag".into()), profile: Some(ProfileId::parse("wide").unwrap()) };
    let config = overlaid(file, &variables, &flags).unwrap();
    assert_eq!((config.state.unwrap(), config.profile.unwrap().as_str()), (PathBuf::from("/flag"), "wide"));
    assert_eq!(config.origins.get("state"), Origin::Flag { name: "--state" });
}

#[test]
fn up_2_pol_1_the_environment_never_widens() {
    refused("", ACTIVATION, "auto", "never looser");
    refused(FILE, ACTIVATION, "auto", "never looser");
    refused("activation = \"deny\"\n", ACTIVATION, "prompt", "never looser");
    refused(FILE, START, "buffered", "never buffered");
    refused(FILE, PROFILE, "wide", "names another profile");
    refused(FILE, STATE, "/elsewhere", "names another state folder");
    for (name, value) in [(ACTIVATION, "deny"), (ACTIVATION, "prompt"), (START, "durable"), (PROFILE, "work"), (STATE, "/etc/demo/kept")] {
        overlaid(FILE, &[(name, value)], &Flags::default()).unwrap();
    }
    assert_eq!(
        overlaid("activation = \"auto\"\n", &[(ACTIVATION, "prompt")], &Flags::default()).unwrap().policy.activation,
        Verdict::Prompt
    );
    assert_eq!(overlaid("[records]\nstart = \"buffered\"\n", &[(START, "durable")], &Flags::default()).unwrap().starts, Starts::Durable);
}

#[test]
fn pol_1_a_variable_is_read_and_checked_as_the_file_is() {
    refused("", ACTIVATION, "promt", "did you mean `prompt`?");
    refused("", ACTIVATION, "", "unknown variant");
    refused("", WAIT, "26s", "longer than 25s");
    refused("", WAIT, "soon", "`soon` is not a time");
    refused("", PROFILE, "nope", "no profile `nope`");
    refused("", PROFILE, "", "empty");
    refused("", STATE, "here", "not absolute");
    let flags = Flags { profile: Some(ProfileId::parse("nope").unwrap()), ..Flags::default() };
    assert!(overlaid("", &[], &flags).unwrap_err().to_string().starts_with("--profile: no profile `nope`"));
}

#[test]
fn up_2_a_variable_that_is_not_known_is_said() {
    let environment: Environment =
        [("AGENT_HOST_PROFLE", "x"), ("AGENT_HOST_COLOUR", "x"), ("AGENT_HOST_LOG", "debug"), ("PATH", "/bin")].into_iter().collect();
    let said = environment.unknown();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().any(|line| line.contains("did you mean `AGENT_HOST_PROFILE`?")), "{said:?}");
}
