//! `run`: the one host of a user, for every client that comes in at the door.
//!
//! Clause: HOST-1 (socket). Neighbours: `serve` is how clients come, and starts this where it does not run.

use super::host::{Host, failed};
use super::tell;
use crate::cli::{Failure, Places, Run};
use crate::door::Door;
use crate::system::asked_to_end;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::watch;

pub(super) async fn run(places: &Places, options: Run) -> Result<(), Failure> {
    let (config, state) = places.configured()?;
    let mut end = pin!(asked_to_end());
    let host = tokio::select! {
        host = Host::start(config, &state, places.again(false)) => host?,
        () = &mut end => return Ok(()),
    };
    let door = Door::open(&state, host.clients.clone());
    let door = door.map_err(|error| failed("clients can't come in", &format!("{error}\nhint: name a shorter `--state DIR`")))?;
    host.greet(&state);
    tokio::select! {
        () = end => {}
        () = unused(door.clients(), options.linger.map(|length| length.0)) => tell("no client for a while; this host ends"),
    }
    // Sessions stay: their clients take them up again at the next host.
    drop(door);
    host.end().await;
    Ok(())
}

/// Returns once there was no client for so long; never where that is no matter.
async fn unused(mut clients: watch::Receiver<usize>, linger: Option<Duration>) {
    let Some(linger) = linger else { return std::future::pending().await };
    loop {
        let used = *clients.borrow_and_update() > 0;
        if used {
            // Its sender goes with the door alone.
            let _ = clients.changed().await;
        } else if tokio::time::timeout(linger, clients.changed()).await.is_err() {
            return;
        }
    }
}
