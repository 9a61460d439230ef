//! The states that modern clients hand back with a person's answer.
//!
//! Is: a sealed, random number on the wire, and here what it stands for: one question of one call of one session, good for
//! one answer. So a state carries no authority; one that was changed, made up, used, or moved to another call or session is
//! refused, with nothing else done. Is not: the question's expiry, which the engine keeps.
//! Clauses: AUTH-3, AUTH-5. Invariants: I-1, I-3. Source: MCP 2026-07-28, multi round-trip requests.

use agent_core::digest::{Digest, Domain, Hasher};
use agent_core::refusal::Misplaced;
use agent_core::request::Question;
use agent_core::session::{Asker, SessionId};
use agent_core::time::Entropy;
use parking_lot::Mutex;
use rmcp::model::{JsonObject, RequestStateCodec};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// States kept for one session at one time, used ones included; its oldest goes first. One question waits in it at the most, so
/// more than one is of the same question asked for in other words.
const KEPT: usize = 16;

/// All states of this process. A restart forgets them, and the key with them.
pub struct States {
    seal: RequestStateCodec,
    entropy: Arc<dyn Entropy>,
    /// By session, so that nobody can crowd out what others were given.
    issued: Mutex<HashMap<SessionId, VecDeque<Issued>>>,
}

/// What one state stands for.
struct Issued {
    number: u128,
    asker: Asker,
    call: Digest,
    question: Question,
    used: bool,
}

/// The call that a state belongs to: everything of it that its answer could be moved to.
pub(super) fn call(method: &str, name: &str, arguments: &JsonObject) -> Digest {
    let arguments = serde_json::to_vec(arguments).unwrap_or_default();
    Hasher::new(Domain::Arguments).part(method.as_bytes()).part(name.as_bytes()).part(&arguments).finish()
}

impl States {
    /// No states, and a new key.
    #[must_use]
    pub fn new(entropy: Arc<dyn Entropy>) -> Self {
        let key = [entropy.bits().to_be_bytes(), entropy.bits().to_be_bytes()].concat();
        Self { seal: RequestStateCodec::new_unchecked(key), entropy, issued: Mutex::default() }
    }

    /// Gives out a state for a question that a call of a session ran into.
    pub(super) fn issue(&self, asker: &Asker, call: Digest, question: &Question) -> String {
        let mut issued = self.issued.lock();
        let own = issued.entry(asker.session).or_default();
        // Who asks the same again gets the same.
        let same = |known: &&Issued| !known.used && known.call == call && known.asker == *asker && known.question == *question;
        if let Some(known) = own.iter().find(same) {
            return self.seal.seal(&known.number.to_be_bytes());
        }
        let number = self.entropy.bits();
        while own.len() >= KEPT {
            own.pop_front();
        }
        own.push_back(Issued { number, asker: asker.clone(), call, question: question.clone(), used: false });
        self.seal.seal(&number.to_be_bytes())
    }

    /// Forgets what an ended session was given.
    pub(crate) fn forget(&self, session: SessionId) {
        self.issued.lock().remove(&session);
    }

    /// Whose question a state is to. It says nothing of whether it may be answered.
    pub(crate) fn asker(&self, state: &str) -> Option<Asker> {
        let number = self.number(state)?;
        find(&mut self.issued.lock(), number).map(|issued| issued.asker.clone())
    }

    fn number(&self, state: &str) -> Option<u128> {
        self.seal.open(state).ok().and_then(|bytes| bytes.try_into().ok()).map(u128::from_be_bytes)
    }

    /// The question of a state, if it is of this call of this session. With an answer the state is used up.
    ///
    /// # Errors
    /// Why it is not taken. Nothing changed then, and who owns it can still use it.
    pub(super) fn take(&self, state: &str, asker: &Asker, call: Digest, answers: bool) -> Result<Question, Misplaced> {
        let number = self.number(state).ok_or(Misplaced::Unknown)?;
        let mut issued = self.issued.lock();
        let found = find(&mut issued, number).ok_or(Misplaced::Unknown)?;
        match () {
            () if found.asker != *asker || found.call != call => Err(Misplaced::Elsewhere),
            () if found.used => Err(Misplaced::Used),
            () => {
                found.used = answers;
                Ok(found.question.clone())
            }
        }
    }
}

/// What a number stands for, whosever it is.
fn find(issued: &mut HashMap<SessionId, VecDeque<Issued>>, number: u128) -> Option<&mut Issued> {
    issued.values_mut().flatten().find(|issued| issued.number == number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use agent_core::request::Covers;
    use agent_core::session::{PrincipalId, RequestId};
    use agent_core::time::Instant;
    use agent_engine::testing::SeededEntropy;
    use serde_json::json;

    fn question(name: &str, session: u128) -> Question {
        let asker = Asker { session: SessionId::new(session), principal: PrincipalId::parse(name).unwrap(), profile: None };
        let at = Instant { wall: 0, boot: 0, boot_id: 0 };
        let (asked, expires) = (at, at);
        Question { id: RequestId::new(1), asker, covers: Covers::default(), what: Vec::new(), strong: false, asked, expires }
    }

    fn asks(count: usize) -> Digest {
        let Some(arguments) = json!({"tools": [count]}).as_object().cloned() else { unreachable!() };
        call("tools/call", "activate_tools", &arguments)
    }

    #[test]
    fn attack_17_who_asks_in_ever_other_words_takes_nobody_elses_state_away() {
        let states = States::new(Arc::new(SeededEntropy::new(1)));
        let (ada, bob) = (question("ada", 1), question("bob", 2));
        let his = states.issue(&bob.asker, asks(0), &bob);
        let hers: Vec<_> = (0..3_000).map(|count| states.issue(&ada.asker, asks(count), &ada)).collect();
        assert_eq!(states.issued.lock().values().map(VecDeque::len).sum::<usize>(), KEPT + 1);
        assert_eq!(states.take(&his, &bob.asker, asks(0), true), Ok(bob));
        assert_eq!(states.take(&hers[2_999], &ada.asker, asks(2_999), true), Ok(ada.clone()), "her last words are good");
        assert_eq!(states.take(&hers[0], &ada.asker, asks(0), true), Err(Misplaced::Unknown));
        states.forget(ada.asker.session);
        assert_eq!(states.issued.lock().len(), 1, "an ended session takes no room");
    }
}
