//! An authorization server and the server that it guards, at one port of this machine, and a person's browser.
//!
//! It is strict with who asks: what is wrong in a request is noted, and makes a test fail.

use crate::config::OAuthClient;
use crate::login::Login;
use agent_core::id::Alias;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http_body::Frame;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use url::{Url, form_urlencoded};

/// What is different from a server as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guise {
    Sound,
    /// Its tokens live for 4 seconds.
    Short,
    /// Takes client metadata documents.
    Documents,
    /// Registers nobody.
    Unregistering,
    /// Sends no metadata, and has none of the well-known places either.
    Silent,
    /// Its authorization server is named as an address that nobody may reach.
    LinkLocal,
    /// Its own metadata is said to be there.
    LinkLocalMetadata,
    /// Its metadata moved there.
    Moved,
    /// It says that it is another issuer.
    OtherIssuer,
    /// It says nothing of PKCE.
    NoPkce,
    /// It only knows PKCE without a hash.
    PlainPkce,
    /// Its page is a script.
    Script,
    /// Its page is a file.
    FilePage,
    /// Tokens are given out at an address that nobody may reach.
    TokensElsewhere,
    /// Clients are registered at one.
    RegistersElsewhere,
    /// Its answer to the browser comes from somebody else.
    OtherAnswers,
    /// Its answer does not say from whom it comes, though it promised to.
    Unsigned,
    /// Its answer is to another login.
    OtherState,
    /// The person says no.
    No,
    /// It names another resource.
    OtherResource,
    /// Its metadata never ends.
    Endless,
    /// Its tokens never end.
    EndlessTokens,
    /// Its tokens are given by a redirect.
    TokensMoved,
    /// Its token is of no known kind.
    OddToken,
    /// It takes no tokens back.
    Unrevoking,
    /// It can't just now.
    Unrevoked,
    /// They are taken back at an address that nobody may reach.
    RevokesElsewhere,
}

#[derive(Default)]
struct Seen {
    registered: usize,
    /// Challenge, client, redirect and scopes, by code.
    codes: BTreeMap<String, BTreeMap<String, String>>,
    access: Vec<String>,
    /// The only refresh token that is good, and whose.
    refresh: Vec<(String, String)>,
    renewals: usize,
    asked: usize,
    granted: (String, String),
    wrong: Vec<String>,
}

#[derive(Clone)]
struct Server {
    guise: Guise,
    base: Arc<str>,
    seen: Arc<Mutex<Seen>>,
}

pub(super) struct Stage {
    server: Server,
    serving: AbortHandle,
}

impl Stage {
    pub(super) async fn new(guise: Guise) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = Arc::from(format!("http://127.0.0.1:{}", socket.local_addr().unwrap().port()));
        let server = Server { guise, base, seen: Arc::default() };
        let routes = Router::new().fallback(answer).with_state(server.clone());
        let serving = tokio::spawn(async move { axum::serve(socket, routes).await }).abort_handle();
        Self { server, serving }
    }

    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.server.base)
    }

    pub(super) fn login(&self) -> Login {
        let url = self.at("/mcp").parse().unwrap();
        Login { alias: Alias::parse("far").unwrap(), url, private: true, oauth: OAuthClient::default(), principal: None }
    }

    pub(super) fn takes(&self, value: &HeaderValue) -> bool {
        let token = value.to_str().unwrap().strip_prefix("Bearer ").unwrap().to_owned();
        self.server.seen.lock().access.contains(&token)
    }

    /// Its refresh tokens are good no more.
    pub(super) fn revoke(&self) {
        self.server.seen.lock().refresh.clear();
    }

    pub(super) fn close(&self) {
        self.serving.abort();
    }

    pub(super) fn wrong(&self) -> Vec<String> {
        self.server.seen.lock().wrong.clone()
    }

    pub(super) fn renewals(&self) -> usize {
        self.server.seen.lock().renewals
    }

    /// Requests of any kind.
    pub(super) fn asked(&self) -> usize {
        self.server.seen.lock().asked
    }

    /// To which client the last token was given, with which scopes.
    pub(super) fn granted(&self) -> (String, String) {
        self.server.seen.lock().granted.clone()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Opens a page, and goes where it is sent to.
pub(super) async fn browse(page: Url) {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.get(page).send().await.unwrap();
    let Some(to) = sent.headers().get(header::LOCATION) else { return };
    let there = client.get(to.to_str().unwrap()).send().await.unwrap();
    assert!(there.status() == StatusCode::OK || to.to_str().unwrap().contains("state=another"), "{there:?}");
}

async fn answer(State(server): State<Server>, request: Request) -> Response {
    server.seen.lock().asked += 1;
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let query: BTreeMap<_, _> = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    match parts.uri.path() {
        "/mcp" => server.guarded(),
        "/.well-known/oauth-protected-resource/mcp" => server.resource(),
        "/.well-known/oauth-authorization-server" => server.metadata(),
        "/register" => server.register(&serde_json::from_slice(&body).unwrap()),
        "/authorize" => server.authorize(query),
        "/revoke" => {
            let basic = parts.headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
            server.revoke(&form_urlencoded::parse(&body).into_owned().collect(), basic)
        }
        "/token" => {
            let basic = parts.headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
            server.token(&form_urlencoded::parse(&body).into_owned().collect(), basic)
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn text(value: impl ToString) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn redirect(to: &str) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, to.to_owned())]).into_response()
}

/// White space that goes on until nobody reads any more.
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 4096])))))
    }
}

fn endless() -> Response {
    Body::new(Endless).into_response()
}

impl Server {
    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn note(&self, wrong: impl Into<String>) {
        self.seen.lock().wrong.push(wrong.into());
    }

    fn guarded(&self) -> Response {
        let metadata = match self.guise {
            Guise::Silent => return StatusCode::UNAUTHORIZED.into_response(),
            Guise::LinkLocalMetadata => "http://169.254.169.254/".to_owned(),
            _ => self.at("/.well-known/oauth-protected-resource/mcp"),
        };
        (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, format!("Bearer resource_metadata=\"{metadata}\""))]).into_response()
    }

    fn resource(&self) -> Response {
        let authorization = if self.guise == Guise::LinkLocal { "http://169.254.169.254" } else { &self.base };
        let resource = if self.guise == Guise::OtherResource { "https://other.example/mcp".to_owned() } else { self.at("/mcp") };
        match self.guise {
            Guise::Silent | Guise::LinkLocalMetadata => StatusCode::NOT_FOUND.into_response(),
            Guise::Moved => redirect("http://169.254.169.254/latest/meta-data"),
            Guise::Endless => endless(),
            _ => text(json!({ "resource": resource, "authorization_servers": [authorization], "scopes_supported": ["notes"] })),
        }
    }

    fn metadata(&self) -> Response {
        let mut said = json!({
            "issuer": &*self.base,
            "authorization_endpoint": self.at("/authorize"),
            "token_endpoint": self.at("/token"),
            "registration_endpoint": self.at("/register"),
            "revocation_endpoint": self.at("/revoke"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            "authorization_response_iss_parameter_supported": true,
        });
        let elsewhere = "https://169.254.169.254/x";
        match self.guise {
            Guise::Silent | Guise::LinkLocalMetadata => return StatusCode::NOT_FOUND.into_response(),
            Guise::Documents => said["client_id_metadata_document_supported"] = true.into(),
            Guise::Unregistering => said["registration_endpoint"] = Value::Null,
            Guise::OtherIssuer => said["issuer"] = "https://other.example".into(),
            Guise::NoPkce => said["code_challenge_methods_supported"] = Value::Null,
            Guise::PlainPkce => said["code_challenge_methods_supported"] = json!(["plain"]),
            Guise::Script => said["authorization_endpoint"] = "javascript:alert(1)".into(),
            Guise::FilePage => said["authorization_endpoint"] = "file:///etc/passwd".into(),
            Guise::TokensElsewhere => said["token_endpoint"] = elsewhere.into(),
            Guise::Unrevoking => said["revocation_endpoint"] = Value::Null,
            Guise::RevokesElsewhere => said["revocation_endpoint"] = elsewhere.into(),
            Guise::RegistersElsewhere => said["registration_endpoint"] = elsewhere.into(),
            _ => {}
        }
        text(said)
    }

    fn register(&self, client: &Value) -> Response {
        let redirect = client["redirect_uris"][0].as_str().unwrap_or_default();
        if !redirect.starts_with("http://127.0.0.1:") || client["client_name"] != "agent-host" {
            self.note(format!("registered as {client}"));
        }
        let mut seen = self.seen.lock();
        seen.registered += 1;
        text(json!({ "client_id": format!("registered {}", seen.registered), "redirect_uris": [redirect] }))
    }

    fn authorize(&self, asked: BTreeMap<String, String>) -> Response {
        let is = |name: &str, value: &str| asked.get(name).is_some_and(|given| given == value);
        if !is("response_type", "code") || !is("code_challenge_method", "S256") || !is("resource", &self.at("/mcp")) {
            self.note(format!("authorize: {asked:?}"));
        }
        let mut to: Url = asked["redirect_uri"].parse().unwrap();
        let state = if self.guise == Guise::OtherState { "another" } else { &asked["state"] };
        to.query_pairs_mut().append_pair("state", state);
        let issuer = if self.guise == Guise::OtherAnswers { "https://other.example" } else { &self.base };
        if self.guise != Guise::Unsigned {
            to.query_pairs_mut().append_pair("iss", issuer);
        }
        if self.guise == Guise::No {
            to.query_pairs_mut().append_pair("error", "access_denied").append_pair("error_description", "\u{1b}[31mno");
            return redirect(to.as_str());
        }
        let mut seen = self.seen.lock();
        let code = format!("code {}", seen.codes.len());
        to.query_pairs_mut().append_pair("code", &code);
        seen.codes.insert(code, asked);
        redirect(to.as_str())
    }

    fn revoke(&self, asked: &BTreeMap<String, String>, basic: Option<String>) -> Response {
        if self.guise == Guise::Unrevoked {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        let mut seen = self.seen.lock();
        let known = match asked.get("client_id") {
            Some(client) => *client == seen.granted.0,
            None => basic.as_deref() == Some("Basic YnkraGFuZDppdHMrc2VjcmV0"),
        };
        let token = &asked["token"];
        let of_kind = asked["token_type_hint"].strip_suffix("_token").is_some_and(|kind| token.starts_with(kind));
        if !known || !of_kind {
            seen.wrong.push(format!("revoked: {:?} {basic:?}", asked.keys()));
        }
        seen.access.retain(|access| access != token);
        seen.refresh.retain(|(refresh, _)| refresh != token);
        StatusCode::OK.into_response()
    }

    fn token(&self, asked: &BTreeMap<String, String>, basic: Option<String>) -> Response {
        match self.guise {
            Guise::EndlessTokens => return endless(),
            Guise::TokensMoved => return redirect("http://169.254.169.254/token"),
            _ => {}
        }
        if asked.get("resource") != Some(&self.at("/mcp")) {
            self.note(format!("token for no resource: {:?}", asked.keys()));
        }
        let mut seen = self.seen.lock();
        let given = match &*asked["grant_type"] {
            "authorization_code" => {
                let Some(code) = seen.codes.remove(&asked["code"]) else { return no() };
                let hash = digest(&SHA256, asked["code_verifier"].as_bytes());
                let hash = BASE64_URL_SAFE_NO_PAD.encode(hash);
                let client = code["client_id"].clone();
                let known = if client == "by hand" {
                    basic.as_deref() == Some("Basic YnkraGFuZDppdHMrc2VjcmV0")
                } else {
                    asked["client_id"] == client
                };
                if hash != code["code_challenge"] || asked["redirect_uri"] != code["redirect_uri"] || !known {
                    seen.wrong.push(format!("exchanged: {:?} {basic:?}", asked.keys()));
                }
                seen.granted = (client.clone(), code.get("scope").cloned().unwrap_or_default());
                client
            }
            "refresh_token" => {
                let at = seen.refresh.iter().position(|(token, _)| *token == asked["refresh_token"]);
                let Some(at) = at else { return no() };
                seen.renewals += 1;
                seen.refresh.remove(at).1
            }
            other => unreachable!("{other}"),
        };
        let number = seen.access.len();
        let (access, refresh) = (format!("access-{number}"), format!("refresh-{number}"));
        seen.access.push(access.clone());
        seen.refresh.push((refresh.clone(), given));
        let kind = if self.guise == Guise::OddToken { "mac" } else { "Bearer" };
        let life = if self.guise == Guise::Short { 4 } else { 3600 };
        text(json!({ "access_token": access, "token_type": kind, "expires_in": life, "refresh_token": refresh }))
    }
}

fn no() -> Response {
    (StatusCode::BAD_REQUEST, text(json!({ "error": "invalid_grant" }))).into_response()
}
