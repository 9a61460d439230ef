//! The main job and its variants on real input: the Python MCP client in front, two real servers behind.
//!
//! Is: `tests/clients/main_job.py`, run against the built binary. What it checks stands there, in one place with what it
//! says. Is not: able to build or install anything; `./tests/run` does that before.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The target folder that this very test lies in, and the profile's folder in it.
fn built() -> (PathBuf, PathBuf) {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    (profile.parent().unwrap().to_owned(), profile.to_owned())
}

fn play(case: &str) -> Output {
    let (target, profile) = built();
    let (host, tools) = (profile.join("agent-host"), target.join("tools"));
    let python = tools.join("python/bin/python");
    for (needed, by) in
        [(&host, "cargo build -p agent-host"), (&python, "./tests/tools/install"), (&tools.join("node/stamp"), "./tests/tools/install")]
    {
        assert!(needed.exists(), "{} is missing: run `{by}`, or `./tests/run`, which does it all", needed.display());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/main_job.py");
    Command::new(python).arg("-B").arg(script).arg("--host").arg(host).arg("--tools").arg(tools).args(["--case", case]).output().unwrap()
}

/// Plays a case and returns its transcript.
fn plays(case: &str) -> String {
    let output = play(case);
    let transcript = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{case}: {}\n{transcript}\n{errors}", output.status);
    transcript
}

#[test]
fn blt_1_gate_3_rev_1_the_main_job() {
    let transcript = plays("main");
    assert!(transcript.contains("all as it must be (main)"), "{transcript}");
}

#[test]
fn auth_6_a_no_is_remembered() {
    plays("decline");
}

#[test]
fn auth_1_a_policy_that_says_yes_asks_nobody() {
    plays("auto");
}

#[test]
fn pol_1_a_policy_that_says_no_asks_nobody() {
    plays("deny");
}

#[test]
fn auth_5_a_client_without_forms_is_told_pending() {
    plays("silent");
}
