//! The client's end against rmcp's own client, over a pipe in memory.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod answers;
mod bounds;
mod links;
mod modern;
mod raw;
mod taken;
mod tasks;
mod whole;

use super::*;
use crate::question::text;
use crate::upstream::Upstreams;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::Decider;
use agent_core::session::PrincipalId;
use agent_engine::catalog::{Source, assemble};
use agent_engine::engine::{Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Policy, Rule, Verdict};
use agent_engine::projection::Terms;
use agent_engine::projection::text::instructions;
use agent_engine::revocation::Scope;
use agent_engine::testing::{ManualClock, SeededEntropy, StaticHost};
use parking_lot::Mutex;
use rmcp::ClientHandler;
use rmcp::model::{CallToolRequest, ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams, ElicitResult, ElicitationAction};
use rmcp::model::{Implementation, ProgressNotificationParam, ServerResult};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestHandle, RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::sync::Notify;

const NOW: &str = "mcp:time/now";

/// What the person does with a form.
#[derive(Clone)]
enum Does {
    /// Answers it.
    Says(ElicitationAction, Option<Value>),
    /// Answers once told to.
    Later(Arc<Notify>),
    /// The client fails.
    Fails,
}

#[derive(Clone)]
struct Person {
    does: Option<Does>,
    /// Whether it opens links, too.
    links: bool,
    log: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let modes = if self.links { json!({"form": {}, "url": {}}) } else { json!({}) };
        capabilities.elicitation = self.does.as_ref().and_then(|_| serde_json::from_value(modes).ok());
        ClientConfig::new(capabilities, Implementation::new("demo", "1"))
    }

    async fn create_elicitation(&self, asked: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        self.log.lock().push(match asked {
            ElicitRequestParams::FormElicitationParams { message, .. } => message,
            ElicitRequestParams::UrlElicitationParams { url, .. } => url,
            _ => unreachable!(),
        });
        match self.does.clone().unwrap() {
            Does::Says(action, content) => {
                let mut result = ElicitResult::new(action);
                result.content = content;
                Ok(result)
            }
            Does::Later(told) => {
                told.notified().await;
                Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"approve": true})))
            }
            Does::Fails => Err(ErrorData::internal_error("no window", None)),
        }
    }

    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let token = serde_json::to_string(&step.progress_token).unwrap();
        self.log.lock().push(format!("{token} {} of {:?}: {}", step.progress, step.total, step.message.unwrap_or_default()));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.log.lock().push("list changed".to_owned());
    }
}

struct Stage {
    client: RunningService<RoleClient, Person>,
    desk: Desk,
    session: Arc<Cell>,
    log: Arc<Mutex<Vec<String>>>,
}

/// No tasks, and a place for some.
fn tasks() -> Arc<Tasks> {
    Arc::new(Tasks::new(Arc::new(SeededEntropy::new(3)), Arc::new(ManualClock::default())))
}

/// A host of one tool, and a connection to it for a session of its own.
async fn host(policy: Policy, wait: Duration) -> Connection {
    host_at(policy, wait, Arc::default()).await
}

async fn host_at(policy: Policy, wait: Duration, clock: Arc<ManualClock>) -> Connection {
    let now = ToolId::parse(NOW).unwrap();
    let tools = StaticHost::default().with(now, None, |_| Outcome::Ok(ToolResult::text("noon")));
    let ledger = Arc::new(MemoryLedger::default());
    let mut parts = Parts::new(ledger, Arc::new(tools), clock, Arc::new(SeededEntropy::new(1)));
    parts.policy = policy;
    let (front, desk) = build(parts).await.unwrap();
    let source = Source {
        definitions: vec![json!({"name": "now", "description": "says\u{202e} noon", "inputSchema": {"type": "object"}}).to_string()],
        ..Source::new(SourceClass::Mcp, Alias::parse("time").unwrap())
    };
    desk.publish(assemble(&[source])).await;
    connection(front, desk, wait).await
}

/// A connection to a host, for a session of its own.
async fn connection(front: Front, desk: Desk, wait: Duration) -> Connection {
    let session = front.open(PrincipalId::parse("local:7").unwrap(), None, false).await.unwrap().session;
    let (states, boundary) = (Arc::new(States::new(Arc::new(SeededEntropy::new(2)))), Boundary::SameUser);
    Connection {
        front,
        desk,
        session,
        way: Way::Process(None),
        surface: None,
        states,
        tasks: tasks(),
        boundary,
        pages: None,
        wait,
        upstreams: None,
    }
}

async fn stage(policy: Policy, does: Option<Does>, wait: Duration) -> Stage {
    stage_of(host(policy, wait).await, does, false).await
}

async fn stage_of(connection: Connection, does: Option<Does>, links: bool) -> Stage {
    let (desk, session) = (connection.desk.clone(), connection.session.clone());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(connection, tokio::io::split(ours)));
    let log = Arc::new(Mutex::new(Vec::new()));
    let client = Person { does, links, log: log.clone() }.serve(theirs).await.unwrap();
    Stage { client, desk, session, log }
}

impl Stage {
    async fn call(&self, name: &'static str, arguments: Value) -> (bool, String) {
        let Value::Object(arguments) = arguments else { unreachable!() };
        let result = self.client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await.unwrap();
        let text = serde_json::to_value(&result.content[0]).unwrap()["text"].as_str().unwrap().to_owned();
        (result.is_error.unwrap_or(false), text)
    }

    async fn activate(&self) -> (bool, String) {
        self.call("activate_tools", json!({"tools": [NOW]})).await
    }

    async fn names(&self) -> Vec<String> {
        let listed = self.client.list_tools(None).await.unwrap();
        listed.tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    async fn holds(&self, wanted: bool) {
        for _ in 0..500 {
            if self.session.state().active.is_empty() != wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_ne!(self.session.state().active.is_empty(), wanted);
    }

    fn notices(&self) -> usize {
        self.log.lock().iter().filter(|line| *line == "list changed").count()
    }
}

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(50);

fn says(action: ElicitationAction, content: Option<Value>) -> Option<Does> {
    Some(Does::Says(action, content))
}

#[tokio::test]
async fn blt_4_the_first_list_is_the_builtins_with_instructions() {
    let stage = stage(Policy::of(Verdict::Prompt), None, SHORT).await;
    let info = stage.client.peer_info().unwrap();
    assert_eq!(info.protocol_version, ProtocolVersion::V_2025_11_25);
    assert_eq!(info.instructions.as_deref(), Some(instructions(&Terms::default())));
    assert_eq!(stage.names().await, ["search_tools", "activate_tools", "call_tool", "deactivate_tools", "tool_details"]);
    assert_eq!(stage.session.client().as_deref(), Some("demo"), "what it calls itself is kept, for people");
}

#[tokio::test]
async fn auth_3_only_an_explicit_yes_is_a_yes() {
    use ElicitationAction::{Accept, Cancel, Decline};
    let yes = says(Accept, Some(json!({"approve": true})));
    let stage_of = |does| stage(Policy::of(Verdict::Prompt), does, LONG);
    let done = stage_of(yes).await;
    let (failed, text) = done.activate().await;
    assert!(!failed && text.contains("time__now"), "{text}");
    assert!(done.names().await.contains(&"time__now".to_owned()));
    let state = done.session.state();
    let Decider::Person { name, channel, strength } = &state.active[0].grant.by else { unreachable!() };
    assert_eq!(
        (name.as_str(), *channel, *strength),
        ("the user of `demo`", agent_core::request::Channel::Elicitation, agent_core::request::Strength::Weak)
    );

    let no = [says(Decline, None), says(Accept, Some(json!({"approve": false})))];
    for does in no {
        let denied = stage_of(does).await;
        assert!(denied.activate().await.1.contains("a person said no"));
        assert!(denied.activate().await.1.contains("a person said no") && denied.log.lock().len() == 1, "they are not asked again");
    }
    let nothing = [
        says(Cancel, None),
        says(Accept, None),
        says(Accept, Some(json!({"approve": "true"}))),
        says(Accept, Some(json!({"approve": 1}))),
        says(Accept, Some(json!({"ok": true}))),
        says(Accept, Some(json!({"approve": true, "note": "go on"}))),
        Some(Does::Fails),
    ];
    for does in nothing {
        let dismissed = stage_of(does).await;
        assert!(dismissed.activate().await.1.contains("ended without a yes"));
        assert!(dismissed.session.state().active.is_empty() && dismissed.session.state().denied.is_empty());
        assert!(dismissed.activate().await.0 && dismissed.log.lock().len() == 2, "a dismissal is not remembered");
    }
}

#[tokio::test]
async fn act_6_the_notice_comes_before_the_answer_and_after_a_revoke() {
    let stage = stage(Policy::of(Verdict::Auto), None, SHORT).await;
    assert!(!stage.activate().await.0);
    tokio::task::yield_now().await;
    assert_eq!(stage.notices(), 1);
    assert_eq!(stage.call("time__now", json!({})).await, (false, "noon".to_owned()));
    assert_eq!(stage.call("call_tool", json!({"id": NOW, "arguments": {}})).await, (false, "noon".to_owned()));
    let scope = Scope::Grant(stage.session.asker().session, ToolId::parse(NOW).unwrap());
    stage.desk.revoke(&scope, "Ada", false).await;
    let (failed, text) = stage.call("time__now", json!({})).await;
    assert!(failed && text.contains("revoked"), "{text}");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(stage.notices(), 2);
    assert_eq!(stage.names().await.len(), 5);
}

#[tokio::test]
async fn gate_2_an_unknown_name_is_answered_by_the_engine() {
    let stage = stage(Policy::of(Verdict::Auto), None, SHORT).await;
    let (failed, text) = stage.call("time__now", json!({})).await;
    assert!(failed && text.starts_with("not active in this session"));
    assert_eq!(stage.call("no such thing", json!({})).await, (true, text));
}

#[tokio::test]
async fn auth_5_a_late_yes_counts_and_is_told() {
    let told = Arc::new(Notify::new());
    let stage = stage(Policy::of(Verdict::Prompt), Some(Does::Later(told.clone())), SHORT).await;
    for _ in 0..2 {
        let (failed, text) = stage.activate().await;
        assert!(
            !failed && text.starts_with("pending") && text.contains("open in the client") && text.contains("`agent-host approve"),
            "{text}"
        );
    }
    assert_eq!(stage.log.lock().len(), 1, "the same question is not shown twice");
    told.notify_one();
    stage.holds(true).await;
    assert!(!stage.activate().await.0);
    assert_eq!(stage.notices(), 1);
}

#[tokio::test]
async fn auth_5_a_call_given_up_takes_its_question_back() {
    let told = Arc::new(Notify::new());
    let stage = stage(Policy::of(Verdict::Prompt), Some(Does::Later(told.clone())), LONG).await;
    let arguments = json!({"tools": [NOW]}).as_object().cloned().unwrap();
    let call = stage.client.call_tool(CallToolRequestParams::new("activate_tools").with_arguments(arguments));
    assert!(tokio::time::timeout(SHORT, call).await.is_err());
    for _ in 0..500 {
        if stage.session.state().waiting.is_none() && !stage.session.state().settled.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(stage.session.state().waiting.is_none());
    told.notify_one();
    tokio::time::sleep(SHORT).await;
    assert!(stage.session.state().active.is_empty(), "an answer to a question that was taken back counts for nothing");
}

#[tokio::test]
async fn auth_5_without_a_channel_it_is_pending() {
    let none = stage(Policy::of(Verdict::Prompt), None, SHORT).await;
    let asked = std::time::Instant::now();
    let (failed, text) = none.activate().await;
    assert!(asked.elapsed() >= SHORT, "somebody may watch from a terminal");
    let request = none.session.state().waiting.as_ref().unwrap().id;
    assert!(!failed && text.contains("pending") && text.contains(&format!("`agent-host approve {request}`")), "{text}");
    let yes = says(ElicitationAction::Accept, Some(json!({"approve": true})));
    let strong: Rule = serde_json::from_value(json!({"decision": "prompt", "strength": "strong"})).unwrap();
    let strong = stage(Policy { rules: vec![strong], ..Policy::of(Verdict::Deny) }, yes, SHORT).await;
    assert!(strong.activate().await.1.contains("--strong` in a terminal") && strong.log.lock().is_empty());
}

#[tokio::test]
async fn auth_2_the_form_says_what_and_whose() {
    let stage = stage(Policy::of(Verdict::Prompt), None, SHORT).await;
    stage.activate().await;
    let question = stage.session.state().waiting.clone().unwrap();
    let expect = format!(
        "agent-host: allow 1 tool for this session?\n\n\
         mcp:time/now\n  server `time`; destructive; untrusted_input, external_send\n  definition {}, never accepted before\n  \
         look twice: it holds hidden characters or letters of another script\n  \
         the server says of it (not checked): \"says\\u{{202e}} noon\"\n\n\
         A yes covers these exact definitions for this session until it ends, at most 12 hours, acting as `local:7`. Session {}, request {}.\n\
         Boundary: same user: advisory only.",
        question.what[0].bound.digest.short(),
        question.asker.session,
        question.id
    );
    assert_eq!(text(&question, Boundary::SameUser), expect);
}
