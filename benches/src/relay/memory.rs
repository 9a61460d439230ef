//! How much memory a host with many clients takes while nothing happens, and each of their relays.
//!
//! As Linux tells it in `/proc`: what is resident, and the share of it where pages that processes have in common are divided
//! among them.

use super::rig::{Rig, Tool};
use crate::measure::{Bound, Figure, Samples, megabytes};
use std::path::Path;
use std::time::Duration;

/// Megabytes (2^20) that a host may take.
const HOST: f64 = 60.0;
/// How long nothing happens.
const IDLE: Duration = Duration::from_secs(5);

pub(super) fn figures(host: &Path, state: &Path, clients: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let rig = Rig::new(host, state, "durable")?;
    let running = rig.run()?;
    let talks = (0..clients).map(|_| rig.client(&["serve"], &tool)).collect::<anyhow::Result<Vec<_>>>()?;
    std::thread::sleep(IDLE);
    let mut figures = Vec::new();
    let mut add = |who: String, pids: &[u32], bound| -> anyhow::Result<()> {
        for (file, field, what, bound) in [("status", "VmRSS", "resident", bound), ("smaps_rollup", "Pss", "its share of that", None)] {
            let mut samples = Samples::default();
            for pid in pids {
                samples.add(megabytes(*pid, file, field)?);
            }
            figures.push(Figure::new(format!("{who}, {what}"), "MiB", &samples, bound));
        }
        Ok(())
    };
    add(format!("a host with {clients} idle clients"), &[running.pid()], Some(Bound::Under(HOST)))?;
    let relays: Vec<_> = talks.iter().map(|talk| talk.pid()).collect();
    add("one of their relays".to_owned(), &relays, None)?;
    talks.into_iter().try_for_each(|talk| talk.end())?;
    Ok(figures)
}
