//! The sample servers behind the real host: started as a configuration starts them, listed and called over their pipes.
//!
//! Is not: a check of what their tools do; `agent-host/samples` has those beside them.

use super::built;
use agent_core::definition::Definition;
use agent_core::id::Alias;
use agent_host::config::{Era, Server};
use agent_host::upstream::{NoLogins, Upstreams};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

fn host() -> String {
    let host = built().1.join("agent-host");
    assert!(host.exists(), "{} is missing: run `cargo build -p agent-host`", host.display());
    host.to_str().unwrap().to_owned()
}

fn server(kind: &str, folder: &Path, era: Era) -> Server {
    let folder = folder.to_str().unwrap();
    let args = ["sample-server", kind, "--folder", folder].map(str::to_owned).into();
    Server { args, cwd: Some(folder.into()), era, ..Server::new(host()) }
}

#[tokio::test]
async fn cat_4_every_tool_of_the_samples_is_served_in_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    for (era, protocol) in [(Era::Legacy, "2025-11-25"), (Era::Modern, "2026-07-28")] {
        for (kind, count) in [("clock", 10), ("files", 12), ("notes", 9), ("text", 13)] {
            let listed =
                Upstreams::look(&Alias::parse(kind).unwrap(), &server(kind, folder.path(), era), Arc::new(NoLogins)).await.unwrap();
            assert_eq!((listed.protocol.as_deref(), listed.definitions.len()), (Some(protocol), count), "{kind}");
            assert_eq!((&listed.refused, &listed.cut), (&Vec::new(), &None), "{kind}");
            for raw in &listed.definitions {
                Definition::parse(raw).unwrap();
            }
        }
    }
}

#[test]
fn a_sample_server_says_what_it_lacks() {
    let said = |arguments: &[&str]| {
        let output = Command::new(host()).arg("sample-server").args(arguments).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = said(&["files"]);
    assert!(code == Some(2) && text.contains("hint: name it with `--folder DIR`"), "{code:?} {text}");
    let (code, text) = said(&["notes", "--folder", "/nowhere/at/all"]);
    assert!(code == Some(1) && text.contains("can't be opened"), "{code:?} {text}");
    let (code, text) = said(&["cloud"]);
    assert!(code == Some(2) && text.contains("clock, files, notes, text"), "{code:?} {text}");
    assert_eq!(said(&["clock"]), (Some(0), String::new()));
}
