//! Where things are, by the RFCs' own examples. What tokens do is in `tests/src/scenario/oauth.rs`, with a real issuer.
#![allow(clippy::unwrap_used)]

use super::issuer::well_known;
use super::provider::install;
use crate::config::Config;
use crate::oauth::ResourceServer;
use jsonwebtoken::{Algorithm, DecodingKey};
use std::path::Path;
use url::Url;

#[test]
fn ses_4_an_issuers_metadata_is_looked_for_where_it_may_be() {
    let at = |issuer: &str| well_known(&Url::parse(issuer).unwrap()).into_iter().map(String::from).collect::<Vec<_>>();
    let root = ["https://id.example/.well-known/oauth-authorization-server", "https://id.example/.well-known/openid-configuration"];
    assert_eq!((at("https://id.example"), at("https://id.example/")), (root.map(str::to_owned).to_vec(), root.map(str::to_owned).to_vec()));
    let tenant = [
        "https://id.example/.well-known/oauth-authorization-server/tenant/1",
        "https://id.example/.well-known/openid-configuration/tenant/1",
        "https://id.example/tenant/1/.well-known/openid-configuration",
    ];
    assert_eq!(at("https://id.example/tenant/1"), tenant);
}

#[test]
fn ses_4_the_metadata_of_a_resource_is_under_its_own_path() {
    for (resource, path) in [
        ("https://t.example/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ("https://t.example/gate/mcp/", "/.well-known/oauth-protected-resource/gate/mcp"),
        ("https://t.example", "/.well-known/oauth-protected-resource"),
    ] {
        let text = format!("[profiles.p]\n[oauth]\nprofile = \"p\"\nissuer = \"https://id.example\"\nresource = \"{resource}\"\n");
        let server = ResourceServer::new(Config::parse(Path::new("/x"), &text).unwrap().oauth.unwrap());
        assert_eq!(server.metadata_path(), path);
    }
}

/// RFC 8037, A.4: another's key, message and signature.
#[test]
fn ses_4_a_signature_of_the_standards_own_is_right_and_another_is_not() {
    install();
    let key = DecodingKey::from_ed_components("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
    let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let check = |signature: &str, algorithm| jsonwebtoken::crypto::verify(signature, message, &key, algorithm);
    assert!(check(signature, Algorithm::EdDSA).unwrap());
    assert!(!check(&signature.replacen('h', "i", 1), Algorithm::EdDSA).unwrap());
    assert!(!check("", Algorithm::EdDSA).unwrap());
    for other in [Algorithm::HS256, Algorithm::RS256, Algorithm::ES256] {
        assert!(check(signature, other).is_err(), "{other:?}");
    }
}
