//! By which names this host is reached, and which web pages may reach it: one check in front of every route.
//!
//! A page on another site can make a browser send requests here, under a name of its own that leads to this address. So a
//! request's `Host` must be a name of ours with our port, and its `Origin`, if a browser sent one, ours or one that the operator
//! named. Is not: who asks. Clause: SES-4. Source: MCP specification, basic/transports (security); RFC 9110, 7.2; RFC 6454.

use super::Reach;
use http::header::{HOST, ORIGIN};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, Uri};
use std::net::SocketAddr;

/// What a host answers to.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    scheme: Scheme,
    names: Vec<(String, u16)>,
    origins: Vec<(String, String, u16)>,
}

/// What a request says of the page that sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// Nothing.
    Nobody,
    /// One that may call.
    Known,
    /// One that has no origin, or does not say it.
    Null,
}

/// Why a request is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// It has no one `Host` that can be read.
    NoHost,
    /// It is for a name that is not ours.
    Host,
    /// It comes from a page that may not call.
    Origin,
}

impl Guard {
    /// Of a host that listens there.
    pub(crate) fn new(at: SocketAddr, reach: Reach<'_>) -> Self {
        let scheme = if reach.tls.is_some() { Scheme::HTTPS } else { Scheme::HTTP };
        let own = std::iter::once(at.ip().to_string());
        let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let local = local.into_iter().filter(|_| at.ip().is_loopback());
        let mut names: Vec<_> = own.chain(local).map(|name| (name, at.port())).collect();
        let outside = if reach.proxy { &Scheme::HTTPS } else { &scheme };
        names.extend(reach.hosts.iter().filter_map(|host| authority(host, outside)));
        let origins = reach.origins.iter().filter_map(|text| origin(text)).collect();
        Self { scheme: outside.clone(), names, origins }
    }

    /// Whether a request may come further.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        self.host(uri, headers)?;
        match self.origin(headers)? {
            From::Nobody | From::Known => Ok(()),
            From::Null => Err(Foreign::Origin),
        }
    }

    /// Whether it is for a name of ours.
    pub(crate) fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        let host = one(headers, HOST).ok_or(Foreign::NoHost)?.ok_or(Foreign::NoHost)?;
        let host = authority(host, &self.scheme).ok_or(Foreign::NoHost)?;
        // A request line that names a host itself names the same one.
        let named = uri.authority().map(|named| authority(named.as_str(), &self.scheme));
        if !self.names.contains(&host) || named.is_some_and(|named| named.as_ref() != Some(&host)) {
            return Err(Foreign::Host);
        }
        Ok(())
    }

    /// From which page it says it comes.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> Result<From, Foreign> {
        match one(headers, ORIGIN).ok_or(Foreign::Origin)? {
            None => Ok(From::Nobody),
            Some("null") => Ok(From::Null),
            Some(text) => origin(text).filter(|origin| self.knows(origin)).map(|_| From::Known).ok_or(Foreign::Origin),
        }
    }

    fn knows(&self, origin: &(String, String, u16)) -> bool {
        let (scheme, host, port) = origin;
        let ours = scheme == self.scheme.as_str() && self.names.contains(&(host.clone(), *port));
        ours || self.origins.contains(origin)
    }
}

/// The one value of a header, if it is there; none at all where there are several, or it can't be read.
fn one(headers: &HeaderMap, name: http::HeaderName) -> Option<Option<&str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match (first, values.next()) {
        (None, _) => Some(None),
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

fn authority(text: &str, scheme: &Scheme) -> Option<(String, u16)> {
    let authority: Authority = text.parse().ok()?;
    let port = match authority.port() {
        Some(port) => port.as_str().parse().ok()?,
        None if *scheme == Scheme::HTTPS => 443,
        None => 80,
    };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    (!text.contains('@') && !host.is_empty()).then_some((host, port))
}

fn origin(text: &str) -> Option<(String, String, u16)> {
    let (scheme, rest) = text.split_once("://")?;
    let (host, port) = authority(rest, &scheme.parse().ok()?)?;
    Some((scheme.to_ascii_lowercase(), host, port))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::Http;

    fn guard(http: &Http) -> Guard {
        Guard::new("127.0.0.1:8750".parse().unwrap(), http.into())
    }

    fn asked(guard: &Guard, host: &[&str], origin: Option<&str>) -> Result<(), Foreign> {
        let mut headers = HeaderMap::new();
        for host in host {
            headers.append(HOST, host.parse().unwrap());
        }
        origin.map(|origin| headers.append(ORIGIN, origin.parse().unwrap()));
        guard.check(&Uri::from_static("/mcp"), &headers)
    }

    #[test]
    fn attack_57_only_our_own_names_and_port_are_answered_to() {
        let guard = guard(&Http::default());
        for ours in ["127.0.0.1:8750", "localhost:8750", "LOCALHOST:8750", "[::1]:8750"] {
            assert_eq!(asked(&guard, &[ours], None), Ok(()), "{ours}");
        }
        for foreign in [
            "evil.example",
            "evil.example:8750",
            "127.0.0.1.evil.example:8750",
            "localhost:8751",
            "localhost",
            "127.0.0.1",
            "localhost.:8750",
            "0.0.0.0:8750",
            "2130706433:8750",
            "127.1:8750",
            "localhost:99999",
        ] {
            assert_eq!(asked(&guard, &[foreign], None), Err(Foreign::Host), "{foreign}");
        }
        for unreadable in [&[][..], &["localhost:8750", "localhost:8750"], &[""], &["user@localhost:8750"]] {
            assert_eq!(asked(&guard, unreadable, None), Err(Foreign::NoHost), "{unreadable:?}");
        }
    }

    #[test]
    fn attack_57_a_request_line_names_the_same_host_as_its_header() {
        let headers = [(HOST, "localhost:8750".parse().unwrap())].into_iter().collect();
        let check = |uri: &'static str| guard(&Http::default()).check(&Uri::from_static(uri), &headers);
        assert_eq!(check("http://localhost:8750/mcp"), Ok(()));
        assert_eq!(check("http://evil.example/mcp"), Err(Foreign::Host));
        assert_eq!(check("http://127.0.0.1:8750/mcp"), Err(Foreign::Host));
    }

    #[test]
    fn attack_57_only_pages_of_ours_and_of_the_operators_may_call() {
        let http = Http { origins: vec!["https://app.example.com".to_owned()], ..Http::default() };
        let guard = guard(&http);
        for may in ["http://localhost:8750", "http://127.0.0.1:8750", "https://app.example.com", "https://APP.example.com:443"] {
            assert_eq!(asked(&guard, &["localhost:8750"], Some(may)), Ok(()), "{may}");
        }
        for may_not in [
            "http://evil.example",
            "null",
            "",
            "http://localhost:3000",
            "https://localhost:8750",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "file://localhost:8750",
        ] {
            assert_eq!(asked(&guard, &["localhost:8750"], Some(may_not)), Err(Foreign::Origin), "{may_not}");
        }
    }

    #[test]
    fn ses_4_behind_a_proxy_the_operators_names_count() {
        let http = Http { hosts: vec!["mcp.example.com".to_owned()], proxy: true, ..Http::default() };
        let guard = guard(&http);
        assert_eq!(asked(&guard, &["mcp.example.com"], Some("https://mcp.example.com")), Ok(()));
        assert_eq!(asked(&guard, &["mcp.example.com:443"], None), Ok(()));
        assert_eq!(asked(&guard, &["mcp.example.com:8750"], None), Err(Foreign::Host));
    }
}
