//! Why a bearer token does not let its client in.
//!
//! Is: the status and the words of RFC 6750. Is not: what was in the token. Clause: SES-4 (OAuth).

use http::StatusCode;
use std::fmt;

/// Why a request is not served. No variant holds a text of the token's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// There was no token.
    Absent,
    /// The token is none of this issuer's for this resource now.
    Token(&'static str),
    /// The token is good, and its scopes give nothing here.
    Scope,
    /// The issuer can't be asked for its keys, so nobody can say.
    Unavailable,
}

impl Refused {
    /// 401, 403, or 503 where trying again later is all that helps.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::Absent | Self::Token(_) => StatusCode::UNAUTHORIZED,
            Self::Scope => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The error code of a challenge, which a request without a token has none of; none at all where there is no challenge.
    pub(super) const fn code(self) -> Option<Option<&'static str>> {
        match self {
            Self::Absent => Some(None),
            Self::Token(_) => Some(Some("invalid_token")),
            Self::Scope => Some(Some("insufficient_scope")),
            Self::Unavailable => None,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("a bearer token is needed"),
            Self::Token(why) => write!(f, "the token is refused: {why}"),
            Self::Scope => f.write_str("the token's scopes give nothing here"),
            Self::Unavailable => f.write_str("the issuer's keys can't be had now"),
        }
    }
}

impl std::error::Error for Refused {}
