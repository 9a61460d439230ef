//! What goes with a server behind a URL, and what doesn't.
//!
//! Is: what can be seen in the file. Is not: a look at where a name leads; that is checked whenever a connection is made
//! (`upstream`). Clauses: UP-2 (operator's files), UP-5 (HTTP).

use super::check::{Wrong, wrong};
use super::{Identity, Server, Variable};
use http::{HeaderName, HeaderValue};
use std::collections::BTreeMap;
use url::Url;

/// Headers that the transport writes itself.
const OURS: [&str; 12] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "keep-alive",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// One server.
pub(super) fn server(server: &Server) -> Result<(), Wrong> {
    let Some(text) = &server.url else {
        if !server.headers.is_empty() || server.private || server.identity != Identity::Operator || server.oauth.is_some() {
            return wrong(
                "`headers`, `private`, `identity` and `oauth` are for a server with a `url`",
                "a program is given variables by `env`",
            );
        }
        return Ok(());
    };
    if !server.command.is_empty() {
        return wrong("it has a `command` and a `url`", "keep the one by which it is had");
    }
    if !server.args.is_empty() || !server.env.is_empty() || server.cwd.is_some() {
        return wrong("`args`, `env` and `cwd` are for a program, and this server has a `url`", "a server at a URL is given `headers`");
    }
    if server.shared && server.identity == Identity::PerPrincipal {
        return wrong("one connection can't serve everybody with a login of each", "take out `shared` or `identity`");
    }
    if let Some(oauth) = &server.oauth {
        oauth.check()?;
        if server.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
            return wrong(
                "it has `oauth` and a header `Authorization`, and only one of them is sent",
                "keep the one by which it is reached",
            );
        }
    }
    fits(text, server.private, &server.headers)
}

/// A URL and the headers that go with it, by themselves.
pub(crate) fn fits(url: &str, private: bool, headers: &BTreeMap<String, Variable>) -> Result<(), Wrong> {
    let Ok(url) = Url::parse(url) else { return wrong("`url` can't be read", "write it whole: `https://example.org/mcp`") };
    address(&url, private)?;
    headers.iter().try_for_each(|(name, value)| header(name, value))
}

fn address(url: &Url, private: bool) -> Result<(), Wrong> {
    match url.scheme() {
        "https" => {}
        "http" if private => {}
        "http" => return wrong("`http` is not encrypted", "use `https`; `private = true` allows `http` on a network of your own"),
        _ => return wrong("`url` is neither `https` nor `http`", "write it whole: `https://example.org/mcp`"),
    }
    if url.host().is_none() {
        return wrong("`url` names no host", "write it whole: `https://example.org/mcp`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("`url` holds a user or a password", "send it as a header: `headers = { Authorization = { file = \"PATH\" } }`");
    }
    if url.fragment().is_some() {
        return wrong("`url` has a `#`, which is never sent", "take out what stands behind it");
    }
    Ok(())
}

fn header(name: &str, value: &Variable) -> Result<(), Wrong> {
    let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
        return wrong("no header can have this name", "letters, digits and `-`, such as `X-Api-Key`");
    };
    let ours = OURS.contains(&parsed.as_str()) || parsed.as_str().starts_with("mcp-") || parsed.as_str().starts_with("proxy-");
    if ours {
        return Err((format!("the header `{parsed}` is written by agent-host itself"), "take it out"));
    }
    if HeaderValue::from_str(value.written()).is_err() {
        return Err((format!("the header `{parsed}` can't have this value"), "one line of letters that can be seen"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::config::{Config, Identity};
    use std::path::Path;

    fn parse(lines: &str) -> Result<Config, String> {
        Config::parse(Path::new("/etc/agent-host.toml"), &format!("[servers.far]\n{lines}\n")).map_err(|error| error.to_string())
    }

    #[test]
    fn up_5_a_server_at_a_url_is_read_with_its_headers() {
        let config = parse(
            "url = \"https://example.org/mcp\"\nheaders = { Authorization = { file = \"token\" }, X-Team = \"a\" }\nidentity = \"per-principal\"",
        );
        let config = config.unwrap();
        let far = config.servers.values().next().unwrap();
        assert_eq!((far.url.as_deref(), far.cwd.as_deref(), far.identity), (Some("https://example.org/mcp"), None, Identity::PerPrincipal));
        assert_eq!(format!("{:?}", far.headers), r#"{"Authorization": (hidden, from /etc/token), "X-Team": (hidden)}"#);
        assert_eq!(far.shown(), ["https://example.org/mcp"]);
    }

    #[test]
    fn up_5_what_does_not_go_with_a_url_is_refused() {
        let url = "url = \"https://example.org/mcp\"\n";
        for (lines, why) in [
            (format!("{url}command = \"x\""), "a `command` and a `url`"),
            (format!("{url}args = [\"x\"]"), "`args`, `env` and `cwd`"),
            (format!("{url}cwd = \"x\""), "`args`, `env` and `cwd`"),
            (format!("{url}env = {{ A = \"b\" }}"), "`args`, `env` and `cwd`"),
            (format!("{url}shared = true\nidentity = \"per-principal\""), "a login of each"),
            (format!("{url}headers = {{ \"a b\" = \"x\" }}"), "no header can have this name"),
            (format!("{url}headers = {{ Mcp-Session-Id = \"x\" }}"), "written by agent-host itself"),
            (format!("{url}headers = {{ HOST = \"x\" }}"), "written by agent-host itself"),
            (format!("{url}headers = {{ A = \"x\\ny\" }}"), "can't have this value"),
            (format!("{url}headers = {{ A = {{ env = \"T\", prefix = \"x\\ny\" }} }}"), "can't have this value"),
            (format!("{url}headers = {{ authorization = \"x\" }}\noauth = {{}}"), "only one of them is sent"),
            (format!("{url}oauth = {{ client_secret = \"x\" }}"), "without a `client_id`"),
            (format!("{url}oauth = {{ client_id = \"\" }}"), "no client's name"),
            (format!("{url}oauth = {{ scopes = [\"a b\"] }}"), "what is no scope"),
            (format!("{url}oauth = {{ metadata = \"http://me.example/client\" }}"), "client metadata document"),
            ("command = \"x\"\noauth = {}".to_owned(), "for a server with a `url`"),
            ("description = \"x\"".to_owned(), "neither a `command` nor a `url`"),
            ("command = \"x\"\nprivate = true".to_owned(), "for a server with a `url`"),
            ("url = \"http://example.org/mcp\"".to_owned(), "`http` is not encrypted"),
            ("url = \"ftp://example.org/\"\nprivate = true".to_owned(), "neither `https` nor `http`"),
            ("url = \"example.org/mcp\"".to_owned(), "can't be read"),
            ("url = \"https://me:secret@example.org/\"".to_owned(), "a user or a password"),
            ("url = \"https://example.org/#x\"".to_owned(), "has a `#`"),
        ] {
            let error = parse(&lines).unwrap_err();
            assert!(error.contains(why) && error.contains("hint: ") && !error.contains("me:secret"), "{lines}: {error}");
        }
        assert!(parse("url = \"http://127.0.0.1:8000/mcp\"\nprivate = true").is_ok());
    }

    #[test]
    fn up_5_a_url_is_shown_without_what_may_be_a_secret() {
        let config = parse("url = \"https://example.org/s/0123456789abcdef0123456789abcdef/mcp?api_key=abc&x=1\"").unwrap();
        let expect = "https://example.org/s/(hidden)/mcp?api_key=(hidden)&x=1";
        assert_eq!(config.servers.values().next().unwrap().shown(), [expect]);
        let rows = config.rows();
        assert!(rows.iter().any(|row| row.value == expect) && !rows.iter().any(|row| row.value.to_string().contains("abc")));
    }
}
