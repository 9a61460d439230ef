//! The client's end: MCP of the legacy era over standard input and output.
//!
//! Is: one process, one client, one session; the builtins and what the session holds; the person asked by a form. Is not:
//! a decision; every call goes to the engine's front as it came, names included. The modern era, HTTP and the relay to
//! one shared host come with A3. Clauses: SES-2 (one session), AUTH-3, AUTH-5, BLT-4, ACT-6, REV-2,
//! UP-6 (progress, cancel). Invariant: I-9.
//! Neighbours: `app` gives it a session, the engine's `shape::mcp` gives it its words.

mod elicitation;
mod list;
mod relay;

#[cfg(test)]
mod tests;

use crate::admin::Boundary;
use agent_engine::builtins::Reply;
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::projection::text::INSTRUCTIONS;
use agent_engine::session::Cell;
use agent_engine::shape::mcp::result;
use elicitation::Elicitation;
use list::List;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult, PaginatedRequestParams};
use rmcp::model::{ProtocolVersion, ServerCapabilities, ServerConfig};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError};
use rmcp::transport::IntoTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// What one client's connection needs.
pub struct Connection {
    /// The client's face of the engine.
    pub front: Front,
    /// Where the answers that the client shows are handed in.
    pub desk: Desk,
    /// The client's session.
    pub session: Arc<Cell>,
    /// Where the host stands to the client, as each question says.
    pub boundary: Boundary,
    /// How long a call waits for a person before it is told `pending`.
    pub wait: Duration,
}

/// Serves the client at this process's standard input and output, until the input ends.
///
/// # Errors
/// The text says why there was no handshake, or why the connection broke off.
pub async fn stdio(connection: Connection) -> Result<(), String> {
    serve(connection, rmcp::transport::stdio_pipes()).await
}

async fn serve<T, E, A>(connection: Connection, transport: T) -> Result<(), String>
where
    T: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let Connection { front, desk, session, boundary, wait } = connection;
    let list = Arc::new(List::new(front.clone(), session.clone()));
    let elicitation = Elicitation::new(front.clone(), desk, session.clone(), boundary);
    let running = match (Handler { front, session, list: list.clone(), elicitation, wait }).serve(transport).await {
        Ok(running) => running,
        // A client that went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(format!("the client did not shake hands: {error}")),
    };
    let following = tokio::spawn(list.follow(running.peer().clone()));
    let ended = running.waiting().await;
    following.abort();
    match ended {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(format!("the connection broke off: {error}")),
        Ok(_) => Ok(()),
    }
}

struct Handler {
    front: Front,
    session: Arc<Cell>,
    list: Arc<List>,
    elicitation: Elicitation,
    wait: Duration,
}

impl Handler {
    /// Calls, asks the person where one is asked for, and tells of a changed list before it answers.
    async fn run(&self, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let call = |progress| self.front.call_heard(&self.session, &request.name, arguments, progress);
        let reply = relay::relayed(&context.peer, context.meta.get_progress_token(), call).await;
        let (reply, where_to) = match reply {
            Reply::Waiting(question) => {
                let form = self.elicitation.ask(context, &question).await;
                // Where no form is open, somebody may be watching from a terminal.
                let reply = self.front.wait(&self.session, &question, self.wait).await;
                (reply, form.leave_open())
            }
            reply => (reply, String::new()),
        };
        self.list.announce(&context.peer).await;
        serde_json::from_value(result(&reply, &where_to)).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let me = Implementation::new("agent-host", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(me).with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        self.list.tools().map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        tokio::select! {
            result = self.run(request, &context) => result.map(CallToolResponse::Complete),
            // Whatever ran is given up with its future. Nobody reads this answer.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled by the client", None)),
        }
    }
}
