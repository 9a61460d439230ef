//! The gateway as a whole, between real programs.
//!
//! Is: what runs the scripts of `tests/clients` against the built binary. What they check stands in them, in one place
//! with what they say. Is not: able to build or install anything; `./tests/run` does that before.

mod attacks;
mod conformance;
mod demo;
mod digests;
mod doctor;
mod each_client;
mod eras;
mod far;
mod fleet;
mod given_up;
mod guests;
mod hostile;
mod init;
mod issuer;
mod load;
mod login;
mod main_job;
mod notify;
mod oauth;
mod oidc;
mod operator_api;
mod questions;
mod relayed;
mod reload;
mod samples;
mod shared;
mod tasks;
mod terminal;
mod tls;
mod tokens;
mod url_key;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The target folder that this very test lies in, and the profile's folder in it.
pub(crate) fn built() -> (PathBuf, PathBuf) {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    (profile.parent().unwrap().to_owned(), profile.to_owned())
}

/// Plays a script of `tests/clients` with the built host and the pinned tools, to its end, and returns its transcript.
pub(crate) fn plays(script: &str, arguments: &[&str]) -> String {
    let (target, profile) = built();
    let (host, tools) = (profile.join("agent-host"), target.join("tools"));
    let needed = [(host.clone(), "cargo build -p agent-host"), (tools.join("node/stamp"), "./tests/tools/install")];
    for (needed, by) in needed {
        assert!(needed.exists(), "{} is missing: run `{by}`, or `./tests/run`, which does it all", needed.display());
    }
    let places = ["--host", host.to_str().unwrap(), "--tools", tools.to_str().unwrap()];
    plays_alone(script, &[&places, arguments].concat())
}

/// As [`plays`], of a script that needs neither.
fn plays_alone(script: &str, arguments: &[&str]) -> String {
    let python = built().0.join("tools/python/bin/python");
    assert!(python.exists(), "{} is missing: run `./tests/tools/install`, or `./tests/run`, which does it all", python.display());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(script);
    let output = Command::new(python).arg("-B").arg(&script).args(arguments).output().unwrap();
    let transcript = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {}\n{transcript}\n{errors}", script.display(), output.status);
    transcript
}
