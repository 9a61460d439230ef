//! What a client hears of a call that its server goes on with as a task.
//!
//! Is: the Tasks extension as its server, for clients of the modern era whose request declares it. Is not: a decision; what may be
//! called was decided when it was, and an id alone gives nobody anything. Where a server answers at once, or a client takes no
//! tasks, nothing of this is seen. Clause: UP-8. Source: MCP 2026-07-28, extension `io.modelcontextprotocol/tasks`.

use super::answer::members;
use super::era::{Asked, Era, shows_forms};
use super::tasks::Kept;
use super::{Handler, progress};
use agent_engine::builtins::Reply;
use agent_engine::call::later;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskMethod, CancelTaskParams, CreateTaskResult, GetTaskMethod, GetTaskParams,
    GetTaskResult, InitializeResult, UpdateTaskMethod, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use std::sync::Arc;

/// What a call came to so far.
pub(super) enum Begun {
    Answered(Reply),
    Deferred(CallToolResponse),
}

/// What a client that shakes hands is told: in that era there is no such extension.
pub(crate) fn without_tasks(mut result: InitializeResult) -> InitializeResult {
    result.capabilities.extensions = None;
    result
}

/// What is not there, and what is another's.
pub(crate) fn unknown_task() -> ErrorData {
    ErrorData::invalid_params("no task of this id; it ended with its session, or was too old", None)
}

impl Handler {
    /// The answer to a call of the modern era, or the task that it became.
    pub(super) async fn begun(&self, request: CallToolRequestParams, asked: &Asked<'_>) -> Begun {
        let declared = asked.meta.client_capabilities().filter(|known| known.supports_tasks());
        let Some(declared) = declared else {
            return Begun::Answered(self.called(&self.modern, request, asked.meta, asked.peer).await);
        };
        let (later, mut follower) = later(shows_forms(Some(declared)));
        let (front, session) = (self.modern.clone(), self.session.clone());
        let until = |progress: agent_engine::call::Progress| async move {
            let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
            let progress = progress.taking(later);
            let mut call = Box::pin(async move { front.call_heard(&session, &name, arguments, progress).await });
            tokio::select! {
                biased;
                reply = &mut call => Ok(reply),
                stage = follower.became() => Err((call, follower, stage)),
            }
        };
        let (call, follower, stage) = match progress::relayed(asked.peer.zip(asked.meta.get_progress_token()), until).await {
            Ok(reply) => return Begun::Answered(reply),
            Err(became) => became,
        };
        let call = async move { members(&call.await, "") };
        let (mut changed, session) = (self.modern.watch(&self.session), self.session.clone());
        let gone = async move { while !session.state().ended && changed.changed().await.is_ok() {} };
        let kept = self.tasks.keep(self.session.asker(), (follower, &stage), call, gone);
        Begun::Deferred(match kept {
            Some(kept) => {
                let seed = kept.detailed(true);
                CallToolResponse::Task(CreateTaskResult::new(seed.task))
            }
            None => CallToolResponse::Complete(rmcp::model::CallToolResult::error(vec![rmcp::model::ContentBlock::text(
                "as many tasks of this session run as may be, and the call was given up after it was sent; end one, or wait until one ends",
            )])),
        })
    }

    fn task(&self, era: Era, id: &str) -> Result<Arc<Kept>, ErrorData> {
        let found = self.tasks.find(self.session.asker(), id).filter(|_| era == Era::Modern && !self.session.state().ended);
        found.ok_or_else(unknown_task)
    }

    /// How a task stands.
    pub(crate) fn task_now(&self, asked: &GetTaskParams, context: &RequestContext<RoleServer>) -> Result<GetTaskResult, ErrorData> {
        modern::<GetTaskMethod>(context)?;
        let forms = shows_forms(context.meta.client_capabilities());
        self.task(Era::of(context), &asked.task_id).map(|task| GetTaskResult::new(task.detailed(forms)))
    }

    /// Hands in what a client says that its user answered to a task's server. What is not asked is left alone.
    pub(crate) fn task_told(&self, told: UpdateTaskParams, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        modern::<UpdateTaskMethod>(context)?;
        let task = self.task(Era::of(context), &told.task_id)?;
        if let Some((stage, taken)) = task.answer(told.input_responses) {
            taken.iter().for_each(|key| self.relayed.note(&stage.server, "tasks/update", key));
        }
        Ok(())
    }

    /// Gives a task up.
    pub(crate) fn task_over(&self, asked: &CancelTaskParams, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        modern::<CancelTaskMethod>(context)?;
        let task = self.task(Era::of(context), &asked.task_id)?;
        self.tasks.cancel(&task);
        Ok(())
    }

    /// Whether a task of the session runs.
    pub(crate) fn has_tasks(&self) -> bool {
        self.tasks.run_of(self.session.asker())
    }
}

fn modern<M: rmcp::model::ConstString>(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if Era::of(context) == Era::Modern { Ok(()) } else { Err(ErrorData::method_not_found::<M>()) }
}
