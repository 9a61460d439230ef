//! What is said at the API's door: a passphrase there, a bearer token back.
//!
//! Is: the values. Is not: a login; `console` keeps those. Clauses: AUTH-4 (login), HOST-3 (login).

use crate::admin::passphrase::Secret;
use serde::{Deserialize, Serialize};

/// Who comes in, and by what.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Coming {
    /// The operator's name; where it is left out, the one operator of a host that names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) operator: Option<String>,
    /// The passphrase.
    pub(crate) passphrase: Secret,
}

/// What is answered at the door.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(crate) enum Come {
    /// To `login`.
    LoggedIn {
        /// The bearer token of this login. It is shown this once, and is worth nothing after a restart.
        bearer: String,
        /// Seconds without a request after which it is over.
        idle_s: u64,
        /// Seconds after which it is over in any case.
        most_s: u64,
    },
    /// To `logout`.
    LoggedOut {},
}
