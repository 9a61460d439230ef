//! What `upstream` asks of whoever keeps logins, answered.
//!
//! Is: one request's value, or why there is none, with the command of whom that request is for. Is not: a login; none is
//! begun here. Clauses: UP-1 (identity), UP-5 (login), UP-10.

use super::{Login, LoginError, Logins, is_operator};
use crate::upstream::{Access, Authorize, NoAccess};
use async_trait::async_trait;
use http::{HeaderValue, StatusCode};

#[async_trait]
impl Authorize for Logins {
    async fn authorize(&self, access: &Access) -> Result<Option<HeaderValue>, NoAccess> {
        let login = login(access);
        let value = match &access.refused {
            // Forbidden to nobody in particular: it says so itself.
            Some(refused) if refused.status == StatusCode::FORBIDDEN && refused.value.is_none() => return Ok(None),
            Some(refused) => self.refused(&login, refused.value.as_ref(), refused.status, &refused.challenge).await,
            // Nobody has logged in, and nothing says that one has to: the server may be anybody's.
            None if access.oauth.is_none() && !self.has(&login) => return Ok(None),
            None => self.authorization(&login).await,
        };
        value.map(Some).map_err(|error| match error {
            LoginError::Needed { why, command } => NoAccess::NeedsLogin { why, command },
            LoginError::Failed { why } => NoAccess::Failed(why),
        })
    }

    fn command(&self, access: &Access) -> Option<String> {
        Some(login(access).command(&[]))
    }
}

/// Whose login an access wants.
fn login(access: &Access) -> Login {
    Login {
        alias: access.server.clone(),
        url: access.url.clone(),
        private: access.private,
        oauth: access.oauth.clone().unwrap_or_default(),
        principal: access.principal.clone().filter(|principal| !is_operator(principal)),
    }
}
