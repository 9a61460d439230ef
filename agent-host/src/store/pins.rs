//! What a stream adds up to, and so the definitions that were accepted: read beside the running host or without one.
//!
//! Is: read-only, from one moment of the file. Clauses: CAT-7 (pins), STO-1.

use super::folder::DATABASE;
use super::{StoreError, row, schema};
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::state::{HostState, Kept};
use agent_core::transition::Stream;
use std::collections::BTreeMap;
use std::path::Path;

/// The digest last accepted of each tool. A state folder without a store accepted nothing yet.
///
/// # Errors
/// [`StoreError`] where the store can't be read.
pub fn pins(folder: &Path) -> Result<BTreeMap<ToolId, Digest>, StoreError> {
    kept(folder, &Stream::Host).map(|host: HostState| host.pins)
}

/// A stream's state as it is on record; the empty one without a store, or of another kind of stream.
///
/// # Errors
/// As [`pins`].
pub fn kept<S: Kept>(folder: &Path, stream: &Stream) -> Result<S, StoreError> {
    let Some(view) = schema::view(&folder.join(DATABASE))? else { return Ok(S::default()) };
    let stored = row::stored(&view, stream).map_err(StoreError::Damaged)?;
    Ok(S::take(stored.state).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::store::SqliteLedger;
    use agent_core::session::Bound;
    use agent_core::time::Instant;
    use agent_core::transition::Transition;
    use agent_engine::ledger::{Commit, Guard, Ledger, Write};

    #[tokio::test]
    async fn cat_7_pins_are_read_beside_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        assert_eq!(pins(&state).unwrap(), BTreeMap::new());
        let ledger = SqliteLedger::open(&state).unwrap();
        assert_eq!(pins(&state).unwrap(), BTreeMap::new());
        let bound = Bound { id: ToolId::parse("mcp:time/now").unwrap(), digest: Digest::parse(&"7".repeat(64)).unwrap() };
        let what = Transition::Pinned { bounds: vec![bound.clone()] };
        let write = Write { stream: Stream::Host, guard: Guard::Follow, what };
        ledger.commit(Commit { at: Instant { wall: 1, boot: 0, boot_id: 0 }, seen: vec![], writes: vec![write] }).await.unwrap();
        assert_eq!(pins(&state).unwrap(), BTreeMap::from([(bound.id, bound.digest)]));
    }
}
