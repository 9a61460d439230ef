//! What an authorization server sent the browser back with.
//!
//! Is: the parameters of one redirect, read strictly. Is not: trusted; whether the state and the issuer are ours is checked
//! where it is used. Clauses: UP-5 (login), AUTH-4 (OIDC).

use agent_core::safety::prose;
use std::collections::BTreeMap;
use url::form_urlencoded;

/// Bytes of one parameter.
const BYTES: usize = 8 * 1024;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) state: String,
    /// Who says that it answers (RFC 9207).
    pub(crate) issuer: Option<String>,
    /// A code, or why there is none.
    pub(crate) said: Result<String, String>,
}

impl Answer {
    /// Reads a query. A parameter that matters and stands twice is refused: two readers could take it for two things.
    pub(crate) fn parse(query: &str) -> Result<Self, String> {
        let mut seen = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if !matches!(&*name, "code" | "state" | "iss" | "error" | "error_description") {
                continue;
            }
            if value.len() > BYTES || seen.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err("the answer of the authorization server holds a parameter twice, or one that is too long".to_owned());
            }
        }
        let state = seen.remove("state").ok_or("the answer of the authorization server has no `state`")?;
        let said = match (seen.remove("code"), seen.remove("error")) {
            (Some(code), None) if !code.is_empty() => Ok(code),
            (None, Some(error)) => {
                let more = seen.remove("error_description").map(|more| format!(" ({})", prose(&more, 200))).unwrap_or_default();
                Err(format!("the authorization server says: {}{more}", prose(&error, 100)))
            }
            _ => return Err("the answer of the authorization server has neither one code nor one error".to_owned()),
        };
        Ok(Self { state, issuer: seen.remove("iss"), said })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn up_5_an_answer_is_read_strictly() {
        let read = Answer::parse("code=a%2Bb&state=s&iss=https%3A%2F%2Fas&more=1&more=2").unwrap();
        assert_eq!(read, Answer { state: "s".to_owned(), issuer: Some("https://as".to_owned()), said: Ok("a+b".to_owned()) });
        let no = Answer::parse("error=access_denied&error_description=%1b%5B2Jno&state=s").unwrap();
        assert_eq!(no.said.unwrap_err(), "the authorization server says: access_denied (\\u{1b}[2Jno)");
        let long = format!("code={}&state=s", "x".repeat(BYTES + 1));
        for wrong in
            ["", "code=a", "state=s", "code=&state=s", "code=a&error=b&state=s", "code=a&code=b&state=s", "code=a&state=s&state=t", &long]
        {
            assert!(Answer::parse(wrong).is_err(), "{wrong}");
        }
    }
}
