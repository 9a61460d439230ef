//! The lock and the bell of a stream's cell, over the checker of interleavings.
//!
//! Is: the engine's own `sync`, name by name, so that `races` runs the shipped cell over it. Each lock and each ring is a
//! place where the checker may run another thread. Invariant: I-4.

use shuttle::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A mutex whose lock lives for one closure.
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
    }

    pub(crate) fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> R {
        run(&mut self.0.lock().unwrap())
    }
}

/// How often its bell rang.
pub(crate) type Listener = Arc<AtomicU64>;

/// Counts that something changed.
pub(crate) struct Bell(Listener);

impl Bell {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(0)))
    }

    pub(crate) fn ring(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn listen(&self) -> Listener {
        self.0.clone()
    }
}
