#![allow(clippy::unwrap_used)]
use crate::engine::{Parts, build};
use crate::ledger::MemoryLedger;
use crate::testing::{ManualClock, SeededEntropy, StaticHost};
use agent_core::session::PrincipalId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A permit that is being made when everything is stopped holds its session's lock: the stop must not be acknowledged
/// before it is through, or it could still start a call.
#[tokio::test]
async fn i_7_rev_4_a_stop_is_acknowledged_after_every_sessions_lock_was_taken() {
    let (clock, entropy) = (Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    let parts = Parts::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), clock, entropy);
    let (front, desk) = build(parts).await.unwrap();
    let cell = front.open(PrincipalId::parse("ada").unwrap(), None, false).await.unwrap().session;
    let through = Arc::new(AtomicBool::new(false));
    let (taken, waiting) = mpsc::channel();
    let (held, done) = (cell.clone(), through.clone());
    let permitting = std::thread::spawn(move || {
        held.locked(|_, _| {
            taken.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            done.store(true, Ordering::SeqCst);
        });
    });
    waiting.recv().unwrap();
    assert!(desk.stop("operator").await);
    assert!(through.load(Ordering::SeqCst));
    permitting.join().unwrap();
}
