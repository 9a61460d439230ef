//! An operator at the console and one at the API: each logged in, each deciding one thing after the other.

use super::history::Got;
use super::host::{Host, WORD};
use agent_core::request::Question;
use agent_core::session::SessionId;
use agent_host::admin::{Request, Response};
use agent_spec::model::Answer;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};

/// One operator over TCP.
pub(super) enum Desk {
    /// With a browser's cookie and the token of its forms.
    Console { web: Client, base: String, cookie: String, csrf: String },
    /// With a bearer.
    Api { web: Client, url: String, bearer: String },
}

fn web() -> Client {
    Client::builder().redirect(Policy::none()).build().unwrap()
}

/// A form as a page of the console sends it.
fn form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.header("origin", "null").header("sec-fetch-site", "same-origin").body(body.extend_pairs(fields).finish())
}

fn between<'a>(text: &'a str, before: &str, after: char) -> &'a str {
    text.split_once(before).and_then(|(_, rest)| rest.split(after).next()).unwrap_or_else(|| panic!("no {before} in {text}"))
}

impl Desk {
    pub(super) async fn console(host: &Host) -> Self {
        let (web, base) = (web(), url(host).await);
        let login = form(web.post(format!("{base}/login")), &[("passphrase", WORD)]).send().await.unwrap();
        let set = login.headers().get("set-cookie").and_then(|set| set.to_str().ok()).unwrap_or_else(|| panic!("{login:?}"));
        let cookie = set.split(';').next().unwrap().to_owned();
        let page = web.get(format!("{base}/logins")).header("cookie", &cookie).send().await.unwrap().text().await.unwrap();
        let csrf = between(&page, "name=\"csrf\" value=\"", '"').to_owned();
        Self::Console { web, base, cookie, csrf }
    }

    pub(super) async fn api(host: &Host) -> Self {
        let (web, base) = (web(), url(host).await);
        let (origin, _) = base.split_once("/c/").unwrap();
        let url = format!("{origin}/api/v1");
        let come: Value = web.post(format!("{url}/login")).json(&json!({"passphrase": WORD})).send().await.unwrap().json().await.unwrap();
        let bearer = come["bearer"].as_str().unwrap_or_else(|| panic!("{come}")).to_owned();
        Self::Api { web, url, bearer }
    }

    pub(super) async fn answer(&self, question: &Question, answer: &Answer) -> Got {
        let (session, request, shown) = (question.asker.session.to_string(), question.id.to_string(), question.digest().to_string());
        let (word, tools) = match answer {
            Answer::Approve => ("approve", Vec::new()),
            Answer::Once => ("once", Vec::new()),
            Answer::Always => ("always", Vec::new()),
            Answer::Deny | Answer::Dismiss => ("deny", Vec::new()),
            Answer::DenySome(tools) => ("deny-some", tools.iter().cloned().collect()),
        };
        match self {
            Self::Console { .. } => {
                let mut fields = vec![("session", session.as_str()), ("request", &request), ("shown", &shown), ("decision", word)];
                fields.extend(tools.iter().map(|tool| ("tool", tool.as_str())));
                said(&self.sent("answer", &fields).await)
            }
            Self::Api { .. } => {
                let decision = if tools.is_empty() { json!({"decision": word}) } else { json!({"decision": word, "tools": tools}) };
                let told = self.asked("answer", json!({"session": session, "request": request, "shown": shown, "answer": decision})).await;
                let answered = &told["answered"];
                let count = |kind: &str, key: &str| answered[kind][key].as_u64().unwrap();
                match answered.as_object().and_then(|one| one.keys().next()).map(String::as_str) {
                    Some(kind @ ("granted" | "always")) => {
                        Got::Active(usize::try_from(count(kind, "added")).unwrap(), Some(count(kind, "set")))
                    }
                    Some("denied") => Got::Denied,
                    Some("void" | "before") => Got::Void,
                    _ => panic!("{told}"),
                }
            }
        }
    }

    pub(super) async fn revoke(&self, session: SessionId, tool: &str) -> Got {
        let session = session.to_string();
        match self {
            Self::Console { .. } => said(&self.sent("revoke", &[("session", &session), ("tool", tool), ("running", "leave")]).await),
            Self::Api { .. } => {
                let scope = json!({"of": "grant", "session": session, "tool": tool});
                let told = self.asked("revoke", json!({"scope": scope, "running": "leave"})).await;
                let removed = told.pointer("/sessions/0/removed").and_then(Value::as_array).unwrap_or_else(|| panic!("{told}"));
                Got::Taken(!removed.is_empty())
            }
        }
    }

    /// A form of the console, and what the next page says of it.
    async fn sent(&self, what: &str, fields: &[(&str, &str)]) -> String {
        let Self::Console { web, base, cookie, csrf } = self else { panic!("not a console") };
        let fields = [fields, &[("csrf", csrf.as_str()), ("back", "/logins")]].concat();
        let done = form(web.post(format!("{base}/do/{what}")).header("cookie", cookie), &fields).send().await.unwrap();
        assert_eq!(done.status(), 303, "{what}");
        let page = web.get(format!("{base}/logins")).header("cookie", cookie).header("sec-fetch-dest", "document");
        let page = page.send().await.unwrap().text().await.unwrap();
        between(&page, "role=\"status\">", '<').to_owned()
    }

    async fn asked(&self, what: &str, body: impl Serialize) -> Value {
        let Self::Api { web, url, bearer } = self else { panic!("not the API") };
        let done = web.post(format!("{url}/{what}")).bearer_auth(bearer).json(&body).send().await.unwrap();
        assert!(done.status().is_success(), "{what}: {}", done.text().await.unwrap());
        done.json().await.unwrap()
    }
}

/// What a page of the console said.
fn said(text: &str) -> Got {
    let count = || text.split_once(": ").and_then(|(_, rest)| rest.split(' ').next()).and_then(|count| count.parse().ok());
    match text {
        _ if text.starts_with("approved") => Got::Active(count().unwrap_or_else(|| panic!("{text}")), None),
        _ if text.starts_with("denied") => Got::Denied,
        _ if text.starts_with("nothing was decided here") => Got::Void,
        _ if text.starts_with("taken back") => Got::Taken(true),
        _ if text.starts_with("nothing was taken back") => Got::Taken(false),
        _ => panic!("{text}"),
    }
}

/// The console's URL, without a slash at its end.
async fn url(host: &Host) -> String {
    let Response::Console { url: Some(url) } = host.asked(Request::Console {}).await else { panic!("no console") };
    url.trim_end_matches('/').to_owned()
}
