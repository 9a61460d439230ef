//! A token renewed before it runs out, once however many want it.
//!
//! Is: one renewal at a time for each login, in this process and beside others; it runs to its end whoever stopped waiting,
//! for a refresh token that was used may be good no more. Is not: a person's doing: where only a person helps, it says so. What
//! became of it and can't be written is `unsaved`'s.
//! Clause: UP-10. Invariant: I-10.

use super::begun::by_hand;
use super::discovery::{found, said};
use super::kept::{Kept, Place};
use super::unsaved::Unsaved;
use super::{Login, LoginError, Logins};
use http::HeaderValue;
use parking_lot::Mutex;
use rmcp::transport::auth::{AuthError, CredentialStore, InMemoryCredentialStore, OAuthClientConfig};
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// After a renewal that failed, nobody tries again for so long.
const REST: Duration = Duration::from_secs(5);
/// How long another process may hold a login.
const OTHERS: Duration = Duration::from_secs(60);
/// Between two looks at whether it still does.
const LOOK: Duration = Duration::from_millis(50);

/// The turn of whoever renews a login.
pub(super) struct One {
    pub(super) turn: Semaphore,
    /// When it could not be renewed last, and why.
    failed: Mutex<Option<(Instant, LoginError)>>,
    /// What was renewed and could not be written.
    pub(super) unsaved: Mutex<Option<Unsaved>>,
}

impl Default for One {
    fn default() -> Self {
        Self { turn: Semaphore::new(1), failed: Mutex::default(), unsaved: Mutex::default() }
    }
}

/// Why a token is renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// It ends soon.
    Old,
    /// The server takes it no longer.
    Refused,
}

impl Logins {
    /// Renews a login that was `seen`, or takes what somebody else has renewed it to.
    // INVARIANT: I-10 the renewal is a task of its own: a caller who leaves takes no rotated token along
    pub(super) async fn renewed(&self, login: &Login, seen: &Kept, because: Because) -> Result<HeaderValue, LoginError> {
        let (place, one) = (self.place(login), self.one(login));
        let (login, seen) = (login.clone(), seen.clone());
        let renewal = tokio::spawn(async move {
            let _turn = one.turn.acquire().await;
            let _others = locked(&place).await?;
            let filed = place.read(&login)?;
            let kept = one.instead(&filed).unwrap_or_else(|| filed.clone());
            if kept.is_fresh() && !kept.is_same(&seen) {
                return kept.authorization(&login);
            }
            let failed = one.failed.lock().clone().filter(|(at, _)| at.elapsed() < REST);
            if let Some((_, error)) = failed {
                return still(&kept, &login, because, error);
            }
            match renew(&login, &kept, &place).await {
                Ok(renewed) => {
                    *one.failed.lock() = None;
                    one.save(&place, &login, filed, &renewed);
                    renewed.authorization(&login)
                }
                Err(error) => {
                    *one.failed.lock() = Some((Instant::now(), error.clone()));
                    still(&kept, &login, because, error)
                }
            }
        });
        renewal.await.unwrap_or_else(|_| Err(LoginError::failed("its login was being renewed when the host ended")))
    }

    /// Puts a new login in place of any that is there.
    pub(super) async fn keep(&self, login: &Login, kept: Kept) -> Result<(), String> {
        let (place, one) = (self.place(login), self.one(login));
        let _turn = one.turn.acquire().await;
        let _others = locked(&place).await.map_err(|error| error.to_string())?;
        *one.failed.lock() = None;
        place.write(&kept)
    }
}

/// A token that is old and not over is as good as it was where it could not be renewed just now.
fn still(kept: &Kept, login: &Login, because: Because, error: LoginError) -> Result<HeaderValue, LoginError> {
    let usable = because == Because::Old && !kept.is_over();
    if usable { kept.authorization(login).map_err(|_| error) } else { Err(error) }
}

/// Keeps other processes from this login until it is dropped.
pub(super) async fn locked(place: &Place) -> Result<File, LoginError> {
    let failed = |error: std::io::Error| LoginError::failed(format!("its login can't be locked: {error}"));
    let file = place.lock().map_err(failed)?;
    let until = Instant::now() + OTHERS;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => tokio::time::sleep(LOOK).await,
            Err(TryLockError::WouldBlock) => return Err(LoginError::failed("another process is busy with its login")),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

async fn renew(login: &Login, kept: &Kept, place: &Place) -> Result<Kept, LoginError> {
    let over = || LoginError::needed(login, "its login has ended");
    if !kept.is_renewable() {
        return Err(over());
    }
    let log = |why: &str| tracing::warn!(server = %login.alias, why, "a login could not be renewed");
    let mut found = found(login).await.map_err(|why| {
        log(&why);
        LoginError::failed("its authorization server can't be asked to renew its login")
    })?;
    // Metadata may name another from one day to the next; a token goes to the one that gave it.
    if kept.stored.issuer.as_ref() != Some(&found.issuer) {
        return Err(LoginError::needed(login, "it has another authorization server than when somebody logged in"));
    }
    let store = InMemoryCredentialStore::new();
    let refused = |error: AuthError| {
        log(&said(&error));
        LoginError::failed("its authorization server did not renew its login")
    };
    store.save(kept.stored.clone()).await.map_err(refused)?;
    found.manager.set_credential_store(store.clone());
    let client = client_of(login, kept).map_err(|why| LoginError::needed(login, &why))?;
    found.manager.configure_client(client).map_err(refused)?;
    match found.manager.refresh_token().await {
        Ok(_) => {}
        Err(error @ (AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired)) => {
            log(&said(&error));
            // Not asked again until somebody logs in.
            let mut ended = kept.clone();
            ended.stored.token_response = None;
            place.write(&ended).map_err(LoginError::failed)?;
            return Err(over());
        }
        Err(error) => return Err(refused(error)),
    }
    let stored = store.load().await.map_err(refused)?.ok_or_else(over)?;
    Ok(Kept { stored, ..kept.clone() })
}

/// The client that logged in. Its redirect is not used any more.
pub(super) fn client_of(login: &Login, kept: &Kept) -> Result<OAuthClientConfig, String> {
    let (id, redirect) = (&kept.stored.client_id, "http://127.0.0.1/callback".to_owned());
    if login.oauth.client_id.as_ref() == Some(id) {
        return by_hand(login, id, redirect);
    }
    let client = OAuthClientConfig::new(id, redirect);
    Ok(match &kept.client_secret {
        Some(secret) => client.with_client_secret(secret),
        None => client,
    })
}
