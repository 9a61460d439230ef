//! The way to one server behind a URL: who we are to it, its session, and one request at a time of many.
//!
//! Is: what goes out with a request, and what comes of it as far as HTTP tells. Is not: a reader of messages (`gate`).
//! Clauses: UP-1 (HTTP), UP-4, UP-5 (HTTP), UP-10. Neighbours: `answer` reads what comes back, `listen` the server's own stream.
//!
//! What is sent is the operator's headers, or the login of whom the connection serves; nothing that a client sent us comes
//! this far. Nothing of an answer's headers goes further: neither to a model nor to a client.

mod answer;
mod listen;

use super::outgoing::Outgoing;
use crate::upstream::authorize::{Access, Authorize, NoAccess, Refused};
use crate::upstream::gate::{LOGIN, LOST, UNSENT};
use crate::upstream::listing::Listed;
use crate::upstream::stale::Stale;
use crate::upstream::start_error::StartError;
use crate::upstream::target::Target;
use agent_core::definition::Definition;
use agent_core::mirrored::Mirrored;
use agent_core::safety::prose;
use agent_core::session::PrincipalId;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use parking_lot::Mutex;
use reqwest::Response;
use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion, RequestId};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use url::Url;

/// How long the server has to take what it does not answer.
const TAKEN: Duration = Duration::from_secs(10);
/// How long it has to hear that a session is over.
const FAREWELL: Duration = Duration::from_millis(800);
/// Bytes of a session's name; a longer one is none.
const SESSION_BYTES: usize = 1024;
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Something to be read of a server, in the order in which it came.
pub(super) enum Incoming {
    /// A message, with the room that it takes where it is long.
    Text(Vec<u8>, Option<OwnedSemaphorePermit>),
    /// Nothing more comes in answer to a request: this holds where nothing did.
    End(RequestId, ErrorData),
}

/// Why nothing new is sent on a connection. What is under way goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upstream) enum Gone {
    /// The server does not know its session any more.
    Forgotten,
    /// The server wants another credential; with the command by which who the connection serves gets one.
    Refused(Option<String>),
    /// It can't be connected to.
    Away(String),
}

/// One connection's way.
pub(in crate::upstream) struct Link {
    client: reqwest::Client,
    url: Url,
    /// The operator's.
    headers: HeaderMap,
    access: Access,
    logins: Arc<dyn Authorize>,
    session: Mutex<Option<HeaderValue>>,
    version: Mutex<Option<ProtocolVersion>>,
    mirrored: Mutex<BTreeMap<String, Vec<Mirrored>>>,
    gone: Mutex<Option<Gone>>,
    stale: Stale,
    tell: mpsc::Sender<Incoming>,
    /// One long answer is read at a time.
    room: Arc<Semaphore>,
    /// As is one long message on the server's own stream.
    own_room: Arc<Semaphore>,
}

impl Link {
    pub(super) fn new(
        target: &Target,
        login: Option<&PrincipalId>,
        stale: Stale,
        tell: mpsc::Sender<Incoming>,
    ) -> Result<Self, StartError> {
        let url = target.settings.url.as_deref().and_then(|url| Url::parse(url).ok());
        let url = url.ok_or_else(|| StartError::other("its `url` can't be read".to_owned()))?;
        let client = target.clients.of(&url, target.settings.private).map_err(StartError::other)?;
        let access = Access {
            server: target.alias.clone(),
            principal: login.cloned(),
            url: url.clone(),
            private: target.settings.private,
            oauth: target.settings.oauth.clone(),
            refused: None,
        };
        Ok(Self {
            client,
            url,
            headers: headers(target)?,
            access,
            logins: target.logins.clone(),
            session: Mutex::default(),
            version: Mutex::default(),
            mirrored: Mutex::default(),
            gone: Mutex::default(),
            stale,
            tell,
            room: Arc::new(Semaphore::new(1)),
            own_room: Arc::new(Semaphore::new(1)),
        })
    }

    /// Why nothing new is to be sent, where that is so.
    pub(in crate::upstream) fn gone(&self) -> Option<Gone> {
        self.gone.lock().clone()
    }

    fn leave(&self, why: Gone) {
        self.gone.lock().get_or_insert(why);
    }

    /// The version that the server shook hands with.
    pub(super) fn speaks(&self, version: &ProtocolVersion) {
        *self.version.lock() = Some(version.clone());
    }

    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        self.version.lock().clone()
    }

    /// Whether it is spoken to without a handshake.
    pub(super) fn is_modern(&self) -> bool {
        self.version.lock().is_none()
    }

    /// Keeps which arguments stand in headers.
    pub(in crate::upstream) fn learn(&self, listed: &Listed) {
        if self.is_modern() {
            let read = listed.definitions.iter().filter_map(|text| Definition::parse(text).ok());
            let marked = read.filter(|definition| !definition.mirrored.is_empty());
            *self.mirrored.lock() = marked.map(|definition| (definition.name, definition.mirrored)).collect();
        }
    }

    pub(super) fn mirrored(&self, tool: &str) -> Vec<Mirrored> {
        self.mirrored.lock().get(tool).cloned().unwrap_or_default()
    }

    /// Sends a request and passes on what answers it; at the end, what holds if nothing did.
    pub(super) async fn ask(&self, id: RequestId, message: &Outgoing) {
        let error = match self.post(message).await {
            Ok(response) => self.answer(&id, message, response).await,
            Err(error) => error,
        };
        drop(self.tell.send(Incoming::End(id, error)).await);
    }

    /// Sends what is not answered.
    pub(super) async fn tell(&self, message: &Outgoing) -> Result<(), ErrorData> {
        let sent = async {
            let response = self.post(message).await?;
            if response.status().is_success() { Ok(()) } else { Err(self.rejected(None, message, response).await) }
        };
        tokio::time::timeout(TAKEN, sent).await.unwrap_or_else(|_| Err(error(LOST, "it did not take a message in time")))
    }

    /// Tells the server that the session is over, where there is one and it is known there.
    pub(super) async fn forget(&self) {
        if self.session.lock().is_some() && self.gone().is_none() {
            let bye = self.send(Method::DELETE, HeaderMap::new(), Vec::new());
            drop(tokio::time::timeout(FAREWELL, bye).await);
        }
    }

    async fn post(&self, message: &Outgoing) -> Result<Response, ErrorData> {
        self.send(Method::POST, message.headers.clone(), message.body.clone()).await
    }

    /// One request, with a second attempt where a login was refused and another is there.
    async fn send(&self, method: Method, headers: HeaderMap, body: Vec<u8>) -> Result<Response, ErrorData> {
        let (mut access, mut before) = (self.access.clone(), None);
        loop {
            let login = self.login(&access).await?;
            if let (Some(refused), Some(response)) = (&access.refused, before.take())
                && refused.value == login
            {
                return Ok(response);
            }
            let response = self.send_as(method.clone(), headers.clone(), body.clone(), login.clone()).await?;
            let status = response.status();
            if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) || access.refused.is_some() {
                return Ok(response);
            }
            let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|challenge| challenge.to_str().ok());
            access.refused = Some(Refused { value: login, status, challenge: challenge.unwrap_or_default().to_owned() });
            before = Some(response);
        }
    }

    /// In place of 401: nothing more is sent, and the command by which who was refused gets another login goes along, where it was
    /// one that was sent.
    fn unauthorized(&self) -> ErrorData {
        let command = (!self.headers.contains_key(AUTHORIZATION)).then(|| self.logins.command(&self.access)).flatten();
        self.leave(Gone::Refused(command.clone()));
        ErrorData::new(LOGIN, "it answered 401: it wants a credential, or another one", command.map(Into::into))
    }

    /// What is sent as `Authorization` besides the operator's headers; nothing where that is one of them.
    async fn login(&self, access: &Access) -> Result<Option<HeaderValue>, ErrorData> {
        if self.headers.contains_key(AUTHORIZATION) {
            return Ok(None);
        }
        self.logins.authorize(access).await.map_err(|none| match none {
            NoAccess::NeedsLogin { why, command } => {
                // Where more is wanted of a login, it is as good as before for what it was good for.
                if access.refused.as_ref().is_none_or(|refused| refused.status != StatusCode::FORBIDDEN) {
                    self.leave(Gone::Refused(Some(command.clone())));
                }
                ErrorData::new(LOGIN, why, Some(command.into()))
            }
            NoAccess::Failed(why) => error(UNSENT, why),
        })
    }

    /// Nothing of a client's own request is in here: the headers are the operator's, and the login is that of the connection.
    async fn send_as(
        &self,
        method: Method,
        mut headers: HeaderMap,
        body: Vec<u8>,
        login: Option<HeaderValue>,
    ) -> Result<Response, ErrorData> {
        headers.extend(self.headers.clone());
        if let Some(mut login) = login {
            login.set_sensitive(true);
            headers.insert(AUTHORIZATION, login);
        }
        let session = self.session.lock().clone();
        headers.extend(session.map(|session| (SESSION, session)));
        let request = self.client.request(method, self.url.clone()).headers(headers).body(body);
        request.send().await.map_err(|failure| self.unsent(&failure))
    }

    /// What is known of a request that got no answer at all.
    fn unsent(&self, failure: &reqwest::Error) -> ErrorData {
        let why = innermost(failure);
        if failure.is_connect() || failure.is_builder() {
            self.leave(Gone::Away(why.clone()));
            return error(UNSENT, format!("it can't be reached: {why}"));
        }
        error(LOST, format!("the connection was lost: {why}"))
    }
}

/// What lies at the bottom of an error, without the URL that the layers above it name.
fn innermost(failure: &reqwest::Error) -> String {
    let mut why: &dyn Error = failure;
    while let Some(source) = why.source() {
        why = source;
    }
    let bare = std::ptr::eq(why as *const dyn Error as *const (), failure as *const reqwest::Error as *const ());
    let said = if bare { "it did not answer".to_owned() } else { why.to_string() };
    prose(&said, 200)
}

fn error(code: ErrorCode, what: impl Into<std::borrow::Cow<'static, str>>) -> ErrorData {
    ErrorData::new(code, what, None)
}

/// The operator's headers as they are now.
fn headers(target: &Target) -> Result<HeaderMap, StartError> {
    let mut headers = HeaderMap::new();
    for (name, variable) in &target.settings.headers {
        let value = variable.read().map_err(StartError::login)?;
        let unfit = |what: &str| StartError::login(format!("the header `{name}` can't have {what}"));
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit("this name"))?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| unfit("the value that it is given"))?;
        value.set_sensitive(true);
        headers.insert(parsed, value);
    }
    Ok(headers)
}
