//! What a person is asked, what they answer, and who decided.
//!
//! Is: plain values without power; the engine's `authority` alone turns an answer into a confirmation.
//! Clauses: AUTH-2, AUTH-3, AUTH-4 (the values), AUTH-7, POL-4.

use crate::digest::{Digest, Domain};
use crate::effect::{Acts, Capability, Effect};
use crate::id::ToolId;
use crate::length::Length;
use crate::session::{Asker, Bound, RequestId, SessionName};
use crate::time::Instant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a definition stands to what a person accepted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Novelty {
    /// Never accepted.
    New,
    /// The pinned one.
    Known,
}

/// One tool as a question shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asked {
    /// The exact definition.
    pub bound: Bound,
    /// What a call can change.
    pub effect: Effect,
    /// Its legs of the trifecta.
    pub capabilities: BTreeSet<Capability>,
    /// New or known.
    pub novelty: Novelty,
    /// As whom it acts at its server. Left out of the record where no login there is its matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts: Option<Acts>,
    /// How long a grant of it lasts at the most. Left out where the rule bounds it no further than ACT-4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Length>,
    /// Calls that a grant of it is good for. Left out where the rule doesn't bound them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// Whether hidden characters or another script were found in it.
    pub flagged: bool,
    /// Tools of other servers that its words name. Left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<ToolId>,
    /// The source's own words, cut and made visible. Third-party text: shown under a label.
    pub says: String,
}

/// For whom a yes holds, besides the definitions it names (SES-2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "scope", content = "name", rename_all = "kebab-case")]
pub enum Covers {
    /// The session that asks, and nobody else.
    #[default]
    Session,
    /// The same, by the name its launcher gave it.
    Named(SessionName),
    /// Every conversation of the client's process: nothing tells them apart.
    Process,
    /// Every conversation under the client's credential, as the operator chose.
    Credential,
}

impl Covers {
    fn is_session(&self) -> bool {
        *self == Self::Session
    }
}

/// One request for activation as a person is asked it, sorted by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// The request.
    pub id: RequestId,
    /// Who asks.
    pub asker: Asker,
    /// For whom a yes holds. Left out of the record where that is the session.
    #[serde(default, skip_serializing_if = "Covers::is_session")]
    pub covers: Covers,
    /// What for.
    pub what: Vec<Asked>,
    /// Whether only a strong answer counts.
    pub strong: bool,
    /// When it was asked.
    pub asked: Instant,
    /// When it expires.
    pub expires: Instant,
}

impl Question {
    /// The digest an answer must name: over everything above.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(Domain::Question, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// The exact definitions asked for.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bound> {
        self.what.iter().map(|asked| asked.bound.clone()).collect()
    }
}

/// How much an answer proves (AUTH-4); ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Something running as the same user, or the client itself, can have made it.
    Weak,
    /// It took what the client's user doesn't hold.
    Strong,
}

/// The way an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// A form shown by the client.
    Elicitation,
    /// The operator's socket.
    Socket,
    /// The operator's socket, with the passphrase.
    Passphrase,
    /// The web console or the operator API, after a login by passphrase.
    Console,
    /// The same, after a login at an OpenID provider.
    Oidc,
    /// Code of the embedding host.
    Code,
}

impl Channel {
    /// Whether an answer that came this way may say this. A client's form says yes to this session or no, and nothing else.
    #[must_use]
    pub const fn takes(self, decision: &Decision) -> bool {
        !matches!((self, decision), (Self::Elicitation, Decision::Once | Decision::Always))
    }
}

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "decider", rename_all = "kebab-case")]
pub enum Decider {
    /// A rule that says `auto`.
    Policy {
        /// The policy in force.
        policy: Digest,
    },
    /// A person.
    Person {
        /// By whatever name the channel knows them.
        name: String,
        /// How the answer came.
        channel: Channel,
        /// What it proves.
        strength: Strength,
    },
    /// A person who said always to this definition before, and was not asked again (POL-4).
    Standing {
        /// By whatever name the channel knew them.
        name: String,
        /// How that answer came.
        channel: Channel,
        /// What it proved.
        strength: Strength,
        /// When it was given.
        since: Instant,
    },
}

impl Decider {
    /// Whether it is a person's own answer by strong evidence. A rule proves nothing, and an always of before answers no
    /// question for which a strong answer is demanded (POL-4).
    #[must_use]
    pub const fn is_strong_answer(&self) -> bool {
        matches!(self, Self::Person { strength: Strength::Strong, .. })
    }

    /// The same person's word as it stands later. What no person said stands as what it was.
    #[must_use]
    pub fn standing(&self, since: Instant) -> Self {
        match self {
            Self::Person { name, channel, strength } => {
                Self::Standing { name: name.clone(), channel: *channel, strength: *strength, since }
            }
            other => other.clone(),
        }
    }
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "decision", content = "tools", rename_all = "kebab-case")]
pub enum Decision {
    /// Yes, to the whole, for this session.
    Approve,
    /// Yes, to the whole, for this session: each tool of it is good for one call.
    Once,
    /// Yes, to the whole, for this session and for every later request of the principal for these exact definitions.
    Always,
    /// No, to every id of it.
    Deny,
    /// No to these, nothing said of the others; the batch is not granted.
    DenySome(BTreeSet<ToolId>),
    /// No decision by a person: cancelled, or an answer of no form we asked for. The request ends, nothing is remembered.
    Dismiss,
}

impl Decision {
    /// Whether it is a yes of any kind.
    #[must_use]
    pub const fn is_yes(&self) -> bool {
        matches!(self, Self::Approve | Self::Once | Self::Always)
    }
}

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The digest of the question that was shown.
    pub shown: Digest,
    /// What was decided.
    pub decision: Decision,
    /// Who decided.
    pub by: Decider,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::session::{PrincipalId, ProfileId, SessionId};

    fn question() -> Question {
        let now = Instant { wall: 1_000, boot: 10, boot_id: 1 };
        let bound = Bound { id: ToolId::parse("mcp:s/t").unwrap(), digest: Digest::of(Domain::Definition, b"t") };
        Question {
            id: RequestId::new(1),
            asker: Asker { session: SessionId::new(1), principal: PrincipalId::parse("p").unwrap(), profile: None },
            what: vec![Asked {
                bound,
                effect: Effect::ReadOnly,
                capabilities: BTreeSet::new(),
                novelty: Novelty::Known,
                acts: None,
                ttl: None,
                max_calls: None,
                flagged: false,
                names: Vec::new(),
                says: "reads".to_owned(),
            }],
            covers: Covers::Session,
            strong: false,
            asked: now,
            expires: now.after(1),
        }
    }

    #[test]
    fn auth_2_the_digest_covers_everything_that_is_shown() {
        let changes: [fn(&mut Question); 21] = [
            |question| question.id = RequestId::new(2),
            |question| question.asker.session = SessionId::new(2),
            |question| question.asker.principal = PrincipalId::parse("q").unwrap(),
            |question| question.asker.profile = ProfileId::parse("f").ok(),
            |question| question.what[0].bound.id = ToolId::parse("mcp:s/u").unwrap(),
            |question| question.what[0].bound.digest = Digest::of(Domain::Definition, b"u"),
            |question| question.what[0].effect = Effect::Destructive,
            |question| question.what[0].capabilities = [Capability::ExternalSend].into(),
            |question| question.what[0].novelty = Novelty::New,
            |question| question.what[0].acts = Some(Acts::Operator),
            |question| question.what[0].ttl = Some(Length(std::time::Duration::from_secs(1))),
            |question| question.what[0].max_calls = Some(1),
            |question| question.what[0].flagged = true,
            |question| question.what[0].names = vec![ToolId::parse("mcp:s/u").unwrap()],
            |question| question.what[0].says = "writes".to_owned(),
            |question| question.what.push(question.what[0].clone()),
            |question| question.covers = Covers::Process,
            |question| question.covers = Covers::Credential,
            |question| question.covers = Covers::Named(SessionName::parse("n").unwrap()),
            |question| question.strong = true,
            |question| question.expires = question.expires.after(1),
        ];
        let mut seen = BTreeSet::from([question().digest()]);
        for (place, change) in changes.into_iter().enumerate() {
            let mut other = question();
            change(&mut other);
            assert!(seen.insert(other.digest()), "change {place} is not covered");
        }
        assert_eq!(question().digest(), question().digest());
        let plain = serde_json::to_string(&question()).unwrap();
        assert!(!["ttl", "max_calls", "names"].iter().any(|left_out| plain.contains(left_out)), "{plain}");
    }

    #[test]
    fn auth_3_a_decision_reads_only_in_its_own_words() {
        let read = |text: &str| serde_json::from_str::<Decision>(text).ok();
        assert_eq!(read(r#"{"decision":"approve"}"#), Some(Decision::Approve));
        assert_eq!(read(r#"{"decision":"once"}"#), Some(Decision::Once));
        assert_eq!(read(r#"{"decision":"always"}"#), Some(Decision::Always));
        assert_eq!(read(r#"{"decision":"deny"}"#), Some(Decision::Deny));
        for text in [r#"{"decision":"yes"}"#, r#"{"decision":true}"#, r#"{"decision":"Approve"}"#, r#"{"approve":true}"#, "true", "{}"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn auth_4_a_clients_form_has_no_word_for_more_than_this_session() {
        let words = [Decision::Approve, Decision::Once, Decision::Always, Decision::Deny, Decision::Dismiss];
        let taken = |channel: Channel| words.each_ref().map(|word| channel.takes(word));
        assert_eq!(taken(Channel::Elicitation), [true, false, false, true, true]);
        for channel in [Channel::Socket, Channel::Passphrase, Channel::Code] {
            assert_eq!(taken(channel), [true; 5]);
        }
    }

    #[test]
    fn auth_7_a_rule_and_a_person_are_different_values_in_records() {
        let rule = Decider::Policy { policy: Digest::of(Domain::Policy, b"") };
        let person = Decider::Person { name: "policy".to_owned(), channel: Channel::Socket, strength: Strength::Weak };
        let standing = person.standing(question().asked);
        for (decider, word) in [(rule, "policy"), (person, "person"), (standing, "standing")] {
            let text = serde_json::to_string(&decider).unwrap();
            assert_eq!(serde_json::from_str::<Decider>(&text).unwrap(), decider);
            assert!(text.contains(&format!(r#""decider":"{word}""#)), "{text}");
        }
    }
}
