//! `audit show` and `audit verify`: the records, read beside whoever writes them.
//!
//! Clause: AUD-2.

use super::print::{Out, counted, record};
use super::{Exit, Failure};
use crate::store::audit::{Audit, Filter};
use agent_core::safety::visible;
use agent_core::session::SessionId;
use agent_core::transition::Stream;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn show(state: &Path, session: Option<SessionId>, last: Option<u64>, json: bool) -> Result<(), Failure> {
    let mut out = Out::new();
    let mut unreadable = Ok(());
    let filter = Filter { stream: session.map(Stream::Session), last };
    Audit::open(state)?.show(&filter, |read| {
        let line = match &read {
            Ok(found) if json => serde_json::to_string(found).unwrap_or_default(),
            Ok(found) => visible(&record(found)),
            Err(broken) => {
                unreadable = Err(Failure::new(
                    Exit::Broken,
                    format!("{}\nhint: `agent-host audit verify` reads the whole chain", visible(&broken.to_string())),
                ));
                return ControlFlow::Break(());
            }
        };
        out.line(&line)
    })?;
    unreadable
}

pub(super) fn verify(state: &Path) -> Result<(), Failure> {
    let whole = verified(state)?;
    // Where the reader is gone, nobody is told.
    let _ = Out::new().line(&whole);
    Ok(())
}

/// That the chain is whole, in words; else it fails.
pub(super) fn verified(state: &Path) -> Result<String, Failure> {
    let report = Audit::open(state)?.verify()?;
    let read = format!("{} of {}, head {}", counted(report.records, "record"), counted(report.streams, "stream"), report.head.short());
    match report.broken {
        // AUD-2: whoever can write the file can write another chain that is whole.
        None => Ok(format!("the chain is whole: {read}; not anchored")),
        Some(broken) => {
            let hint = "hint: what was recorded before it stands; keep the folder as it is and find out who wrote to it";
            let broken = visible(&broken.to_string());
            Err(Failure::new(Exit::Broken, format!("the chain is broken: {broken} ({read})\n{hint}")))
        }
    }
}
