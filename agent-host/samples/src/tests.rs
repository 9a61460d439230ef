//! Every sample over the real wire: the SDK's client at the other end.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::RunningService;
use serde_json::Value;
use std::collections::BTreeSet;

/// A client of one server.
pub(crate) struct Client(RunningService<RoleClient, ()>);

impl Client {
    pub(crate) async fn of<S: Send + Sync + 'static>(server: Server<S>) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(run(server, ours));
        Self(().serve(theirs).await.unwrap())
    }

    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.as_object().unwrap().clone());
        self.0.call_tool(params).await.unwrap()
    }

    fn words(result: &CallToolResult) -> String {
        result.content[0].as_text().unwrap().text.clone()
    }

    /// The text of a call that must succeed.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        assert_ne!(result.is_error, Some(true), "{tool} {arguments}: {}", Self::words(&result));
        Self::words(&result)
    }

    /// The value of a call that must succeed.
    pub(crate) async fn value(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone()).await;
        assert_ne!(result.is_error, Some(true), "{tool} {arguments}: {}", Self::words(&result));
        result.structured_content.unwrap()
    }

    /// What is said of a call that must fail.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        assert_eq!(result.is_error, Some(true), "{tool} {arguments}: {}", Self::words(&result));
        Self::words(&result)
    }
}

async fn listed(sample: Sample, folder: &Path) -> Vec<Tool> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let options = Options { folder: Some(folder.to_owned()) };
    tokio::spawn(async move { serve_over(sample, &options, ours).await });
    let client = ().serve(theirs).await.unwrap();
    client.list_all_tools().await.unwrap()
}

#[tokio::test]
async fn every_tool_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (mut names, mut count) = (BTreeSet::new(), 0);
    for sample in Sample::ALL {
        for tool in listed(sample, folder.path()).await {
            let (name, hints) = (tool.name.to_string(), tool.annotations.clone().unwrap());
            let description = tool.description.clone().unwrap();
            assert!(description.len() > 40 && description.ends_with('.'), "{name}: {description}");
            assert!(tool.title.is_some() && hints.open_world_hint == Some(false), "{name}");
            assert_eq!(hints.read_only_hint == Some(false), hints.destructive_hint.is_some() && hints.idempotent_hint.is_some(), "{name}");
            assert_eq!(tool.input_schema["additionalProperties"], Value::Bool(false), "{name}");
            for (argument, schema) in tool.input_schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(schema["description"].as_str().is_some_and(|text| text.ends_with('.')), "{name}: {argument}");
                let bounds = ["maxLength", "maximum", "maxItems", "enum"].iter().any(|bound| schema.get(bound).is_some());
                assert!(bounds || schema["type"] == "boolean", "{name}: {argument} has no bound: {schema}");
            }
            (_, count) = (names.insert(name), count + 1);
        }
    }
    assert_eq!((names.len(), count), (44, 44));
}

#[tokio::test]
async fn what_a_server_can_t_do_is_said() {
    let client = Client::of(clock::server()).await;
    let called = client.0.call_tool(CallToolRequestParams::new("nothing".to_owned())).await;
    assert!(called.unwrap_err().to_string().contains("no tool `nothing` here"));
    assert!(client.refusal("current_time", serde_json::json!({"zome": "UTC"})).await.contains("`zone`"));
    let (ours, _theirs) = tokio::io::duplex(1024);
    let error = serve_over(Sample::Files, &Options::default(), ours).await.unwrap_err();
    assert!(error.contains("--folder"), "{error}");
    let (ours, _theirs) = tokio::io::duplex(1024);
    let nowhere = Options { folder: Some(PathBuf::from("/nowhere/at/all")) };
    assert!(serve_over(Sample::Notes, &nowhere, ours).await.unwrap_err().contains("can't be opened"));
    assert!(Sample::parse("cloud").unwrap_err().contains("clock, files, notes, text"));
}
