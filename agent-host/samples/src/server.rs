//! A list of tools as an MCP server: their definitions, and a call from its arguments to its result.
//!
//! Is: the same for every sample. What a tool declares is what holds: arguments are checked against the schema that is listed, and a
//! result that is too long is an error of the tool's. Both eras of MCP are served, as the SDK does.
//! Is not: a tool. Neighbour: `schema`.

use crate::schema;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult};
use rmcp::model::{PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Bytes of one result, as text or as a value.
pub(crate) const RESULT_BYTES: usize = 256 * 1024;

/// Why a tool did not do what it was asked, and what to do about it; a model reads it.
#[derive(Debug)]
pub(crate) struct Wrong(pub(crate) String);

/// What a tool answers with: a text, and the same as a value.
pub(crate) type Answer<T> = Result<(String, T), Wrong>;

/// [`Wrong`] with these words.
pub(crate) fn wrong<T>(text: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong(text.into()))
}

/// What a tool does to the world, as its annotations say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds, and takes nothing away.
    Adds,
    /// Overwrites, moves or removes.
    Changes,
}

/// What is said of a tool.
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effect: Effect,
    /// Whether a second call with the same arguments changes nothing more.
    pub(crate) idempotent: bool,
}

type Run<S> = Box<dyn Fn(&S, JsonObject) -> Result<CallToolResult, Wrong> + Send + Sync>;

/// One tool of a server whose state is `S`.
pub(crate) struct Entry<S> {
    tool: Tool,
    run: Run<S>,
}

impl<S> Entry<S> {
    /// A tool that answers with a text, and with the same as a value.
    pub(crate) fn new<A, T>(about: &About, run: fn(&S, A) -> Answer<T>) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        T: Serialize + JsonSchema + 'static,
        S: 'static,
    {
        let run = move |state: &S, arguments| {
            let (text, value) = run(state, arguments)?;
            let value = serde_json::to_value(value).map_err(|error| Wrong(error.to_string()))?;
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            Ok(result)
        };
        let mut entry = Self::bare(about, run);
        entry.tool.output_schema = Some(Arc::new(schema::of::<T>()));
        entry
    }

    /// A tool that answers with a text alone.
    pub(crate) fn told<A>(about: &About, run: fn(&S, A) -> Result<String, Wrong>) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        S: 'static,
    {
        Self::bare(about, move |state, arguments| run(state, arguments).map(|text| CallToolResult::success(vec![ContentBlock::text(text)])))
    }

    fn bare<A>(about: &About, run: impl Fn(&S, A) -> Result<CallToolResult, Wrong> + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        S: 'static,
    {
        let input = Arc::new(schema::of::<A>());
        let hints = ToolAnnotations::new().read_only(about.effect == Effect::Reads).open_world(false);
        let hints = match about.effect {
            Effect::Reads => hints,
            effect => hints.destructive(effect == Effect::Changes).idempotent(about.idempotent),
        };
        let tool = Tool::new(about.name, about.description, input.clone()).with_title(about.title).with_annotations(hints);
        let run = move |state: &S, arguments: JsonObject| {
            schema::check(&input, &arguments)?;
            let arguments =
                serde_json::from_value(arguments.into()).map_err(|error| Wrong(format!("arguments that can't be read: {error}")))?;
            run(state, arguments)
        };
        Self { tool, run: Box::new(run) }
    }

    /// The result of one call; never an error of the protocol.
    fn call(&self, state: &S, arguments: JsonObject) -> CallToolResult {
        let long = |result: &CallToolResult| {
            let text: usize = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.len()).sum();
            let value = result.structured_content.as_ref().map_or(0, |value| value.to_string().len());
            text.max(value) > RESULT_BYTES
        };
        let result = match (self.run)(state, arguments) {
            Ok(result) if long(&result) => wrong(format!("the result has more than {RESULT_BYTES} bytes; ask for less at a time")),
            other => other,
        };
        result.unwrap_or_else(|Wrong(text)| CallToolResult::error(vec![ContentBlock::text(text)]))
    }
}

/// A server: what it says of itself, its state and its tools.
pub(crate) struct Server<S> {
    name: &'static str,
    instructions: &'static str,
    state: Arc<S>,
    entries: Vec<Arc<Entry<S>>>,
}

impl<S> Server<S> {
    pub(crate) fn new(name: &'static str, instructions: &'static str, state: S, entries: impl IntoIterator<Item = Entry<S>>) -> Self {
        Self { name, instructions, state: Arc::new(state), entries: entries.into_iter().map(Arc::new).collect() }
    }

    fn entry(&self, name: &str) -> Option<&Arc<Entry<S>>> {
        self.entries.iter().find(|entry| entry.tool.name == name)
    }
}

impl<S: Send + Sync + 'static> ServerHandler for Server<S> {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new(format!("agent-host-sample-{}", self.name), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(me).with_instructions(self.instructions)
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.entries.iter().map(|entry| entry.tool.clone()).collect()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("no tool `{}` here", request.name), None);
        let entry = self.entry(&request.name).ok_or_else(unknown)?.clone();
        let (state, arguments) = (self.state.clone(), request.arguments.unwrap_or_default());
        let called = tokio::task::spawn_blocking(move || entry.call(&state, arguments)).await;
        called.map(CallToolResponse::Complete).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.entry(name).map(|entry| entry.tool.clone())
    }
}
