//! `console`: where the running host serves the operator's pages.
//!
//! Is: asked at the operator's socket, as only the host's own user can. Is not: a login; the page demands one. Clause: AUTH-4
//! (console, login).

use super::operator::{live, odd};
use super::print::{print, tell};
use super::{Exit, Failure};
use crate::admin::{Request, Response};
use crate::browser;
use clap::Args;
use std::path::Path;
use url::Url;

#[derive(Debug, Args)]
pub(crate) struct Console {
    /// Open it in a browser, too.
    #[arg(long)]
    open: bool,
}

pub(super) async fn console(state: &Path, options: Console) -> Result<(), Failure> {
    let nothing = |what: &str, hint: &str| Err(Failure::new(Exit::Nothing, format!("{what}\nhint: {hint}")));
    let start = "`agent-host run --console 127.0.0.1:8751` serves them, and so does `[console] listen` in the configuration";
    let url = match live(state, &Request::Console {}).await? {
        None => return nothing("no host runs on this state folder", start),
        Some(Response::Console { url: None }) => return nothing("this host serves no pages", start),
        Some(Response::Console { url: Some(url) }) => url,
        Some(_) => return Err(odd()),
    };
    print(std::slice::from_ref(&url));
    if options.open
        && let Ok(url) = Url::parse(&url)
        && let Err(error) = browser::open(&url)
    {
        tell(&format!("no browser could be opened: {error}"));
    }
    Ok(())
}
