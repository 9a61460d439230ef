//! `passphrase set`: a passphrase chosen at the terminal, kept as a hash in the state folder; each operator has one.
//!
//! Is not: a question for the old one. Whoever can write to the folder could replace it all the same (AUTH-9).
//! Clause: AUTH-4 (passphrase).

use super::print::print;
use super::tty::Tty;
use super::{Exit, Failure};
use crate::admin::passphrase::{self, Secret};
use crate::config::OperatorName;
use crate::store::StoreError;
use std::path::Path;

pub(super) async fn set(state: &Path, operator: Option<OperatorName>) -> Result<(), Failure> {
    if !state.is_dir() {
        return Err(StoreError::Missing(state.to_owned()).into());
    }
    let mut tty = Tty::open()?;
    let chosen = tty.secret("new passphrase: ").await?;
    let secret = Secret::new(chosen).map_err(|error| Failure::new(Exit::Usage, format!("nothing was set: {error}")))?;
    let again = tty.secret("the same again: ").await?;
    if Secret::new(again).ok().as_ref() != Some(&secret) {
        return Err(Failure::new(Exit::Usage, "nothing was set: the two are not the same\nhint: try again"));
    }
    let operator = operator.unwrap_or_else(OperatorName::owner);
    passphrase::set(state, &operator, &secret).map_err(|error| Failure::new(Exit::Failed, format!("nothing was set: {error}")))?;
    print(&[if operator == OperatorName::owner() {
        "the passphrase is set; `agent-host approve REQUEST --strong` asks for it, and so does the console".to_owned()
    } else {
        format!("the passphrase of `{operator}` is set; the console asks for it, and who was logged in by another is not any more")
    }]);
    Ok(())
}
