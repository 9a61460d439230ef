//! Whether somebody is who they say: a name, a passphrase, and from where it is tried.
//!
//! Is: the same for a page and for the API. Is not: a login; who asked opens one. Clause: AUTH-4 (console, login). Attack: guessing.

use super::house::House;
use crate::admin::passphrase::{Mark, Secret, Unproved, decoy};
use crate::config::OperatorName;
use http::StatusCode;
use std::net::IpAddr;

/// Why nobody is let in, the same for a name that is nobody's and for a passphrase that is wrong.
pub(super) struct Refusal {
    /// As a page says it.
    pub(super) status: StatusCode,
    /// In words.
    pub(super) why: String,
    /// Seconds until the next try counts, where it is held up.
    pub(super) after: Option<u64>,
}

impl House {
    /// The operator, and which passphrase of theirs it was. Where there is one operator, no name is asked for.
    pub(super) async fn prove(&self, typed: &str, secret: Option<Secret>, peer: IpAddr) -> Result<(OperatorName, Mark), Refusal> {
        let refused = |status, why: &str, after| Refusal { status, why: why.to_owned(), after };
        let names = self.names();
        let (named, only) = match names.as_slice() {
            [only] => (Some(only.clone()), true),
            _ => (names.iter().find(|name| name.as_str() == typed).cloned(), false),
        };
        let wrong = if only { "the passphrase is wrong" } else { "the name or the passphrase is wrong" };
        let secret = secret.ok_or_else(|| refused(StatusCode::FORBIDDEN, wrong, None))?;
        // By the name as it was typed, so that one that is nobody's waits as one that is somebody's does.
        let counted = named.as_ref().map_or(typed, |name| name.as_str());
        let many = |seconds| refused(StatusCode::TOO_MANY_REQUESTS, "too many tries from elsewhere", Some(seconds));
        let tries = self.attempts.of(counted, peer).map_err(|wait| many(wait.0.as_secs() + 1))?;
        let Some(room) = self.attempts.room().await else { return Err(refused(StatusCode::FORBIDDEN, "the host is ending", None)) };
        let lock = named.as_ref().map(|name| self.lock(name)).filter(|lock| lock.mark().is_ok_and(|mark| mark.is_some()));
        let proving = tokio::task::spawn_blocking(move || match lock {
            Some(lock) => lock.prove_within(&tries, &secret),
            None => decoy(&tries, &secret),
        });
        let proved = proving.await;
        drop(room);
        let mark = match proved {
            Ok(Ok(mark)) => mark,
            Ok(Err(Unproved::Wrong(next) | Unproved::TooSoon(next))) => {
                let seconds = next.as_secs() + u64::from(next.subsec_nanos() > 0);
                let why = format!("{wrong}, or it came too soon after one that was; the next try counts in {seconds} s");
                return Err(refused(StatusCode::FORBIDDEN, &why, Some(seconds)));
            }
            Ok(Err(error)) => return Err(refused(StatusCode::FORBIDDEN, &error.to_string(), None)),
            Err(_) => return Err(refused(StatusCode::INTERNAL_SERVER_ERROR, "it could not be tried", None)),
        };
        let operator = named.ok_or_else(|| refused(StatusCode::FORBIDDEN, wrong, None))?;
        self.attempts.succeeded(peer);
        Ok((operator, mark))
    }
}
