//! A login as it is kept: one file for each server, or for each principal at it, of its owner's alone.
//!
//! Is: what may be sent to which URL, until when, and by what it is renewed. Is not: in the lock file, in the records or in any
//! log; `Debug` shows no token. Clauses: UP-5 (login), UP-10.

use super::{Login, LoginError};
use crate::replace::replace;
use agent_core::digest::{Domain, Hasher};
use agent_core::id::Alias;
use agent_core::session::PrincipalId;
use http::HeaderValue;
use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A token is renewed so many seconds before it ends, or in the second half of a short life.
const AHEAD_S: u64 = 60;
/// Bytes of a file of ours.
const FILE_BYTES: u64 = 256 * 1024;

/// One login.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// The server that its tokens are for; they go nowhere else.
    pub(super) url: String,
    /// The secret of a client that registered itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    /// Client, issuer, scopes and tokens.
    pub(super) stored: StoredCredentials,
}

/// What is read of an answer with tokens.
#[derive(Deserialize)]
struct Tokens {
    access_token: String,
    token_type: String,
    expires_in: Option<u64>,
    refresh_token: Option<String>,
}

impl Kept {
    fn tokens(&self) -> Option<Tokens> {
        serde_json::to_value(self.stored.token_response.as_ref()?).and_then(serde_json::from_value).ok()
    }

    /// Whether its token can be sent and need not be renewed yet. One without an end is renewed when the server refuses it.
    pub(super) fn is_fresh(&self) -> bool {
        let Some((life, left)) = self.life() else { return true };
        left > AHEAD_S.min(life / 2)
    }

    /// Whether its token has ended.
    pub(super) fn is_over(&self) -> bool {
        self.life().is_some_and(|(_, left)| left == 0)
    }

    /// Whether it holds the same token.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let token = |kept: &Self| kept.tokens().map(|tokens| tokens.access_token);
        token(self) == token(other)
    }

    /// Seconds that its token lives, and how many are left.
    fn life(&self) -> Option<(u64, u64)> {
        let life = self.tokens()?.expires_in?;
        let age = now().saturating_sub(self.stored.token_received_at?);
        Some((life, life.saturating_sub(age)))
    }

    /// Whether it can be renewed without a person.
    pub(super) fn is_renewable(&self) -> bool {
        self.tokens().is_some_and(|tokens| tokens.refresh_token.is_some())
    }

    /// Its tokens, each with its kind, as they can be taken back: first the one that lives longer.
    pub(super) fn revocable(&self) -> Vec<(&'static str, String)> {
        let Some(tokens) = self.tokens() else { return Vec::new() };
        let refresh = tokens.refresh_token.map(|token| ("refresh_token", token));
        refresh.into_iter().chain([("access_token", tokens.access_token)]).collect()
    }

    /// What is sent.
    pub(super) fn authorization(&self, login: &Login) -> Result<HeaderValue, LoginError> {
        let tokens = self.tokens().ok_or_else(|| LoginError::needed(login, "its login has ended"))?;
        let tokens = Some(tokens).filter(|tokens| tokens.token_type.eq_ignore_ascii_case("bearer"));
        let value = tokens.and_then(|tokens| HeaderValue::try_from(format!("Bearer {}", tokens.access_token)).ok());
        let mut value = value.ok_or_else(|| LoginError::needed(login, "what is kept of its login is no bearer token"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where one login is kept.
pub(super) struct Place {
    file: PathBuf,
}

impl Place {
    /// `logins/<alias>.json`, or `logins/<alias>/<digest of the principal>.json`.
    pub(super) fn of(folder: &Path, alias: &Alias, principal: Option<&PrincipalId>) -> Self {
        let file = match principal {
            None => folder.join(format!("{alias}.json")),
            Some(principal) => {
                let digest = Hasher::new(Domain::Login).part(principal.as_str().as_bytes()).finish();
                folder.join(alias.as_str()).join(format!("{digest}.json"))
            }
        };
        Self { file }
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// What is kept here for this login. One for another URL is none: its tokens are not for this server.
    pub(super) fn read(&self, login: &Login) -> Result<Kept, LoginError> {
        let kept = self.kept().map_err(|why| LoginError::failed(format!("its login can't be read: {why}")))?;
        match kept {
            None => Err(LoginError::needed(login, "nobody has logged in there")),
            Some(kept) if kept.url != login.url.as_str() => Err(LoginError::needed(login, "the login that is kept is for another URL")),
            Some(kept) => Ok(kept),
        }
    }

    fn kept(&self) -> Result<Option<Kept>, String> {
        let told = |error: io::Error| format!("`{}`: {error}", self.file.display());
        let file = match OpenOptions::new().read(true).custom_flags(nofollow()).open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(told)?,
        };
        let meta = file.metadata().map_err(told)?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o077 != 0 {
            return Err(format!("`{}` is not a file of its owner's alone; remove it and log in again", self.file.display()));
        }
        let mut text = Vec::new();
        file.take(FILE_BYTES).read_to_end(&mut text).map_err(told)?;
        // Not what serde says: it could quote a token.
        serde_json::from_slice(&text).map(Some).map_err(|_| format!("`{}` is no login; remove it and log in again", self.file.display()))
    }

    /// Puts a login in place of the one that is there, in one step.
    pub(super) fn write(&self, kept: &Kept) -> Result<(), String> {
        let put = || {
            self.make_folder()?;
            replace(&self.file, &serde_json::to_vec(kept)?, 0o600)
        };
        put().map_err(|error: io::Error| format!("the login can't be kept in `{}`: {error}", self.file.display()))
    }

    /// Whether there was one.
    pub(super) fn remove(&self) -> Result<bool, String> {
        match std::fs::remove_file(&self.file) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(format!("`{}` can't be removed: {error}", self.file.display())),
        }
    }

    /// The file whose lock keeps other processes from renewing the same login meanwhile.
    pub(super) fn lock(&self) -> io::Result<File> {
        self.make_folder()?;
        let path = self.file.with_extension("lock");
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(nofollow()).open(path)
    }

    fn make_folder(&self) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
}

fn nofollow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}
