//! The conversation, step by step.

use super::super::approve::{hand_in, put, shown, told, waiting};
use super::super::operator::{did, live};
use super::super::tty::{Tty, is_yes};
use super::super::{Exit, Failure, audit};
use super::client::{Answer, Client};
use super::screen::{Screen, Tone};
use super::stage::Stage;
use crate::admin::{Request, Running, Scope};
use agent_core::id::ToolId;
use agent_core::request::Decision;
use agent_core::session::SessionId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Between two looks at whether somebody is to be asked.
const LOOK: Duration = Duration::from_millis(20);

/// Everybody who takes part.
struct Story<'a> {
    stage: &'a Stage,
    screen: Screen,
    client: Client,
    /// None where the person's part is played too.
    tty: Option<Tty>,
    steps: usize,
    /// What one request carries in tool definitions, as listed last.
    listed: usize,
    /// Requests of the model, and bytes that it read in all of them.
    requests: usize,
    read: usize,
}

/// Plays it. A no of the person's ends it sooner, and is no failure.
pub(super) async fn play(stage: &Stage, yes: bool) -> Result<(), Failure> {
    let tty = if yes { None } else { Some(Tty::open_or("`agent-host demo --yes` plays the person's part too")?) };
    let client = Client::start(&stage.program, &stage.serve(), &stage.work()).await?;
    let mut story = Story { stage, screen: Screen::new(), client, tty, steps: 0, listed: 0, requests: 0, read: 0 };
    story.opens();
    story.lists().await?;
    if story.asks_for_the_clock().await? && story.asks_for_a_note().await? {
        story.is_taken_back().await?;
    }
    story.closes().await
}

impl Story<'_> {
    fn opens(&self) {
        self.screen.line("agent-host demo: a model, four servers, and a person who has the say.");
        self.screen.line(&format!(
            "Everything is real but the model, whose words are written down. It lies in {}.",
            self.stage.folder().display()
        ));
    }

    fn step(&mut self, title: &str) {
        self.steps += 1;
        self.screen.step(self.steps, title);
    }

    async fn lists(&mut self) -> Result<(), Failure> {
        self.step("What the model carries in every request");
        let tools = self.lists_again().await?;
        let names: Vec<_> = tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
        let (count, servers) = (self.stage.definitions.len(), self.stage.servers());
        self.screen.says("without", &format!("{count} tools of {servers} servers, {}", tokens(self.stage.bytes())), Tone::Plain);
        self.screen.says("with", &format!("{} tools, {}: {}", tools.len(), tokens(self.listed), names.join(", ")), Tone::Good);
        Ok(())
    }

    async fn lists_again(&mut self) -> Result<Vec<Value>, Failure> {
        let tools = self.client.list().await?;
        self.listed = tools.iter().map(|tool| tool.to_string().len()).sum();
        Ok(tools)
    }

    async fn asks_for_the_clock(&mut self) -> Result<bool, Failure> {
        self.step("The model looks for what it needs");
        self.screen.says("user", "On 1 December I have a call at 09:30 in Berlin. When is that in Tokyo? Keep a note of it.", Tone::Plain);
        self.calls("search_tools", json!({"query": "convert a time to another time zone", "limit": 3})).await?;
        self.step("It can't call what nobody allowed");
        self.calls("clock__convert_time", json!({"time": "2026-12-01T09:30", "from": "Europe/Berlin", "to": "Asia/Tokyo"})).await?;
        self.step("It asks, and a person is asked");
        if !self.activates("mcp:clock/convert_time").await? {
            return Ok(false);
        }
        self.step("Now it can");
        self.calls("clock__convert_time", json!({"time": "2026-12-01T09:30", "from": "Europe/Berlin", "to": "Asia/Tokyo"})).await?;
        Ok(true)
    }

    async fn asks_for_a_note(&mut self) -> Result<bool, Failure> {
        self.step("Another tool is another question");
        self.calls("search_tools", json!({"query": "save a note", "limit": 2})).await?;
        if !self.activates("mcp:notes/add_note").await? {
            return Ok(false);
        }
        let note = json!({"title": "Call", "text": "09:30 in Berlin is 17:30 in Tokyo"});
        self.calls("notes__add_note", note).await?;
        let tools = self.lists_again().await?;
        self.screen.says("client", &format!("lists {} tools now, {}", tools.len(), tokens(self.listed)), Tone::Quiet);
        Ok(true)
    }

    async fn is_taken_back(&mut self) -> Result<(), Failure> {
        self.step("What was allowed is taken back, live");
        let tool = ToolId::parse("mcp:notes/add_note").map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        let session = self.session().await?;
        let before = self.client.changes;
        let asked = Request::Revoke { scope: Scope::Grant { session, tool: tool.clone() }, running: Running::Leave };
        live(&self.stage.state, &asked).await?.map(did).transpose()?;
        self.screen.says("operator", &format!("agent-host revoke {session} {tool}"), Tone::Plain);
        self.calls("notes__add_note", json!({"title": "Another", "text": "one more"})).await?;
        self.calls("clock__convert_time", json!({"time": "2026-12-01T12:00", "from": "UTC", "to": "Asia/Tokyo"})).await?;
        if self.client.changes > before {
            self.screen.says("client", "was told that its list of tools has changed", Tone::Quiet);
        }
        Ok(())
    }

    async fn closes(mut self) -> Result<(), Failure> {
        self.step("Everything is on record");
        self.screen.says("operator", "agent-host audit verify", Tone::Plain);
        self.screen.says("", &audit::verified(&self.stage.state)?, Tone::Good);
        self.client.end().await;
        let (requests, all) = (self.requests, self.requests * self.stage.bytes());
        self.screen.line("");
        self.screen.line(&format!(
            "In {requests} requests the model read {} of tools and answers; the list of all tools alone is {}.",
            tokens(self.read),
            tokens(all)
        ));
        self.screen.line("A token is estimated as four bytes. The folder is gone, and its host with it.");
        self.screen
            .line("Your own servers: `agent-host init` takes over what your clients have; `agent-host add NAME -- COMMAND` adds one.");
        Ok(())
    }

    /// A call of the model's, and what it reads.
    async fn calls(&mut self, name: &str, arguments: Value) -> Result<Answer, Failure> {
        self.screen.says("model", &format!("{name} {arguments}"), Tone::Plain);
        let answer = self.client.call(name, &arguments).await?;
        self.answered(&answer);
        Ok(answer)
    }

    fn answered(&mut self, answer: &Answer) {
        self.requests += 1;
        self.read += self.listed + answer.text.len();
        let (who, tone) = if answer.refused { ("refused", Tone::Bad) } else { ("answer", Tone::Plain) };
        self.screen.says(who, &readable(&answer.text), tone);
    }

    /// Asks for a tool; whether it was allowed. The person answers while the model's call waits.
    async fn activates(&mut self, id: &str) -> Result<bool, Failure> {
        let arguments = json!({"tools": [id]});
        self.screen.says("model", &format!("activate_tools {arguments}"), Tone::Plain);
        let Self { stage, screen, client, tty, .. } = self;
        let mut answer = {
            let mut call = std::pin::pin!(client.call("activate_tools", &arguments));
            let mut person = std::pin::pin!(person(stage, screen, tty.as_mut()));
            tokio::select! {
                asked = &mut person => asked.and(call.await)?,
                answer = &mut call => match answer? {
                    answer if answer.pending() => person.await.map(|()| answer)?,
                    // What was answered without a question has nobody to wait for.
                    answer => answer,
                },
            }
        };
        self.answered(&answer);
        if answer.pending() {
            // Whoever thinks longer than a call waits is not asked again: the same call tells what they said.
            answer = self.calls("activate_tools", arguments).await?;
        }
        Ok(!answer.refused)
    }

    async fn session(&self) -> Result<SessionId, Failure> {
        match live(&self.stage.state, &Request::Sessions {}).await? {
            Some(crate::admin::Response::Sessions { sessions, .. }) if sessions.len() == 1 => {
                sessions.first().map(|session| session.asker.session).ok_or_else(|| Failure::new(Exit::Failed, "no session"))
            }
            _ => Err(Failure::new(Exit::Failed, "the demo's session is not there")),
        }
    }
}

/// The person is shown what `agent-host approve` shows, and answers.
async fn person(stage: &Stage, screen: &Screen, tty: Option<&mut Tty>) -> Result<(), Failure> {
    let (question, boundary) = loop {
        if let Some((mut waiting, boundary)) = waiting((&stage.state).into()).await?
            && let Some(question) = waiting.pop()
        {
            break (question, boundary);
        }
        tokio::time::sleep(LOOK).await;
    };
    screen.says("person", &shown(&question, boundary), Tone::Plain);
    if let Some(tty) = tty.as_deref().filter(|_| !screen.is_seen()) {
        tty.say(&shown(&question, boundary))?;
    }
    let yes = match tty {
        None => {
            screen.says("", "approve? [y/N] y   (`--yes`: nobody was asked)", Tone::Plain);
            true
        }
        Some(tty) => put(tty, (&stage.state).into(), &question, "           approve? [y/N] ").await?.is_some_and(|line| is_yes(&line)),
    };
    let decision = if yes { Decision::Approve } else { Decision::Deny };
    told(&question, hand_in((&stage.state).into(), &question, decision, None).await?).map(drop)
}

/// What a builtin answers, as far as it is shown.
#[derive(Deserialize)]
struct Found {
    /// There where tools were activated.
    active: Option<Value>,
    tools: Vec<Tool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tool {
    id: String,
    name: String,
    signature: String,
    summary: String,
}

/// An answer as a person reads it: a builtin's JSON as lines, everything else as it is.
fn readable(text: &str) -> String {
    let Ok(found) = serde_json::from_str::<Found>(text) else { return text.to_owned() };
    let active = |tool: &Tool| format!("active: {}, called {}", tool.id, tool.name);
    let hit = |tool: &Tool| format!("{}  {}  {}", tool.id, tool.signature, tool.summary);
    let lines: Vec<_> = found.tools.iter().map(|tool| if found.active.is_some() { active(tool) } else { hit(tool) }).collect();
    if lines.is_empty() { text.to_owned() } else { lines.join("\n") }
}

/// About how many tokens so many bytes are.
fn tokens(bytes: usize) -> String {
    let count = (bytes / 4).to_string();
    let groups: Vec<_> = count.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("about {} tokens", groups.join(","))
}
