#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
//! Logins at servers of this very process: one that is as it should be, and what others could make of it.

mod hostile;
mod stage;
mod unsaved;

use super::renewal::Because;
use super::{Begun, Login, LoginError, Logins, Tokens};
use crate::config::OAuthClient;
use agent_core::id::Alias;
use agent_core::session::PrincipalId;
use http::{HeaderValue, StatusCode};
use stage::{Guise, Stage, browse};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A login at a stage, to its end.
async fn log_in(stage: &Stage, logins: &Logins, login: &Login) -> Result<(), String> {
    let begun = Begun::new(login.clone(), logins, &[]).await?;
    let browsing = tokio::spawn(browse(begun.url().clone()));
    let done = begun.finish_within(logins, Duration::from_secs(5)).await;
    browsing.abort();
    assert_eq!(stage.wrong(), Vec::<String>::new(), "what was asked of the authorization server");
    done
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn needed(error: &LoginError) -> (&str, &str) {
    let LoginError::Needed { why, command } = error else { unreachable!("{error:?}") };
    (why, command)
}

#[tokio::test]
async fn up_5_a_login_is_found_shown_taken_back_and_kept() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    let before = logins.authorization(&login).await.unwrap_err();
    assert_eq!(needed(&before), ("nobody has logged in there", "agent-host login far"));
    let begun = Begun::new(login.clone(), &logins, &[]).await.unwrap();
    assert_eq!((begun.issuer(), begun.scopes()), (stage.at(""), &["notes".to_owned()][..]));
    let asked: std::collections::BTreeMap<_, _> = begun.url().query_pairs().into_owned().collect();
    assert_eq!((&*asked["code_challenge_method"], &*asked["resource"], &*asked["response_type"]), ("S256", &*stage.at("/mcp"), "code"));
    tokio::spawn(browse(begun.url().clone()));
    begun.finish(&logins).await.unwrap();
    let value = logins.authorization(&login).await.unwrap();
    assert!(value.is_sensitive() && stage.takes(&value), "{:?}", value.to_str());
    let file = state.path().join("logins/far.json");
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(stage.wrong(), Vec::<String>::new());
    assert_eq!((logins.end(&login).await, logins.end(&login).await), (Ok(Some(Tokens::Revoked)), Ok(None)));
    assert!(logins.authorization(&login).await.is_err() && !stage.takes(&value), "it is nothing here, and nothing there");
    assert_eq!(stage.wrong(), Vec::<String>::new());
}

#[tokio::test]
async fn up_1_each_principal_has_a_login_of_its_own() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let logins = Logins::of(state.path());
    let of = |name: &str| Login { principal: Some(PrincipalId::parse(name).unwrap()), ..stage.login() };
    log_in(&stage, &logins, &of("ann")).await.unwrap();
    log_in(&stage, &logins, &of("bob o'x")).await.unwrap();
    let (ann, bob) = (logins.authorization(&of("ann")).await.unwrap(), logins.authorization(&of("bob o'x")).await.unwrap());
    assert_ne!(ann, bob);
    for (login, command) in [(stage.login(), "agent-host login far"), (of("eve"), "agent-host login far --principal eve")] {
        assert_eq!(needed(&logins.authorization(&login).await.unwrap_err()).1, command);
    }
    assert_eq!(logins.end(&of("ann")).await, Ok(Some(Tokens::Revoked)));
    assert_eq!(logins.authorization(&of("bob o'x")).await.unwrap(), bob);
    assert_eq!(of("bob o'x").command(&[]), r"agent-host login far --principal 'bob o'\''x'");
}

#[tokio::test]
async fn up_5_a_login_for_another_url_or_in_others_reach_is_not_sent() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let moved = Login { url: stage.at("/elsewhere").parse().unwrap(), ..login.clone() };
    assert_eq!(needed(&logins.authorization(&moved).await.unwrap_err()).0, "the login that is kept is for another URL");
    let file = state.path().join("logins/far.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(logins.authorization(&login).await.unwrap_err().to_string().contains("is not a file of its owner's alone"));
    let aside = state.path().join("aside");
    std::fs::rename(&file, &aside).unwrap();
    std::fs::set_permissions(&aside, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&aside, &file).unwrap();
    assert!(matches!(logins.authorization(&login).await, Err(LoginError::Failed { .. })), "a link is not followed");
}

#[tokio::test]
async fn up_5_a_client_is_the_one_that_is_configured_else_a_document_else_registered() {
    let state = tempfile::tempdir().unwrap();
    let logins = Logins::of(state.path());
    let oauth = |id: &str, secret: Option<&str>| OAuthClient {
        client_id: Some(id.to_owned()),
        client_secret: secret.map(Into::into),
        scopes: vec!["notes".to_owned(), "more".to_owned()],
        metadata: Some("https://me.example/client.json".to_owned()),
    };
    let documents = || OAuthClient { client_id: None, client_secret: None, ..oauth("", None) };
    for (guise, oauth, client) in [
        (Guise::Sound, oauth("by hand", Some("its secret")), "by hand"),
        (Guise::Documents, documents(), "https://me.example/client.json"),
        (Guise::Sound, documents(), "registered 1"),
        (Guise::Sound, OAuthClient::default(), "registered 1"),
    ] {
        let stage = Stage::new(guise).await;
        let scopes = if oauth.scopes.is_empty() { "notes" } else { "notes more" };
        log_in(&stage, &logins, &Login { oauth, ..stage.login() }).await.unwrap();
        assert_eq!(stage.granted(), (client.to_owned(), scopes.to_owned()));
    }
    let stage = Stage::new(Guise::Unregistering).await;
    let why = log_in(&stage, &logins, &stage.login()).await.unwrap_err();
    assert!(why.contains("write its `client_id` to `[servers.far.oauth]`"), "{why}");
}

#[tokio::test]
async fn up_10_a_token_is_renewed_once_before_it_ends_however_many_want_it() {
    let (stage, state) = (Stage::new(Guise::Short).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Arc::new(Logins::of(state.path())), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let old = logins.authorization(&login).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (logins, login) = (logins.clone(), login.clone());
        asking.spawn(async move { logins.authorization(&login).await.unwrap() });
    }
    // Beside them one who leaves: what is renewed is kept all the same.
    drop(tokio::time::timeout(Duration::from_millis(1), logins.authorization(&login)).await);
    let values = asking.join_all().await;
    assert!(values.iter().all(|value| *value == values[0] && stage.takes(value)) && values[0] != old);
    assert_eq!((stage.renewals(), stage.wrong()), (1, Vec::new()), "its refresh token is good for one renewal");
    // Another process has the same file and none of this memory.
    let other = Logins::of(state.path());
    assert_eq!(other.authorization(&login).await.unwrap(), values[0]);
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_ne!(other.authorization(&login).await.unwrap(), values[0]);
    assert_eq!((stage.renewals(), stage.wrong()), (2, Vec::new()));
}

#[tokio::test]
async fn up_10_a_login_that_ended_is_told_with_the_command_and_not_tried_again() {
    let (stage, state) = (Stage::new(Guise::Short).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    stage.revoke();
    let value = logins.authorization(&login).await.unwrap();
    let refused = |value: HeaderValue| {
        let (logins, login) = (&logins, &login);
        async move { logins.refused(login, Some(&value), StatusCode::UNAUTHORIZED, "Bearer error=\"invalid_token\"").await }
    };
    let error = refused(value).await.unwrap_err();
    assert_eq!(needed(&error), ("its login has ended", "agent-host login far"));
    let asked = stage.asked();
    for _ in 0..3 {
        assert_eq!(logins.authorization(&login).await.unwrap_err(), error);
    }
    assert_eq!(stage.asked(), asked, "nobody is asked for what only a person can give");
    log_in(&stage, &logins, &login).await.unwrap();
    assert!(stage.takes(&logins.authorization(&login).await.unwrap()));
}

#[tokio::test]
async fn up_10_a_token_that_can_not_be_renewed_just_now_is_used_until_it_ends() {
    let (stage, state) = (Stage::new(Guise::Short).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let value = logins.authorization(&login).await.unwrap();
    stage.close();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_eq!(logins.authorization(&login).await.unwrap(), value, "old, and not over");
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let error = logins.authorization(&login).await.unwrap_err();
    assert_eq!(error, LoginError::Failed { why: "its authorization server can't be asked to renew its login".to_owned() });
    let kept = logins.place(&login).read(&login).unwrap();
    assert_eq!(logins.renewed(&login, &kept, Because::Refused).await.unwrap_err(), error);
}

#[tokio::test]
async fn up_10_more_scopes_are_asked_for_by_a_person() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    let refused = async |challenge: &str| logins.refused(&login, None, StatusCode::FORBIDDEN, challenge).await.unwrap_err();
    let error = refused(r#"Bearer error="insufficient_scope", scope="notes:write $(rm) `x` --yes a/b""#).await;
    assert_eq!(needed(&error), ("its login lacks scopes that it asks for", "agent-host login far --scope notes:write --scope a/b"));
    let no = LoginError::Failed { why: "it forbids this to whom the login is of".to_owned() };
    for other in
        ["", "Bearer", r#"Bearer error="invalid_token""#, &format!(r#"Bearer error="insufficient_scope", x="{}""#, "x".repeat(9000))]
    {
        assert_eq!(refused(other).await, no, "{other}");
    }
    let begun = Begun::new(login, &logins, &["more".to_owned()]).await.unwrap();
    assert_eq!(begun.scopes(), ["notes", "more"], "what it had, and what it lacked");
}

#[tokio::test]
async fn up_10_a_401_is_answered_with_another_value_or_a_person() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    let refused = async |sent: Option<&HeaderValue>| logins.refused(&login, sent, StatusCode::UNAUTHORIZED, "Bearer").await;
    assert_eq!(needed(&refused(None).await.unwrap_err()).0, "nobody has logged in there");
    log_in(&stage, &logins, &login).await.unwrap();
    let value = refused(None).await.unwrap();
    assert!(stage.takes(&value), "who sent nothing has something to send by now");
    let other = refused(Some(&value)).await.unwrap();
    assert!(other != value && stage.takes(&other), "one that is refused before its time is renewed");
    assert_eq!(refused(Some(&value)).await.unwrap(), other, "which others have done already");
    assert_eq!((stage.renewals(), stage.wrong()), (1, Vec::new()));
}

#[test]
fn up_5_alias_and_state_alone_say_where_a_login_lies() {
    let alias = Alias::parse("far").unwrap();
    let place = |name: &str| super::Place::of(Path::new("/s/logins"), &alias, Some(&PrincipalId::parse(name).unwrap()));
    let file = place("../../etc/x").file().to_owned();
    assert!(file.starts_with("/s/logins/far") && file.components().count() == 5, "{file:?}");
    assert_ne!(place("a").file(), place("b").file());
}

#[tokio::test]
async fn up_5_a_login_is_forgotten_whether_its_tokens_are_taken_back_or_not() {
    for (guise, came) in [
        (Guise::Unrevoking, Tokens::Kept),
        (Guise::RevokesElsewhere, Tokens::Failed("169.254.169.254".to_owned())),
        (Guise::Unrevoked, Tokens::Failed("503".to_owned())),
    ] {
        let (stage, state) = (Stage::new(guise).await, tempfile::tempdir().unwrap());
        let (logins, login) = (Logins::of(state.path()), stage.login());
        log_in(&stage, &logins, &login).await.unwrap();
        let ended = logins.end(&login).await.unwrap().unwrap();
        match (&ended, &came) {
            (Tokens::Failed(why), Tokens::Failed(part)) => assert!(why.contains(part) && !why.contains("access-"), "{guise:?}: {why}"),
            _ => assert_eq!(ended, came, "{guise:?}"),
        }
        assert_eq!(needed(&logins.authorization(&login).await.unwrap_err()).0, "nobody has logged in there", "{guise:?}");
    }
    // Where nobody answers any more it is forgotten as well.
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let (logins, login) = (Logins::of(state.path()), stage.login());
    log_in(&stage, &logins, &login).await.unwrap();
    stage.close();
    assert!(matches!(logins.end(&login).await, Ok(Some(Tokens::Failed(_)))));
    assert!(!state.path().join("logins/far.json").exists());
}

#[tokio::test]
async fn up_5_tokens_are_taken_back_by_the_client_that_has_them() {
    let (stage, state) = (Stage::new(Guise::Sound).await, tempfile::tempdir().unwrap());
    let logins = Logins::of(state.path());
    let oauth = OAuthClient { client_id: Some("by hand".to_owned()), client_secret: Some("its secret".into()), ..OAuthClient::default() };
    let login = Login { oauth, ..stage.login() };
    log_in(&stage, &logins, &login).await.unwrap();
    let value = logins.authorization(&login).await.unwrap();
    assert_eq!(logins.end(&login).await, Ok(Some(Tokens::Revoked)));
    assert!(!stage.takes(&value) && stage.wrong().is_empty(), "{:?}", stage.wrong());
}
