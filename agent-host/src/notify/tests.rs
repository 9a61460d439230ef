//! When it rings, and what becomes of the program. The whole of it is played by `tests/clients/attacks.py`.
#![allow(clippy::unwrap_used)]

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn auth_5_it_rings_when_something_begins_to_wait_and_not_twice_in_ten_seconds() {
    let (mut bell, start) = (Bell::default(), Instant::now());
    // Seconds, how many wait, and whether it rings.
    for (at, waiting, rings) in [
        (0, 0, false),
        (1, 1, true),
        (2, 2, false),
        (3, 0, false),
        (4, 1, false), // too soon,
        (10, 1, false),
        (11, 1, true), // made up for
        (12, 0, false),
        (13, 3, false),
        (14, 0, false), // answered meanwhile
        (30, 0, false),
        (31, 1, true),
        (90, 1, false), // it was told
    ] {
        assert_eq!(bell.rings(waiting, start + Duration::from_secs(at)), rings, "at {at}");
    }
}

#[test]
fn auth_5_the_text_is_ours_and_has_nothing_but_a_number_in_it() {
    let text = |waiting| notification(waiting).unwrap().1.concat();
    assert!(text(1).contains("1 request waits for a person: agent-host approvals"));
    assert_eq!(text(1).replace("1 request waits", "7 requests wait"), text(7));
}

fn program(folder: &Path, script: &str) -> String {
    let path = folder.join("fake");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn auth_5_a_program_that_hangs_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("child");
    let hangs = program(folder.path(), &format!("sleep 600 & echo $! > {}\nwait", mark.display()));
    let error = show(&hangs, &[], Duration::from_secs(1)).await.unwrap_err();
    assert!(error.to_string().contains("did not end within 1 s"), "{error}");
    let child = std::fs::read_to_string(mark).unwrap().trim().parse().ok().and_then(Pid::from_raw).unwrap();
    for _ in 0..100 {
        if rustix::process::test_kill_process(child).is_err() {
            return;
        }
        // A zombie until whoever adopted it looks.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.as_raw_nonzero())).unwrap_or_default();
        if stat.contains(") Z ") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    unreachable!("what it started still runs");
}

#[tokio::test]
async fn auth_5_a_program_that_fails_or_is_not_there_is_an_error_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Duration::from_secs(5);
    let error = show(&program(folder.path(), "exit 3"), &[], patience).await.unwrap_err();
    assert!(error.to_string().contains('3'), "{error}");
    assert_eq!(show("/nowhere/notify-send", &[], patience).await.unwrap_err().kind(), io::ErrorKind::NotFound);
    show(&program(folder.path(), "exit 0"), &[], patience).await.unwrap();
}
