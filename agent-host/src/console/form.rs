//! What a form sent: its fields in order, and nothing beyond a bound.
//!
//! Is not: a judge of what they mean. Clause: AUTH-4 (console, login). Source: URL Standard, `application/x-www-form-urlencoded`.

use crate::web::{is_type, whole};
use axum::body::Body;
use http::{HeaderMap, StatusCode};
use std::time::Duration;
use zeroize::Zeroizing;

/// Bytes of a form at the most; room for every tool of a question by its id.
const BYTES: usize = 64 * 1024;
/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Fields in the order in which they came. They may hold a passphrase, and are wiped.
pub(super) struct Form(Vec<(String, Zeroizing<String>)>);

impl Form {
    /// Reads one; else the status that says why not.
    pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Self, StatusCode> {
        if !is_type(headers, "application/x-www-form-urlencoded") {
            return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        whole(body, BYTES, PATIENCE).await.map(|body| Self::parse(&body))
    }

    pub(super) fn parse(bytes: &[u8]) -> Self {
        let fields = url::form_urlencoded::parse(bytes);
        Self(fields.map(|(name, value)| (name.into_owned(), Zeroizing::new(value.into_owned()))).collect())
    }

    /// The one value of a field; none where it is left out, empty, or there more than once.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        let mut values = self.all(name);
        let first = values.next().filter(|value| !value.is_empty());
        if values.next().is_some() { None } else { first }
    }

    /// Every value of a field.
    pub(super) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let name = name.to_owned();
        self.0.iter().filter(move |(field, _)| *field == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_3_a_field_that_is_there_twice_says_nothing() {
        let form = Form::parse(b"decision=deny&decision=approve&request=r_1&empty=&tool=a&tool=b%2Fc");
        assert_eq!((form.one("decision"), form.one("request"), form.one("empty"), form.one("none")), (None, Some("r_1"), None, None));
        assert_eq!(form.all("tool").collect::<Vec<_>>(), ["a", "b/c"]);
    }
}
