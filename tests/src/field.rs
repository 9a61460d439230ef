//! Definitions as servers in the field send them, from their listing to a call and back.
//!
//! Is: the reader of `tests/data/definitions.jsonl`, and of every file that `AGENT_FIELD_DEFINITIONS` names (parted as in
//! `PATH`); each case is served or quarantined as it says, and what is served is searched, listed, asked for and called. Clauses:
//! CAT-4 (field), UP-4, ID-3, SAFE-1.

mod case;

use crate::world::{answer, code, object};
use agent_core::digest::{Digest, Domain};
use agent_core::id::{Alias, SourceClass};
use agent_core::limits::QUERY_BYTES;
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::{Decision, Strength};
use agent_core::session::PrincipalId;
use agent_engine::builtins::Reply;
use agent_engine::catalog::{Snapshot, Source, Tool, assemble, notes};
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::session::Cell;
use agent_engine::shape::mcp::{result, tools};
use agent_engine::testing::{Length, ManualClock, SeededEntropy, StaticHost, sources};
use case::{Case, Fate, read};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Other tools beside those of a case.
const OTHERS: usize = 40;

type Sent = Arc<Mutex<Vec<(String, Value)>>>;

struct Stage {
    front: Front,
    desk: Desk,
    cell: Arc<Cell>,
    snapshot: Snapshot,
    /// The calls that arrived, by id.
    sent: Sent,
}

async fn stage(case: &Case) -> Stage {
    let source = |(alias, tools): &(String, Vec<Value>)| Source {
        definitions: tools.iter().map(Value::to_string).collect(),
        ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap())
    };
    let mut all: Vec<Source> = case.servers.iter().map(source).collect();
    let alone = assemble(&all).digest();
    all.reverse();
    assert_eq!(assemble(&all).digest(), alone, "{}: no name depends on the order of servers", case.id);
    all.extend(sources(OTHERS, Length::Usual));
    let snapshot = assemble(&all);
    let answer = case.result.clone().unwrap_or_else(|| json!({"content": [{"type": "text", "text": "well"}]}));
    let answer = ToolResult {
        content: answer["content"].as_array().cloned().unwrap_or_default(),
        structured: answer.get("structuredContent").cloned(),
    };
    let sent = Sent::default();
    let mut host = StaticHost::default();
    for tool in snapshot.tools() {
        let (sent, answer, id) = (sent.clone(), answer.clone(), tool.descriptor.id.to_string());
        host = host.with(tool.descriptor.id.clone(), None, move |arguments| {
            sent.lock().push((id.clone(), arguments.into()));
            Outcome::Ok(answer.clone())
        });
    }
    let mut parts =
        Parts::new(Arc::new(MemoryLedger::default()), Arc::new(host), Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    parts.policy = Policy::of(Verdict::Prompt);
    let (front, desk) = build(parts).await.unwrap();
    desk.publish(snapshot.clone()).await;
    let cell = front.open(PrincipalId::parse("ada").unwrap(), None, false).await.unwrap().session;
    Stage { front, desk, cell, snapshot, sent }
}

impl Stage {
    async fn call(&self, name: &str, arguments: Value) -> Reply {
        self.front.call(&self.cell, name, object(arguments)).await
    }

    /// Whether a search has this tool on its first page.
    async fn finds(&self, query: &str, id: &str, server: Option<&str>) -> bool {
        let mut arguments = json!({"query": query, "limit": 16});
        if let Some(server) = server {
            arguments["server"] = server.into();
        }
        let Reply::Done { text, .. } = self.call("search_tools", arguments).await else { return false };
        let found: Value = serde_json::from_str(&text).unwrap();
        found["tools"].as_array().unwrap().iter().any(|tool| tool["id"] == id)
    }
}

async fn check(case: &Case) {
    let stage = stage(case).await;
    for (alias, listed) in &case.servers {
        for raw in listed {
            let name = raw["name"].as_str().unwrap_or("(no name)");
            let served = stage.snapshot.get(&format!("mcp:{alias}/{name}"));
            match (case.fate(name), served) {
                (Fate::Served(noted), Some(tool)) => {
                    let notes = notes(&tool.definition);
                    assert!(!noted || !notes.is_empty(), "{}: `{name}` is served without a note", case.id);
                    served_well(case, &stage, raw, tool).await;
                }
                (Fate::Quarantined(words), None) => {
                    let mut quarantined = stage.snapshot.quarantined().iter();
                    let kept = quarantined.find(|one| one.server.as_str() == alias && one.name == agent_core::safety::echo(name)).unwrap();
                    let why = kept.reason.to_string();
                    let says = words.is_empty() || words.iter().any(|word| why.contains(word.as_str()));
                    assert!(!why.is_empty() && says, "{}: `{name}`: {why}", case.id);
                }
                (fate, served) => panic!(
                    "{}: `{name}`: {fate:?} is expected; served: {}; quarantined: {:?}",
                    case.id,
                    served.is_some(),
                    stage.snapshot.quarantined()
                ),
            }
        }
    }
    strictly_listed(&case.id, &tools(&stage.front.surface(&stage.cell)));
}

/// What holds of every tool that is served.
async fn served_well(case: &Case, stage: &Stage, raw: &Value, tool: &Arc<Tool>) {
    let (what, id, wire) = (&case.id, tool.descriptor.id.as_str(), tool.descriptor.wire.as_str());
    let canonical = agent_core::canon::canonical(&raw.to_string(), 32, 8192).unwrap();
    assert_eq!(tool.definition.digest, Digest::of(Domain::Definition, &canonical), "{what}: the digest is of what was sent");
    let server = tool.descriptor.id.server();
    for query in [id, wire, tool.descriptor.id.name()] {
        assert!(stage.finds(query, id, None).await, "{what}: `{query}` does not find `{id}`");
    }
    let beside = format!("{server} {}", tool.descriptor.id.name());
    assert!(stage.finds(&beside, id, Some(server.as_str())).await, "{what}: `{beside}` does not find `{id}`");
    // A word of three letters may be one that no search looks for.
    for words in tool.definition.parameters.iter().flat_map(|one| &one.inner).filter(|words| (4..=QUERY_BYTES).contains(&words.len())) {
        assert!(stage.finds(words, id, Some(server.as_str())).await, "{what}: `{words}` in a parameter does not find `{id}`");
    }
    // No annotation spares the question.
    let asked = stage.call("activate_tools", json!({"tools": [id]})).await;
    let Reply::Waiting(question) = asked else { panic!("{what}: nobody was asked of `{id}`: {asked:?}") };
    assert_eq!(question.what[0].bound, tool.bound());
    stage.desk.answer(question.asker.session, question.id, answer(&question, Decision::Approve, Strength::Strong)).await;
    for arguments in [sample(&raw["inputSchema"], &raw["inputSchema"], 6), json!({})] {
        let arguments = if arguments.is_object() { arguments } else { json!({}) };
        for (name, sent) in [(wire, arguments.clone()), ("call_tool", json!({"id": id, "arguments": arguments}))] {
            stage.sent.lock().clear();
            let reply = stage.call(name, sent).await;
            if code(&reply) == "schema" {
                continue;
            }
            assert_eq!(*stage.sent.lock(), [(id.to_owned(), arguments.clone())], "{what}: {reply:?}");
            let answered = result(&reply, "");
            assert_eq!(answered["isError"], false, "{what}: {answered}");
            if let Some(result) = &case.result {
                assert_eq!(
                    (&answered["content"], answered.get("structuredContent")),
                    (&result["content"], result.get("structuredContent"))
                );
            }
        }
    }
    let shown = tools(&stage.front.surface(&stage.cell)).into_iter().find(|shown| shown["name"] == wire).unwrap();
    for kept in ["$defs", "definitions", "allOf", "anyOf", "oneOf"] {
        assert_eq!(shown["inputSchema"].get(kept), raw["inputSchema"].get(kept), "{what}: `{kept}` changed on its way");
    }
}

/// As MCP's TypeScript SDK and the providers read a list: one tool that they can't read costs them all.
fn strictly_listed(what: &str, listed: &[Value]) {
    let mut names = std::collections::BTreeSet::new();
    for tool in listed {
        let name = tool["name"].as_str().unwrap();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        assert!((1..=64).contains(&name.len()) && name.bytes().all(plain), "{what}: {name}");
        assert!(names.insert(name), "{what}: {name} is listed twice");
        assert!(tool["description"].is_string() && tool.get("outputSchema").is_none(), "{what}: {tool}");
        let schema = tool["inputSchema"].as_object().unwrap();
        assert_eq!(schema["type"], "object", "{what}: {tool}");
        assert!(schema.get("properties").is_none_or(|all| all.as_object().unwrap().values().all(Value::is_object)), "{what}: {tool}");
        assert!(schema.get("required").is_none_or(|all| all.as_array().unwrap().iter().all(Value::is_string)), "{what}: {tool}");
    }
}

/// A value that a schema probably allows, with every property.
fn sample(schema: &Value, root: &Value, depth: usize) -> Value {
    let next = |schema: &Value| if depth == 0 { Value::Null } else { sample(schema, root, depth - 1) };
    if let Some(target) = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        return root.pointer(target).map(next).unwrap_or_default();
    }
    let either = ["anyOf", "oneOf"].into_iter().find_map(|key| schema[key].get(0));
    let first = schema["enum"].get(0).or(schema.get("const"));
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0)?.as_str());
    match (first, either, kind) {
        (Some(value), ..) => value.clone(),
        (_, Some(schema), _) => next(schema),
        (.., Some("object")) => {
            let none = Map::new();
            let properties = schema["properties"].as_object().unwrap_or(&none);
            properties.iter().map(|(name, schema)| (name.clone(), next(schema))).collect::<Map<_, _>>().into()
        }
        (.., Some("array")) => match &schema["items"] {
            Value::Array(items) => items.iter().map(next).collect(),
            Value::Object(_) => json!([next(&schema["items"])]),
            _ => json!([]),
        },
        (.., Some("integer" | "number")) => json!(schema["minimum"].as_i64().unwrap_or_default() + 1),
        (.., Some("boolean")) => json!(true),
        (.., Some("null")) => Value::Null,
        _ => json!("x"),
    }
}

#[tokio::test]
async fn cat_4_field_each_definition_is_served_or_quarantined_as_it_says() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/definitions.jsonl");
    let others = std::env::var_os("AGENT_FIELD_DEFINITIONS").unwrap_or_default();
    for file in std::iter::once(own).chain(std::env::split_paths(&others)).filter(|file| !file.as_os_str().is_empty()) {
        let cases = read(&std::fs::read_to_string(&file).unwrap());
        assert!(!cases.is_empty(), "{} has no cases", file.display());
        for case in &cases {
            check(case).await;
        }
    }
}
