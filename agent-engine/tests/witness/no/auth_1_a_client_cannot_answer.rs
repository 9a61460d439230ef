//! The client's face and the asking handle have no way to answer, and no way to the handle that has.

use agent_core::request::Answer;
use agent_core::session::{RequestId, SessionId};
use agent_engine::activation::{Answering, Asking};
use agent_engine::engine::Front;

async fn from_the_front(front: &Front, session: SessionId, request: RequestId, answer: Answer) {
    front.answer(session, request, answer).await;
}

async fn from_the_asking_handle(asking: &Asking, session: SessionId, request: RequestId, answer: Answer) {
    asking.answer(session, request, answer).await;
}

fn turned(asking: Asking) -> Answering {
    asking
}

fn main() {}
