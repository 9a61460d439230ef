//! The states that modern clients hand back with a person's answer.
//!
//! Is: a sealed, random number on the wire, and here what it stands for: one question of one call of one session, good for
//! one answer. So a state carries no authority; one that was changed, made up, used, or moved to another call or session is
//! refused, with nothing else done. Is not: the question's expiry, which the engine keeps.
//! Clauses: AUTH-3, AUTH-5. Invariants: I-1, I-3. Source: MCP 2026-07-28, multi round-trip requests.

use agent_core::digest::{Digest, Domain, Hasher};
use agent_core::refusal::Misplaced;
use agent_core::request::Question;
use agent_core::session::Asker;
use agent_core::time::Entropy;
use parking_lot::Mutex;
use rmcp::model::{JsonObject, RequestStateCodec};
use std::collections::VecDeque;
use std::sync::Arc;

/// States kept at one time, used ones included; the oldest goes first. Ten questions a minute are put at the most.
const KEPT: usize = 1024;

/// All states of this process. A restart forgets them, and the key with them.
pub struct States {
    seal: RequestStateCodec,
    entropy: Arc<dyn Entropy>,
    issued: Mutex<VecDeque<Issued>>,
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
        // Who asks the same again gets the same: nobody can crowd out what others were given.
        let same = |known: &&Issued| !known.used && known.call == call && known.asker == *asker && known.question == *question;
        if let Some(known) = issued.iter().find(same) {
            return self.seal.seal(&known.number.to_be_bytes());
        }
        let number = self.entropy.bits();
        while issued.len() >= KEPT {
            issued.pop_front();
        }
        issued.push_back(Issued { number, asker: asker.clone(), call, question: question.clone(), used: false });
        self.seal.seal(&number.to_be_bytes())
    }

    /// Whose question a state is to. It says nothing of whether it may be answered.
    pub(crate) fn asker(&self, state: &str) -> Option<Asker> {
        let number = self.number(state)?;
        self.issued.lock().iter().find(|issued| issued.number == number).map(|issued| issued.asker.clone())
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
        let found = issued.iter_mut().find(|issued| issued.number == number).ok_or(Misplaced::Unknown)?;
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
