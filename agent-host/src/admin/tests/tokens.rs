//! Bearer tokens over the socket.

use super::*;
use agent_core::session::{ProfileId, TokenId};
use agent_engine::policy::Profile;

fn order(profile: Option<&str>) -> Request {
    let profile = profile.map(|name| ProfileId::parse(name).unwrap());
    let (principal, ttl) = (PrincipalId::parse("ada").unwrap(), "12h".to_owned().try_into().unwrap());
    Request::CreateToken { token: Ordered { principal, profile, ttl, url: true, note: None } }
}

#[tokio::test]
async fn ses_4_a_token_is_made_listed_and_taken_back_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, _session) = engine(Verdict::Auto).await;
    let _listener = open(state.path(), desk.clone()).unwrap();
    let Response::TokenMade { secret, token } = ask(state.path(), &order(None)).await.unwrap() else { unreachable!() };
    assert_eq!((token.principal.as_str(), token.url, token.until), ("ada", true, Some(token.made.after(12 * 3600 * 1000))));
    assert_eq!(desk.token(&secret.0.reveal()).as_deref(), Some(&*token));

    let listed = send(state.path(), b"{\"do\":\"tokens\"}\n").await;
    assert!(listed.contains(&token.id.to_string()) && !listed.contains(&secret.0.reveal()), "{listed}");
    assert_eq!(ask(state.path(), &Request::Tokens {}).await.unwrap(), Response::Tokens { tokens: vec![(*token).clone()] });

    let mut standing = desk.watch_tokens();
    let revoke = |id| Request::RevokeToken { id };
    let unknown = ask(state.path(), &revoke(TokenId::new(7))).await.unwrap();
    assert_eq!(unknown, Response::TokenRevoked { known: false, recorded: true });
    assert!(!standing.has_changed().unwrap());
    assert_eq!(ask(state.path(), &revoke(token.id)).await.unwrap(), Response::TokenRevoked { known: true, recorded: true });
    assert!(standing.has_changed().unwrap() && standing.borrow_and_update().is_empty());
    assert_eq!(desk.token(&secret.0.reveal()), None);
}

#[tokio::test]
async fn ses_4_what_is_ordered_is_refused_where_it_can_not_be() {
    let state = tempfile::tempdir().unwrap();
    let mut policy = Policy::of(Verdict::Auto);
    policy.profiles.insert(ProfileId::parse("work").unwrap(), Profile::default());
    let (_front, desk, _session) = engine_of(policy).await;
    let _listener = open(state.path(), desk.clone()).unwrap();
    let Response::Failed { what, hint } = ask(state.path(), &order(Some("wrok"))).await.unwrap() else { unreachable!() };
    assert_eq!((what.as_str(), hint.as_str()), ("no token was made: no profile `wrok`", "there are: work"));
    let endless = br#"{"do":"create-token","token":{"principal":"ada","profile":null,"url":false,"note":null}}"#;
    assert!(send(state.path(), &[endless.as_slice(), b"\n"].concat()).await.contains("missing field `ttl`"));
    assert!(desk.tokens().is_empty());
    assert!(matches!(ask(state.path(), &order(Some("work"))).await.unwrap(), Response::TokenMade { .. }));
}
