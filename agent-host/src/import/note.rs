//! What a person should know of a file or an entry, in words.
//!
//! Is: one fact, about one thing, for one line. No note holds a value that could be a secret.

use super::tree::Place;
use std::fmt;

/// One thing to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing.
    pub kind: Kind,
    /// What of the entry or the file it is about: a key, a variable, a name.
    pub subject: String,
    /// Where that stands, where it helps.
    pub place: Option<Place>,
}

/// Kinds of things to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Approvals of the client are not taken over.
    ApprovalNotImported,
    /// A reference's default is dropped.
    DefaultDropped,
    /// A reference's default is taken.
    DefaultTaken,
    /// It stays switched off.
    DisabledKept,
    /// Two members of one name.
    DupKey,
    /// Two servers of one name.
    DupName,
    /// An argument is an empty text.
    EmptyArgument,
    /// A file of variables is named.
    EnvFile,
    /// A key that says nothing to us.
    Ignored,
    /// An older place of the client's.
    LegacyLocation,
    /// A reference that the client does not expand.
    LiteralRef,
    /// A value of references and text.
    MixedRef,
    /// Our name for it is another.
    NameAdjusted,
    /// No table round the servers.
    NoWrapper,
    /// A value that was never put in.
    Placeholder,
    /// The client asks a person for it.
    PromptRef,
    /// A path from where it runs.
    RelativePath,
    /// Kept for one project by its user.
    ScopeLocal,
    /// A secret in a file of a checkout.
    SecretInRepository,
    /// A secret in the open.
    SecretLiteral,
    /// A shell runs it.
    ShellScript,
    /// A command line where a program belongs.
    SplitCommand,
    /// A strict reader refuses the file.
    TolerantParse,
    /// A sandbox of the client's, which is not kept.
    SandboxDropped,
    /// A number that could be of two units.
    UnitAmbiguous,
    /// A key that no client documents.
    UnknownKey,
    /// What it fetches can change.
    Unpinned,
    /// A variable that has to be set.
    UnresolvedRef,
    /// Servers where the client does not look.
    WrongShape,
    /// A value of another type.
    WrongType,
}

impl Note {
    pub(super) fn new(kind: Kind, subject: impl Into<String>) -> Self {
        Self { kind, subject: subject.into(), place: None }
    }

    pub(super) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        let of = &self.subject;
        match self.kind {
            Kind::ApprovalNotImported => write!(f, "`{of}`: what was allowed there is not allowed here"),
            Kind::DefaultDropped => write!(f, "`{of}`: the default written behind it is not kept; set that variable"),
            Kind::DefaultTaken => write!(f, "`{of}` is not expanded here: its default is taken"),
            Kind::DisabledKept if of.is_empty() => write!(f, "switched off there, and here"),
            Kind::DisabledKept => write!(f, "`{of}` is switched off there, and here"),
            Kind::DupKey => write!(f, "`{of}` stands there twice: the last one counts, this one is dropped"),
            Kind::DupName => write!(f, "`{of}` is the name of other servers too"),
            Kind::EmptyArgument => write!(f, "`{of}` is an empty argument, and is passed on as one"),
            Kind::EnvFile => write!(f, "`{of}` is not read: name what the server needs of it with `env`"),
            Kind::Ignored => write!(f, "`{of}` has no meaning here"),
            Kind::LegacyLocation => write!(f, "`{of}` is where servers stood once; newer versions have a file for them"),
            Kind::LiteralRef => write!(f, "`{of}` is passed on as it stands, as the client does"),
            Kind::MixedRef => write!(f, "`{of}` holds a reference that nothing puts in here"),
            Kind::NameAdjusted => write!(f, "`{of}` is no name that can stand in an id"),
            Kind::NoWrapper => write!(f, "no `mcpServers` or `servers` stands round the servers"),
            Kind::Placeholder => write!(f, "`{of}` holds the words of an example; the value goes into a variable of the host's"),
            Kind::PromptRef => write!(f, "`{of}` is asked for by the client; set a variable of the host's in its place"),
            Kind::RelativePath => write!(f, "`{of}` is a path from the folder that it runs in"),
            Kind::ScopeLocal => write!(f, "kept for one project: {of}"),
            Kind::SecretInRepository => write!(f, "`{of}` looks like a secret in a file that others get: have it changed"),
            Kind::SecretLiteral => write!(f, "`{of}` looks like a secret in the open"),
            Kind::ShellScript => write!(f, "`{of}` is a shell: what it is given is a script"),
            Kind::SplitCommand => write!(f, "`command` was a whole line, taken apart at its spaces"),
            Kind::TolerantParse => write!(f, "a strict reader, such as the client may be, refuses this: {of}"),
            Kind::UnitAmbiguous => write!(f, "`{of}` is less than a second as the client counts; not taken over"),
            Kind::UnknownKey => write!(f, "`{of}` is not known, and not taken over"),
            Kind::Unpinned => write!(f, "{of} may be another program tomorrow: no version holds it; `sync` locks its tools alone"),
            Kind::UnresolvedRef => write!(f, "the variable `{of}` has to be set where agent-host is started"),
            Kind::WrongShape => write!(f, "{of}"),
            Kind::SandboxDropped => write!(f, "`{of}`: it runs in a sandbox there, and in none here"),
            Kind::WrongType => write!(f, "`{of}` is of another type than it should be"),
        }
    }
}
