//! A bounded piece of the chain: the newest records that fit a filter, or what came after a place.
//!
//! Is: a scan of so many rows and no more, so that a page opens at once however long the chain is. Is not: a verification.
//! Clause: AUD-2.

use super::super::{StoreError, row};
use super::{Audit, Broken, read};
use agent_core::session::{PrincipalId, SessionId};
use agent_core::state::{Kept, SessionState};
use agent_core::transition::{Record, Stream};
use rusqlite::{Row, params};

/// Rows that one piece looks at; past it whoever asks goes on from where it ended.
pub const SCAN: u64 = 5_000;
/// Rows that are counted of what came before, the newest ones.
const LATE: u64 = 20_000;

/// Which records, newest first.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Those of one stream.
    pub stream: Option<Stream>,
    /// Those of one kind, as `granted`.
    pub kind: Option<String>,
    /// Those whose text holds this, in either case of ASCII letters.
    pub text: Option<String>,
    /// Those before this place.
    pub before: Option<u64>,
    /// So many at the most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Slice {
    /// Newest first; what can't be read as such.
    pub records: Vec<Result<Record, Broken>>,
    /// From where older ones can be asked for; none where nothing is older.
    pub next: Option<u64>,
    /// The same where it ended for having looked at [`SCAN`] rows, with less found than was wanted.
    pub stopped: Option<u64>,
}

impl Audit {
    /// The newest records that fit, of at most [`SCAN`] rows. `sees` leaves out streams that are not the asker's.
    ///
    /// # Errors
    /// [`StoreError`] where the file can't be read on.
    pub fn slice(&self, wanted: &Wanted, mut sees: impl FnMut(&Stream) -> bool) -> Result<Slice, StoreError> {
        let columns = row::COLUMNS;
        let of = if wanted.stream.is_some() { "stream = ?2" } else { "?2 IS NULL" };
        let sql = format!("SELECT {columns} FROM record WHERE seq < ?1 AND {of} ORDER BY seq DESC LIMIT {}", SCAN + 1);
        let mut statement = self.0.prepare(&sql)?;
        let before = row::signed(wanted.before.unwrap_or(u64::MAX));
        let mut rows = statement.query(params![before, wanted.stream.as_ref().map(Stream::to_string)])?;
        let kind = wanted.kind.as_ref().map(|kind| format!("\"what\":{{\"kind\":{}", serde_json::Value::from(kind.as_str())));
        let text = wanted.text.as_ref().map(|text| text.to_ascii_lowercase());
        let (mut found, mut looked, mut last) = (Slice::default(), 0, 0);
        while let Some(row) = rows.next()? {
            if found.records.len() >= wanted.limit || looked >= SCAN {
                found.next = Some(last);
                found.stopped = found.next.filter(|_| found.records.len() < wanted.limit);
                break;
            }
            (looked, last) = (looked + 1, u64::try_from(row.get::<_, i64>(0)?).unwrap_or_default());
            if !fits(row, kind.as_deref(), text.as_deref())? {
                continue;
            }
            let record = read(row);
            if record.as_ref().map_or(true, |record| sees(&record.stream)) {
                found.records.push(record);
            }
        }
        Ok(found)
    }

    /// The records after a place, of the last 20,000 ones alone, in the chain's order.
    ///
    /// # Errors
    /// [`StoreError`] where the file can't be read on.
    pub fn after(&self, seq: u64, mut each: impl FnMut(Record)) -> Result<(), StoreError> {
        let head = row::last(&self.0).map_err(StoreError::Damaged)?.seq;
        let from = seq.max(head.saturating_sub(LATE));
        let mut statement = self.0.prepare(&format!("SELECT {} FROM record WHERE seq > ?1 ORDER BY seq", row::COLUMNS))?;
        let mut rows = statement.query([row::signed(from)])?;
        while let Some(row) = rows.next()? {
            if let Ok(record) = read(row) {
                each(record);
            }
        }
        Ok(())
    }

    /// Whose a session is or was.
    #[must_use]
    pub fn owner(&self, session: SessionId) -> Option<PrincipalId> {
        let stored = row::stored(&self.0, &Stream::Session(session)).ok()?;
        Some(SessionState::take(stored.state)?.asker?.principal)
    }
}

fn fits(row: &Row<'_>, kind: Option<&str>, text: Option<&str>) -> Result<bool, StoreError> {
    if kind.is_none() && text.is_none() {
        return Ok(true);
    }
    let body = row.get_ref(3)?.as_str().unwrap_or_default();
    let stream = row.get_ref(1)?.as_str().unwrap_or_default();
    let holds = |text: &str| body.to_ascii_lowercase().contains(text) || stream.to_ascii_lowercase().contains(text);
    Ok(kind.is_none_or(|kind| body.contains(kind)) && text.is_none_or(holds))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::store::SqliteLedger;
    use agent_core::time::Instant;
    use agent_core::transition::Transition;
    use agent_engine::ledger::{Commit, Guard, Ledger as _, Write};

    #[tokio::test]
    async fn aud_2_a_search_looks_at_so_many_and_says_where_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let ledger = SqliteLedger::open(&state).unwrap();
        let write = |by: &str| Write { stream: Stream::Host, guard: Guard::Follow, what: Transition::Resumed { by: by.to_owned() } };
        let hay = (0..SCAN).map(|_| write("hay"));
        let writes = std::iter::once(write("needle")).chain(hay).collect();
        ledger.commit(Commit { at: Instant { wall: 1, boot: 1, boot_id: 1 }, seen: Vec::new(), writes }).await.unwrap();
        let audit = Audit::open(&state).unwrap();
        let wanted = Wanted { text: Some("Needle".to_owned()), limit: 10, ..Wanted::default() };
        let looked = audit.slice(&wanted, |_| true).unwrap();
        assert!(looked.records.is_empty() && looked.stopped.is_some() && looked.next == looked.stopped, "{looked:?}");
        let on = audit.slice(&Wanted { before: looked.next, ..wanted }, |_| true).unwrap();
        assert_eq!((on.records.len(), on.next, on.stopped), (1, None, None));
        let full = audit.slice(&Wanted { limit: 10, ..Wanted::default() }, |_| true).unwrap();
        assert_eq!((full.records.len(), full.next.is_some(), full.stopped), (10, true, None), "a full page was not stopped short");
    }
}
