//! Questions that are about no permission: three errors, who may answer, how each ends, and what their records add up to.

use crate::world::{Fault, World, code};
use agent_core::inquiry::{Answerer, Ended, Inquiry, Reply, Unfit, Wording};
use agent_core::limits::{ASKS, INQUIRIES, INQUIRIES_ENDED, REQUEST_MS};
use agent_core::refusal::Refusal;
use agent_core::request::{Channel, Strength};
use agent_core::session::{Asker, PrincipalId, SessionId};
use agent_core::state::{Fold, SessionState};
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition, Withdrawal};
use agent_engine::inquiry::{Failure, Unanswered};
use agent_engine::session::Cell;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::task::JoinHandle;

type Asked = JoinHandle<Result<Reply, Unanswered>>;

fn wording(choices: &[&str]) -> Wording {
    let context = BTreeMap::from([("tool".to_owned(), "mcp:a/one".to_owned()), ("server".to_owned(), "a".to_owned())]);
    Wording::new("which?".to_owned(), choices.iter().map(|choice| (*choice).to_owned()).collect(), context).unwrap()
}

fn ada() -> Answerer {
    Answerer { name: "ada".to_owned(), channel: Channel::Code, strength: Strength::Weak }
}

fn said(text: &str) -> Reply {
    Reply::Said(text.to_owned())
}

const fn failed(why: Failure) -> Unanswered {
    Unanswered::Failed(why)
}

/// Everything a rule can say yes to, it does: who assumes yes has this policy.
async fn world() -> World {
    World::new(json!({"activation": "auto"})).await
}

/// Puts a question, and gives it once it waits.
async fn put(world: &World, cell: &Arc<Cell>, choices: &[&str]) -> (Asked, Inquiry) {
    let (asker, session, wording) = (world.desk.inquiring(), cell.asker().session, wording(choices));
    let (mut changed, before) = (cell.listen(), cell.state().inquiries.count);
    let asked = tokio::spawn(async move { asker.ask(session, wording).await });
    while cell.state().inquiries.count == before {
        changed.changed().await.unwrap();
    }
    let inquiry = cell.state().inquiries.waiting.last().unwrap().clone();
    (asked, inquiry)
}

async fn reply(world: &World, cell: &Cell, index: u64, with: Reply) -> Result<(), Unanswered> {
    world.desk.reply(cell.asker().session, index, with, ada()).await
}

#[tokio::test]
async fn auth_8_no_channel_failed_and_not_a_choice_are_three_errors() {
    let world = world().await;
    let cell = world.open().await;
    let none = world.desk.inquiring().ask(cell.asker().session, wording(&["a"])).await;
    assert_eq!((none, cell.state().inquiries.count), (Err(Unanswered::NoChannel), 0), "nothing was asked");
    let attending = world.desk.attend();
    let (asked, inquiry) = put(&world, &cell, &["a", "b"]).await;
    for other in ["c", "A", "a ", ""] {
        assert_eq!(reply(&world, &cell, inquiry.index, said(other)).await, Err(Unanswered::NotAChoice), "{other:?}");
    }
    assert_eq!(world.desk.inquiries(), std::slice::from_ref(&inquiry), "it waits on");
    assert_eq!(reply(&world, &cell, inquiry.index, said("b")).await, Ok(()));
    assert_eq!(asked.await.unwrap(), Ok(said("b")));
    assert_eq!(reply(&world, &cell, inquiry.index, said("a")).await, Err(failed(Failure::Gone)), "the first answer stands");
    assert_eq!(world.desk.inquiring().ask(SessionId::new(7), wording(&[])).await, Err(failed(Failure::Refused(Refusal::SessionEnded))));
    let unfit = Wording { text: String::new(), ..wording(&[]) };
    assert_eq!(world.desk.inquiring().ask(cell.asker().session, unfit).await, Err(failed(Failure::Unfit(Unfit::Text))));
    drop(attending);
    assert_eq!(world.desk.inquiring().ask(cell.asker().session, wording(&[])).await, Err(Unanswered::NoChannel));
}

#[tokio::test]
async fn auth_8_what_assumes_yes_never_answers_a_question_and_an_answer_grants_nothing() {
    let world = world().await;
    let _attending = world.desk.attend();
    let cell = world.open().await;
    let (asked, inquiry) = put(&world, &cell, &["yes", "approve"]).await;
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "done", "the rule says yes to a tool");
    for _ in 0..3 {
        world.desk.tick().await;
    }
    assert!(!asked.is_finished() && world.desk.inquiries() == [inquiry.clone()], "and to no question");
    let (set, held) = (cell.state().set, cell.state().active.len());
    reply(&world, &cell, inquiry.index, said("approve")).await.unwrap();
    assert_eq!(asked.await.unwrap(), Ok(said("approve")));
    assert_eq!((cell.state().set, cell.state().active.len()), (set, held), "nothing is activated by it");
    assert!(world.desk.standing_approvals().await.unwrap().is_empty() && cell.state().settled.len() == 1);
}

#[tokio::test]
async fn auth_8_a_question_has_its_number_in_its_session_and_is_on_record() {
    let world = world().await;
    let _attending = world.desk.attend();
    let (one, other) = (world.open().await, world.open_as("bob", None).await);
    let mut numbers = Vec::new();
    for cell in [&one, &one, &other] {
        let (asked, inquiry) = put(&world, cell, &[]).await;
        assert_eq!(inquiry.wording.context.keys().collect::<Vec<_>>(), ["server", "tool"]);
        numbers.push((inquiry.asker.principal.to_string(), inquiry.index));
        reply(&world, cell, inquiry.index, if numbers.len() == 2 { Reply::Declined } else { said("text") }).await.unwrap();
        assert_eq!(asked.await.unwrap().unwrap() == Reply::Declined, numbers.len() == 2);
    }
    assert_eq!(numbers, [("ada".to_owned(), 1), ("ada".to_owned(), 2), ("bob".to_owned(), 1)]);
    let kinds = world.ledger.kinds(&Stream::Session(one.asker().session));
    assert_eq!(kinds, ["opened", "inquired", "replied", "inquired", "replied"]);
    let by: Vec<_> = world
        .ledger
        .records()
        .into_iter()
        .filter_map(|record| if let Transition::Replied { by, .. } = record.what { Some(by) } else { None })
        .collect();
    assert_eq!(by, [ada(), ada(), ada()]);
}

#[tokio::test]
async fn auth_8_a_question_ends_with_its_asker_its_session_its_time_and_its_process() {
    let mut world = world().await;
    let _attending = world.desk.attend();
    let cell = world.open().await;
    let ended = |cell: &Cell, index| cell.state().inquiries.end(index).cloned();

    let (asked, inquiry) = put(&world, &cell, &["a"]).await;
    let mut changed = cell.listen();
    asked.abort();
    while ended(&cell, inquiry.index).is_none() {
        changed.changed().await.unwrap();
    }
    assert_eq!(ended(&cell, inquiry.index), Some(Ended::Withdrawn(Withdrawal::Dismissed)));

    let (asked, inquiry) = put(&world, &cell, &["a"]).await;
    world.clock.advance(REQUEST_MS);
    assert_eq!(reply(&world, &cell, inquiry.index, said("a")).await, Err(failed(Failure::Ended(Withdrawal::Expired))));
    assert_eq!(asked.await.unwrap(), Err(failed(Failure::Ended(Withdrawal::Expired))));

    let (asked, _) = put(&world, &cell, &["a"]).await;
    world.clock.advance(REQUEST_MS);
    world.desk.tick().await;
    assert_eq!(asked.await.unwrap(), Err(failed(Failure::Ended(Withdrawal::Expired))), "a tick ends what is over");

    let (asked, _) = put(&world, &cell, &["a"]).await;
    world.front.close(&cell).await;
    assert_eq!(asked.await.unwrap(), Err(failed(Failure::Ended(Withdrawal::Dismissed))));

    let cell = world.open().await;
    let (_asked, inquiry) = put(&world, &cell, &["a"]).await;
    world.restart().await;
    let again = world.again(&cell);
    assert_eq!(again.state().inquiries.end(inquiry.index), Some(&Ended::Withdrawn(Withdrawal::Restarted)));
    assert!(world.desk.inquiries().is_empty());
}

#[tokio::test]
async fn auth_8_questions_are_bounded_and_stopped_with_everything() {
    let world = world().await;
    let _attending = world.desk.attend();
    let cell = world.open().await;
    let mut asked = Vec::new();
    for _ in 0..INQUIRIES {
        asked.push(put(&world, &cell, &["a"]).await.0);
    }
    let session = cell.asker().session;
    assert_eq!(world.desk.inquiring().ask(session, wording(&[])).await, Err(failed(Failure::TooMany)), "so many wait at a time");
    for index in 1..=INQUIRIES as u64 {
        reply(&world, &cell, index, Reply::Declined).await.unwrap();
    }
    for index in INQUIRIES as u64 + 1..=ASKS as u64 {
        asked.push(put(&world, &cell, &["a"]).await.0);
        reply(&world, &cell, index, said("a")).await.unwrap();
    }
    let other = world.open().await.asker().session;
    assert_eq!(
        world.desk.inquiring().ask(other, wording(&[])).await,
        Err(failed(Failure::TooMany)),
        "and so many a minute for one principal"
    );
    world.clock.advance(60_000);
    world.desk.stop("operator").await;
    assert_eq!(world.desk.inquiring().ask(other, wording(&[])).await, Err(failed(Failure::Refused(Refusal::Stopped))));
}

#[tokio::test]
async fn auth_8_i_8_what_can_not_be_recorded_is_neither_asked_nor_answered() {
    let world = world().await;
    let _attending = world.desk.attend();
    let cell = world.open().await;
    world.ledger.fail(Fault::Refuse);
    let none = world.desk.inquiring().ask(cell.asker().session, wording(&["a"])).await;
    assert_eq!((none, cell.state().inquiries.count), (Err(failed(Failure::Refused(Refusal::NotRecorded))), 0));
    let (asked, inquiry) = put(&world, &cell, &["a"]).await;
    world.ledger.fail(Fault::Refuse);
    assert_eq!(reply(&world, &cell, inquiry.index, said("a")).await, Err(failed(Failure::Refused(Refusal::NotRecorded))));
    assert!(!asked.is_finished() && world.desk.inquiries().len() == 1, "it waits on");
    reply(&world, &cell, inquiry.index, said("a")).await.unwrap();
    assert_eq!(asked.await.unwrap(), Ok(said("a")));
}

#[tokio::test]
async fn auth_8_of_two_answers_at_the_same_time_one_stands() {
    let world = world().await;
    let _attending = world.desk.attend();
    let cell = world.open().await;
    let (asked, inquiry) = put(&world, &cell, &["a", "b"]).await;
    let (one, two) = tokio::join!(reply(&world, &cell, inquiry.index, said("a")), reply(&world, &cell, inquiry.index, said("b")));
    let stands = if one.is_ok() { "a" } else { "b" };
    assert!(one.is_ok() != two.is_ok() && [one, two].contains(&Err(failed(Failure::Gone))));
    assert_eq!(asked.await.unwrap(), Ok(said(stands)));
}

/// What the model of a session's questions is told.
#[derive(Debug, Clone)]
enum Step {
    Ask,
    Reply(u64, u8),
    Withdraw(u64),
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => Just(Step::Ask),
        4 => (1..12u64, 0..3u8).prop_map(|(index, what)| Step::Reply(index, what)),
        3 => (1..12u64).prop_map(Step::Withdraw),
        1 => Just(Step::Close),
    ];
    prop::collection::vec(step, 0..40)
}

const NOW: Instant = Instant { wall: 1_000, boot: 10, boot_id: 1 };

fn transition(step: &Step, next: u64) -> Transition {
    let asker = Asker { session: SessionId::new(1), principal: PrincipalId::parse("p").unwrap(), profile: None };
    match step {
        Step::Ask => Transition::Inquired {
            inquiry: Box::new(Inquiry { index: next, asker, wording: wording(&[]), asked: NOW, expires: NOW.after(1) }),
        },
        Step::Reply(index, what) => Transition::Replied { index: *index, reply: said(&what.to_string()), by: ada() },
        Step::Withdraw(index) => Transition::InquiryWithdrawn { index: *index, why: Withdrawal::Expired },
        Step::Close => Transition::Closed { by: "p".to_owned() },
    }
}

proptest! {
    /// Beside a second opinion in one list: what was asked, and how it ended.
    #[test]
    fn auth_8_the_records_of_questions_add_up_to_what_a_list_of_them_says(steps in steps()) {
        let (mut state, mut list, mut order, mut over) = (SessionState::default(), Vec::<Option<Ended>>::new(), Vec::new(), false);
        for step in &steps {
            state.apply(NOW, &transition(step, list.len() as u64 + 1));
            let mut end = |list: &mut Vec<Option<Ended>>, index: u64, how: Ended| {
                if let Some(waits @ None) = usize::try_from(index - 1).ok().and_then(|at| list.get_mut(at)) {
                    *waits = Some(how);
                    order.push(index);
                }
            };
            match step {
                Step::Ask if !over => list.push(None),
                Step::Ask => {}
                Step::Reply(index, what) => end(&mut list, *index, Ended::Replied(said(&what.to_string()))),
                Step::Withdraw(index) => end(&mut list, *index, Ended::Withdrawn(Withdrawal::Expired)),
                Step::Close => {
                    (1..=list.len() as u64).for_each(|index| end(&mut list, index, Ended::Withdrawn(Withdrawal::Dismissed)));
                    over = true;
                }
            }
        }
        let waits: Vec<u64> = list.iter().zip(1..).filter(|(end, _)| end.is_none()).map(|(_, index)| index).collect();
        prop_assert_eq!(state.inquiries.waiting.iter().map(|inquiry| inquiry.index).collect::<Vec<_>>(), waits);
        prop_assert_eq!(state.inquiries.count, list.len() as u64);
        let last: Vec<_> = order.iter().rev().take(INQUIRIES_ENDED).rev().map(|index| (*index, list[*index as usize - 1].clone().unwrap())).collect();
        prop_assert_eq!(&state.inquiries.ended, &last);
        prop_assert!(state.active.is_empty() && state.settled.is_empty() && state.set == 0, "nothing is held by any of it");
        let read: SessionState = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
        prop_assert_eq!(read, state);
    }
}
