//! A login that was renewed and can't be written.

use super::stage::{Guise, Stage};
use super::{Logins, log_in};
use http::StatusCode;
use std::path::PathBuf;
use std::time::Duration;

/// A folder where the new file would first be written, which not even root writes a file over.
fn in_the_way(state: &tempfile::TempDir) -> PathBuf {
    let path = state.path().join(format!("logins/.far.json.{}.new", std::process::id()));
    std::fs::create_dir(&path).unwrap();
    path
}

#[tokio::test]
async fn up_10_what_was_renewed_and_can_not_be_written_is_not_lost() {
    let (stage, state) = (Stage::new(Guise::Short).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let old = logins.authorization(&login).await.unwrap();
    let full = in_the_way(&state);
    let value = logins.refused(&login, Some(&old), StatusCode::UNAUTHORIZED, "Bearer").await.unwrap();
    assert!(value != old && stage.takes(&value));
    assert_eq!(logins.authorization(&login).await.unwrap(), value, "the file's own is spent");
    assert_eq!(logins.refused(&login, Some(&old), StatusCode::UNAUTHORIZED, "Bearer").await.unwrap(), value);
    assert_eq!(stage.renewals(), 1);
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let next = logins.authorization(&login).await.unwrap();
    assert!(next != value && stage.takes(&next), "it is renewed by what is in memory");
    assert_eq!((stage.renewals(), stage.wrong()), (2, Vec::new()));
    std::fs::remove_dir(full).unwrap();
    logins.one(&login).unsaved.lock().as_mut().unwrap().tried -= Duration::from_secs(5);
    assert_eq!(logins.authorization(&login).await.unwrap(), next);
    let other = Logins::of(state.path());
    for _ in 0..100 {
        if other.authorization(&login).await.is_ok_and(|written| written == next) {
            return assert!(logins.authorization(&login).await.is_ok() && logins.one(&login).unsaved.lock().is_none());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!("it is not written");
}

#[tokio::test]
async fn up_10_a_login_or_logout_counts_before_what_could_not_be_written() {
    let (stage, state) = (Stage::new(Guise::Short).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let old = logins.authorization(&login).await.unwrap();
    let full = in_the_way(&state);
    let unsaved = logins.refused(&login, Some(&old), StatusCode::UNAUTHORIZED, "Bearer").await.unwrap();
    std::fs::remove_dir(full).unwrap();
    let other = Logins::of(state.path());
    log_in(&stage, &other, &login).await.unwrap();
    let value = logins.authorization(&login).await.unwrap();
    assert!(value != unsaved && value != old && value == other.authorization(&login).await.unwrap());
    assert!(other.end(&login).await.unwrap().is_some());
    assert!(logins.authorization(&login).await.is_err(), "nothing of it comes back");
}
