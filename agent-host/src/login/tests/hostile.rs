//! Servers that are not as they should be.

use super::stage::{Guise, Stage, browse};
use super::{Begun, Logins, log_in};
use crate::login::listener::Listener;
use http::StatusCode;
use std::time::Duration;

/// What becomes of a login there; nothing is ever kept of it.
async fn fails(guise: Guise) -> String {
    let (stage, state) = (Stage::new(guise).await, tempfile::tempdir().unwrap());
    let logins = Logins::of(state.path());
    let why = log_in(&stage, &logins, &stage.login()).await.unwrap_err();
    assert!(!state.path().join("logins/far.json").exists(), "{guise:?}");
    why
}

#[tokio::test]
async fn attack_62_metadata_leads_to_no_address_of_a_machines_own() {
    for (guise, expect) in [
        (Guise::LinkLocal, "none published usable metadata"),
        (Guise::LinkLocalMetadata, "names no authorization server"),
        (Guise::Moved, "non-same-origin"),
        (Guise::TokensElsewhere, "`169.254.169.254` is a link-local address"),
        (Guise::RegistersElsewhere, "`169.254.169.254` is a link-local address"),
    ] {
        let why = fails(guise).await;
        assert!(why.contains(expect), "{guise:?}: {why}");
    }
}

#[tokio::test]
async fn attack_62_a_public_server_leads_to_nothing_of_this_machine() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let logins = Logins::of(state.path());
    let login = crate::login::Login { private: false, ..stage.login() };
    let why = Begun::new(login, &logins, &[]).await.err().unwrap();
    assert_eq!(
        (why.as_str(), stage.asked()),
        ("`127.0.0.1` is a loopback address, and only a server with `private = true` may be at one", 0)
    );
}

#[tokio::test]
async fn up_5_who_can_not_be_told_apart_from_another_is_not_logged_in_at() {
    for (guise, expect) in [
        (Guise::Silent, "names no authorization server"),
        (Guise::OtherIssuer, "issuer mismatch"),
        (Guise::OtherResource, "resource mismatch"),
        (Guise::NoPkce, "PKCE with S256"),
        (Guise::PlainPkce, "PKCE with S256"),
        (Guise::OtherAnswers, "issuer mismatch"),
        (Guise::Unsigned, "missing required issuer"),
        (Guise::OtherState, "its `state` is not ours"),
        (Guise::No, "the authorization server says: access_denied (\\u{1b}[31mno)"),
        (Guise::OddToken, "no bearer token"),
        (Guise::TokensMoved, "token exchange failed"),
    ] {
        let why = fails(guise).await;
        assert!(why.contains(expect), "{guise:?}: {why}");
    }
}

#[tokio::test]
async fn attack_62_a_page_that_is_no_page_is_neither_opened_nor_shown() {
    for guise in [Guise::Script, Guise::FilePage] {
        let why = fails(guise).await;
        assert!(why.contains("is no `https` address"), "{guise:?}: {why}");
    }
}

#[tokio::test]
async fn up_5_an_answer_without_end_is_read_to_a_bound() {
    for (guise, expect) in [(Guise::Endless, "length limit exceeded"), (Guise::EndlessTokens, "Request failed")] {
        let why = fails(guise).await;
        assert!(why.contains(expect), "{guise:?}: {why}");
    }
}

#[tokio::test]
async fn up_5_the_port_answers_one_request_of_a_browser_that_means_it() {
    let listener = Listener::bind().await.unwrap();
    let there = listener.redirect();
    let waiting = tokio::spawn(async move { listener.answer("s", Duration::from_secs(5)).await });
    crate::egress::crypto();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let status = async |request: reqwest::RequestBuilder| request.send().await.unwrap().status();
    let url = format!("{there}?code=a&state=s");
    for host in ["evil.example", "localhost", "127.0.0.1", "127.0.0.1:1"] {
        assert_eq!(status(client.get(&url).header("host", host)).await, StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(status(client.get(url.replace("callback", "other"))).await, StatusCode::NOT_FOUND);
    assert_eq!(status(client.post(&url)).await, StatusCode::METHOD_NOT_ALLOWED);
    // Any page can send a browser here; it does not know the state.
    for query in ["", "state=t", "code=b&state=t", "error=no&state=t", "code=b", "state=&code=b"] {
        assert_eq!(status(client.get(format!("{there}?{query}"))).await, StatusCode::BAD_REQUEST, "{query}");
    }
    let page = client.get(&url).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    let page = page.text().await.unwrap();
    assert!(policy.starts_with("default-src 'none'") && !page.contains("code") && page.contains("close this page"));
    let answer = waiting.await.unwrap().unwrap();
    assert_eq!((answer.state.as_str(), answer.said), ("s", Ok("a".to_owned())));
    assert!(client.get(&url).send().await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn up_5_who_never_comes_back_is_not_waited_for() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let logins = Logins::of(state.path());
    let begun = Begun::new(stage.login(), &logins, &[]).await.unwrap();
    let page = begun.url().clone();
    let why = begun.finish_within(&logins, Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(why, "nobody came back from the authorization server within 0 s");
    assert!(tokio::spawn(browse(page)).await.is_err(), "a late answer finds nobody");
}
