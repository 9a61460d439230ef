//! The passphrase: kept as a hash, compared in constant time, and tried slowly.
//!
//! Is: one file of mode 0600 in the state folder, and a count of failed tries in the host's memory. Is not: a defence
//! against the user whose folder it is, who can write another file (AUTH-9). No log and no record has its text.
//! Clause: AUTH-4 (passphrase).

mod secret;
mod tries;

#[cfg(test)]
mod tests;

pub use secret::{Secret, SecretError};

use crate::config::OperatorName;
use crate::replace::replace;
use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;
pub(crate) use tries::Tries;

/// The owner's file in a state folder. Another operator's has a dash and their name after it.
const FILE: &str = "passphrase";
/// Bytes of it that are read.
const FILE_BYTES: u64 = 4096;
/// KiB of memory, passes and lanes of a new hash: the first of the settings that OWASP recommends for Argon2id.
const COST: Cost = Cost { memory: 19_456, passes: 2, lanes: 1 };
/// The most that a file may ask for, so that it can't stall the host.
const MOST: Cost = Cost { memory: 1 << 20, passes: 16, lanes: 16 };

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// What the file holds, as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    kind: Kind,
    cost: Cost,
    salt: [u8; 16],
    hash: [u8; 32],
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Argon2id,
}

/// Why a passphrase counts for nothing.
#[derive(Debug, thiserror::Error)]
pub enum Unproved {
    /// There is none.
    #[error("no passphrase is set")]
    Unset,
    /// It is another.
    #[error("the passphrase is wrong; the next try counts in {} s", .0.as_secs())]
    Wrong(std::time::Duration),
    /// Too soon after one that was wrong. It was not looked at.
    #[error("too soon after a wrong passphrase; the next try counts in {} s", .0.as_secs() + 1)]
    TooSoon(std::time::Duration),
    /// What is kept of it can't be used.
    #[error("the passphrase's file can't be used: {0}")]
    Unusable(io::Error),
}

fn odd(why: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

impl Kept {
    fn new(secret: &Secret) -> io::Result<Self> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(io::Error::other)?;
        Ok(Self { kind: Kind::Argon2id, cost: COST, salt, hash: hash(secret, &salt, COST)? })
    }

    fn read(path: &Path) -> io::Result<Option<Self>> {
        let file = match OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = Vec::new();
        file.take(FILE_BYTES).read_to_end(&mut text)?;
        serde_json::from_slice(&text).map(Some).map_err(odd)
    }

    fn is_of(&self, secret: &Secret) -> io::Result<bool> {
        let Cost { memory, passes, lanes } = self.cost;
        if memory > MOST.memory || passes > MOST.passes || lanes > MOST.lanes {
            return Err(odd("its cost is out of bounds"));
        }
        Ok(hash(secret, &self.salt, self.cost)?.ct_eq(&self.hash).into())
    }
}

fn hash(secret: &Secret, salt: &[u8], cost: Cost) -> io::Result<[u8; 32]> {
    let mut hash = [0; 32];
    let params = Params::new(cost.memory, cost.passes, cost.lanes, Some(hash.len())).map_err(odd)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password_into(secret.bytes(), salt, &mut hash).map_err(odd)?;
    Ok(hash)
}

/// Where an operator's passphrase is kept.
fn file(state: &Path, operator: &OperatorName) -> PathBuf {
    if *operator == OperatorName::owner() { state.join(FILE) } else { state.join(format!("{FILE}-{operator}")) }
}

/// Keeps an operator's passphrase for a state folder that is there, in place of any other. A running host asks for it from
/// then on.
///
/// # Errors
/// What the system says.
pub fn set(state: &Path, operator: &OperatorName, secret: &Secret) -> io::Result<()> {
    let text = serde_json::to_vec(&Kept::new(secret)?)?;
    replace(&file(state, operator), &text, 0o600)
}

/// The host's side: what tells an operator's passphrase from others.
pub struct Lock {
    path: PathBuf,
    tries: Tries,
}

/// Tells one passphrase from the one that was set after it. It says nothing of either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark([u8; 16]);

#[cfg(test)]
impl Mark {
    /// Of no passphrase that there is.
    pub(crate) const fn of_nobody() -> Self {
        Self([0; 16])
    }
}

impl Lock {
    /// The lock of the state folder's owner, whether or not a passphrase is set.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self::of(state, &OperatorName::owner())
    }

    /// The lock of one operator.
    #[must_use]
    pub fn of(state: &Path, operator: &OperatorName) -> Self {
        Self { path: file(state, operator), tries: Tries::default() }
    }

    /// Which passphrase is set; none where none is.
    ///
    /// # Errors
    /// Its file can't be read now, so nothing is known.
    pub(crate) fn mark(&self) -> io::Result<Option<Mark>> {
        Ok(Kept::read(&self.path)?.map(|kept| Mark(kept.salt)))
    }

    /// Whether this is the passphrase. Takes as long as a hash takes, on the calling thread.
    ///
    /// # Errors
    /// [`Unproved`] where it is not known to be.
    pub fn prove(&self, secret: &Secret) -> Result<(), Unproved> {
        self.prove_within(&self.tries, secret).map(drop)
    }

    /// The same, with tries that are counted elsewhere, and which passphrase it was.
    ///
    /// # Errors
    /// As [`Lock::prove`].
    pub(crate) fn prove_within(&self, tries: &Tries, secret: &Secret) -> Result<Mark, Unproved> {
        let kept = Kept::read(&self.path).map_err(Unproved::Unusable)?.ok_or(Unproved::Unset)?;
        // Counted as wrong before it is looked at, so that many at once are not many tries.
        let next = tries.begin().map_err(Unproved::TooSoon)?;
        if !kept.is_of(secret).map_err(Unproved::Unusable)? {
            return Err(Unproved::Wrong(next));
        }
        tries.forget();
        Ok(Mark(kept.salt))
    }
}

/// Takes as long as a passphrase that is looked at, and is never right: for names that are nobody's.
///
/// # Errors
/// Always.
pub(crate) fn decoy(tries: &Tries, secret: &Secret) -> Result<Mark, Unproved> {
    let next = tries.begin().map_err(Unproved::TooSoon)?;
    hash(secret, &[0; 16], COST).map_err(Unproved::Unusable)?;
    Err(Unproved::Wrong(next))
}
