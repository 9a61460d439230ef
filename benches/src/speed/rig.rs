//! An engine with a catalog, ten rules and one session.

use agent_core::id::{Alias, ToolId};
use agent_core::limits::TOOLS_TOTAL_MOST;
use agent_core::session::PrincipalId;
use agent_engine::builtins::Reply;
use agent_engine::call::ToolHost;
use agent_engine::catalog::{Snapshot, Source, assemble_named};
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::Ledger;
use agent_engine::policy::{Pattern, Policy, Rule, Verdict};
use agent_engine::session::Cell;
use agent_engine::testing::{Length, ManualClock, SeededEntropy, sources};
use anyhow::bail;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything a measure drives.
pub(crate) struct Rig {
    pub(crate) front: Front,
    pub(crate) session: Arc<Cell>,
    pub(crate) catalog: Snapshot,
}

impl Rig {
    pub(crate) async fn new(ledger: Arc<dyn Ledger>, tools: Arc<dyn ToolHost>, size: usize) -> anyhow::Result<Self> {
        Self::of(ledger, tools, &sources(size, Length::Usual)).await
    }

    /// The same with a catalog of these sources.
    pub(crate) async fn of(ledger: Arc<dyn Ledger>, tools: Arc<dyn ToolHost>, sources: &[Source]) -> anyhow::Result<Self> {
        let mut parts = Parts::new(ledger, tools, Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(7)));
        parts.policy = policy()?;
        let (front, desk) = build(parts).await?;
        let catalog = assemble_named(sources, &BTreeMap::new(), TOOLS_TOTAL_MOST);
        desk.publish(catalog.clone()).await;
        let session = front.open(principal()?, None, false).await?.session;
        Ok(Self { front, session, catalog })
    }

    /// The id at a place of the catalog; past its end it begins anew.
    pub(crate) fn id(&self, place: usize) -> anyhow::Result<&ToolId> {
        let tools = self.catalog.tools();
        let tool = tools.get(place % tools.len().max(1));
        tool.map(|tool| &tool.descriptor.id).ok_or_else(|| anyhow::anyhow!("an empty catalog"))
    }

    /// Activates the tools at these places, 16 at a time.
    pub(crate) async fn activate(&self, places: std::ops::Range<usize>) -> anyhow::Result<()> {
        let ids = places.map(|place| self.id(place)).collect::<anyhow::Result<Vec<_>>>()?;
        for batch in ids.chunks(16) {
            self.done("activate_tools", json!({"tools": batch})).await?;
        }
        Ok(())
    }

    /// Calls a builtin that must succeed, and gives its text.
    pub(crate) async fn done(&self, builtin: &str, arguments: Value) -> anyhow::Result<String> {
        match self.front.call(&self.session, builtin, object(arguments)).await {
            Reply::Done { text, .. } => Ok(text),
            other => bail!("`{builtin}` answered {other:?}"),
        }
    }
}

/// Whom the sessions are for.
pub(crate) fn principal() -> anyhow::Result<PrincipalId> {
    PrincipalId::parse("local:bench").map_err(anyhow::Error::msg)
}

/// The members of an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// Ten rules of every kind, of which the last grants what comes to it: a decision reads all ten.
fn policy() -> anyhow::Result<Policy> {
    let rule = |pattern: &str| -> anyhow::Result<Rule> {
        Ok(Rule {
            tools: vec![Pattern::parse(pattern)?],
            server: None,
            source: None,
            effect: None,
            capabilities: [].into(),
            principal: None,
            profile: None,
            decision: Verdict::Deny,
            strength: None,
            new: None,
            ttl: None,
            max_calls: None,
        })
    };
    let mut rules = Vec::new();
    for pattern in ["mcp:billing/*", "mcp:*/delete_everything", "mcp:*/*drop*table*", "native:*", "mcp:payments/refund"] {
        rules.push(rule(pattern)?);
    }
    rules.push(Rule { server: Some(Alias::parse("internal-crm")?), ..rule("*")? });
    rules.push(Rule { effect: Some(agent_core::effect::Effect::ReadOnly), ..rule("mcp:*")? });
    rules.push(Rule { capabilities: [agent_core::effect::Capability::PrivateData].into(), ..rule("mcp:*")? });
    rules.push(Rule { principal: Some(PrincipalId::parse("somebody").map_err(anyhow::Error::msg)?), ..rule("mcp:*")? });
    rules.push(Rule { decision: Verdict::Auto, ..rule("mcp:*")? });
    Ok(Policy { rules, ..Policy::of(Verdict::Deny) })
}
