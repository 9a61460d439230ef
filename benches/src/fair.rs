//! Whether what one session does is felt by another.
//!
//! Is: the median of an honest session's calls over HTTP alone, beside a flood by one session of another principal, beside one of the same
//! principal, whose calls go to the same process of the server, and beside a server that took calls and never answers; in turns of one run at one host. Is
//! not: a host with a machine of its own. Who floods shares the processors with what is measured, at the lowest priority, for it stands for
//! other machines; what the host does for it has the host's own.

use crate::hop::{Caller, Host};
use crate::measure::{Bound, Figure, Place, Samples, millis};
use crate::relay::Tool;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// How many turns each gets, of 25 calls.
    #[arg(long, value_name = "N", default_value_t = 40)]
    turns: usize,
    /// How many connections the one that floods has.
    #[arg(long, value_name = "N", default_value_t = 64)]
    flood: usize,
}

const PER_TURN: usize = 25;
/// How much slower the median may be.
const FAIR: f64 = 1.1;
/// Longer than a note waits to be written.
const REST: Duration = Duration::from_millis(60);
/// Until the calls that are not answered have begun, which costs the host something and is not what is measured.
const BEGUN: Duration = Duration::from_millis(300);
/// Calls that one session may have running.
const HUNG: usize = 32;

/// Takes the measure.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    options.place.take(&[&|host, state| figures(host, state, options.turns, options.flood)])
}

fn figures(host: &Path, state: &Path, turns: usize, flood: usize) -> anyhow::Result<Vec<Figure>> {
    let (tool, hung) = (Tool::new()?, Tool::hung()?);
    let host = Host::hung(host, state)?;
    let stuck = host.once_listed(&hung)?;
    let mut honest = host.caller(&tool)?;
    let crowd = |first: &Caller| (0..flood).map(|_| host.beside(first)).collect::<anyhow::Result<Vec<_>>>();
    let (other, same) = (crowd(&host.caller_of("other", &tool)?)?, crowd(&host.caller(&tool)?)?);
    let (mut floods, mut took): ([Vec<Caller>; 2], [Samples; 4]) = ([other, same], Default::default());
    let (mut made, mut flooded) = ([0.0; 2], [0.0; 2]);
    for _ in 0..turns {
        let [alone, by_other, by_same, dead] = &mut took;
        turn(alone, &mut honest, &tool)?;
        for ((callers, took), (made, seconds)) in floods.iter_mut().zip([by_other, by_same]).zip(made.iter_mut().zip(&mut flooded)) {
            let start = Instant::now();
            *made += beside(callers, &tool, || turn(took, &mut honest, &tool))? as f64;
            *seconds += start.elapsed().as_secs_f64();
        }
        let mut waiting: Vec<Caller> = (0..HUNG).map(|_| host.beside(&stuck)).collect::<anyhow::Result<_>>()?;
        waiting.iter_mut().try_for_each(|caller| caller.begin(&hung))?;
        std::thread::sleep(BEGUN);
        turn(dead, &mut honest, &tool)?;
    }
    let [alone, by_other, by_same, dead] = &took;
    let ratio = |what: &str, samples: &Samples| Figure::ratio(format!("{what} to alone"), samples, alone, Some(Bound::AtMost(FAIR)));
    let rate = |what: &str, at: usize| {
        let (made, seconds) = (made.get(at).copied().unwrap_or(f64::NAN), flooded.get(at).copied().unwrap_or(f64::NAN));
        Figure::new(what, "per second", &Samples::one(made / seconds), None)
    };
    Ok(vec![
        Figure::new("an honest session's call, alone", "ms", alone, None),
        Figure::new(format!("the same beside a session of another principal that calls on {flood} connections"), "ms", by_other, None),
        Figure::new("the same beside such a session of the same principal", "ms", by_same, None),
        Figure::new(format!("the same beside {HUNG} calls of a session to a server that never answers"), "ms", dead, None),
        rate("calls of the first that floods", 0),
        rate("calls of the second", 1),
        ratio("beside the flood of another principal's session", by_other),
        ratio("beside the flood of a session of the same principal", by_same),
        ratio("beside a dead server", dead),
    ])
}

fn turn(took: &mut Samples, caller: &mut Caller, tool: &Tool) -> anyhow::Result<()> {
    std::thread::sleep(REST);
    caller.tool(tool)?;
    caller.tool(tool)?;
    for _ in 0..PER_TURN {
        let start = Instant::now();
        caller.tool(tool)?;
        took.add(millis(start));
    }
    Ok(())
}

/// Does something while callers call as fast as they are answered. Gives how many calls they made; one that is told `busy` calls again.
fn beside(callers: &mut [Caller], tool: &Tool, does: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<usize> {
    let (over, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for caller in callers {
            let (over, made) = (&over, &made);
            scope.spawn(move || {
                // Of this thread alone. Where it is not lowered the flood is only a harder one.
                let _ = rustix::process::nice(19);
                while !over.load(Ordering::Relaxed) {
                    if caller.tool(tool).is_ok() {
                        made.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let done = does();
        over.store(true, Ordering::Relaxed);
        done
    })?;
    Ok(made.into_inner())
}
