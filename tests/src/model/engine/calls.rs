//! Calls in their three steps.

use super::{State, words};
use crate::model::ports::Tools;
use agent_core::id::ToolId;
use agent_core::outcome::Outcome;
use agent_core::refusal::Refusal;
use agent_core::session::{CallId, Listing};
use agent_engine::call::Ran;
use agent_engine::gate::{Admission, Target};
use agent_engine::session::Cell;
use agent_spec::model::{Id, Told};
use serde_json::Map;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// One call that somebody tried to make.
pub(super) struct Call {
    stage: Stage,
    id: Option<CallId>,
}

enum Stage {
    Admitted(Arc<Cell>, Admission),
    Running(JoinHandle<Result<Ran, Refusal>>, oneshot::Sender<Outcome>),
    Over,
}

impl Call {
    pub(super) fn is(&self, id: CallId) -> bool {
        self.id == Some(id)
    }

    /// Ends it as the end of its caller does.
    pub(super) async fn forget(&mut self) {
        if let Stage::Running(task, end) = std::mem::replace(&mut self.stage, Stage::Over) {
            task.abort();
            assert!(task.await.is_err_and(|error| error.is_cancelled()));
            drop(end);
        }
    }
}

impl State {
    pub(super) async fn admit(&mut self, session: usize, id: &Id) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        let wire = ToolId::parse(id).ok().filter(|_| self.calls.len().is_multiple_of(2)).map(|id| id.wire());
        let target = wire.as_ref().map_or(Target::Id(id), |wire| Target::Wire(wire.as_str(), Listing::Held));
        let admitted = self.process.front.calls().admit(&cell, target, Map::new()).await;
        let (stage, told) = match admitted {
            Ok(admission) => (Stage::Admitted(cell, admission), Told::Admitted),
            Err(refusal) => (Stage::Over, words::refused(&refusal)),
        };
        self.calls.push(Call { stage, id: None });
        told
    }

    pub(super) async fn permit(&mut self, nth: usize) -> Told {
        let Some(number) = self.pick(nth, |stage| matches!(stage, Stage::Admitted(..))) else { return Told::Nothing };
        let Stage::Admitted(cell, admission) = std::mem::replace(&mut self.calls[number].stage, Stage::Over) else {
            panic!("not admitted")
        };
        let front = self.process.front.clone();
        let task = tokio::spawn(async move { front.calls().start(&cell, admission).await });
        while !task.is_finished() {
            if let Some((id, end)) = self.process.tools.started() {
                self.calls[number] = Call { stage: Stage::Running(task, end), id: Some(id) };
                return Told::Running;
            }
            tokio::task::yield_now().await;
        }
        words::refused(&task.await.unwrap().unwrap_err())
    }

    pub(super) async fn end(&mut self, nth: usize) -> Told {
        let Some(number) = self.pick(nth, |stage| matches!(stage, Stage::Running(..))) else { return Told::Nothing };
        let Stage::Running(task, end) = std::mem::replace(&mut self.calls[number].stage, Stage::Over) else { panic!("not running") };
        assert!(end.send(Tools::well()).is_ok());
        assert_eq!(task.await.unwrap().unwrap().outcome, Tools::well());
        Told::Done
    }

    pub(super) async fn drop_call(&mut self, nth: usize) -> Told {
        let Some(number) = self.pick(nth, |stage| !matches!(stage, Stage::Over)) else { return Told::Nothing };
        self.calls[number].forget().await;
        Told::Done
    }

    fn pick(&self, nth: usize, which: fn(&Stage) -> bool) -> Option<usize> {
        let found: Vec<usize> = (0..self.calls.len()).filter(|number| which(&self.calls[*number].stage)).collect();
        found.get(nth.checked_rem(found.len())?).copied()
    }
}
