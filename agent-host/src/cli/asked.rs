//! An operator's command, by whoever is to be asked: the host of the state folder, or one elsewhere.
//!
//! Is: which command is which function. Is not: what it prints. Clause: HOST-3 (socket, login).

use super::far::At;
use super::*;

/// Runs an operator's command, by the host of the state folder or by one elsewhere.
///
/// # Errors
/// [`Failure`] with what to print and the code to end with.
pub(crate) async fn run(places: &Places, elsewhere: &Elsewhere, command: Operator) -> Result<(), Failure> {
    let near = matches!(command, Operator::Audit(_) | Operator::Passphrase(_) | Operator::Console(_));
    if elsewhere.is_named() && near {
        let hint = "run it on the host's own machine, without `--at`";
        return Err(Failure::new(Exit::Usage, format!("this command is about the state folder of a host on this machine\nhint: {hint}")));
    }
    let Some(far) = elsewhere.enter().await? else { return here(places, command).await };
    let done = asked(places, At::There(&far), false, command).await;
    if let Err(error) = far.leave().await {
        tracing::debug!(%error, "the login was not ended; it ends by itself");
    }
    done
}

async fn here(places: &Places, command: Operator) -> Result<(), Failure> {
    let state = places.state_folder()?;
    // A host that was never started has nothing to show; a folder that was named is a slip where it is not there.
    let fresh = places.state.is_none() && !state.exists();
    match command {
        Operator::Audit(Audit::Show { session, last, json }) => audit::show(&state, session, last, json),
        Operator::Audit(Audit::Verify) => audit::verify(&state),
        Operator::Passphrase(Passphrase::Set { operator }) => passphrase::set(&state, operator).await,
        Operator::Console(options) => console::console(&state, options).await,
        command => asked(places, At::Here(&state), fresh, command).await,
    }
}

/// `fresh`: no host ever ran there, and nobody named it.
async fn asked(places: &Places, at: At<'_>, fresh: bool, command: Operator) -> Result<(), Failure> {
    match command {
        Operator::Sessions(list) => operator::sessions(at, fresh, list.json).await,
        Operator::Session(whole) => inspect::session(at, whole.session, whole.json).await,
        Operator::Approvals(approvals) if approvals.watch => watch::watch(at).await,
        Operator::Approvals(approvals) => operator::approvals(at, fresh, approvals.json).await,
        Operator::Approve(approving) => approve::approve(at, approving).await,
        Operator::Deny(answering) => approve::answer(at, answering, Decision::Deny).await,
        Operator::Questions(list) => questions::list(at, fresh, list.json).await,
        Operator::Reply(replying) => questions::reply(at, replying).await,
        Operator::Denials(command) => denials::run(at, fresh, command).await,
        Operator::Standing(command) => standing::run(at, fresh, command).await,
        Operator::Why(why) => inspect::why(at, why.session, why.tool, why.json).await,
        Operator::Revoke(revoke) => revoke::revoke(at, revoke).await,
        Operator::End(ending) => revoke::end(at, ending).await,
        Operator::Token(command) => token::run(places, at, fresh, command).await,
        Operator::Stop => operator::stop(at).await,
        Operator::Resume => operator::resume(at).await,
        Operator::Reload => reload::reload(at).await,
        // They were done before anybody was asked.
        Operator::Audit(_) | Operator::Passphrase(_) | Operator::Console(_) => Ok(()),
    }
}
