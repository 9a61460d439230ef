//! The operator API's document, compared with the types that it describes and with what must not be in it.
//!
//! Is: `UPDATE_SCHEMAS=1` writes it anew. Is not: a running host; `scenario::operator_api` sends real requests. Clause: HOST-3
//! (login). Attack 63.

use agent_host::admin::Request;
use agent_host::api::{DOCUMENT, OPERATIONS, generate};
use agent_host::config::SCHEMA;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Asked at the socket alone, each for a reason of its own.
const AT_THE_SOCKET: [&str; 1] = ["console"];
/// What a login is for; no operation of a host's has it.
const DOOR: [&str; 3] = ["login", "logout", "openapi.json"];

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

/// serde names every word that there is where it meets another.
#[test]
fn host_3_every_request_is_an_operation_with_a_role_and_an_answer() {
    let known = serde_json::from_str::<Request>(r#"{"do":"?"}"#).unwrap_err().to_string();
    let known: BTreeSet<_> = known.split('`').skip(3).step_by(2).filter(|word| !AT_THE_SOCKET.contains(word)).collect();
    assert_eq!(OPERATIONS.iter().map(|operation| operation.name).collect::<BTreeSet<_>>(), known, "`OPERATIONS` has a line for each");
    let (document, answers) = (document(), BTreeSet::from_iter(OPERATIONS.iter().map(|operation| operation.answer)));
    assert_eq!(answers.len(), OPERATIONS.len());
    assert_eq!(document["paths"].as_object().unwrap().len(), OPERATIONS.len() + DOOR.len());
    for operation in OPERATIONS {
        let described = &document["paths"][format!("/api/v1/{}", operation.name)]["post"];
        assert!(matches!(described["x-role"].as_str(), Some("viewer" | "approver" | "admin")), "{}", operation.name);
        let answer = &described["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(answer["properties"]["is"]["const"], operation.answer);
        let fields = &described["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(fields["additionalProperties"], false, "{}", operation.name);
        assert!(!described["summary"].as_str().unwrap().is_empty());
    }
}

/// Every name of a field below a schema, through its references.
fn fields(document: &Value, schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                fields(document, document.pointer(reference.trim_start_matches('#')).unwrap(), found);
            }
            if let Some(Value::Object(properties)) = members.get("properties") {
                found.extend(properties.keys().cloned());
            }
            members.values().for_each(|value| fields(document, value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| fields(document, value, found)),
        _ => {}
    }
}

/// Keys of a server's table and of what holds its secrets, as the configuration names them.
fn of_a_server() -> BTreeSet<String> {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    schema["$defs"]["Server"]["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn attack_63_no_operation_takes_a_command_a_url_or_a_secret_of_a_server() {
    let (document, of_a_server) = (document(), of_a_server());
    assert!(["command", "args", "env", "url", "headers"].iter().all(|key| of_a_server.contains(*key)), "{of_a_server:?}");
    let mut looked = 0;
    for (path, kinds) in document["paths"].as_object().unwrap() {
        let mut taken = BTreeSet::new();
        fields(&document, &kinds["post"]["requestBody"], &mut taken);
        looked += taken.len();
        // Whether a client's token may stand in a URL is a yes or a no.
        let is_a_flag = |name: &String| path.ends_with("/create-token") && name == "url";
        let wrong: Vec<_> = taken.iter().filter(|name| of_a_server.contains(*name) && !is_a_flag(name)).collect();
        assert!(wrong.is_empty(), "{path} takes {wrong:?}");
        assert_eq!(taken.contains("passphrase"), path.ends_with("/login"), "{path}");
    }
    assert!(looked > 15, "{looked}");
    assert_eq!(document["components"]["schemas"]["Ordered"]["properties"]["url"]["type"], "boolean");
}
