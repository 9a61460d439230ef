//! Operators who say yes, no, and take back, each by a way of its own and at random.

use super::check::TOOLS;
use super::desks::Desk;
use super::drive::Notes;
use super::history::{Did, Event, Got};
use super::host::Host;
use agent_core::id::ToolId;
use agent_core::request::{Decision, Question};
use agent_core::session::SessionId;
use agent_host::admin::{Answered, Request, Response, Running, Scope};
use agent_spec::model::Answer;
use fastrand::Rng;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::process::Command;

/// How an operator reaches the host.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Socket,
    Command,
    Console,
    Api,
}

impl Way {
    pub(super) const ALL: [Self; 6] = [Self::Socket, Self::Command, Self::Console, Self::Api, Self::Console, Self::Api];

    const fn name(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Command => "command",
            Self::Console => "console",
            Self::Api => "API",
        }
    }

    /// Whoever decides over TCP has logged in.
    pub(super) async fn desk(self, host: &Host) -> Option<Desk> {
        match self {
            Self::Console => Some(Desk::console(host).await),
            Self::Api => Some(Desk::api(host).await),
            Self::Socket | Self::Command => None,
        }
    }
}

async fn answered(way: Way, host: &Host, desk: Option<&Desk>, question: &Question, answer: &Answer) -> Got {
    match (desk, way) {
        (Some(desk), _) => desk.answer(question, answer).await,
        (None, Way::Command) => by_command(host, question, answer).await,
        (None, _) => by_socket(host, question, answer).await,
    }
}

async fn revoked(way: Way, host: &Host, desk: Option<&Desk>, session: SessionId, tool: &str) -> Got {
    match (desk, way) {
        (Some(desk), _) => desk.revoke(session, tool).await,
        (None, Way::Command) => {
            let (ok, text) = run(host, &["revoke", &session.to_string(), tool]).await;
            assert!(ok || text.contains("did not hold"), "{text}");
            Got::Taken(ok)
        }
        (None, _) => {
            let scope = Scope::Grant { session, tool: ToolId::parse(tool).unwrap() };
            match host.asked(Request::Revoke { scope, running: Running::Leave }).await {
                Response::Revoked { known: true, sessions, .. } if sessions.len() == 1 && sessions[0].recorded => {
                    Got::Taken(!sessions[0].removed.is_empty())
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Answers and takes back until everything was asked and nothing waits.
pub(super) async fn operate(host: Arc<Host>, notes: Arc<Notes>, way: Way, desk: Option<Desk>, seed: u64) {
    let mut dice = Rng::with_seed(seed);
    loop {
        let over = notes.over.load(Ordering::Relaxed);
        let Response::Approvals { waiting, .. } = host.asked(Request::Approvals {}).await else { panic!("no list") };
        let Some(question) = dice.choice(&waiting) else {
            if over {
                return;
            }
            tokio::task::yield_now().await;
            continue;
        };
        let mut session = question.asker.session;
        let (began, did, got);
        if dice.u8(..) < 200 {
            let answer = said(&mut dice, question, way);
            notes.asked.lock().extend(question.what.iter().map(|asked| (session, asked.bound.id.to_string())));
            began = notes.ticks.next();
            got = answered(way, &host, desk.as_ref(), question, &answer).await;
            did = Did::Answer(question.id.to_string(), answer);
        } else {
            let mut tool = TOOLS[dice.usize(..TOOLS.len())].to_owned();
            if let Some(asked) = dice.choice(&*notes.asked.lock()) {
                (session, tool) = asked.clone();
            }
            began = notes.ticks.next();
            got = revoked(way, &host, desk.as_ref(), session, &tool).await;
            did = Did::Revoke(tool);
        }
        notes.write(session, Event { began, ended: notes.ticks.next(), did, got, way: way.name() });
    }
}

/// Mostly yes; of a no to some, which no command says, the first of what is asked.
fn said(dice: &mut Rng, question: &Question, way: Way) -> Answer {
    match (dice.u8(..), way) {
        (0..130, _) | (130..190, Way::Command) => Answer::Approve,
        (130..160, _) => Answer::Once,
        (160..190, _) => Answer::Always,
        (190..230, _) | (_, Way::Command) => Answer::Deny,
        _ => Answer::DenySome([question.what[0].bound.id.to_string()].into()),
    }
}

async fn by_socket(host: &Host, question: &Question, answer: &Answer) -> Got {
    let decision = match answer {
        Answer::Approve => Decision::Approve,
        Answer::Once => Decision::Once,
        Answer::Always => Decision::Always,
        Answer::Deny => Decision::Deny,
        Answer::DenySome(ids) => Decision::DenySome(ids.iter().map(|id| ToolId::parse(id).unwrap()).collect()),
        Answer::Dismiss => Decision::Dismiss,
    };
    let (session, request, shown) = (question.asker.session, question.id, question.digest());
    match host.asked(Request::Answer { session, request, shown, answer: decision, passphrase: None }).await {
        Response::Answered { answered: Answered::Granted { set, added } } => Got::Active(added, Some(set)),
        Response::Answered { answered: Answered::Always { set, added, stands: true } } => Got::Active(added, Some(set)),
        Response::Answered { answered: Answered::Denied { recorded: true } } => Got::Denied,
        Response::Answered { answered: Answered::Void { waits: false, .. } | Answered::Before { .. } } => Got::Void,
        other => panic!("{other:?}"),
    }
}

async fn by_command(host: &Host, question: &Question, answer: &Answer) -> Got {
    let (id, digest) = (question.id.to_string(), question.digest().to_string());
    let what = if *answer == Answer::Approve { "approve" } else { "deny" };
    let (ok, text) = run(host, &[what, &id, "--yes", "--expect", &digest]).await;
    match text.split_once(": ").map_or(text.as_str(), |(word, _)| word) {
        "approved" if ok => {
            let added = text.split_whitespace().nth(1).and_then(|count| count.parse().ok());
            Got::Active(added.unwrap_or_else(|| panic!("{text}")), None)
        }
        "denied" if ok => Got::Denied,
        _ if text.contains("nothing was decided here") || text.contains("does not wait here") => Got::Void,
        _ => panic!("{text}"),
    }
}

/// Runs a command of the built host; whether it succeeded, and what it said.
async fn run(host: &Host, words: &[&str]) -> (bool, String) {
    let output = Command::new(&host.program).args(words).arg("--state").arg(host.state()).output().await.unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), text)
}
