//! What a server's 401 or 403 means for the login that was sent to it.
//!
//! Is: another value to send once more, or that a person is needed, with the scopes that were asked for. Is not: a reader of
//! answers' bodies; none is passed on. Clauses: UP-5 (login), UP-10.

use super::renewal::Because;
use super::{Login, LoginError, Logins};
use crate::config::is_scope;
use http::{HeaderValue, StatusCode};
use rmcp::transport::auth::WWWAuthenticateParams;

/// Bytes of a challenge that is read.
const CHALLENGE_BYTES: usize = 8 * 1024;

impl Logins {
    /// After an answer of 401 or 403 to a request with `sent`: a value with which to ask once more, and not again.
    ///
    /// # Errors
    /// [`LoginError::Needed`] where a person has to log in, again or with more scopes; [`LoginError::Failed`] where the server
    /// forbids it whoever logs in, or a renewal did not work out just now.
    pub async fn refused(
        &self,
        login: &Login,
        sent: Option<&HeaderValue>,
        status: StatusCode,
        challenge: &str,
    ) -> Result<HeaderValue, LoginError> {
        if status == StatusCode::FORBIDDEN {
            return Err(forbidden(login, challenge));
        }
        let kept = self.kept(login)?;
        let value = kept.authorization(login)?;
        if sent.is_none_or(|sent| *sent != value) {
            return Ok(value);
        }
        if !kept.is_renewable() {
            return Err(LoginError::needed(login, "it takes its login no longer"));
        }
        self.renewed(login, &kept, Because::Refused).await
    }
}

fn forbidden(login: &Login, challenge: &str) -> LoginError {
    let asked = (challenge.len() <= CHALLENGE_BYTES).then(|| WWWAuthenticateParams::parse(challenge, &login.url));
    let Some(asked) = asked.filter(WWWAuthenticateParams::is_insufficient_scope) else {
        return LoginError::failed("it forbids this to whom the login is of");
    };
    let scopes: Vec<_> = asked.scope.iter().flat_map(|scope| scope.split(' ')).filter(|scope| is_scope(scope)).map(str::to_owned).collect();
    LoginError::needed_for(login, "its login lacks scopes that it asks for", &scopes)
}
