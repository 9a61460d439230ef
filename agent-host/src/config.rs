//! `agent-host.toml` and what stands over it: what the operator said, checked as far as it can be by itself.
//!
//! Is: layers, each over the one before: built-in defaults, the file, the environment, flags. Every key is known, every
//! value has its origin, every error its place. Is not: the policy in force (the engine's `policy`), nor anything that a
//! client or an upstream could write.
//! Clauses: POL-1, SAFE-1, UP-2 (operator's files), SES-4 (OAuth). Neighbours: `upstream` starts its servers, `app` puts its policy in force.

mod check;
mod console;
mod edit;
mod error;
mod file;
mod http;
mod near;
mod oauth;
mod oauth_client;
mod oidc;
mod origin;
mod place;
mod private;
mod remote;
mod schema;
mod secret;
mod server;
mod shown;
mod surface;
mod told;
mod variable;

#[cfg(test)]
mod tests;

pub use agent_core::length::Length;
pub use console::{Console, Entitled, OperatorName, Principals, Role};
pub use edit::{Added, Edit};
pub use error::ConfigError;
pub use http::{By, Http, Retain, Service, Tls};
pub(crate) use near::nearest;
pub(crate) use oauth::is_local;
pub use oauth::{Algorithm, OAuth, Scopes, WebAddress};
pub use oauth_client::OAuthClient;
pub(crate) use oauth_client::is_scope;
pub use oidc::Oidc;
pub use origin::{Origin, Origins};
pub use place::{default_config, default_state, in_project};
pub(crate) use remote::fits as url_fits;
pub use schema::SCHEMA;
#[cfg(feature = "schema")]
pub use schema::generate;
pub use secret::looks_secret;
pub(crate) use secret::{shown as veiled, veiled_url};
pub use server::{Asked, Era, Identity, Server};
pub use shown::Row;
pub use surface::Surface;
pub use told::{Environment, Flags};
pub(crate) use told::{PROFILE, strictness};
pub use variable::{FromEnv, FromFile, Variable};

use agent_core::id::{Alias, ToolId, WireName};
use agent_core::limits::{TOOLS_TOTAL, WAIT_MS};
use agent_core::session::ProfileId;
use agent_engine::policy::Policy;
use agent_engine::search::Synonyms;
use agent_engine::session::Starts;
use file::File;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;
use toml::de::DeTable;

/// One configuration, whole and consistent.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from, or would come from where there is none.
    pub path: PathBuf,
    /// What may be switched on, by whom, after whose yes.
    pub policy: Policy,
    /// How clients come over HTTP.
    pub http: Http,
    /// What the clients of a profile may take up over HTTP, where that is other than what any may.
    pub services: BTreeMap<ProfileId, Service>,
    /// The profile that `serve` uses.
    pub profile: Option<ProfileId>,
    /// The servers by alias, those switched off included.
    pub servers: BTreeMap<Alias, Server>,
    /// Wire names that the operator gave to preset tools.
    pub names: BTreeMap<ToolId, WireName>,
    /// How long an asker waits for a person before it is told `pending`.
    pub wait: Duration,
    /// Whether the desktop is notified when something begins to wait. The file alone says so.
    pub notify: bool,
    /// What clients are listed; without a word each client's era decides.
    pub surface: Option<Surface>,
    /// Tools of all servers together, at the most.
    pub tools: usize,
    /// The operator's file of synonyms.
    pub synonyms_file: Option<PathBuf>,
    /// What stands in for what in a search: what is built in, and that file's.
    pub synonyms: Synonyms,
    /// Whose access tokens clients may present over HTTP.
    pub oauth: Option<OAuth>,
    /// The operator's pages.
    pub console: Console,
    /// The operators who log in, by name; with none there is `owner`, an admin over everybody.
    pub operators: BTreeMap<OperatorName, Entitled>,
    /// Whether an operator may approve for a principal that they are themselves.
    pub own: bool,
    /// How a call's start is recorded.
    pub starts: Starts,
    /// The state folder, where one is named.
    pub state: Option<PathBuf>,
    /// Where each value came from.
    pub origins: Origins,
    /// What the operator should know of it, and is no error.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads a file, and the one of synonyms where it names one, and nothing else. What others can write is not read.
    ///
    /// # Errors
    /// [`ConfigError`] names the file, the line and what to do.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let (text, mode) = private::read(path, private::CONFIGURATION)?;
        let mut config = Self::parse(path, &text)?;
        config.read_synonyms()?;
        let given = config.servers.values().flat_map(Server::given).map(|(_, value)| value);
        let secret = config.console.oidc.iter().filter_map(|oidc| oidc.client_secret.as_ref());
        let plain = given.chain(secret).any(|value| matches!(value, Variable::Plain(_)));
        if plain && mode & 0o044 != 0 {
            let path = path.display();
            config.warnings.push(format!(
                "others can read `{path}`, which holds values of `env`, `headers` or `client_secret`; `chmod 600 '{path}'`, or keep them elsewhere with \
                 `{{ env = \"NAME\" }}` or `{{ file = \"PATH\" }}`"
            ));
        }
        Ok(config)
    }

    fn read_synonyms(&mut self) -> Result<(), ConfigError> {
        let Some(path) = &self.synonyms_file else { return Ok(()) };
        let (text, _) = private::read(path, private::SYNONYMS)?;
        let hint = "a line reads `ticket case`, `bugs -> issue` or `datei => file`";
        self.synonyms = Synonyms::extended(&text).map_err(|error| ConfigError::line(path, error.line, error.what, hint))?;
        Ok(())
    }

    /// The files that all this was read from.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        std::iter::once(&self.path).chain(&self.synonyms_file).cloned().collect()
    }

    /// Reads a file, or takes the defaults where `path` is none or `optional` and not there, and lays the environment and
    /// the flags over it.
    ///
    /// # Errors
    /// As [`Config::read`]; also where a variable or a flag is wrong, or a variable would widen.
    pub fn load(path: &Path, optional: bool, environment: &Environment, flags: &Flags) -> Result<Self, ConfigError> {
        let missing = optional && std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let mut config = if missing { Self::parse(path, "")? } else { Self::read(path)? };
        config.overlay(environment, flags)?;
        config.warnings.extend(environment.unknown());
        Ok(config)
    }

    /// Reads a text as if it stood in `path`, and no other file; relative paths are taken from its folder.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        let error = |span: Range<usize>, what: String, hint: &str| ConfigError::at(path, text, span.start, what, hint);
        if let Some((span, (what, hint))) = check::renamed(table.get_ref()) {
            return Err(error(span, what, hint));
        }
        let file: File = toml::from_str(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        let http = file
            .http
            .map(|http| check::http(http.get_ref()).map_err(|(what, hint)| error(http.span(), what, hint)).map(|()| http.into_inner()));
        let http = http.transpose()?.unwrap_or_default();
        let console = file.console.map(|console| {
            let checked = check::console(console.get_ref(), &file.operators);
            checked.map_err(|(what, hint)| error(console.span(), what, hint)).map(|()| console.into_inner())
        });
        let console = console.transpose()?.unwrap_or_default();
        oidc::operators(&console, &file.operators).map_err(|(span, (what, hint))| error(span, what, hint))?;
        let (mut profiles, mut services) = (BTreeMap::new(), BTreeMap::new());
        for (name, written) in file.profiles {
            let span = written.span();
            let (profile, service) = written.into_inner().parts();
            check::service(&service).map_err(|(what, hint)| error(span, what, hint))?;
            profiles.insert(name.clone(), profile);
            if service != Service::default() {
                services.insert(name, service);
            }
        }
        if let Some((span, key)) = check::lists(&[], table.get_ref()) {
            return Err(error(span, format!("`{key}` can't be a list"), "correct this line"));
        }
        for rule in &file.rule {
            if let Err((what, hint)) = check::rule(rule.get_ref(), &file.servers, &profiles) {
                return Err(error(rule.span(), what, hint));
            }
        }
        if let Some(name) = &file.profile
            && let Err((what, hint)) = check::profile(name.get_ref(), &profiles)
        {
            return Err(error(name.span(), what, hint));
        }
        for server in file.servers.values() {
            if let Err((what, hint)) = check::server(server.get_ref()) {
                return Err(error(server.span(), what, hint));
            }
        }
        if let Some((server, (what, hint))) = check::alike(&file.servers) {
            return Err(error(server.span(), what, hint));
        }
        for (id, name) in &file.names {
            if let Err((what, hint)) = check::name(id, name.get_ref(), &file.names, &profiles) {
                return Err(error(name.span(), what, hint));
            }
        }
        if let Some(oauth) = &file.oauth
            && let Err((what, hint)) = check::oauth(oauth.get_ref(), &profiles)
        {
            return Err(error(oauth.span(), what, hint));
        }
        let wait = file.approval.wait.map_or(Ok(Duration::from_millis(WAIT_MS)), |wait| {
            check::wait(*wait.get_ref()).map_err(|(what, hint)| error(wait.span(), what, hint))
        })?;
        let tools = file
            .catalog
            .tools
            .map_or(Ok(TOOLS_TOTAL), |tools| check::tools(*tools.get_ref()).map_err(|(what, hint)| error(tools.span(), what, hint)))?;
        // The whole path first: the folder of a bare name is the empty one, which is nowhere.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let absolute = whole.parent().unwrap_or(Path::new("/")).to_owned();
        let resolved = |server: Spanned<Server>| server.into_inner().resolved(&absolute);
        let themselves = |entitled: Spanned<Entitled>| {
            let mut entitled = entitled.into_inner();
            oidc::themselves(console.oidc.as_ref(), file.oauth.as_ref().map(Spanned::get_ref), &mut entitled);
            entitled
        };
        let operators: BTreeMap<_, _> = file.operators.into_iter().map(|(name, entitled)| (name, themselves(entitled))).collect();
        Ok(Self {
            path: path.to_owned(),
            policy: Policy {
                activation: file.activation.into(),
                rules: file.rule.into_iter().map(Spanned::into_inner).collect(),
                profiles,
            },
            names: file.names.into_iter().map(|(id, name)| (id, name.into_inner())).collect(),
            wait,
            notify: file.approval.notify,
            surface: file.surface,
            tools,
            synonyms_file: file.search.synonyms.map(|file| absolute.join(file)),
            synonyms: Synonyms::default(),
            oauth: file.oauth.map(Spanned::into_inner),
            console: console.resolved(&absolute),
            own: file.approval.own.unwrap_or(operators.is_empty()),
            operators,
            starts: file.records.start,
            profile: file.profile.map(Spanned::into_inner),
            http: http.resolved(&absolute),
            services,
            servers: file.servers.into_iter().map(|(alias, server)| (alias, resolved(server))).collect(),
            state: file.state.map(|state| absolute.join(state)),
            origins: Origins::of(table.get_ref(), text),
            warnings: Vec::new(),
        })
    }
}
