//! `reload`: the running host reads its configuration and policy again, and says what that came to.
//!
//! Is: asking. Is not: reading; the host does, from the file that it was started with. Clauses: HOST-2, POL-2.

use super::far::At;
use super::operator::{live, odd};
use super::print::print;
use super::{Exit, Failure};
use crate::admin::{Reloaded, Request, Response};

const NOT_RECORDED: &str = "the policy is in force, and that is not recorded\nhint: see whether the disk is full, then reload again";

pub(super) async fn reload(at: At<'_>) -> Result<(), Failure> {
    match live(at, &Request::Reload {}).await? {
        Some(Response::Reloaded { reloaded: Reloaded::Taken(changes) }) => {
            print(&changes.lines());
            if changes.recorded { Ok(()) } else { Err(Failure::new(Exit::Failed, NOT_RECORDED)) }
        }
        Some(Response::Reloaded { reloaded: Reloaded::Refused { why } }) => {
            Err(Failure::new(Exit::Usage, format!("nothing was reloaded; what was in force still is: {why}")))
        }
        Some(_) => Err(odd()),
        None => {
            let hint = "whatever is started next reads the configuration as it is then";
            Err(Failure::new(Exit::Nothing, format!("no host runs on this state folder\nhint: {hint}")))
        }
    }
}
