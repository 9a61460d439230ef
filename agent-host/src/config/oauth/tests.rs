//! What `[oauth]` may hold, and what is said of one that doesn't.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::config::Config;
use std::path::Path;

const HEAD: &str = "[profiles.p]\n[profiles.q]\n[oauth]\nissuer = \"https://id.example\"\nresource = \"https://t.example/mcp\"\n";

fn parse(more: &str) -> Result<OAuth, String> {
    let text = format!("{HEAD}{more}\n");
    Config::parse(Path::new("/demo/agent-host.toml"), &text).map(|config| config.oauth.unwrap()).map_err(|error| error.to_string())
}

fn wrong(more: &str, part: &str) {
    let error = parse(more).unwrap_err();
    assert!(error.contains(part) && error.contains("\nhint: ") && error.starts_with("/demo/agent-host.toml:"), "{more}: {error}");
}

#[test]
fn ses_4_scopes_keep_the_order_in_which_they_are_written() {
    let oauth = parse("[oauth.scopes]\n\"z:all\" = \"q\"\n\"a:some\" = \"p\"\n\"m\" = \"q\"").unwrap();
    assert_eq!(oauth.scopes.0.iter().map(|(scope, _)| scope.as_str()).collect::<Vec<_>>(), ["z:all", "a:some", "m"]);
    assert_eq!((oauth.audience(), oauth.principal.as_str(), &oauth.jwks), ("https://t.example/mcp", "sub", &None));
    let usual = [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA];
    assert_eq!((&oauth.algorithms[..], oauth.required.len(), oauth.profile), (&usual[..], 0, None));
}

#[test]
fn ses_4_attack_61_no_shared_secret_and_no_signature_is_no_algorithm() {
    for name in ["none", "HS256", "HS384", "HS512", "rs256", "ES256K", ""] {
        wrong(&format!("profile = \"p\"\nalgorithms = [\"{name}\"]"), "unknown variant");
    }
    wrong("profile = \"p\"\nalgorithms = []", "`algorithms` is empty");
    wrong("profile = \"p\"\nalgorithms = \"RS256\"", "expected a sequence");
}

#[test]
fn ses_4_parts_of_the_table_fit_together() {
    wrong("", "no token could come in");
    wrong("profile = \"r\"", "no profile `r`");
    wrong("scopes = { x = \"r\" }", "no profile `r`");
    wrong("profile = \"p\"\naudience = \"\"", "is empty");
    wrong("profile = \"p\"\nprincipal = \"\"", "is empty");
    wrong("profile = \"p\"\nrequired = [\"a b\"]", "a scope is one word");
    wrong("scopes = { \"a\\\"\" = \"p\" }", "a scope is one word");
    wrong("scopes = { \"é\" = \"p\" }", "a scope is one word");
    wrong("profile = \"p\"\nleeway = \"1m\"", "unknown field `leeway`");
    wrong("profile = [\"p\"]", "expected a string");
}

#[test]
fn ses_4_secrets_and_keys_come_by_https_or_stay_on_this_machine() {
    for address in
        ["https://id.example/a?b=c", "http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:1/x", "http://localhost", "HTTPS://ID.example"]
    {
        assert!(parse(&format!("profile = \"p\"\njwks = \"{address}\"")).is_ok(), "{address}");
    }
    for (address, part) in [
        ("http://id.example", "is for this machine alone"),
        ("http://10.0.0.1", "is for this machine alone"),
        ("http://localhost.id.example", "is for this machine alone"),
        ("http://127.0.0.1.id.example", "is for this machine alone"),
        ("http://[::ffff:10.0.0.1]", "is for this machine alone"),
        ("file:///etc/keys", "neither `https` nor `http`"),
        ("https://me:hunter2@id.example", "names no user"),
        ("https://id.example/#keys", "has no `#`"),
        ("id.example", "not an address"),
    ] {
        wrong(&format!("profile = \"p\"\njwks = \"{address}\""), part);
        assert!(!parse(&format!("profile = \"p\"\njwks = \"{address}\"")).unwrap_err().contains("hunter2"));
    }
    let query = "[profiles.p]\n[oauth]\nprofile = \"p\"\nissuer = \"https://id.example?x\"\nresource = \"https://t.example/mcp\"\n";
    assert!(Config::parse(Path::new("/x"), query).unwrap_err().to_string().contains("have no `?`"));
}
