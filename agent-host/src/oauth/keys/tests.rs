//! When the issuer is asked, by the clock; and over a socket, how a changed key comes in.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn key(kid: &str) -> Key {
    let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
    Key::new(serde_json::from_value(jwk).unwrap()).unwrap()
}

fn named(kid: &str) -> Named {
    Named { algorithm: Algorithm::EdDSA, key: kid.to_owned() }
}

fn said(kept: &Kept, kid: &str, now: Instant) -> Option<bool> {
    kept.look(&named(kid), now).map(|(_, fresh)| fresh)
}

#[test]
fn ses_4_keys_are_fresh_for_ten_minutes_and_kept_for_a_day() {
    let (mut kept, start) = (Kept::default(), Instant::now());
    let after = |ms: u64| start + Duration::from_millis(ms);
    assert!(kept.due(start) && said(&kept, "a", start).is_none());
    kept.take(Some(vec![key("a")]), start);
    assert_eq!((said(&kept, "a", start), said(&kept, "b", start)), (Some(true), None));
    assert_eq!((kept.due(after(JWKS_PAUSE_MS - 1)), kept.due(after(JWKS_PAUSE_MS))), (false, true));
    assert_eq!((said(&kept, "a", after(JWKS_FRESH_MS - 1)), said(&kept, "a", after(JWKS_FRESH_MS))), (Some(true), Some(false)));
    // An issuer that is down changes nothing but when it is asked next.
    kept.take(None, after(JWKS_FRESH_MS));
    assert_eq!((kept.due(after(JWKS_FRESH_MS + JWKS_RETRY_MS - 1)), kept.due(after(JWKS_FRESH_MS + JWKS_RETRY_MS))), (false, true));
    assert_eq!((said(&kept, "a", after(JWKS_KEPT_MS - 1)), said(&kept, "a", after(JWKS_KEPT_MS))), (Some(false), None));
    // What it no longer has is gone.
    kept.take(Some(vec![key("b")]), after(JWKS_KEPT_MS));
    assert_eq!((said(&kept, "a", after(JWKS_KEPT_MS)), said(&kept, "b", after(JWKS_KEPT_MS))), (None, Some(true)));
    kept.take(Some(Vec::new()), after(JWKS_KEPT_MS));
    assert_eq!(said(&kept, "b", after(JWKS_KEPT_MS)), None);
}

#[test]
fn ses_4_attack_61_a_key_is_used_for_what_it_is_for() {
    let plain = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
    let with = |name: &str, value: serde_json::Value| {
        let mut jwk = plain.clone();
        jwk[name] = value;
        serde_json::from_value(jwk).ok().and_then(Key::new).is_some_and(|key| key.is(&named("a")))
    };
    for (name, value, used) in [
        ("use", json!("sig"), true),
        ("use", json!("enc"), false),
        ("key_ops", json!(["verify"]), true),
        ("key_ops", json!(["sign"]), false),
        ("alg", json!("EdDSA"), true),
        ("alg", json!("RS256"), false),
        ("alg", json!("HS256"), false),
        ("crv", json!("P-256"), false),
        ("crv", json!("X25519"), false),
        ("kid", json!("b"), false),
    ] {
        assert_eq!(with(name, value.clone()), used, "{name}: {value}");
    }
    let shared = json!({ "kty": "oct", "kid": "a", "k": "AAAA" });
    assert!(Key::new(serde_json::from_value(shared).unwrap()).is_none(), "a shared secret is no key of an issuer's");
}

/// Serves one key set after the other, each once, and returns their address.
async fn serving(sets: Vec<&'static str>) -> WebAddress {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/keys", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for kid in sets {
            let (mut stream, _) = listener.accept().await.unwrap();
            _ = stream.read(&mut [0; 4096]).await.unwrap();
            let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
            let body = json!({ "keys": [key] }).to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    });
    WebAddress::try_from(address).unwrap()
}

fn back(keys: &Keys, ms: u64) {
    let ago = Duration::from_millis(ms);
    let mut kept = keys.kept.write();
    kept.said = kept.said.map(|said| said.checked_sub(ago).unwrap());
    kept.asked = kept.asked.map(|asked| asked.checked_sub(ago).unwrap());
}

#[tokio::test]
async fn ses_4_a_changed_key_comes_in_and_the_old_one_goes() {
    let at = serving(vec!["a", "b"]).await;
    let keys = Arc::new(Keys::new(at.clone(), Some(at)));
    assert!(keys.find(&named("a")).await.is_ok());
    assert_eq!(keys.find(&named("b")).await.err(), Some(Refused::Token("its key is not one of the issuer's")));
    back(&keys, JWKS_PAUSE_MS);
    assert!(keys.find(&named("b")).await.is_ok(), "asked again for a name that is new");
    assert_eq!(keys.find(&named("a")).await.err(), Some(Refused::Token("its key is not one of the issuer's")));
    // Nobody serves any more: what is old is used on, and what is unknown can't be told.
    back(&keys, JWKS_FRESH_MS);
    assert!(keys.find(&named("b")).await.is_ok());
    assert!(keys.failed(), "the first to find it old waited for what came of it");
    back(&keys, JWKS_RETRY_MS);
    let turn = keys.turn.clone();
    assert!(keys.find(&named("b")).await.is_ok());
    assert_eq!(turn.available_permits(), 0, "it is asked in the background");
    assert_eq!(keys.find(&named("a")).await.err(), Some(Refused::Unavailable));
    back(&keys, JWKS_KEPT_MS);
    assert_eq!(keys.find(&named("b")).await.err(), Some(Refused::Unavailable));
}

#[tokio::test]
async fn ses_4_a_client_that_goes_away_ends_no_question() {
    let at = serving(vec!["a"]).await;
    let keys = Arc::new(Keys::new(at.clone(), Some(at)));
    let asker = keys.clone();
    let gone = tokio::spawn(async move { asker.find(&named("a")).await.is_ok() });
    tokio::task::yield_now().await;
    gone.abort();
    _ = gone.await;
    assert!(keys.find(&named("a")).await.is_ok(), "the one answer that there is was taken");
}
