//! Sample servers: small MCP servers that are of real use and need no network.
//!
//! Is: four servers over one connection each (a clock, the files of one folder, notes, text), for the demo, the documentation and tests.
//! Is not: part of the host. It knows nothing of it, the host decides nothing here, and each server is a stranger like any other once
//! it runs behind the host. Clauses: NAT-3 (in `folder`). Invariant: I-9.
//! From top to bottom: `schema` (arguments and their bounds), `server` (a list of tools as an MCP server), `pattern` (expressions),
//! `folder` (files that stay under one folder), and a room for each server.

mod clock;
mod files;
mod folder;
mod notes;
mod pattern;
mod schema;
mod server;
mod text;

#[cfg(test)]
mod tests;

use rmcp::transport::IntoTransport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use server::Server;
use std::path::{Path, PathBuf};

/// One of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// Times, time zones and the calendar.
    Clock,
    /// Reads and changes the files of one folder.
    Files,
    /// Notes in one file of a folder.
    Notes,
    /// Works on texts, and keeps none.
    Text,
}

impl Sample {
    /// Every one, in the order of their names.
    pub const ALL: [Self; 4] = [Self::Clock, Self::Files, Self::Notes, Self::Text];

    /// What it is called on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Files => "files",
            Self::Notes => "notes",
            Self::Text => "text",
        }
    }

    /// The one of a name.
    ///
    /// # Errors
    /// The text lists the names.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|sample| sample.name() == text).ok_or_else(|| format!("no such sample server; there are {}", names()))
    }

    /// Whether it works in a folder, which has to be named.
    #[must_use]
    pub fn wants_folder(self) -> bool {
        matches!(self, Self::Files | Self::Notes)
    }
}

/// What a server may be told.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder that `files` and `notes` work in. They touch nothing outside of it.
    pub folder: Option<PathBuf>,
}

impl Options {
    fn folder(&self, sample: Sample) -> Result<&Path, String> {
        self.folder.as_deref().ok_or_else(|| format!("`{}` works in a folder\nhint: name it with `--folder DIR`", sample.name()))
    }
}

/// Serves one client over this process's standard input and output, until its input ends.
///
/// # Errors
/// The text says that the folder is missing or can't be opened, or that the connection failed.
pub async fn serve(sample: Sample, options: &Options) -> Result<(), String> {
    serve_over(sample, options, rmcp::transport::stdio_pipes()).await
}

/// Serves one client over any transport, until it ends.
///
/// # Errors
/// As [`serve`].
pub async fn serve_over<T, E, A>(sample: Sample, options: &Options, transport: T) -> Result<(), String>
where
    T: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    match sample {
        Sample::Clock => run(clock::server(), transport).await,
        Sample::Files => run(files::server(options.folder(sample)?)?, transport).await,
        Sample::Notes => run(notes::server(options.folder(sample)?)?, transport).await,
        Sample::Text => run(text::server(), transport).await,
    }
}

async fn run<S, T, E, A>(server: Server<S>, transport: T) -> Result<(), String>
where
    Server<S>: ServerHandler,
    T: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let broken = |error: String| format!("the connection failed: {error}");
    match server.serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| broken(error.to_string())),
        // A client that went away before it said anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(broken(error.to_string())),
    }
}
