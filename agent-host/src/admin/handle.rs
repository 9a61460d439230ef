//! One handler for each request, over the engine's desk.
//!
//! Is not: a check of who asks; whoever holds the desk is the operator. Clauses: CAT-8 (accept), REV-1,
//! REV-2, REV-4.

use super::{Request, Response, Session};
use agent_engine::desk::{Desk, NotAccepted};
use agent_engine::revocation::Scope;

/// Does what is asked. `by` is the name that records keep.
pub async fn handle(desk: &Desk, by: &str, request: Request) -> Response {
    match request {
        Request::Sessions {} => Response::Sessions { sessions: sessions(desk), stopped: desk.stopped() },
        Request::Approvals {} => Response::Approvals { waiting: desk.waiting() },
        Request::Revoke { session, tool, cancel } => {
            let revoked = desk.revoke(&Scope::Grant(session, tool), by, cancel).await.pop();
            let (known, narrowed) = (revoked.is_some(), revoked.map(|revoked| revoked.narrowed).unwrap_or_default());
            Response::Revoked { known, removed: !narrowed.removed.is_empty(), running: narrowed.running, recorded: narrowed.recorded }
        }
        Request::Stop {} => Response::Stopped { recorded: desk.stop(by).await },
        Request::Accept { bounds } => match desk.accept(bounds).await {
            Ok(()) => Response::Accepted,
            Err(NotAccepted::Moved(bound)) => Response::Failed {
                what: format!("nothing was accepted: the host has another definition of `{}`, or none", bound.id),
                hint: "it reads a changed lock file within seconds: `agent-host diff`, then accept again".to_owned(),
            },
            Err(NotAccepted::Commit(error)) => {
                Response::Failed { what: format!("nothing was accepted: {error}"), hint: "try again".to_owned() }
            }
        },
        Request::Resume {} => match desk.resume(by).await {
            Ok(()) => Response::Resumed,
            Err(error) => Response::Failed { what: format!("the stop stands: {error}"), hint: "try again".to_owned() },
        },
    }
}

fn sessions(desk: &Desk) -> Vec<Session> {
    let seen = |cell: &std::sync::Arc<agent_engine::session::Cell>| {
        let state = cell.state();
        let waiting = state.waiting.as_deref().cloned();
        Session { asker: cell.asker().clone(), active: state.active.clone(), waiting, running: cell.running() }
    };
    desk.sessions().iter().map(seen).collect()
}
