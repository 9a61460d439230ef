//! A question with choices, or for free text: what a person is asked that is about no permission.
//!
//! Is: plain values. Is not: a way to a grant: nothing that turns an answer into a confirmation takes one of these, and a rule has no
//! place among those who answered. Clause: AUTH-8. Neighbours: `request` has the question that permission is asked by; the engine's
//! `inquiry` asks.

use crate::limits::{CHOICE_BYTES, CHOICES, CONTEXT, CONTEXT_BYTES, CONTEXT_NAME_BYTES, INQUIRY_BYTES, REPLY_BYTES};
use crate::request::{Channel, Strength};
use crate::safety::has_hidden;
use crate::session::Asker;
use crate::time::Instant;
use crate::transition::Withdrawal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked, in whose words it may be: shown under a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wording {
    /// The question.
    pub text: String,
    /// What may be chosen, in this order; none where the answer is free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// What it is about, by name and in the order of the names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub context: BTreeMap<String, String>,
}

/// Why a question can't be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// No text, or a longer one than is shown.
    #[error("the question has no text, or more than {INQUIRY_BYTES} bytes")]
    Text,
    /// A choice is empty, too long, of more than one line or there twice, or they are too many.
    #[error("choices are at most {CHOICES}, each one line of 1 to {CHOICE_BYTES} bytes and there once")]
    Choices,
    /// The context is too much.
    #[error("context is at most {CONTEXT} names of 1 to {CONTEXT_NAME_BYTES} bytes, with {CONTEXT_BYTES} bytes each")]
    Context,
    /// Something in it would change what a reader sees without being seen.
    #[error("the question holds hidden characters")]
    Hidden,
}

impl Wording {
    /// A question within bounds, in which nothing is hidden.
    ///
    /// # Errors
    /// [`Unfit`].
    pub fn new(text: String, choices: Vec<String>, context: BTreeMap<String, String>) -> Result<Self, Unfit> {
        let wording = Self { text, choices, context };
        wording.fits().map(|()| wording)
    }

    /// Whether it is within bounds.
    ///
    /// # Errors
    /// [`Unfit`].
    pub fn fits(&self) -> Result<(), Unfit> {
        let length = |text: &str, most| !text.trim().is_empty() && text.len() <= most;
        let once = |at: usize, choice: &String| !self.choices.iter().take(at).any(|before| before == choice);
        let choice = |(at, choice): (usize, &String)| length(choice, CHOICE_BYTES) && !choice.contains(['\n', '\t']) && once(at, choice);
        let named = |(name, text): (&String, &String)| length(name, CONTEXT_NAME_BYTES) && text.len() <= CONTEXT_BYTES;
        let mut texts = [&self.text].into_iter().chain(&self.choices).chain(self.context.keys()).chain(self.context.values());
        match () {
            () if !length(&self.text, INQUIRY_BYTES) => Err(Unfit::Text),
            () if self.choices.len() > CHOICES || !self.choices.iter().enumerate().all(choice) => Err(Unfit::Choices),
            () if self.context.len() > CONTEXT || !self.context.iter().all(named) => Err(Unfit::Context),
            () if texts.any(|text| has_hidden(text)) => Err(Unfit::Hidden),
            () => Ok(()),
        }
    }
}

/// A question that is put to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inquiry {
    /// Which of the session's, counted from 1. With the session it names this very question for ever.
    pub index: u64,
    /// In whose session it came about.
    pub asker: Asker,
    /// What is asked.
    pub wording: Wording,
    /// When it was asked.
    pub asked: Instant,
    /// When it expires.
    pub expires: Instant,
}

impl Inquiry {
    /// Whether this is an answer to it: a no, one of the choices byte for byte, or where there are none a text within bounds.
    #[must_use]
    pub fn takes(&self, reply: &Reply) -> bool {
        match reply {
            Reply::Declined => true,
            Reply::Said(text) if self.wording.choices.is_empty() => !text.is_empty() && text.len() <= REPLY_BYTES,
            Reply::Said(text) => self.wording.choices.contains(text),
        }
    }
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reply", content = "text", rename_all = "kebab-case")]
pub enum Reply {
    /// A choice, or free text.
    Said(String),
    /// That they don't answer it.
    Declined,
}

/// The person who answered. There is no value of it for a rule: what decides by itself can't answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answerer {
    /// By whatever name the channel knows them.
    pub name: String,
    /// How the answer came.
    pub channel: Channel,
    /// What it proves. Nothing is decided by it.
    pub strength: Strength,
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// A person answered.
    Replied(Reply),
    /// Nobody did.
    Withdrawn(Withdrawal),
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{PrincipalId, SessionId};

    fn wording(text: &str, choices: &[&str], context: &[(&str, &str)]) -> Result<Wording, Unfit> {
        let context = context.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Wording::new(text.to_owned(), choices.iter().map(|choice| (*choice).to_owned()).collect(), context)
    }

    fn inquiry(choices: &[&str]) -> Inquiry {
        let now = Instant { wall: 1_000, boot: 10, boot_id: 1 };
        let asker = Asker { session: SessionId::new(1), principal: PrincipalId::parse("p").unwrap(), profile: None };
        Inquiry { index: 1, asker, wording: wording("which?", choices, &[]).unwrap(), asked: now, expires: now.after(1) }
    }

    #[test]
    fn auth_8_every_length_has_a_bound() {
        let long = |bytes: usize| "x".repeat(bytes);
        let many: Vec<String> = (0..=CHOICES).map(|at| at.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(wording(&long(INQUIRY_BYTES), many.get(1..).unwrap(), &[("a", &long(CONTEXT_BYTES))]).is_ok());
        for (text, choices, context, why) in [
            (long(INQUIRY_BYTES + 1), &[][..], &[][..], Unfit::Text),
            (" \n".to_owned(), &[], &[], Unfit::Text),
            ("a".to_owned(), &many, &[], Unfit::Choices),
            ("a".to_owned(), &["b", "b"], &[], Unfit::Choices),
            ("a".to_owned(), &["b", ""], &[], Unfit::Choices),
            ("a".to_owned(), &["b\nc"], &[], Unfit::Choices),
            ("a".to_owned(), &[&long(CHOICE_BYTES + 1)], &[], Unfit::Choices),
            ("a".to_owned(), &[], &[("", "b")], Unfit::Context),
            ("a".to_owned(), &[], &[("b", &long(CONTEXT_BYTES + 1))], Unfit::Context),
            ("a".to_owned(), &[], &[(&long(CONTEXT_NAME_BYTES + 1), "b")], Unfit::Context),
            ("a\u{202e}".to_owned(), &[], &[], Unfit::Hidden),
            ("a".to_owned(), &["b\u{200b}", "b"], &[], Unfit::Hidden),
        ] {
            assert_eq!(wording(&text, choices, context), Err(why), "{text:.20} {choices:?}");
        }
        let names: Vec<String> = (0..=CONTEXT).map(|at| at.to_string()).collect();
        let context: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "b")).collect();
        assert_eq!(wording("a", &[], &context), Err(Unfit::Context));
    }

    #[test]
    fn auth_8_an_answer_is_a_choice_byte_for_byte_or_free_text_within_bounds() {
        let said = |text: &str| Reply::Said(text.to_owned());
        let chosen = inquiry(&["Yes", "no"]);
        assert!(chosen.takes(&said("Yes")) && chosen.takes(&said("no")) && chosen.takes(&Reply::Declined));
        for other in ["yes", "Yes ", "", "y", "NO", "maybe"] {
            assert!(!chosen.takes(&said(other)), "{other}");
        }
        let free = inquiry(&[]);
        assert!(free.takes(&said("y")) && free.takes(&said(&"x".repeat(REPLY_BYTES))) && free.takes(&Reply::Declined));
        assert!(!free.takes(&said("")) && !free.takes(&said(&"x".repeat(REPLY_BYTES + 1))));
    }

    #[test]
    fn auth_8_an_answer_reads_only_in_its_own_words_and_no_rule_gave_it() {
        let read = |text: &str| serde_json::from_str::<Reply>(text).ok();
        assert_eq!(read(r#"{"reply":"said","text":"a"}"#), Some(Reply::Said("a".to_owned())));
        assert_eq!(read(r#"{"reply":"declined"}"#), Some(Reply::Declined));
        for text in
            [r#"{"reply":"yes"}"#, r#"{"reply":"said"}"#, r#"{"reply":"said","text":1}"#, r#""declined""#, r#"{"decision":"approve"}"#]
        {
            assert_eq!(read(text), None, "{text}");
        }
        let rule = r#"{"decider":"policy","policy":"0000000000000000000000000000000000000000000000000000000000000000"}"#;
        assert!(serde_json::from_str::<Answerer>(rule).is_err());
    }
}
