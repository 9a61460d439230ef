#![allow(clippy::unwrap_used)]
use super::*;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use zeroize::Zeroizing;

fn secret(text: &str) -> Secret {
    Secret::new(Zeroizing::new(text.to_owned())).unwrap()
}

#[test]
fn auth_4_a_passphrase_is_kept_hashed_and_for_its_owner_alone() {
    let state = tempfile::tempdir().unwrap();
    let lock = Lock::new(state.path());
    assert!(matches!(lock.prove(&secret("correct horse")), Err(Unproved::Unset)));
    set(state.path(), &OperatorName::owner(), &secret("correct horse")).unwrap();
    let path = state.path().join(FILE);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(&path).unwrap().contains("horse"));
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 1);
    lock.prove(&secret("correct horse")).unwrap();
    set(state.path(), &OperatorName::owner(), &secret("another one")).unwrap();
    assert!(matches!(lock.prove(&secret("correct horse")), Err(Unproved::Wrong(_))));
}

#[test]
fn auth_4_each_operator_has_a_passphrase_of_their_own() {
    let state = tempfile::tempdir().unwrap();
    let ada = OperatorName::parse("ada").unwrap();
    set(state.path(), &ada, &secret("correct horse")).unwrap();
    assert_eq!(std::fs::metadata(state.path().join("passphrase-ada")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(Lock::new(state.path()).prove(&secret("correct horse")), Err(Unproved::Unset)));
    let lock = Lock::of(state.path(), &ada);
    lock.prove(&secret("correct horse")).unwrap();
    let before = lock.mark().unwrap();
    set(state.path(), &ada, &secret("correct horse")).unwrap();
    assert!(before.is_some() && lock.mark().unwrap() != before, "the same text set again is another passphrase");
}

#[test]
fn auth_4_a_passphrase_is_never_printed() {
    let secret = secret("correct horse");
    assert_eq!(format!("{secret:?}"), "Secret(redacted)");
    for text in ["", "short", &"x".repeat(1025)] {
        assert!(Secret::new(Zeroizing::new(text.to_owned())).is_err(), "{text}");
    }
}

#[test]
fn auth_4_a_wrong_passphrase_makes_the_next_try_wait() {
    let state = tempfile::tempdir().unwrap();
    set(state.path(), &OperatorName::owner(), &secret("correct horse")).unwrap();
    let lock = Lock::new(state.path());
    assert!(matches!(lock.prove(&secret("wrong horse")), Err(Unproved::Wrong(next)) if next == Duration::from_secs(1)));
    assert!(matches!(lock.prove(&secret("correct horse")), Err(Unproved::TooSoon(left)) if left <= Duration::from_secs(1)));
    std::thread::sleep(Duration::from_millis(1010));
    assert!(matches!(lock.prove(&secret("wrong horse")), Err(Unproved::Wrong(next)) if next == Duration::from_secs(2)));
    std::thread::sleep(Duration::from_millis(2010));
    lock.prove(&secret("correct horse")).unwrap();
    lock.prove(&secret("correct horse")).unwrap();
}

#[test]
fn auth_4_a_file_that_is_not_ours_proves_nothing() {
    let state = tempfile::tempdir().unwrap();
    let lock = Lock::new(state.path());
    let zeros = |count: usize| serde_json::to_string(&vec![0; count]).unwrap();
    let costly =
        format!(r#"{{"kind":"argon2id","cost":{{"memory":4294967295,"passes":1,"lanes":1}},"salt":{},"hash":{}}}"#, zeros(16), zeros(32));
    for text in ["", "{}", costly.as_str()] {
        std::fs::write(state.path().join(FILE), text).unwrap();
        assert!(matches!(lock.prove(&secret("correct horse")), Err(Unproved::Unusable(_))), "{text}");
    }
    std::fs::remove_file(state.path().join(FILE)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", state.path().join(FILE)).unwrap();
    assert!(matches!(lock.prove(&secret("correct horse")), Err(Unproved::Unusable(_))));
}
