//! A call that its server goes on with as a task: whoever waits is told of it, and can answer what it asks.
//!
//! Is: the way between who runs a call and who waits for it; the newest stage counts, and each question is answered once. Is
//! not: the call, which ends as any does, with one outcome. Nothing is decided here, and a call that nobody follows is the same
//! call. Clause: UP-8.

use agent_core::id::Alias;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// How far a task is.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Whose it is.
    pub server: Alias,
    /// What it does just now, in the server's words: on one line, cut, hidden characters shown.
    pub message: Option<String>,
    /// What it asks and was not answered yet, by the server's own keys, as it is put to the person.
    pub asks: BTreeMap<String, Value>,
    /// How long it is followed, from its begin.
    pub age: Duration,
    /// How often it is looked at.
    pub pause: Duration,
}

#[derive(Debug)]
struct Between {
    forms: bool,
    stage: watch::Sender<Option<Stage>>,
    answers: Mutex<BTreeMap<String, Value>>,
    answered: Notify,
}

/// The runner's end.
#[derive(Debug, Clone)]
pub struct Later(Arc<Between>);

/// The waiter's end.
#[derive(Debug)]
pub struct Follower(Arc<Between>, watch::Receiver<Option<Stage>>);

/// Both ends, for a waiter who takes tasks; `forms` says that a person behind it can be asked by a form.
#[must_use]
pub fn later(forms: bool) -> (Later, Follower) {
    let (stage, seen) = watch::channel(None);
    let between = Arc::new(Between { forms, stage, answers: Mutex::default(), answered: Notify::new() });
    (Later(between.clone()), Follower(between, seen))
}

impl Later {
    /// Whether a person can be asked.
    #[must_use]
    pub fn forms(&self) -> bool {
        self.0.forms
    }

    /// Tells how far the task is. The first time says that the call became one.
    pub fn tell(&self, stage: Stage) {
        self.0.stage.send_replace(Some(stage));
    }

    /// Waits for answers, and takes them.
    pub async fn answers(&self) -> BTreeMap<String, Value> {
        loop {
            let answered = self.0.answered.notified();
            let answers = std::mem::take(&mut *self.0.answers.lock());
            if !answers.is_empty() {
                return answers;
            }
            answered.await;
        }
    }
}

impl Follower {
    /// Waits until the call became a task; for ever where it does not.
    pub async fn became(&mut self) -> Stage {
        match self.1.wait_for(Option::is_some).await.map(|stage| stage.clone()) {
            Ok(Some(stage)) => stage,
            _ => std::future::pending().await,
        }
    }

    /// How far it is; nothing before it became a task.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.1.borrow().clone()
    }

    /// Answers what is asked now. What is not asked, or was answered, is left alone. Gives the keys that it took.
    pub fn answer(&self, answers: BTreeMap<String, Value>) -> Vec<String> {
        let mut taken = Vec::new();
        self.0.stage.send_if_modified(|stage| {
            let Some(stage) = stage else { return false };
            let mut kept = self.0.answers.lock();
            for (key, answer) in answers {
                if stage.asks.remove(&key).is_some() {
                    taken.push(key.clone());
                    kept.insert(key, answer);
                }
            }
            !taken.is_empty()
        });
        if !taken.is_empty() {
            self.0.answered.notify_one();
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn up_8_a_question_of_a_task_is_answered_once() {
        let (later, mut follower) = later(true);
        assert!(later.forms() && follower.stage().is_none());
        let answers = |key: &str| BTreeMap::from([(key.to_owned(), json!({"action": "accept"}))]);
        assert!(follower.answer(answers("a")).is_empty(), "nothing is asked before it is a task");
        let asks = BTreeMap::from([("a".to_owned(), json!("?"))]);
        let second = Duration::from_secs(1);
        later.tell(Stage { server: Alias::parse("jobs").unwrap(), message: None, asks, age: second, pause: second });
        assert_eq!(follower.became().await.asks.len(), 1);
        assert!(follower.answer(answers("b")).is_empty());
        assert_eq!(follower.answer(answers("a")), ["a"]);
        assert!(follower.answer(answers("a")).is_empty() && follower.stage().unwrap().asks.is_empty());
        assert_eq!(later.answers().await, answers("a"));
    }
}
