//! A renewed login that could not be written: on a full disk, for one.
//!
//! Is: what stands in for the file's own, whose refresh token is spent, as long as that file is what it was renewed from; and the
//! next attempt to write it. Is not: kept beyond this process. A login or logout meanwhile is another file, and counts. Clause: UP-10.

use super::kept::{Kept, Place};
use super::renewal::{One, locked};
use super::{Login, LoginError, Logins};
use std::time::{Duration, Instant};

/// Between two attempts to write it.
const REST: Duration = Duration::from_secs(5);

/// One of them.
pub(super) struct Unsaved {
    /// What the file holds.
    from: Kept,
    to: Kept,
    pub(super) tried: Instant,
}

impl Logins {
    /// What is kept of a login: its file, or what that file should hold by now.
    pub(super) fn kept(&self, login: &Login) -> Result<Kept, LoginError> {
        let (place, one) = (self.place(login), self.one(login));
        let filed = place.read(login)?;
        let Some(kept) = one.instead(&filed) else { return Ok(filed) };
        if one.is_due() {
            let login = login.clone();
            tokio::spawn(async move {
                let _turn = one.turn.acquire().await;
                let Ok(_others) = locked(&place).await else { return };
                if let Ok(filed) = place.read(&login)
                    && let Some(kept) = one.instead(&filed)
                {
                    one.save(&place, &login, filed, &kept);
                }
            });
        }
        Ok(kept)
    }
}

impl One {
    /// What stands in for what the file holds.
    pub(super) fn instead(&self, filed: &Kept) -> Option<Kept> {
        let mut unsaved = self.unsaved.lock();
        let stands = unsaved.as_ref().is_some_and(|unsaved| unsaved.from.is_same(filed));
        if !stands {
            *unsaved = None;
        }
        unsaved.as_ref().map(|unsaved| unsaved.to.clone())
    }

    /// Whether it is time to write it again; the one who is told so does.
    fn is_due(&self) -> bool {
        let mut unsaved = self.unsaved.lock();
        let due = unsaved.as_mut().filter(|unsaved| unsaved.tried.elapsed() >= REST);
        due.map(|unsaved| unsaved.tried = Instant::now()).is_some()
    }

    /// Writes what was renewed in place of what the file holds, or keeps it in mind. To be called in one's turn.
    pub(super) fn save(&self, place: &Place, login: &Login, filed: Kept, renewed: &Kept) {
        let written = place.write(renewed);
        if let Err(why) = &written {
            tracing::warn!(server = %login.alias, why, "a renewed login is in memory alone, and is over with this process");
        }
        *self.unsaved.lock() = written.is_err().then(|| Unsaved { from: filed, to: renewed.clone(), tried: Instant::now() });
    }
}
