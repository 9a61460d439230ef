//! The lock and the bell of a stream's cell, behind aliases.
//!
//! Is: what `ledger::book` is written over, so that a checker of interleavings can run that very file over its own.
//! A closure can't await, so no lock of these is held across one. Invariant: I-4.

/// A mutex whose lock lives for one closure.
pub(crate) struct Mutex<T>(parking_lot::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(parking_lot::Mutex::new(value))
    }

    // INVARIANT: I-4
    pub(crate) fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> R {
        run(&mut self.0.lock())
    }
}

/// Wakes when its bell rings.
pub(crate) type Listener = tokio::sync::watch::Receiver<u64>;

/// Rings whenever something changed.
pub(crate) struct Bell(tokio::sync::watch::Sender<u64>);

impl Bell {
    pub(crate) fn new() -> Self {
        Self(tokio::sync::watch::Sender::new(0))
    }

    pub(crate) fn ring(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn listen(&self) -> Listener {
        self.0.subscribe()
    }
}
