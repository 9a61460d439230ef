//! What one principal has taken up: sessions, and how often it opened one.
//!
//! Is: counts that are given back by being dropped. Is not: who it is. Clause: SES-3.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use agent_core::session::PrincipalId;

/// In how long as many sessions may be opened as may be live.
const MINUTE: Duration = Duration::from_secs(60);

/// Connections of one principal at a time.
pub(super) const CONNECTIONS: usize = 1024;

/// The accounts of all principals that came.
#[derive(Default)]
pub(super) struct Accounts(Mutex<HashMap<PrincipalId, Arc<Account>>>);

/// One principal's.
pub(super) struct Account {
    taken: Mutex<Taken>,
    requests: Arc<Semaphore>,
    connections: Arc<Semaphore>,
    /// Held by who finds or opens the session of a credential.
    turn: Arc<Semaphore>,
    /// Requests at a time.
    most: usize,
}

#[derive(Default)]
struct Taken {
    sessions: usize,
    /// By when all that was opened lately is made up for.
    even: Option<Instant>,
}

/// One session more, until it is dropped.
pub(super) struct Place(Arc<Account>);

/// Why there is no further session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// As many are live as may be.
    Sessions,
    /// As many were opened in the last minute; after so long there is room for one.
    Rate(Duration),
}

impl Accounts {
    /// The account of a principal; `requests` is how many it may have under way, as its first one found it.
    pub(super) fn of(&self, principal: &PrincipalId, requests: usize) -> Arc<Account> {
        let mut accounts = self.0.lock();
        let new = || {
            let permits = Arc::new(Semaphore::new(requests));
            let (connections, turn) = (Arc::new(Semaphore::new(CONNECTIONS)), Arc::new(Semaphore::new(1)));
            Arc::new(Account { taken: Mutex::default(), requests: permits, connections, turn, most: requests })
        };
        accounts.entry(principal.clone()).or_insert_with(new).clone()
    }

    /// Forgets who has nothing and owes nothing.
    pub(super) fn sweep(&self) {
        self.0.lock().retain(|_, account| Arc::strong_count(account) > 1 || account.owes());
    }
}

impl Account {
    /// A request more, until the permit is dropped; none where there are too many.
    pub(super) fn request(&self) -> Option<OwnedSemaphorePermit> {
        self.requests.clone().try_acquire_owned().ok()
    }

    /// Its connections.
    pub(super) const fn connections(&self) -> &Arc<Semaphore> {
        &self.connections
    }

    /// The turn to find or open the session of a credential, until it is dropped: what one request opens, those beside it find whole.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // It fails where the semaphore is closed, which nobody does.
        self.turn.clone().acquire_owned().await.ok()
    }

    /// A session more, of so many at a time and as many in a minute.
    pub(super) fn session(self: &Arc<Self>, most: usize) -> Result<Place, Full> {
        let mut taken = self.taken.lock();
        if taken.sessions >= most {
            return Err(Full::Sessions);
        }
        let now = Instant::now();
        let each = MINUTE / u32::try_from(most).unwrap_or(u32::MAX).max(1);
        let owed = taken.even.map_or(Duration::ZERO, |even| even.saturating_duration_since(now));
        if owed > MINUTE - each {
            return Err(Full::Rate(owed - (MINUTE - each)));
        }
        taken.even = Some(now + owed + each);
        taken.sessions += 1;
        Ok(Place(self.clone()))
    }

    /// Whether something of it is under way, or lately was.
    fn owes(&self) -> bool {
        let open = self.connections.available_permits() < CONNECTIONS;
        open || self.requests.available_permits() < self.most || self.taken.lock().even.is_some_and(|even| even > Instant::now())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.lock().sessions -= 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn account(accounts: &Accounts) -> Arc<Account> {
        accounts.of(&PrincipalId::parse("ada").unwrap(), 2)
    }

    #[test]
    fn ses_3_a_principal_has_so_many_sessions_and_opens_as_many_in_a_minute() {
        let accounts = Accounts::default();
        let account = account(&accounts);
        let first = account.session(2).ok().unwrap();
        let _second = account.session(2).ok().unwrap();
        assert_eq!(account.session(2).err(), Some(Full::Sessions));
        drop(first);
        let Some(Full::Rate(wait)) = account.session(2).err() else { unreachable!("two were opened just now") };
        assert!(wait > Duration::ZERO && wait <= MINUTE / 2, "{wait:?}");
    }

    #[test]
    fn ses_3_requests_under_way_are_bounded_and_given_back() {
        let accounts = Accounts::default();
        let account = account(&accounts);
        let (one, _two) = (account.request().unwrap(), account.request().unwrap());
        assert!(account.request().is_none());
        drop(one);
        assert!(account.request().is_some());
    }

    #[test]
    fn ses_3_who_has_nothing_is_forgotten() {
        let accounts = Accounts::default();
        drop(account(&accounts));
        accounts.sweep();
        assert!(accounts.0.lock().is_empty());
        let place = account(&accounts).session(9);
        accounts.sweep();
        assert_eq!(accounts.0.lock().len(), 1);
        drop(place);
        let accounts = Accounts::default();
        let request = account(&accounts).request();
        accounts.sweep();
        assert!(request.is_some() && accounts.0.lock().len() == 1, "what is under way is counted still");
    }
}
