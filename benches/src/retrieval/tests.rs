//! The repository's own set, against the floors that the specification's table has for it.
#![allow(clippy::unwrap_used)]

use super::figures::{Figures, Set};
use agent_engine::search::Parts;
use std::path::Path;

#[test]
fn srch_5_our_own_set_is_found_as_well_as_the_spec_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let spec = std::fs::read_to_string(root.join("spec/03-search.md")).unwrap();
    let row = spec.lines().find_map(|line| line.strip_prefix("| own |")).unwrap();
    let floors: Vec<f64> = row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
    let set = Set::read(&root.join("benches/sets/own"), None, None).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let figures = runtime.block_on(Figures::of(&set, &[], "", Parts::default())).unwrap().json();
    let found = ["tools", "queries", "hit_at_1", "recall_at_5", "ndcg_at_10", "typo_first"].map(|name| figures[name].as_f64().unwrap());
    assert_eq!(floors.get(..2), found.get(..2), "tools and queries");
    assert_eq!(floors.len(), found.len(), "{row}");
    for (found, floor) in found.into_iter().zip(floors) {
        assert!(found >= floor, "{found} is below {floor}: {figures}");
    }
    for name in ["own_id_first", "own_wire_name_first", "own_name_first"] {
        assert_eq!(figures[name], 1.0, "{name}");
    }
}
