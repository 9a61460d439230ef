//! Which servers are taken: everything is shown, then asked about at the terminal.
//!
//! Is: one question for all of the user's own, and one for each server of a project, its command shown whole right above it.
//! Only an explicit yes is one, and a flag says yes to no project's server. Clauses: UP-2 (project files), AUTH-3.

use super::found;
use crate::cli::Failure;
use crate::cli::print::{counted, print};
use crate::cli::tty::{Tty, is_yes};
use crate::import::{Plan, Scope, offered_one};
use agent_core::id::Alias;

/// Lines and bytes of one server that a person is asked about; more would scroll away what is run, above what is asked.
const LINES: usize = 64;
const BYTES: usize = 6 * 1024;

/// Shows the plan and asks. A dry run takes all.
pub(super) async fn choose(plan: &Plan, yes: bool, dry_run: bool) -> Result<Vec<Alias>, Failure> {
    let lines = found(plan);
    let (own, others): (Vec<_>, Vec<_>) = plan.new_ones().partition(|(_, offer, _)| offer.entry.scope == Scope::User);
    let own: Vec<Alias> = own.into_iter().map(|(.., alias)| alias.clone()).collect();
    if yes || dry_run || (own.is_empty() && others.is_empty()) {
        print(&lines);
        if yes && !others.is_empty() {
            let hint = "`agent-host init` at a terminal asks about each";
            print(&[format!("{} of projects not taken: no flag says yes to them; {hint}", counted(others.len(), "server"))]);
        }
        let others = others.into_iter().map(|(.., alias)| alias.clone()).filter(|_| dry_run);
        return Ok(own.into_iter().chain(others).collect());
    }
    let mut tty = Tty::open_or("`--yes` takes your own servers, `--dry-run` shows")?;
    tty.say(&lines.join("\n"))?;
    let mut chosen = Vec::new();
    if !own.is_empty() {
        let these = if own.len() == 1 { "the server".to_owned() } else { format!("the {} servers", own.len()) };
        let names = own.iter().map(|alias| format!("`{alias}`")).collect::<Vec<_>>().join(", ");
        if asked(&mut tty, &format!("take over {these} of your own ({names})? [y/N] ")).await? {
            chosen.extend(own);
        }
    }
    for (source, offer, alias) in others {
        let lines = offered_one(source, offer);
        if lines.len() > LINES || lines.iter().map(String::len).sum::<usize>() > BYTES {
            tty.say(&format!("`{alias}` is not taken: nobody can look through that much at once; `agent-host add` takes it"))?;
            continue;
        }
        tty.say(&lines.join("\n"))?;
        if asked(&mut tty, &format!("take over `{alias}`, and run this as shown? [y/N] ")).await? {
            chosen.push(alias.clone());
        }
    }
    Ok(chosen)
}

async fn asked(tty: &mut Tty, question: &str) -> Result<bool, Failure> {
    tty.ask(question)?;
    Ok(is_yes(&tty.answer().await?))
}
