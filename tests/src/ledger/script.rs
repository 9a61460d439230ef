//! The same random script played to both ledgers: every answer, every state and every record must be the same.
//!
//! Is: what makes the memory ledger the meaning of the contract. Clauses: ACT-2, AUD-2, STO-1.

use super::contract::folds;
use super::{Under, at, bounds, granted, pinned, principal, resumed, session, token_made, v, verified, write};
use crate::counts::ledger_scripts;
use agent_core::outcome::End;
use agent_core::session::{CallId, TokenId};
use agent_core::transition::{Stream, Transition};
use agent_engine::ledger::{Commit, Guard, Ledger, Note};
use agent_host::store::SqliteLedger;
use std::sync::Arc;

/// A small generator; a script is named by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn stream(&mut self) -> Stream {
        match self.roll(6) {
            0 => Stream::Host,
            1 => principal("p"),
            2 => principal("local:1000"),
            number => session(u128::from(number)),
        }
    }

    fn what(&mut self) -> Transition {
        let batch = u128::from(self.roll(1000));
        let ids = || bounds(1, 3).into_iter().map(|bound| bound.id).collect();
        match self.roll(11) {
            0 | 1 => granted(batch, 3),
            2 => pinned(batch, 3),
            3 => Transition::Stopped { by: "operator \u{1f512} \"q\"".to_owned(), since: Some(at(7)) },
            4 => resumed(),
            5 => Transition::Denied { bounds: bounds(batch, 2), until: at(self.roll(9000)) },
            6 => Transition::Revoked { ids: ids(), by: "operator".to_owned() },
            7 => token_made(batch % 20, at(self.roll(9000))),
            8 => Transition::TokenRevoked { id: TokenId::new(batch % 20), by: "operator".to_owned() },
            9 => Transition::Ended { call: CallId::new(batch), end: End::OutcomeUnknown },
            _ => Transition::Closed { by: "session".to_owned() },
        }
    }

    fn commit(&mut self, now: u64) -> Commit {
        let seen = (0..self.roll(2)).map(|_| (self.stream(), v(self.roll(4)))).collect();
        let writes = (0..self.roll(4))
            .map(|_| {
                let guard = if self.roll(3) == 0 { Guard::At(v(self.roll(5))) } else { Guard::Follow };
                write(self.stream(), guard, self.what())
            })
            .collect();
        Commit { at: at(now), seen, writes }
    }
}

#[tokio::test]
async fn sto_1_both_ledgers_answer_alike() {
    for seed in 0..u64::from(ledger_scripts()) {
        let [memory, mut sqlite] = Under::both();
        let mut dice = Dice(seed);
        for step in 0..60 {
            match dice.roll(10) {
                0..=5 => {
                    let commit = dice.commit(step);
                    assert_eq!(memory.ledger().commit(commit.clone()).await, sqlite.ledger().commit(commit).await, "{seed} {step}");
                }
                6 | 7 => {
                    let note = Note { at: at(step), stream: dice.stream(), what: Transition::Searched { hits: 1, count: 1 } };
                    memory.ledger().note(note.clone());
                    sqlite.ledger().note(note);
                }
                8 => {
                    let stream = dice.stream();
                    assert_eq!(memory.ledger().load(&stream).await, sqlite.ledger().load(&stream).await, "{seed} {step}");
                }
                _ => {
                    if dice.roll(4) == 0 {
                        sqlite = reopened(sqlite);
                    }
                }
            }
        }
        let records = memory.records().await;
        assert_eq!(records, sqlite.records().await, "{seed}");
        for (stream, stored) in folds(&records) {
            assert_eq!(sqlite.ledger().load(&stream).await.unwrap(), stored, "{seed} {stream}");
        }
        let Under::Sqlite(folder, _) = &sqlite else { unreachable!() };
        assert_eq!(verified(&folder.path()), records.len() as u64);
    }
}

fn reopened(under: Under) -> Under {
    let Under::Sqlite(folder, ledger) = under else { return under };
    drop(ledger);
    let again = Arc::new(SqliteLedger::open(&folder.path()).unwrap());
    Under::Sqlite(folder, again)
}
