//! The vectors of the spec, compared with what the code makes of them.
//!
//! Is: the reader of `spec/vectors/*.json`, lists of cases with `in`, `out` and sometimes a `note`. With `UPDATE_VECTORS=1`
//! every `out` is written anew. Is not: where expected values come from; whoever changes one checks it by other means.
//! Clauses: ID-1, ID-2, ID-3, ID-4, CAT-3, CAT-5, AUD-2.

use agent_core::canon::{CanonError, canonical};
use agent_core::definition::Definition;
use agent_core::digest::{Digest, Domain, Hasher};
use agent_core::id::ToolId;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_core::name::{NameKind, judge, skeleton};
use agent_core::safety::{echo, has_hidden, prose, visible};
use agent_core::time::Instant;
use agent_core::transition::{Record, Stream, Transition, Version};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::Path;

fn check(file: &str, run: impl Fn(&Value) -> Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors").join(file);
    let mut cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(cases.len() > 1, "{file} has no cases");
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    for case in &mut cases {
        let made = run(&case["in"]);
        assert!(update || made == case["out"], "{file}: {} gives {made}", case["in"]);
        case["out"] = made;
    }
    if update {
        let lines: Vec<_> = cases.iter().map(|case| format!("  {}", ascii(&case.to_string()))).collect();
        std::fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
}

/// The same JSON without a character that an editor could hide or change.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            ' '..='~' => out.push(character),
            other => out.extend(other.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    out
}

fn text(input: &Value) -> &str {
    input.as_str().unwrap()
}

fn error(error: impl Display) -> Value {
    json!({"error": error.to_string()})
}

#[test]
fn cat_3_canonical_vectors() {
    check("canonical.json", |input| match canonical(text(input), DEFINITION_DEPTH, DEFINITION_NODES) {
        Ok(bytes) => json!({
            "canonical": String::from_utf8(bytes.clone()).unwrap(),
            "digest": Digest::of(Domain::Definition, &bytes),
        }),
        Err(CanonError::Malformed(_)) => error("malformed"),
        Err(other) => error(other),
    });
}

#[test]
fn cat_3_digest_vectors() {
    let domain = |name: &str| match name {
        "definition" => Domain::Definition,
        "catalog" => Domain::Catalog,
        "id" => Domain::Id,
        "question" => Domain::Question,
        "arguments" => Domain::Arguments,
        "record" => Domain::Record,
        "policy" => Domain::Policy,
        "session-key" => Domain::SessionKey,
        "token" => Domain::Token,
        other => panic!("no domain `{other}`"),
    };
    check("digests.json", |input| {
        let mut hasher = Hasher::new(domain(text(&input["domain"])));
        input["parts"].as_array().unwrap().iter().for_each(|part| hasher.add(text(part).as_bytes()));
        let digest = hasher.finish();
        json!({"digest": digest, "short": digest.short(), "base32": digest.base32()})
    });
}

#[test]
fn cat_3_definition_vectors() {
    check("definitions.json", |input| match Definition::parse(text(input)) {
        Ok(made) => json!({"digest": made.digest, "flagged": made.flagged}),
        Err(other) => error(other),
    });
}

#[test]
fn id_1_id_3_id_and_wire_vectors() {
    check("ids.json", |input| match ToolId::parse(text(input)) {
        Ok(id) => json!({"class": id.class(), "server": id.server(), "name": id.name(), "wire": id.wire()}),
        Err(other) => error(other),
    });
}

#[test]
fn id_2_name_vectors() {
    check("names.json", |input| {
        let verdict = match judge(text(input)) {
            Ok(NameKind::Ascii) => json!("ascii"),
            Ok(NameKind::OtherScript) => json!("other script"),
            Err(other) => error(other),
        };
        json!({"verdict": verdict, "skeleton": visible(&skeleton(text(input)))})
    });
}

#[test]
fn cat_5_id_4_safety_vectors() {
    check("safety.json", |input| {
        let input = text(input);
        json!({"hidden": has_hidden(input), "visible": visible(input), "prose_40": prose(input, 40), "echo": echo(input)})
    });
}

#[derive(Deserialize)]
struct Step {
    stream: Stream,
    version: Version,
    at: Instant,
    what: Transition,
}

/// Each case is a chain of its own. `body` is what is hashed after the hash before it.
#[test]
fn aud_2_record_vectors() {
    check("records.json", |input| {
        let mut prev = Record::genesis();
        let mut made = Vec::new();
        for (seq, step) in (1..).zip(serde_json::from_value::<Vec<Step>>(input.clone()).unwrap()) {
            let body = serde_json::to_string(&(seq, &step.stream, step.version, step.at, &step.what)).unwrap();
            let record = Record::link(seq, step.stream, step.version, step.at, step.what, prev);
            assert_eq!(record.hash, Hasher::new(Domain::Record).part(prev.bytes()).part(body.as_bytes()).finish());
            made.push(json!({"prev": prev, "body": body, "hash": record.hash}));
            prev = record.hash;
        }
        Value::Array(made)
    });
}
