//! The table of tasks: whose they are, how many, how old. Clause: UP-8.

use super::*;
use agent_core::limits::{TASK_BYTES, TASKS};
use agent_core::session::{Asker, SessionId};
use agent_engine::call::{Follower, Stage, later};
use rmcp::model::{JsonObject, TaskPayload, TaskStatus};
use std::future::pending;

fn table() -> Arc<Tasks> {
    super::tasks()
}

fn asker(session: u128, principal: &str) -> Asker {
    Asker { session: SessionId::new(session), principal: PrincipalId::parse(principal).unwrap(), profile: None }
}

fn stage(age: Duration) -> Stage {
    let pause = Duration::from_secs(1);
    Stage { server: Alias::parse("jobs").unwrap(), message: None, asks: [("who".to_owned(), json!("no form"))].into(), age, pause }
}

fn begun(age: Duration) -> (Follower, Stage) {
    let (later, follower) = later(true);
    later.tell(stage(age));
    (follower, stage(age))
}

fn result(bytes: usize) -> JsonObject {
    let text = json!({"type": "text", "text": "x".repeat(bytes)});
    json!({"content": [text]}).as_object().cloned().unwrap()
}

/// Keeps a call, and gives its id.
fn keep(tasks: &Arc<Tasks>, whose: &Asker, call: impl Future<Output = JsonObject> + Send + 'static) -> Option<String> {
    let (follower, stage) = begun(Duration::from_secs(60));
    tasks.keep(whose, (follower, &stage), call, pending()).map(|kept| kept.detailed(true).task.task_id)
}

fn status(tasks: &Tasks, whose: &Asker, id: &str) -> Option<TaskStatus> {
    tasks.find(whose, id).map(|task| task.detailed(true).status())
}

#[tokio::test(start_paused = true)]
async fn up_8_a_task_is_its_sessions_alone_and_has_an_age() {
    let tasks = table();
    let (ada, bob) = (asker(1, "ada"), asker(2, "bob"));
    let id = keep(&tasks, &ada, pending()).unwrap();
    assert_eq!(status(&tasks, &ada, &id), Some(TaskStatus::Working), "what is no form is not put to anybody");
    assert!(tasks.run_of(&ada) && !tasks.run_of(&bob));
    for other in [&bob, &asker(2, "ada"), &asker(1, "bob")] {
        assert!(tasks.find(other, &id).is_none(), "{other:?}");
    }
    assert!(tasks.find(&ada, &id.to_uppercase()).is_none() && tasks.find(&ada, "").is_none());
    tokio::time::sleep(Duration::from_secs(60 + 5 * 60 + 1)).await;
    assert!(tasks.find(&ada, &id).is_none() && !tasks.run_of(&ada), "it was too old");
}

#[tokio::test(start_paused = true)]
async fn up_8_a_task_ends_with_its_session_and_gives_its_call_up() {
    let (tasks, ada) = (table(), asker(1, "ada"));
    let (gives_up, given_up) = tokio::sync::oneshot::channel::<()>();
    let (ends, ended) = tokio::sync::oneshot::channel::<()>();
    let (follower, stage) = begun(Duration::from_secs(3600));
    let call = async move {
        let _held = gives_up;
        pending::<JsonObject>().await
    };
    let kept = tasks.keep(&ada, (follower, &stage), call, async move { drop(ended.await) }).unwrap();
    let id = kept.detailed(true).task.task_id;
    drop(ends);
    assert!(given_up.await.is_err(), "the call was dropped");
    tokio::task::yield_now().await;
    assert!(tasks.find(&ada, &id).is_none());
    assert_eq!(kept.detailed(true).status(), TaskStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn up_8_a_session_has_so_many_tasks_and_ended_ones_make_room() {
    let (tasks, ada) = (table(), asker(1, "ada"));
    let first = keep(&tasks, &ada, async { result(1) }).unwrap();
    for _ in 1..TASKS {
        assert!(keep(&tasks, &ada, pending()).is_some());
    }
    tokio::task::yield_now().await;
    assert_eq!(status(&tasks, &ada, &first), Some(TaskStatus::Completed));
    assert!(keep(&tasks, &ada, pending()).is_some(), "the ended one makes room");
    assert!(tasks.find(&ada, &first).is_none());
    assert!(keep(&tasks, &ada, pending()).is_none(), "as many run as may be");
    assert!(keep(&tasks, &asker(2, "ada"), pending()).is_some(), "another session has its own");
}

#[tokio::test(start_paused = true)]
async fn up_8_results_are_kept_within_bounds_and_the_newest_in_any_case() {
    let (tasks, ada) = (table(), asker(1, "ada"));
    let small = keep(&tasks, &ada, async { result(10) }).unwrap();
    let large = keep(&tasks, &ada, async { result(TASK_BYTES + 1) }).unwrap();
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    assert!(tasks.find(&ada, &small).is_none());
    let kept = tasks.find(&ada, &large).unwrap().detailed(true);
    assert!(matches!(kept.payload, TaskPayload::Completed { .. }) && kept.task.ttl_ms == Some(360_000), "{:?}", kept.task);
}
