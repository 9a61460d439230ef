//! Whose a connection is: counted for whoever last proved on it who they are.
//!
//! Is: one place for each connection, given back when it closes or is somebody else's. A connection is nobody's until then, and what is
//! nobody's is closed with its answer, so that waiting on open connections is for those who are counted. Is not: who that is, which
//! `http` finds. Clause: SES-4. Neighbours: `listen` gives each connection one.

use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A connection's owner.
#[derive(Clone, Default)]
pub(crate) struct Owner(Arc<Mutex<Option<Counted>>>);

/// Among whose connections it is.
struct Counted {
    among: Arc<Semaphore>,
    _place: OwnedSemaphorePermit,
}

impl Owner {
    /// Counts the connection among these from now on; false where they are as many as may be, and it is as it was.
    pub(crate) fn is(&self, among: &Arc<Semaphore>) -> bool {
        let mut owner = self.0.lock();
        if owner.as_ref().is_some_and(|known| Arc::ptr_eq(&known.among, among)) {
            return true;
        }
        let Ok(place) = among.clone().try_acquire_owned() else { return false };
        *owner = Some(Counted { among: among.clone(), _place: place });
        true
    }

    /// Whether it is somebody's.
    pub(crate) fn known(&self) -> bool {
        self.0.lock().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_64_a_connection_is_counted_for_one_at_a_time() {
        let (ada, bob) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(1)));
        let (one, two) = (Owner::default(), Owner::default());
        assert!(one.is(&ada) && one.is(&ada) && !two.is(&ada) && !two.known());
        assert!(one.is(&bob) && two.is(&ada) && !two.is(&bob));
        drop(one);
        assert!(two.is(&bob), "what was closed is given back");
    }
}
