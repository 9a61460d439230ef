//! The stream on which a server of the legacy era says things of its own accord: that its list changed, for one.
//!
//! Is: opened once hands were shaken, and again whenever it ends, as long as the connection is there. A server that has none
//! is believed. Is not: needed; without it a list is read once. Clauses: UP-1 (HTTP), CAT-6 (notices).

use super::answer::{Read, kind};
use super::{Link, TAKEN, error};
use crate::upstream::backoff::Rests;
use crate::upstream::gate::LOST;
use crate::upstream::http::events::Events;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Response;
use rmcp::model::ErrorData;
use std::time::Duration;
use tokio::time::Instant;

/// The first rest before the stream is opened again.
const FIRST: Duration = Duration::from_secs(1);
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

impl Link {
    /// Listens until the server has no such stream, or the connection is gone.
    pub(in crate::upstream::http) async fn listen(&self) {
        let (mut events, mut rests) = (Events::default(), Rests::from(FIRST));
        loop {
            let opened = Instant::now();
            let last = events.last.clone();
            match self.get(last.as_deref()).await {
                Ok(mut response) => {
                    events = Events::after(last);
                    let read = self.events(&mut events, &mut response, None).await;
                    if matches!(read, Read::Answered) {
                        // Nobody reads any more.
                        return;
                    }
                    // What would have been told meanwhile is read before the next call, unless the server repeats it.
                    if events.last.is_none() {
                        self.stale.mark();
                    }
                }
                Err(_) if self.gone().is_some() => return,
                Err(error) if error.code != LOST => return,
                Err(_) => {}
            }
            tokio::time::sleep(events.retry.unwrap_or_default().max(rests.after(opened.elapsed()))).await;
        }
    }

    /// Opens the server's own stream, or takes up the one that an event was of.
    pub(super) async fn get(&self, last: Option<&str>) -> Result<Response, ErrorData> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(version) = self.version().and_then(|version| HeaderValue::from_str(version.as_str()).ok()) {
            headers.insert(HeaderName::from_static("mcp-protocol-version"), version);
        }
        if let Some(last) = last.and_then(|last| HeaderValue::from_str(last).ok()) {
            headers.insert(LAST_EVENT, last);
        }
        let sent = tokio::time::timeout(TAKEN, self.send(Method::GET, headers, Vec::new())).await;
        let response = sent.unwrap_or_else(|_| Err(error(LOST, "it did not open its stream in time")))?;
        let status = response.status();
        if status.is_success() && kind(&response) == "text/event-stream" {
            return Ok(response);
        }
        let code = if status.is_server_error() { LOST } else { crate::upstream::gate::REFUSED };
        Err(error(code, format!("it answered {} in place of a stream", status.as_u16())))
    }
}
