//! One message on its way out: its bytes, and the headers that say of it what a proxy may read.
//!
//! Is not: the headers of the connection or of the operator (`link`). Clause: UP-6 (eras).

use super::link::Link;
use crate::mirror::{self, header_value};
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use std::borrow::Cow;
use std::io;

/// A message as it is sent.
pub(super) struct Outgoing {
    pub(super) body: Vec<u8>,
    pub(super) headers: HeaderMap,
    /// Whether it opens a session.
    pub(super) opens: bool,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
}

impl Outgoing {
    pub(super) fn of(item: &TxJsonRpcMessage<RoleClient>, link: &Link) -> io::Result<Self> {
        let body = serde_json::to_vec(item)?;
        let mut headers = HeaderMap::new();
        let mut set = |name: &'static str, value: &str| drop(headers.insert(HeaderName::from_static(name), header_value(value)));
        let request = match item {
            JsonRpcMessage::Request(sent) => Some(&sent.request),
            _ => None,
        };
        let opens = matches!(request, Some(ClientRequest::InitializeRequest(_)));
        let own = request.and_then(|request| request.get_meta().protocol_version());
        let version = own.or_else(|| link.version()).filter(|_| !opens);
        if let Some(version) = &version {
            set("mcp-protocol-version", version.as_str());
        }
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            let named: Named<'_> = serde_json::from_slice(&body)?;
            named.method.iter().for_each(|method| set("mcp-method", method));
            match request {
                Some(ClientRequest::GetPromptRequest(get)) => set("mcp-name", &get.params.name),
                Some(ClientRequest::ReadResourceRequest(read)) => set("mcp-name", &read.params.uri),
                Some(ClientRequest::GetTaskRequest(get)) => set("mcp-name", &get.params.task_id),
                Some(ClientRequest::UpdateTaskRequest(update)) => set("mcp-name", &update.params.task_id),
                Some(ClientRequest::CancelTaskRequest(cancel)) => set("mcp-name", &cancel.params.task_id),
                _ => {}
            }
            if let Some(ClientRequest::CallToolRequest(call)) = request {
                set("mcp-name", &call.params.name);
                for (name, value) in mirror::headers(&link.mirrored(&call.params.name), call.params.arguments.as_ref()) {
                    headers.insert(name, value);
                }
            }
        }
        headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(http::header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        Ok(Self { body, headers, opens })
    }
}
