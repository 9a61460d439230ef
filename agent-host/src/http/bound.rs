//! Which conversation a legacy session id is of.
//!
//! rmcp gives the ids out and knows nothing of principals; here each is bound to the session that its handshake got, and so to
//! that session's principal. Clauses: SES-1, SES-2 (HTTP).

use super::held::Held;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Bound(Mutex<HashMap<String, Arc<Held>>>);

impl Bound {
    /// Binds an id, by which its client finds it again. One that was of the same conversation before is none any more: those are
    /// returned, and their connections are the caller's to close.
    #[must_use]
    pub(super) fn bind(&self, id: &str, held: Arc<Held>) -> Vec<String> {
        held.known();
        let mut bound = self.0.lock();
        let before: Vec<_> = bound.iter().filter(|(_, other)| Arc::ptr_eq(other, &held)).map(|(id, _)| id.clone()).collect();
        before.iter().for_each(|id| drop(bound.remove(id)));
        bound.insert(id.to_owned(), held);
        before
    }

    /// The conversation of an id, while there is one.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Held>> {
        self.0.lock().get(id).cloned().filter(|held| !held.ended())
    }

    pub(super) fn unbind(&self, id: &str) {
        self.0.lock().remove(id);
    }

    /// Takes out the ids whose sessions ended.
    pub(super) fn ended(&self) -> Vec<String> {
        let mut bound = self.0.lock();
        let ended: Vec<_> = bound.iter().filter(|(_, held)| held.ended()).map(|(id, _)| id.clone()).collect();
        ended.iter().for_each(|id| drop(bound.remove(id)));
        ended
    }
}
