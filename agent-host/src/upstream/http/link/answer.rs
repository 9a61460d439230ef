//! What comes back for a request: a message, a stream of them, or a status that says why not.
//!
//! Clauses: UP-1 (HTTP), UP-4, UP-10. Of a body that is no message a short text may be quoted; of a 401 or 403, and of any
//! header, nothing is.

use super::{Gone, Incoming, Link, Outgoing, SESSION, SESSION_BYTES, error};
use crate::lines::LINE_BYTES;
use crate::upstream::gate::{LOGIN, LOST, REFUSED, UNREAD, UNSENT, foreign, number};
use crate::upstream::http::events::Events;
use crate::upstream::wire::too_long;
use agent_core::safety::prose;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use reqwest::Response;
use rmcp::model::{ErrorData, RequestId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// A message that is longer takes the room for long ones while it is read: one for all answers of a connection, and one for what
/// the server says of its own accord, which nobody waits for and which may stop halfway for ever.
const SHORT: usize = 64 * 1024;
/// Bytes of a body that is no message.
const REJECTION: usize = 64 * 1024;
/// How often a stream that broke off is taken up again.
const RESUMED: usize = 8;
/// How long a stream may go on once it gave its answer, so that its connection can be used again.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// What became of a stream.
pub(super) enum Read {
    Answered,
    Ended,
    TooLong,
}

#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Rejection {
    id: Option<RequestId>,
    error: ErrorData,
}

impl Link {
    /// Passes on what a response holds. Gives what holds where none of it was the answer.
    pub(super) async fn answer(&self, id: &RequestId, message: &Outgoing, response: Response) -> ErrorData {
        if !response.status().is_success() {
            return self.rejected(Some(id), message, response).await;
        }
        if message.opens {
            let session = response.headers().get(SESSION).filter(|session| session.len() <= SESSION_BYTES && session.to_str().is_ok());
            *self.session.lock() = session.cloned();
        }
        match kind(&response).as_str() {
            "application/json" => match self.whole(response, LINE_BYTES).await {
                Ok(Some((text, room))) => {
                    drop(self.tell.send(Incoming::Text(text, room)).await);
                    error(UNREAD, "what it sent does not answer what was asked")
                }
                Ok(None) => too_long(),
                Err(failure) => error(LOST, format!("the connection was lost: {}", super::innermost(&failure))),
            },
            "text/event-stream" => self.stream(id, response).await,
            _ => error(UNREAD, format!("it answered {} without a message", response.status().as_u16())),
        }
    }

    /// A stream with an answer in it, taken up again where it breaks off and the server says how.
    async fn stream(&self, id: &RequestId, mut response: Response) -> ErrorData {
        let mut events = Events::default();
        for _ in 0..=RESUMED {
            match self.events(&mut events, &mut response, Some(id)).await {
                Read::Answered => {
                    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
                    drop(tokio::time::timeout(AFTERWARDS, rest).await);
                    break;
                }
                Read::TooLong => return too_long(),
                Read::Ended => {}
            }
            let Some(last) = events.last.clone().filter(|_| !self.is_modern()) else { break };
            tokio::time::sleep(events.retry.unwrap_or(Duration::from_secs(1))).await;
            response = match self.get(Some(&last)).await {
                Ok(response) => response,
                Err(_) => break,
            };
            events = Events::after(Some(last));
        }
        error(LOST, "its answer broke off")
    }

    /// Passes events on until one answers this request, or the stream ends. Of no request is the server's own stream.
    pub(super) async fn events(&self, events: &mut Events, response: &mut Response, id: Option<&RequestId>) -> Read {
        let (mut room, rooms) = (None, if id.is_some() { &self.room } else { &self.own_room });
        while let Ok(Some(chunk)) = response.chunk().await {
            let mut whole = Vec::new();
            if events.feed(&chunk, |data| whole.push(data)).is_err() {
                return Read::TooLong;
            }
            for text in whole {
                let answers = id.is_some_and(|id| answers(&text, id));
                if self.tell.send(Incoming::Text(text, room.take())).await.is_err() || answers {
                    return Read::Answered;
                }
            }
            if room.is_none() && events.kept() > SHORT {
                room = rooms.clone().acquire_owned().await.ok();
            }
        }
        Read::Ended
    }

    /// A body of a bounded length; none where it is longer.
    async fn whole(&self, mut response: Response, most: usize) -> reqwest::Result<Option<(Vec<u8>, Option<OwnedSemaphorePermit>)>> {
        let (mut text, mut room) = (Vec::new(), None);
        while let Some(chunk) = response.chunk().await? {
            if text.len() + chunk.len() > most {
                return Ok(None);
            }
            text.extend_from_slice(&chunk);
            if room.is_none() && text.len() > SHORT {
                room = self.room.clone().acquire_owned().await.ok();
            }
        }
        let text = text.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(text);
        Ok(Some((text, room)))
    }

    /// What a status means that is none of success.
    pub(super) async fn rejected(&self, id: Option<&RequestId>, message: &Outgoing, response: Response) -> ErrorData {
        let status = response.status();
        let held = !message.opens && self.session.lock().is_some();
        match status {
            StatusCode::UNAUTHORIZED => return self.unauthorized(),
            StatusCode::FORBIDDEN => return error(LOGIN, "it answered 403: the credential that it was sent does not suffice"),
            StatusCode::NOT_FOUND if held => {
                self.leave(Gone::Forgotten);
                return error(UNSENT, "it does not know the session any more");
            }
            _ if status.is_redirection() => {
                return error(REFUSED, format!("it answered {}: a redirect, which is not followed", status.as_u16()));
            }
            _ => {}
        }
        let readable = matches!(kind(&response).as_str(), "application/json" | "text/plain");
        let text = match self.whole(response, REJECTION).await {
            Ok(Some((text, _))) if readable => text,
            _ => Vec::new(),
        };
        let rejection = serde_json::from_slice::<Rejection>(&text).ok();
        let own = rejection.as_ref().and_then(|rejection| rejection.id.as_ref()).is_some_and(|said| id.is_some_and(|id| is(said, id)));
        if held && status == StatusCode::BAD_REQUEST && !own {
            // Some say so of a session that they don't know. Another one is begun for what comes next. One that answers under the
            // request's own id has read it, and means the request.
            self.leave(Gone::Forgotten);
        }
        if let Some(rejection) = rejection {
            return foreign(rejection.error);
        }
        let said = prose(&String::from_utf8_lossy(&text), 200);
        let said = if said.is_empty() { said } else { format!(", and said: {said}") };
        let code = if status.is_client_error() { REFUSED } else { LOST };
        error(code, format!("it answered {}{said}", status.as_u16()))
    }
}

/// The media type of a body, without its parameters.
pub(super) fn kind(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a text is an answer to this request.
fn answers(text: &[u8], id: &RequestId) -> bool {
    let head = serde_json::from_slice::<Head>(text).ok();
    head.is_some_and(|head| head.method.is_none() && head.id.is_some_and(|said| is(&said, id)))
}

/// Whether an id is that of a request, which some servers write as a string.
fn is(said: &RequestId, id: &RequestId) -> bool {
    number(said).is_some_and(|said| Some(said) == number(id))
}
