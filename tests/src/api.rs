//! The operator API's document, compared with the types that it describes and with what must not be in it.
//!
//! Is: `UPDATE_SCHEMAS=1` writes it anew. Is not: a running host; `scenario::api` sends real requests. Clause: HOST-3 (login).

use agent_host::api::{DOCUMENT, OPERATIONS, generate};
use serde_json::Value;
use std::path::Path;

fn document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
}

#[test]
fn host_3_the_schema_of_the_api_is_what_the_types_give() {
    let made = format!("{}\n", serde_json::to_string_pretty(&generate()).unwrap());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/schemas/operator-api.json");
        std::fs::write(path, &made).unwrap();
    } else {
        assert_eq!(made, DOCUMENT, "the types have changed: run this test with UPDATE_SCHEMAS=1, and read the difference");
    }
}
