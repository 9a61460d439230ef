//! How long a call takes, straight and by every way through a host, in turns.
//!
//! The server is the same program each time, in a process of its own for each way. A turn begins after a rest in which the
//! other ways' last records are written, and with calls that don't count.

use super::rig::{Rig, Tool};
use crate::bare::Bare;
use crate::measure::{Bound, Figure, Samples, millis};
use crate::talk::Talk;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const PER_TURN: usize = 25;
/// Milliseconds that a host may add.
const ADDED: f64 = 0.3;
/// Longer than a note waits to be written.
const REST: Duration = Duration::from_millis(60);

/// A conversation with the server itself.
pub(crate) fn straight() -> anyhow::Result<Talk> {
    let mut talk = Talk::start(Command::new(std::env::current_exe()?).args(["echo", "0"]))?;
    talk.greet()?;
    Ok(talk)
}

/// One way to the server.
struct Way<'a> {
    talk: Talk,
    tool: &'a Tool,
    at_host: bool,
    took: Samples,
}

impl<'a> Way<'a> {
    fn straight(tool: &'a Tool) -> anyhow::Result<Self> {
        Ok(Self { talk: straight()?, tool, at_host: false, took: Samples::default() })
    }

    fn through(rig: &Rig, words: &[&str], tool: &'a Tool) -> anyhow::Result<Self> {
        Ok(Self { talk: rig.client(words, tool)?, tool, at_host: true, took: Samples::default() })
    }

    fn call(&mut self) -> anyhow::Result<()> {
        self.tool.call(&mut self.talk, self.at_host)
    }

    /// Calls that count, with something between each two.
    fn turn(&mut self, mut between: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<()> {
        for _ in 0..PER_TURN {
            let start = Instant::now();
            self.call()?;
            self.took.add(millis(start));
            between()?;
        }
        Ok(())
    }
}

pub(super) fn figures(host: &Path, state: &Path, turns: usize) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let [alone, buffered, durable] = ["buffered", "buffered", "durable"].map(|starts| Rig::new(host, state, starts));
    let (alone, buffered, durable) = (alone?, buffered?, durable?);
    let _running = (buffered.run()?, durable.run()?);
    let mut straight = Way::straight(&tool)?;
    let mut alone = Way::through(&alone, &["serve", "--standalone"], &tool)?;
    let mut buffered = Way::through(&buffered, &["serve"], &tool)?;
    let bare = Bare::new(&durable.state())?;
    let mut durable = Way::through(&durable, &["serve"], &tool)?;
    let mut committed = Samples::default();
    for _ in 0..turns {
        for way in [&mut straight, &mut alone, &mut buffered] {
            std::thread::sleep(REST);
            way.call()?;
            way.call()?;
            way.turn(|| Ok(()))?;
        }
        std::thread::sleep(REST);
        durable.call()?;
        // What this one commits is what each of the turn does: the end of the call before it, and a start.
        let before = bare.last()?;
        durable.call()?;
        let written = bare.bytes_since(before)?;
        // Syncs are quick or slow for a while, by what the file system has to do: the two go call by call.
        durable.turn(|| bare.turn(&[written], &mut committed))?;
    }
    let took = |what: &str, way: &Way<'_>| Figure::new(format!("a call {what}"), "ms", &way.took, None);
    let added = |what: &str, way: &Way<'_>, to: &[&Samples], bound| Figure::added(format!("added by {what}"), "ms", &way.took, to, bound);
    let (of_call, bound) = (&straight.took, Some(Bound::Under(ADDED)));
    let figures = vec![
        took("straight to its server", &straight),
        took("through `serve --standalone`, buffered", &alone),
        took("through relay and host, buffered", &buffered),
        took("through relay and host, durable", &durable),
        Figure::new("one bare synced commit of the same bytes", "ms", &committed, None),
        added("`serve --standalone`, buffered", &alone, &[of_call], None),
        added("relay and host, buffered", &buffered, &[of_call], bound),
        added("relay and host beside one synced commit, durable", &durable, &[of_call, &committed], bound),
    ];
    [straight, alone, buffered, durable].into_iter().try_for_each(|way| way.talk.end())?;
    Ok(figures)
}
