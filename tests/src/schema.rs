//! The schema of `agent-host.toml`, compared with the types that read it and with files that people could write.
//!
//! Is: `UPDATE_SCHEMAS=1` writes it anew. Is not: a promise that what passes the schema is taken: the reader checks more.
//! Clauses: POL-1, UP-2 (operator's files).

use agent_host::config::{Config, SCHEMA, generate};
use serde_json::Value;
use std::path::Path;

const EXAMPLE: &str = include_str!("../../agent-host/agent-host.example.toml");

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn json(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

#[test]
fn up_2_the_schema_is_what_the_types_give() {
    let made = format!("{}\n", serde_json::to_string_pretty(&generate()).unwrap());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/schemas/agent-host.schema.json");
        std::fs::write(path, &made).unwrap();
    } else {
        assert_eq!(made, SCHEMA, "the types have changed: run this test with UPDATE_SCHEMAS=1, and read the difference");
    }
}

#[test]
fn up_2_every_key_is_described_and_stands_in_the_example() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let tables = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let mut keys = 0;
    for (key, described) in tables.filter_map(|table| table["properties"].as_object()).flatten() {
        keys += 1;
        assert!(described["description"].as_str().is_some_and(|text| text.len() > 8), "{key}: {described}");
        let words = EXAMPLE.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        assert!(words.into_iter().any(|word| word == key), "`{key}` is not in the example");
    }
    assert!(keys > 40, "{keys} keys");
}

#[test]
fn pol_1_the_example_passes_the_schema() {
    validator().validate(&json(EXAMPLE)).unwrap();
    validator().validate(&json("")).unwrap();
    assert!(EXAMPLE.starts_with("#:schema "), "editors find the schema by the first line");
}

/// Refused by the reader, and by the schema where it can say so: it knows one value, not what another says.
#[test]
fn pol_1_broken_files_fail_both() {
    let validator = validator();
    for (by_schema, text) in [
        (true, "activate = \"auto\""),
        (true, "activation = \"hide\""),
        (true, "activation = 1"),
        (true, "profile = \"\""),
        (true, "[approval]\nwait = \"soon\""),
        (true, "[approval]\nwait = \"0s\""),
        (true, "[approval]\nwait = 25"),
        (true, "[approval]\nnotify = \"yes\""),
        (true, "[records]\nstart = \"never\""),
        (true, "[catalog]\ntools = 0"),
        (true, "[catalog]\ntools = 1000001"),
        (true, "[[rule]]\ntools = [\"*\"]"),
        (true, "[[rule]]\ndecision = \"always\""),
        (true, "[[rule]]\ntools = [\"time/*\"]\ndecision = \"auto\""),
        (true, "[[rule]]\neffect = \"readonly\"\ndecision = \"auto\""),
        (true, "[[rule]]\nmax_calls = 0\ndecision = \"auto\""),
        (true, "[[rule]]\ncapabilities = [\"send\"]\ndecision = \"auto\""),
        (true, "[profiles.p]\npresets = [\"time/now\"]"),
        (true, "[profiles.p]\ntool = []"),
        (true, "[profiles.\"\"]"),
        (true, "[servers.time]"),
        (true, "[servers.time]\ncommand = \"\""),
        (true, "[servers.time]\ncommand = \"x\"\nshell = true"),
        (true, "[servers.time]\ncommand = \"x\"\nera = \"new\""),
        (true, "[servers.time]\ncommand = \"x\"\nidle = \"1d\""),
        (true, "[servers.time]\ncommand = \"x\"\nenv = { A = 1 }"),
        (true, "[servers.time]\ncommand = \"x\"\nenv = { A = { env = \"B\", file = \"c\" } }"),
        (true, "[servers.time]\ncommand = \"x\"\nargs = \"y\""),
        (true, "[servers]\ntime = [\"x\"]"),
        (true, "[servers.time]\ncommand = \"x\"\nenv = { A = [\"B\"] }"),
        (true, "approval = [\"5s\"]"),
        (true, "rule = [[\"*\"]]"),
        (true, "rule = [{ decision = [\"auto\"] }]"),
        (true, "[servers.Time]\ncommand = \"x\""),
        (true, "[servers.native]\ncommand = \"x\""),
        (true, "[profiles.p]\npresets = [\"mcp:a/b\"]\n[names]\n\"mcp:a/b\" = \"search_tools\""),
        (true, "[profiles.p]\npresets = [\"mcp:a/b\"]\n[names]\n\"mcp:a/b\" = \"1\""),
        (true, "oauth = [\"x\"]"),
        (true, "[oauth]\nissuer = \"https://a.b\"\nprofile = \"p\""),
        (true, "[oauth]\nissuer = \"https://a.b\"\nresource = \"ftp://a.b\"\nprofile = \"p\"\n[profiles.p]"),
        (true, "[oauth]\nissuer = \"https://a.b\"\nresource = \"https://a.b\"\nalgorithms = [\"HS256\"]\nprofile = \"p\"\n[profiles.p]"),
        (false, "[oauth]\nissuer = \"http://a.b\"\nresource = \"https://a.b\"\nprofile = \"p\"\n[profiles.p]"),
        (false, "[oauth]\nissuer = \"https://a.b\"\nresource = \"https://a.b\"\n[profiles.p]"),
        (false, "profile = \"nope\""),
        (false, "[[rule]]\nserver = \"nope\"\ndecision = \"auto\""),
        (false, "[[rule]]\ndecision = \"deny\"\nstrength = \"strong\""),
        (false, "[approval]\nwait = \"26s\""),
        (false, "[servers.time]\ncommand = \"x\"\nlogin = \" \""),
        (false, "[servers.time]\ncommand = \"x\"\nenv = { \"A=B\" = \"c\" }"),
        (false, "[names]\n\"mcp:a/b\" = \"x\""),
    ] {
        let error = Config::parse(Path::new("/demo/agent-host.toml"), text).expect_err(text).to_string();
        assert!(error.contains("\nhint: ") && !error.contains("Variable") && !error.contains("Config"), "{error}");
        assert_eq!(validator.validate(&json(text)).is_err(), by_schema, "{text}");
    }
}
