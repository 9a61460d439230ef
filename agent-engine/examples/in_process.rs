//! The main job without a wire: a scripted model, a scripted person, a toolbox of Rust functions.
//!
//! Run it with `cargo run -p agent-engine --example in_process`.

use agent_core::effect::{Declared, Effect};
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::Decision;
use agent_core::session::PrincipalId;
use agent_core::time::{Clock, Entropy, Instant};
use agent_engine::builtins::Reply;
use agent_engine::catalog::{Source, assemble};
use agent_engine::engine::{Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::revocation::Scope;
use agent_engine::shape::mcp;
use agent_engine::testing::{Script, StaticHost};
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::error::Error;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An example's clock; a real host reads the boot clock too.
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Instant {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        Instant { wall, boot: wall, boot_id: 1 }
    }
}

/// An example's randomness; a real host asks the operating system.
struct StdEntropy;

impl Entropy for StdEntropy {
    fn bits(&self) -> u128 {
        let half = || u128::from(RandomState::new().build_hasher().finish());
        half() << 64 | half()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let ledger = Arc::new(MemoryLedger::default());
    let words = ToolId::parse("native:text/count_words")?;
    let upper = ToolId::parse("native:text/upper_case")?;
    let host = StaticHost::default()
        .with(words, None, |arguments| text_tool(&arguments, |text| text.split_whitespace().count().to_string()))
        .with(upper.clone(), None, |arguments| text_tool(&arguments, str::to_uppercase));
    let mut parts = Parts::new(ledger.clone(), Arc::new(host), Arc::new(WallClock), Arc::new(StdEntropy));
    parts.policy = Policy::of(Verdict::Prompt);
    let (front, desk) = build(parts).await?;
    desk.publish(assemble(&[toolbox()?])).await;
    let person = Script::new("Ada", [Decision::Approve]);

    let opened = front.open(PrincipalId::parse("local:example")?, None, false).await?;
    let session = opened.session;
    let say = |who: &str, what: &str| println!("{who:>7}  {what}");
    let list = || front.surface(&session).tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    say("host", &format!("lists 5 builtins and {:?}", list()));

    let found = front.call(&session, "search_tools", object(json!({"query": "make text upper case"}))?).await;
    say("model", "search_tools \"make text upper case\"");
    say("host", &told(&found));

    say("model", &format!("activate_tools {upper}"));
    let asked = front.call(&session, "activate_tools", object(json!({"tools": [upper]}))?).await;
    let Reply::Waiting(question) = asked else { return Err(format!("expected a question, got {asked:?}").into()) };
    say("host", &format!("asks a person: {} ({}), request {}", upper, question.what.len(), question.id));
    person.sit(&desk).await;
    say("person", "yes");
    say("host", &told(&front.wait(&session, &question, Duration::from_secs(1)).await));
    say("host", &format!("lists {:?}", list()));

    let name = upper.wire();
    let called = front.call(&session, name.as_str(), object(json!({"text": "it works"}))?).await;
    say("model", &format!("{name} \"it works\""));
    say("tool", &told(&called));

    let scope = Scope::Grant(session.asker().session, upper);
    let revoked = desk.revoke(&scope, "Ada", false).await;
    say("person", &format!("revokes: {:?}", revoked.iter().map(|one| &one.narrowed.removed).collect::<Vec<_>>()));
    let refused = front.call(&session, name.as_str(), object(json!({"text": "again"}))?).await;
    say("host", &told(&refused));
    if !matches!(refused, Reply::Refused { .. }) {
        return Err("a revoked tool was called".into());
    }

    let records = ledger.records();
    let mut head = (0, agent_core::transition::Record::genesis());
    for record in &records {
        if !record.follows(head.0, &head.1) {
            return Err(format!("record {} does not follow the one before it", record.seq).into());
        }
        head = (record.seq, record.hash);
    }
    say("audit", &format!("{} records, chain whole, head {}", records.len(), head.1.short()));
    Ok(())
}

fn toolbox() -> Result<Source, Box<dyn Error>> {
    let tool = |name: &str, does: &str| {
        let input = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        json!({"name": name, "description": does, "inputSchema": input}).to_string()
    };
    Ok(Source {
        declared: Declared { effect: Some(Effect::ReadOnly), capabilities: Some([].into()), ..Declared::default() },
        definitions: vec![tool("count_words", "Count the words of a text."), tool("upper_case", "Put a text in upper case.")],
        ..Source::new(SourceClass::Native, Alias::parse("text")?)
    })
}

fn text_tool(arguments: &serde_json::Map<String, Value>, run: impl Fn(&str) -> String) -> Outcome {
    let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
    Outcome::Ok(ToolResult::text(run(text)))
}

fn object(value: Value) -> Result<serde_json::Map<String, Value>, Box<dyn Error>> {
    value.as_object().cloned().ok_or_else(|| "not an object".into())
}

/// A reply as the model reads it.
fn told(reply: &Reply) -> String {
    let result = mcp::result(reply, "Ask Ada.");
    let content = result.get("content").and_then(Value::as_array);
    let texts = content.into_iter().flatten().filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join(" ")
}
