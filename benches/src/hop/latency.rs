//! How long a call takes over HTTP, and how many are made in a second.

use super::caller::{Caller, Host};
use crate::measure::{Bound, Figure, Samples, millis};
use crate::relay::{Tool, straight};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const PER_TURN: usize = 25;
/// Milliseconds that a host may add where starts are buffered, and where they are durable.
pub(super) const ADDED: (f64, f64) = (0.1, 0.5);
/// Longer than a note waits to be written.
const REST: Duration = Duration::from_millis(60);

/// One caller, straight and through hosts, in turns.
pub(super) fn one(host: &Path, state: &Path, turns: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let (buffered, durable) = (Host::new(host, state, "buffered")?, Host::new(host, state, "durable")?);
    let (mut bare, mut quick, mut safe) = (straight()?, buffered.caller(&tool)?, durable.caller(&tool)?);
    let mut took: [Samples; 3] = Default::default();
    for _ in 0..turns {
        let [of_bare, of_quick, of_safe] = &mut took;
        turn(of_bare, || tool.call(&mut bare, false))?;
        turn(of_quick, || quick.tool(&tool))?;
        turn(of_safe, || safe.tool(&tool))?;
    }
    bare.end()?;
    let [bare, quick, safe] = &took;
    let added = |what: &str, way: &Samples, most| Figure::added(format!("added by {what}"), "ms", way, &[bare], Some(Bound::Under(most)));
    Ok(vec![
        Figure::new("a call straight to its server over stdio", "ms", bare, None),
        Figure::new("a call over HTTP, buffered", "ms", quick, None),
        Figure::new("a call over HTTP, durable", "ms", safe, None),
        added("HTTP and host, buffered", quick, ADDED.0),
        added("HTTP and host, durable", safe, ADDED.1),
    ])
}

/// One turn of one way.
pub(super) fn turn(took: &mut Samples, mut call: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<()> {
    std::thread::sleep(REST);
    call()?;
    call()?;
    for _ in 0..PER_TURN {
        let start = Instant::now();
        call()?;
        took.add(millis(start));
    }
    Ok(())
}

/// Many callers at once, each with a connection and a session of its own.
pub(super) fn many(host: &Path, state: &Path, calls: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let mut figures = Vec::new();
    for starts in ["buffered", "durable"] {
        let host = Host::new(host, state, starts)?;
        for callers in [1, 8, 64] {
            let ready = (0..callers).map(|_| host.caller(&tool)).collect::<anyhow::Result<_>>()?;
            figures.extend(together(starts, &tool, ready, calls / callers)?);
        }
    }
    Ok(figures)
}

/// So many calls of each of these at once.
pub(super) fn together(through: &str, tool: &Tool, ready: Vec<Caller>, each: usize) -> anyhow::Result<[Figure; 2]> {
    let callers = ready.len();
    let barrier = Barrier::new(callers + 1);
    let (took, seconds) = std::thread::scope(|scope| {
        let threads: Vec<_> = ready
            .into_iter()
            .map(|mut caller| {
                let barrier = &barrier;
                scope.spawn(move || -> anyhow::Result<Vec<f64>> {
                    barrier.wait();
                    (0..each)
                        .map(|_| {
                            let start = Instant::now();
                            caller.tool(tool)?;
                            Ok(millis(start))
                        })
                        .collect()
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let took: anyhow::Result<Vec<_>> =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("a caller failed"))).collect();
        (took, start.elapsed().as_secs_f64())
    });
    let took: Vec<f64> = took?.concat();
    let rate = took.len() as f64 / seconds;
    Ok([
        Figure::new(format!("a call over HTTP by {callers} at once, {through}"), "ms", &Samples::from(took), None),
        Figure::new(format!("calls of {callers} at once, {through}"), "per second", &Samples::one(rate), None),
    ])
}
