//! The cookie of a login, on its way out and back.
//!
//! Never for a script, never sent from another site, and only over TLS where there is TLS. A second one, of a browser that is at a provider
//! meanwhile, comes back along a link from there, and ends soon. Clauses: AUTH-4 (console, login, OIDC). Source: RFC 6265bis, 4.1.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

/// Values of our name that are looked at in one request. A page on another port can add some, and can't take ours away.
const LOOKED_AT: usize = 8;

/// How a place names its cookie.
#[derive(Debug, Clone)]
pub(super) struct Cookie {
    name: &'static str,
    path: String,
    secure: bool,
    same_site: &'static str,
}

impl Cookie {
    /// Under a path of its own, on loopback; with none, of a whole host over TLS.
    pub(super) fn new(prefix: &str, encrypted: bool) -> Self {
        match prefix {
            "" => Self { name: "__Host-agent-host", path: "/".to_owned(), secure: true, same_site: "Strict" },
            prefix => Self { name: "agent-host", path: prefix.to_owned(), secure: encrypted, same_site: "Strict" },
        }
    }

    /// The one of a browser that comes back from a provider.
    pub(super) fn passing(prefix: &str, encrypted: bool) -> Self {
        let name = if prefix.is_empty() { "__Host-agent-host-passing" } else { "agent-host-passing" };
        Self { name, same_site: "Lax", ..Self::new(prefix, encrypted) }
    }

    /// As it is set, for some seconds or as long as the browser runs; with nothing, it is forgotten.
    pub(super) fn set(&self, secret: Option<(&str, Option<u64>)>) -> Option<HeaderValue> {
        let Self { name, path, secure, same_site } = self;
        let secure = if *secure { "; Secure" } else { "" };
        let (value, lasts) = secret.unwrap_or(("", Some(0)));
        let age = lasts.map_or(String::new(), |seconds| format!("; Max-Age={seconds}"));
        HeaderValue::from_str(&format!("{name}={value}; Path={path}; HttpOnly; SameSite={same_site}{secure}{age}")).ok()
    }

    /// What a browser sends back under our name.
    pub(super) fn values<'a>(&self, headers: &'a HeaderMap) -> Vec<&'a str> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.name).map(|(_, value)| value).take(LOOKED_AT).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn attack_35_the_cookie_goes_to_our_path_alone() {
        let set = |prefix, encrypted| Cookie::new(prefix, encrypted).set(Some(("x", None))).unwrap();
        assert_eq!(set("/c/7f", false), "agent-host=x; Path=/c/7f; HttpOnly; SameSite=Strict");
        assert_eq!(set("/c/7f", true), "agent-host=x; Path=/c/7f; HttpOnly; SameSite=Strict; Secure");
        assert_eq!(set("", true), "__Host-agent-host=x; Path=/; HttpOnly; SameSite=Strict; Secure");
        let passing = |prefix| Cookie::passing(prefix, true).set(Some(("x", Some(600)))).unwrap();
        assert_eq!(passing(""), "__Host-agent-host-passing=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600");
        assert_eq!(passing("/c/7f"), "agent-host-passing=x; Path=/c/7f; HttpOnly; SameSite=Lax; Secure; Max-Age=600");
    }

    #[test]
    fn attack_35_a_cookie_of_another_page_stands_beside_ours_and_not_in_its_place() {
        let headers = HeaderMap::from_iter([
            (COOKIE, HeaderValue::from_static("agent-host=theirs; other=1")),
            (COOKIE, HeaderValue::from_static("xagent-host=no;agent-host=ours")),
        ]);
        assert_eq!(Cookie::new("/c/7f", false).values(&headers), ["theirs", "ours"]);
        assert!(Cookie::new("", true).values(&headers).is_empty());
    }
}
