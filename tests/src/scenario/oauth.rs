//! Access tokens of a real authorization server, and of those who pose as one.
//!
//! Is: `oauth` of the host against `issuer`, over real sockets, and `tests/clients/oauth.py`, the same at the built host's endpoint with MCP's
//! own client. Clause: SES-4 (OAuth).

use super::issuer::{Issuer, RESOURCE};
use super::plays;
use agent_host::config::Config;
use agent_host::oauth::{Claims, Refused, ResourceServer};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const READ: &str = "tools:read";
const ALL: &str = r#"algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]"#;

/// The resource server of a configuration: `write` before `read`, and what a test adds.
fn resource(issuer: &Issuer, more: &str) -> ResourceServer {
    let text = format!(
        "[profiles.reader]\n[profiles.writer]\n[profiles.guest]\n[oauth]\nissuer = \"{}\"\nresource = \"{RESOURCE}\"\n\
         scopes = {{ \"tools:write\" = \"writer\", \"tools:read\" = \"reader\" }}\n{more}\n",
        issuer.address
    );
    ResourceServer::new(Config::parse(Path::new("/demo/agent-host.toml"), &text).unwrap().oauth.unwrap())
}

#[test]
fn ses_4_host_2_attack_61_a_client_finds_the_issuer_by_itself_and_comes_in_under_its_profile() {
    let transcript = plays("oauth.py", &[]);
    assert!(transcript.contains("all as it must be (discovers)"), "{transcript}");
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Why a token is refused as such; then its challenge says so and leads to the metadata.
async fn why(resource: &ResourceServer, token: &str) -> &'static str {
    match resource.check(token).await {
        Err(refused @ Refused::Token(why)) => {
            let challenge = resource.challenge(&refused).unwrap();
            let told = challenge.to_str().unwrap();
            assert_eq!(refused.status(), 401);
            assert!(
                told.starts_with("Bearer resource_metadata=\"http://127.0.0.1:7070/.well-known/oauth-protected-resource/mcp\""),
                "{told}"
            );
            assert!(told.contains("error=\"invalid_token\""), "{told}");
            why
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn ses_4_a_token_of_the_issuer_says_who_it_is_and_by_its_scopes_which_profile() {
    let mut issuer = Issuer::start();
    let server = resource(&issuer, ALL);
    for algorithm in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"] {
        let token = issuer.token(algorithm, READ, RESOURCE);
        let Claims { principal, profile, issuer: by, subject, expires } = server.check(&token).await.unwrap();
        let said = (principal.as_str(), profile.as_str(), by.as_str(), subject.as_str());
        assert_eq!(said, ("oauth:robot", "reader", issuer.address.as_str(), "robot"), "{algorithm}");
        assert!(expires > now() && expires < now() + 1_000_000, "{expires}");
    }
    assert_eq!(issuer.asked(), 1, "one question for all of it");
    let both = issuer.token("ES256", "tools:read tools:write more", RESOURCE);
    assert_eq!(server.check(&both).await.unwrap().profile.as_str(), "writer", "the first in the operator's order");
    for (scope, challenge) in [("", "tools:read"), ("tools tools:read: TOOLS:READ", "tools:read")] {
        let refused = server.check(&issuer.token("ES256", scope, RESOURCE)).await.unwrap_err();
        assert_eq!((refused, refused.status().as_u16()), (Refused::Scope, 403));
        let told = server.challenge(&refused).unwrap();
        assert!(told.to_str().unwrap().contains(&format!("scope=\"{challenge}\", error=\"insufficient_scope\"")), "{told:?}");
    }
    let strict = resource(&issuer, "required = [\"mcp\"]\nprofile = \"guest\"\nprincipal = \"client_id\"");
    assert_eq!(strict.check(&both).await.unwrap_err(), Refused::Scope);
    let guest = strict.check(&issuer.token("RS256", "mcp", RESOURCE)).await.unwrap();
    assert_eq!((guest.profile.as_str(), guest.principal.as_str()), ("guest", "oauth:robot"));
    let token = issuer_token(&mut issuer);
    let listed = issuer.forged(&token, &json!({}), &json!({ "scope": null, "scp": ["mcp", "tools:write"] }), "RS256");
    assert_eq!(strict.check(&listed).await.unwrap().profile.as_str(), "writer");
    let other = issuer.token("RS256", READ, "https://other.example");
    let named = resource(&issuer, "audience = \"https://other.example\"");
    assert_eq!(named.check(&other).await.unwrap().profile.as_str(), "reader");
}

fn issuer_token(issuer: &mut Issuer) -> String {
    issuer.token("RS256", READ, RESOURCE)
}

#[tokio::test]
async fn ses_4_attack_61_a_signed_token_must_be_for_us_by_our_issuer_and_in_time() {
    let mut issuer = Issuer::start();
    let (server, token) = (resource(&issuer, ""), issuer_token(&mut issuer));
    let (address, soon) = (issuer.address.clone(), now() + 600);
    assert_eq!(why(&server, &issuer.token("RS256", READ, "https://other.example/mcp")).await, "it is for another audience");
    for (claims, expected) in [
        (json!({ "aud": format!("{RESOURCE}/") }), "it is for another audience"),
        (json!({ "aud": ["https://other.example", "http://127.0.0.1:7070"] }), "it is for another audience"),
        (json!({ "aud": [] }), "it is for another audience"),
        (json!({ "aud": null }), "a claim is missing or of another shape"),
        (json!({ "aud": { "0": RESOURCE } }), "a claim is missing or of another shape"),
        (json!({ "iss": "https://other.example" }), "it is another issuer's"),
        (json!({ "iss": format!("{address}/") }), "it is another issuer's"),
        (json!({ "iss": [address, "https://other.example"] }), "it is another issuer's"),
        (json!({ "iss": null }), "a claim is missing or of another shape"),
        (json!({ "exp": now() - 90 }), "it has expired"),
        (json!({ "exp": null }), "a claim is missing or of another shape"),
        (json!({ "exp": format!("{soon}") }), "a claim is missing or of another shape"),
        (json!({ "exp": -1 }), "a claim is missing or of another shape"),
        (json!({ "nbf": now() + 90 }), "its time has not come"),
        (json!({ "nbf": "soon" }), "a claim is missing or of another shape"),
        (json!({ "cnf": { "jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }), "it is bound to a key of its holder's"),
        (json!({ "sub": null }), "it names no subject"),
        (json!({ "sub": "" }), "it names no subject"),
        (json!({ "sub": 7 }), "it names no subject"),
        (json!({ "sub": "x".repeat(123) }), "its subject is no name"),
        (json!({ "sub": "adm\u{200b}in" }), "its subject is no name"),
    ] {
        let forged = issuer.forged(&token, &json!({}), &claims, "RS256");
        assert_eq!(why(&server, &forged).await, expected, "{claims}");
    }
    for claims in [
        json!({ "aud": ["https://other.example", RESOURCE] }),
        json!({ "exp": now() - 30 }),
        json!({ "exp": soon as f64 + 0.5 }),
        json!({ "nbf": now() + 30 }),
        json!({ "sub": "x".repeat(122) }),
    ] {
        let good = issuer.forged(&token, &json!({}), &claims, "RS256");
        assert!(server.check(&good).await.is_ok(), "{claims}");
    }
}

#[tokio::test]
async fn ses_4_attack_61_what_the_issuers_key_did_not_sign_is_nothing() {
    let mut issuer = Issuer::start();
    let (server, token) = (resource(&issuer, ALL), issuer_token(&mut issuer));
    let admin = json!({ "sub": "admin", "scope": "tools:write" });
    for (header, key, expected) in [
        (json!({ "alg": "none" }), "none", "it can't be read as a signed JWT"),
        (json!({ "alg": "None", "kid": null }), "none", "it can't be read as a signed JWT"),
        (json!({}), "none", "its signature is wrong"),
        (json!({ "alg": "HS256" }), "public", "its algorithm is not taken here"),
        (json!({}), "public", "its signature is wrong"),
        (json!({}), "stranger", "its signature is wrong"),
        (json!({ "kid": "stranger" }), "stranger", "its key is not one of the issuer's"),
        (json!({ "kid": null }), "RS256", "it names no key"),
        (json!({ "kid": "ec-1" }), "RS256", "its key is not one of the issuer's"),
        (json!({ "alg": "ES256" }), "RS256", "its key is not one of the issuer's"),
        (json!({ "alg": "ES384", "kid": "ec-1" }), "RS256", "its key is not one of the issuer's"),
        (json!({ "alg": "PS256" }), "RS256", "its signature is wrong"),
        (json!({ "typ": "id+jwt" }), "RS256", "it is no access token"),
        (json!({ "typ": "logout+jwt" }), "RS256", "it is no access token"),
        (json!({ "crit": ["exp"] }), "RS256", "it can't be read as a signed JWT"),
        (json!({ "b64": false }), "RS256", "it can't be read as a signed JWT"),
        (json!({ "x5c": 1 }), "RS256", "it can't be read as a signed JWT"),
    ] {
        let forged = issuer.forged(&token, &header, &admin, key);
        assert_eq!(why(&server, &forged).await, expected, "{header} by {key}");
    }
    // Parts of two good tokens are no third.
    let more = issuer.token("RS256", "tools:write", RESOURCE);
    let parts: Vec<&str> = token.split('.').collect();
    let others: Vec<&str> = more.split('.').collect();
    assert_eq!(why(&server, &format!("{}.{}.{}", parts[0], others[1], parts[2])).await, "its signature is wrong");
    for shape in
        ["", ".", "..", "x.y.z", "aht_0123", &parts[..2].join("."), &format!("{token}."), &format!("{token}.x"), &format!(" {token}")]
    {
        assert_eq!(why(&server, shape).await, "it can't be read as a signed JWT", "{shape:?}");
    }
    let padded = issuer.forged(&token, &json!({}), &json!({ "more": "x".repeat(11_700) }), "RS256");
    assert!(padded.len() > 16_000 && padded.len() <= 16 * 1024 && server.check(&padded).await.is_ok(), "{}", padded.len());
    let long = issuer.forged(&token, &json!({}), &json!({ "more": "x".repeat(12_300) }), "RS256");
    assert_eq!(why(&server, &long).await, "it is too long");
    assert!(server.check(&token).await.is_ok());
    // What is not in the operator's list is not taken, however well it is signed.
    let usual = resource(&issuer, "");
    assert_eq!(why(&usual, &issuer.token("ES384", READ, RESOURCE)).await, "its algorithm is not taken here");
}

#[tokio::test]
async fn ses_4_attack_61_a_token_does_not_say_where_keys_are() {
    let mut issuer = Issuer::start();
    let (server, token) = (resource(&issuer, ""), issuer_token(&mut issuer));
    let trap = TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let (there, own) = (format!("http://{}/keys", trap.local_addr().unwrap()), issuer.does(&json!({ "do": "jwk", "key": "stranger" })));
    for (header, expected) in [
        (json!({ "jku": there, "kid": "stranger" }), "its key is not one of the issuer's"),
        (json!({ "x5u": there, "kid": "stranger" }), "its key is not one of the issuer's"),
        (json!({ "jwk": own, "kid": "stranger" }), "its key is not one of the issuer's"),
        (json!({ "jwk": own, "jku": there, "x5u": there }), "its signature is wrong"),
        (json!({ "jwk": own, "kid": null }), "it names no key"),
    ] {
        let forged = issuer.forged(&token, &header, &json!({}), "stranger");
        assert_eq!(why(&server, &forged).await, expected, "{header}");
    }
    assert!(trap.accept().is_err(), "nobody came");
    assert!(server.check(&token).await.is_ok());
    let last = issuer.forged(&token, &json!({}), &json!({ "exp": now() - 54 }), "RS256");
    assert!(server.check(&last).await.is_ok());
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(why(&server, &last).await, "it has expired", "and what was accepted before is no longer");
    issuer.does(&json!({ "do": "rotate", "bits": 1024 }));
    let (weak, fresh) = (issuer_token(&mut issuer), resource(&issuer, ""));
    assert_eq!(why(&fresh, &weak).await, "its signature is wrong", "a key of 1024 bits vouches for nothing");
}

#[tokio::test]
async fn ses_4_tokens_don_t_make_the_host_ask_for_keys_again_and_again() {
    let mut issuer = Issuer::start();
    let (server, token) = (Arc::new(resource(&issuer, "")), issuer_token(&mut issuer));
    let many: Vec<_> = (0..64).map(|_| (server.clone(), token.clone())).collect();
    let many: Vec<_> = many.into_iter().map(|(server, token)| tokio::spawn(async move { server.check(&token).await })).collect();
    for one in many {
        assert!(one.await.unwrap().is_ok());
    }
    assert_eq!(issuer.asked(), 1, "all waited for one question");
    for at in 0..200 {
        let forged = issuer.forged(&token, &json!({ "kid": format!("k{at}") }), &json!({}), "stranger");
        assert_eq!(why(&server, &forged).await, "its key is not one of the issuer's");
    }
    assert_eq!(issuer.asked(), 1, "and nobody's kid is worth another within half a minute");
    issuer.does(&json!({ "do": "keys", "are": "gone" }));
    assert!(server.check(&token).await.is_ok(), "what is known needs no issuer");
}

#[tokio::test]
async fn ses_4_an_issuer_that_can_t_say_its_keys_is_no_verdict_on_a_token() {
    let mut issuer = Issuer::start();
    let token = issuer_token(&mut issuer);
    for state in ["gone", "moved", "late", "huge"] {
        issuer.does(&json!({ "do": "keys", "are": state }));
        let (server, from) = (resource(&issuer, ""), Instant::now());
        let refused = server.check(&token).await.unwrap_err();
        assert_eq!((refused, refused.status().as_u16(), server.challenge(&refused)), (Refused::Unavailable, 503, None), "{state}");
        assert!(from.elapsed().as_secs() < 10, "{state}");
        let asked = issuer.asked();
        assert_eq!(server.check(&token).await.unwrap_err(), Refused::Unavailable);
        assert_eq!(issuer.asked(), asked, "{state}: not asked again at once");
    }
    issuer.does(&json!({ "do": "keys", "are": "mixed" }));
    assert!(resource(&issuer, "").check(&token).await.is_ok(), "keys that nobody here can read are beside the point");
    let shared = issuer.forged(&token, &json!({ "kid": "shared" }), &json!({}), "public");
    assert_eq!(why(&resource(&issuer, ""), &shared).await, "its key is not one of the issuer's");
}

#[tokio::test]
async fn ses_4_attack_62_an_issuers_metadata_is_its_own_and_leads_nowhere_else() {
    let mut issuer = Issuer::start();
    let (token, address) = (issuer_token(&mut issuer), issuer.address.clone());
    for metadata in [
        json!({ "issuer": "https://other.example" }),
        json!({ "issuer": format!("{address}/") }),
        json!({ "issuer": null }),
        json!({ "jwks_uri": "http://169.254.169.254/latest/keys" }),
        json!({ "jwks_uri": "http://2852039166/keys" }),
        json!({ "jwks_uri": "http://[::ffff:169.254.169.254]/keys" }),
        json!({ "jwks_uri": "file:///etc/passwd" }),
        json!({ "jwks_uri": "/jwks" }),
        json!({ "jwks_uri": address.replace("http://", "http://user:secret@") + "/jwks" }),
        json!({ "jwks_uri": 1 }),
    ] {
        issuer.does(&json!({ "do": "metadata", "set": metadata }));
        assert_eq!(resource(&issuer, "").check(&token).await.unwrap_err(), Refused::Unavailable, "{metadata}");
        let told = resource(&issuer, &format!("jwks = \"{address}/jwks\""));
        assert!(told.check(&token).await.is_ok(), "what the operator says needs no metadata");
    }
}

/// What [`ses_4_keys_come_over_tls_from_whom_this_machine_trusts`] runs in a process of its own, with or without trust.
#[tokio::test]
#[ignore = "run by another test, in an environment of its own"]
async fn one_check_of_a_token() {
    let said = |name: &str| std::env::var(name);
    let (Ok(address), Ok(token)) = (said("ISSUER"), said("TOKEN")) else { return };
    let text = format!("[profiles.p]\n[oauth]\nprofile = \"p\"\nissuer = \"{address}\"\nresource = \"{RESOURCE}\"\n");
    let server = ResourceServer::new(Config::parse(Path::new("/demo/agent-host.toml"), &text).unwrap().oauth.unwrap());
    println!("{:?}", server.check(&token).await.map(|claims| claims.subject));
}

#[test]
fn ses_4_keys_come_over_tls_from_whom_this_machine_trusts() {
    let folder = tempfile::tempdir().unwrap();
    let mut issuer = Issuer::over_tls(folder.path());
    let (token, other) = (issuer_token(&mut issuer), tempfile::tempdir().unwrap());
    let _other = Issuer::over_tls(other.path());
    for (trusted, expected, asked) in [(other.path(), "Err(Unavailable)", 0), (folder.path(), "Ok(\"robot\")", 1)] {
        let mut check = Command::new(std::env::current_exe().unwrap());
        check.args(["--exact", "scenario::oauth::one_check_of_a_token", "--ignored", "--nocapture"]);
        check.env("SSL_CERT_FILE", trusted.join("cert.pem")).env("ISSUER", &issuer.address).env("TOKEN", &token);
        let said = String::from_utf8(check.output().unwrap().stdout).unwrap();
        assert!(said.contains(expected), "{said}");
        assert_eq!(issuer.asked(), asked, "{trusted:?}");
    }
}

#[tokio::test]
async fn ses_4_what_anybody_is_told_names_no_server_tool_or_session() {
    let issuer = Issuer::start();
    let server = resource(&issuer, "required = [\"mcp\"]");
    let metadata = server.metadata();
    let keys: BTreeSet<&str> = metadata.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, BTreeSet::from(["authorization_servers", "bearer_methods_supported", "resource", "scopes_supported"]));
    assert_eq!((&metadata["resource"], &metadata["authorization_servers"]), (&json!(RESOURCE), &json!([issuer.address])));
    assert_eq!(metadata["scopes_supported"], json!(["mcp", "tools:write", "tools:read"]));
    assert_eq!(server.metadata_path(), "/.well-known/oauth-protected-resource/mcp");
    let absent = server.challenge(&Refused::Absent).unwrap();
    let expected = "Bearer resource_metadata=\"http://127.0.0.1:7070/.well-known/oauth-protected-resource/mcp\", scope=\"mcp tools:read\"";
    assert_eq!((absent.to_str().unwrap(), Refused::Absent.status().as_u16()), (expected, 401));
    assert_eq!(metadata.as_object().unwrap().values().filter(|value| **value == Value::Null).count(), 0);
}
