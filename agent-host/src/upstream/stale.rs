//! Whether a server's list has to be read again.
//!
//! Marked while the notice is read off the wire, so that an answer that comes after a notice finds it marked. Clause: CAT-6
//! (notices). Invariant: I-3.

use super::news::News;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// One connection's mark.
#[derive(Clone)]
pub(super) struct Stale {
    marked: Arc<AtomicBool>,
    changed: watch::Sender<()>,
    /// What it says of its other lists.
    pub(super) news: News,
}

impl Stale {
    /// Not marked; `changed` is told once it is.
    pub(super) fn new(changed: watch::Sender<()>, news: News) -> Self {
        Self { marked: Arc::default(), changed, news }
    }

    /// Its list changed.
    pub(super) fn mark(&self) {
        if !self.marked.swap(true, Ordering::AcqRel) {
            self.changed.send_replace(());
        }
    }

    pub(super) fn is_marked(&self) -> bool {
        self.marked.load(Ordering::Acquire)
    }

    /// Takes the mark off, for whoever reads the list now.
    pub(super) fn take(&self) -> bool {
        self.marked.swap(false, Ordering::AcqRel)
    }

    /// Puts it back: the list was not read.
    pub(super) fn owe(&self) {
        self.marked.store(true, Ordering::Release);
    }
}
