//! What many calls and many sessions leave in a host's memory.

use super::caller::{Caller, Host};
use crate::measure::{Bound, Figure, Samples, megabytes, millis};
use crate::relay::Tool;
use std::path::Path;
use std::time::{Duration, Instant};

/// Megabytes (2^20) of a host with 60 tools that does nothing, and of one that keeps the idle sessions.
const IDLE: (f64, f64) = (30.0, 1024.0);
/// How much more latency and memory there may be after many calls.
const FLAT: f64 = 1.2;
/// How long nothing happens before memory is looked at.
const QUIET: Duration = Duration::from_secs(3);
/// Calls whose latency is looked at, before and after.
const LOOKED_AT: usize = 1_000;
/// Calls in each live session.
const EACH_LIVE: usize = 3;

fn resident(host: &Host) -> anyhow::Result<Samples> {
    std::thread::sleep(QUIET);
    megabytes(host.pid(), "status", "VmRSS").map(Samples::one)
}

/// Latency and memory before and after many calls of one caller.
pub(super) fn flat(host: &Path, state: &Path, calls: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let host = Host::new(host, state, "buffered")?;
    let idle = resident(&host)?;
    let mut caller = host.caller(&tool)?;
    let mut timed = |count: usize| -> anyhow::Result<Samples> {
        let mut took = Samples::default();
        for _ in 0..count {
            let start = Instant::now();
            caller.tool(&tool)?;
            took.add(millis(start));
        }
        Ok(took)
    };
    timed(LOOKED_AT)?;
    let (before, held) = (timed(LOOKED_AT)?, resident(&host)?);
    timed(calls)?;
    let (after, holds) = (timed(LOOKED_AT)?, resident(&host)?);
    Ok(vec![
        Figure::new("a host with 60 tools that does nothing, resident", "MiB", &idle, Some(Bound::Under(IDLE.0))),
        Figure::new("the same after some calls", "MiB", &held, None),
        Figure::new(format!("the same after {calls} more"), "MiB", &holds, None),
        Figure::ratio(format!("memory after {calls} calls to before"), &holds, &held, Some(Bound::Under(FLAT))),
        Figure::ratio(format!("latency after {calls} calls to before"), &after, &before, Some(Bound::Under(FLAT))),
    ])
}

/// Calls and memory of a host with many sessions that are all used, the tool active in each.
pub(super) fn live(host: &Path, state: &Path, count: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let host = Host::new(host, state, "buffered")?;
    let mut caller = host.caller(&tool)?;
    let (mut one, mut many) = (Samples::default(), Samples::default());
    let timed = |caller: &mut Caller, took: &mut Samples| -> anyhow::Result<()> {
        let start = Instant::now();
        caller.tool(&tool)?;
        took.add(millis(start));
        Ok(())
    };
    (0..LOOKED_AT).try_for_each(|_| timed(&mut caller, &mut one))?;
    let sessions = (0..count).map(|_| caller.another(&tool)).collect::<anyhow::Result<Vec<_>>>()?;
    for _ in 0..EACH_LIVE {
        for session in &sessions {
            caller.goes_on_in(session);
            timed(&mut caller, &mut many)?;
        }
    }
    Ok(vec![
        Figure::new(format!("a host with {count} live sessions, resident"), "MiB", &resident(&host)?, None),
        Figure::ratio(format!("latency with {count} live sessions to one"), &many, &one, Some(Bound::Under(FLAT))),
    ])
}

/// Memory of a host that keeps sessions which nobody uses.
pub(super) fn sessions(host: &Path, state: &Path, count: usize) -> anyhow::Result<Vec<Figure>> {
    let host = Host::new(host, state, "buffered")?;
    let mut stranger = host.stranger()?;
    let mut opened = Samples::default();
    for _ in 0..count {
        let start = Instant::now();
        stranger.search()?;
        opened.add(millis(start));
    }
    let kept = resident(&host)?;
    Ok(vec![
        Figure::new("a search that opens a session", "ms", &opened, None),
        Figure::new(format!("a host with {count} idle sessions, resident"), "MiB", &kept, Some(Bound::Under(IDLE.1))),
    ])
}
