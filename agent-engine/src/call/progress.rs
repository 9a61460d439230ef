//! How far a running call is, told by whoever runs it to whoever waits for it.
//!
//! Is: a way to tell that never blocks, of bounded room; where the listener is slow the oldest steps are dropped. Is not: a
//! fact; nothing is decided by a step, none is recorded, and a call whose steps are lost is the same call. Clause: UP-6
//! (progress).

use super::Later;
use agent_core::safety::prose;
use tokio::sync::broadcast::{self, error::RecvError, error::TryRecvError};

/// Steps kept for a listener that is slow.
const KEPT: usize = 16;
/// Bytes of a step's message.
const MESSAGE_BYTES: usize = 240;

/// One step. The numbers are the tool's own: finite, and without a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// How far it is.
    pub progress: f64,
    /// How far it has to go, where that is known.
    pub total: Option<f64>,
    /// What it does just now, in the tool's words: on one line, cut, hidden characters shown.
    pub message: Option<String>,
}

/// Where steps of one call are told, and that it goes on as a task, where whoever waits takes that.
#[derive(Debug, Clone)]
pub struct Progress(Option<broadcast::Sender<Step>>, Option<Later>);

/// Where they are heard.
#[derive(Debug)]
pub struct Steps(broadcast::Receiver<Step>);

impl Progress {
    /// For a caller who doesn't want to know.
    #[must_use]
    pub const fn none() -> Self {
        Self(None, None)
    }

    /// For one who does.
    #[must_use]
    pub fn heard() -> (Self, Steps) {
        let (tell, hear) = broadcast::channel(KEPT);
        (Self(Some(tell), None), Steps(hear))
    }

    /// The same, for one who takes tasks.
    #[must_use]
    pub fn taking(self, later: Later) -> Self {
        Self(self.0, Some(later))
    }

    /// Where to tell that the call goes on as a task; without it nobody takes one.
    #[must_use]
    pub const fn later(&self) -> Option<&Later> {
        self.1.as_ref()
    }

    /// Whether somebody listens.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.0.as_ref().is_some_and(|steps| steps.receiver_count() > 0)
    }

    /// Tells a step, without ever waiting. One that is no number is not told.
    pub fn tell(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(steps) = &self.0 else { return };
        if progress.is_finite() {
            let message = message.map(|message| prose(message, MESSAGE_BYTES)).filter(|message| !message.is_empty());
            // Where nobody listens any more it is told to nobody.
            let _ = steps.send(Step { progress, total: total.filter(|total| total.is_finite()), message });
        }
    }
}

impl Steps {
    /// The next step; none once nobody can tell one any more.
    pub async fn next(&mut self) -> Option<Step> {
        loop {
            match self.0.recv().await {
                Ok(step) => return Some(step),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// A step that was told already.
    pub fn told(&mut self) -> Option<Step> {
        loop {
            match self.0.try_recv() {
                Ok(step) => return Some(step),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_6_progress_never_waits_and_keeps_the_newest() {
        let (progress, mut steps) = Progress::heard();
        (0..100).for_each(|at| progress.tell(f64::from(at), Some(100.0), None));
        let kept: Vec<f64> = std::iter::from_fn(|| steps.told()).map(|step| step.progress).collect();
        assert_eq!(kept, (84..100).map(f64::from).collect::<Vec<_>>());
        progress.tell(f64::NAN, None, None);
        progress.tell(1.0, Some(f64::INFINITY), Some(&format!("a\u{202e}\n{}", "b".repeat(500))));
        let step = steps.told();
        assert!(step.as_ref().is_some_and(|step| step.total.is_none()), "{step:?}");
        let message = step.and_then(|step| step.message).unwrap_or_default();
        assert!(message.starts_with("a\\u{202e} bbb") && message.len() <= MESSAGE_BYTES, "{message}");
    }

    #[tokio::test]
    async fn up_6_progress_is_heard_as_long_as_somebody_listens() {
        let (progress, mut steps) = Progress::heard();
        let other = progress.clone();
        drop(progress);
        other.tell(1.0, None, Some(" "));
        assert!(other.is_heard() && !Progress::none().is_heard());
        assert_eq!(steps.next().await, Some(Step { progress: 1.0, total: None, message: None }));
        drop(other);
        assert_eq!(steps.next().await, None);
        let (progress, steps) = Progress::heard();
        drop(steps);
        progress.tell(1.0, None, None);
        assert!(!progress.is_heard());
    }
}
