//! A client's lines as messages, each within bounds, and an answer to every request that can't be read.
//!
//! Is: the transport that rmcp is given. rmcp's own drops what it can't read, or answers it under no id; a client would wait
//! for ever. Is not: a reader of what the messages say. Clause: SES-2 (stdio).

use crate::lines::{Line, Lines, Out, Sent};
use crate::refusal::{INVALID, refusal, too_long};
use agent_core::safety::echo;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// A client's input and output.
pub(super) struct Wire<R> {
    lines: Lines<R>,
    /// How many lines wait in it is for who sends: `Input`.
    out: Out,
    /// A refusal on its way out. Until the client took it, nothing more is read.
    refusing: Option<Sent>,
}

/// As much of a message as an answer to it needs. Nothing in it is nested, however deep the message is.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
}

impl<R: AsyncRead + Unpin> Wire<R> {
    pub(super) fn new(read: R, write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        Self { lines: Lines::new(read), out: Out::new(write), refusing: None }
    }

    fn refuse(&mut self, line: Option<String>) {
        self.refusing = line.map(|line| self.out.send(line.into_bytes()));
    }
}

/// A message; or what answers it where it can't be read, and somebody may wait for that.
fn read(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<String>> {
    serde_json::from_slice(line).map_err(|error| {
        let why = format!("this can't be read as a request: {}", echo(&error.to_string()));
        match serde_json::from_slice::<Envelope<'_>>(line) {
            // A batch reads as one, too.
            _ if line.starts_with(b"[") => Some(refusal("null", INVALID, &why)),
            Ok(Envelope { id: Some(id), method: Some(_) }) => Some(refusal(id.get(), INVALID, &why)),
            // Notices and answers are not answered, nor is what is no JSON: who echoes that would be told for ever.
            Ok(_) | Err(_) => None,
        }
    })
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = serde_json::to_vec(&item).map(|line| self.out.send(line));
        async move { sent?.done().await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                // Where it can't be written to, its input ends as well.
                let _ = refusing.done().await;
                self.refusing = None;
            }
            match self.lines.next().await? {
                Line::Whole(line) if line.is_empty() => {}
                Line::Whole(line) => match read(&line) {
                    Ok(message) => return Some(message),
                    Err(refusal) => self.refuse(refusal),
                },
                Line::TooLong(message) => self.refuse(message.request.as_deref().map(too_long)),
            }
            tokio::task::consume_budget().await;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.close();
        Ok(())
    }
}
