//! A server's form as a question with choices, and a person's answer as what the form wants.
//!
//! Is: pure. A form is carried over where it has exactly one field, a text, one of several words, or yes or no; any other is refused,
//! and so is one that asks for what a form must not ask for. The server's words are cut and made visible; where two choices would read
//! the same, or one is too long to be shown whole, it is refused. Is not: a check of what a text means; the server gets it as it was
//! typed, and checks it. Clauses: AUTH-8, CAT-5. Source: MCP, client/elicitation.

use agent_core::limits::{CHOICE_BYTES, CHOICES, INQUIRY_BYTES};
use agent_core::safety::prose;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a name of a field or a word of the question must not hold: forms are not for secrets.
const SECRETS: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "credential",
    "api key",
    "private key",
    "access token",
    "one-time code",
    "card number",
];
/// Bytes of what the server says of the field.
const SAYS: usize = 400;

/// A form that can be asked as one question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    field: String,
    /// The question, in the server's words.
    pub(super) text: String,
    /// What can be chosen, as it is shown, and the value that stands for it; none where it is free text.
    choices: Vec<(String, Value)>,
    /// What the server says of the field and of what it expects there.
    pub(super) context: BTreeMap<String, String>,
}

impl Form {
    /// Reads a form.
    ///
    /// # Errors
    /// Why it is not carried over, in words for the server.
    pub(super) fn read(message: &str, schema: &Value) -> Result<Self, &'static str> {
        const ONE: &str = "only a form of exactly one field is put to a person here";
        let properties = schema.get("properties").and_then(Value::as_object).ok_or(ONE)?;
        let mut fields = properties.iter();
        let (Some((name, field)), None) = (fields.next(), fields.next()) else { return Err(ONE) };
        let of = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        let (title, says) = (prose(of("title"), SAYS), prose(of("description"), SAYS));
        let words =
            [message, name.as_str(), of("title"), of("description"), of("format")].join(" ").to_lowercase().replace(['_', '-'], " ");
        if SECRETS.iter().any(|secret| words.contains(&secret.replace('-', " "))) || words.contains("apikey") {
            return Err("a form must not ask for a secret");
        }
        let text = prose(message, INQUIRY_BYTES);
        let text = if text.is_empty() { title.clone() } else { text };
        if text.is_empty() {
            return Err("the form asks nothing");
        }
        let mut context = BTreeMap::from([("field".to_owned(), prose(name, SAYS))]);
        context.extend((!title.is_empty()).then(|| ("the server calls it".to_owned(), title)));
        context.extend((!says.is_empty()).then(|| ("the server says of it".to_owned(), says)));
        context.extend(expects(field).map(|expects| ("expected".to_owned(), expects)));
        Ok(Self { field: name.clone(), text, choices: choices(field)?, context })
    }

    /// The choices as they are shown.
    pub(super) fn shown(&self) -> Vec<String> {
        self.choices.iter().map(|(shown, _)| shown.clone()).collect()
    }

    /// What the form wants, of what a person said.
    pub(super) fn content(&self, said: &str) -> Option<Map<String, Value>> {
        let value = match self.choices.is_empty() {
            true => said.into(),
            false => self.choices.iter().find(|(shown, _)| shown == said)?.1.clone(),
        };
        Some([(self.field.clone(), value)].into_iter().collect())
    }
}

/// What may be chosen; none for free text.
fn choices(field: &Value) -> Result<Vec<(String, Value)>, &'static str> {
    const KIND: &str = "only a text, one of several words, or yes or no is put to a person here";
    let texts = |key: &str| field.get(key).and_then(Value::as_array);
    let choices: Vec<(&str, Value)> = match field.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![("yes", json!(true)), ("no", json!(false))],
        Some("string") => match (texts("oneOf").or_else(|| texts("anyOf")), texts("enum")) {
            (Some(titled), _) => {
                let one =
                    |one: &'_ Value| Some((one.get("title").or_else(|| one.get("const"))?.as_str()?.to_owned(), one.get("const")?.clone()));
                return distinct(titled.iter().map(one).collect::<Option<Vec<_>>>().ok_or(KIND)?);
            }
            (None, Some(values)) => {
                let names = texts("enumNames").filter(|names| names.len() == values.len()).unwrap_or(values);
                let named = names.iter().zip(values).map(|(name, value)| Some((name.as_str()?, value.clone())));
                named.collect::<Option<Vec<_>>>().ok_or(KIND)?
            }
            (None, None) => return Ok(Vec::new()),
        },
        _ => return Err(KIND),
    };
    distinct(choices.into_iter().map(|(shown, value)| (shown.to_owned(), value)).collect())
}

/// Choices as they are shown: whole, and each another than the rest.
fn distinct(choices: Vec<(String, Value)>) -> Result<Vec<(String, Value)>, &'static str> {
    let mut shown: Vec<(String, Value)> = Vec::new();
    for (text, value) in choices {
        let seen = prose(&text, usize::MAX);
        if seen.is_empty() || seen.len() > CHOICE_BYTES || shown.iter().any(|(before, _)| *before == seen) {
            return Err("its choices can't be told apart, or can't be shown whole");
        }
        shown.push((seen, value));
    }
    if shown.is_empty() || shown.len() > CHOICES { Err("it has no choices, or too many") } else { Ok(shown) }
}

/// What the server says it expects of a text.
fn expects(field: &Value) -> Option<String> {
    let number = |key: &str| field.get(key).and_then(Value::as_u64);
    let mut parts = Vec::new();
    parts.extend(field.get("format").and_then(Value::as_str).map(|format| format!("format {}", prose(format, 40))));
    parts.extend(number("minLength").map(|least| format!("at least {least} characters")));
    parts.extend(number("maxLength").map(|most| format!("at most {most} characters")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(field: &Value) -> Result<Form, &'static str> {
        Form::read("Which one?", &json!({"type": "object", "properties": {"it": field}}))
    }

    fn says(form: &Form, said: &str) -> Option<Value> {
        form.content(said).map(Value::Object)
    }

    #[test]
    fn auth_8_a_form_of_one_field_is_one_question() {
        let words = read(&json!({"type": "string", "enum": ["a", "b"]})).unwrap();
        assert_eq!((words.text.as_str(), words.shown()), ("Which one?", vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((says(&words, "b"), says(&words, "c")), (Some(json!({"it": "b"})), None));
        let named = read(&json!({"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]})).unwrap();
        assert_eq!((says(&named, "Second"), says(&named, "b")), (Some(json!({"it": "b"})), None));
        let titled = read(&json!({"type": "string", "oneOf": [{"const": "x", "title": "Ex"}, {"const": "y", "title": "Why"}]})).unwrap();
        assert_eq!(says(&titled, "Why"), Some(json!({"it": "y"})));
        let yes = read(&json!({"type": "boolean", "title": "Sure?"})).unwrap();
        assert_eq!((yes.shown(), says(&yes, "no")), (vec!["yes".to_owned(), "no".to_owned()], Some(json!({"it": false}))));
        let free = read(&json!({"type": "string", "format": "email", "maxLength": 20})).unwrap();
        assert_eq!((free.shown(), says(&free, "a@b")), (Vec::new(), Some(json!({"it": "a@b"}))));
        assert_eq!(free.context.get("expected").unwrap(), "format email, at most 20 characters");
    }

    #[test]
    fn auth_8_what_is_not_one_question_is_refused() {
        for schema in [
            json!({"type": "object", "properties": {}}),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        ] {
            assert!(Form::read("x", &schema).is_err(), "{schema}");
        }
        for field in [
            json!({"type": "integer"}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}),
            json!({"type": "string", "enum": []}),
            json!({"type": "string", "enum": ["a", "a"]}),
            json!({"type": "string", "enum": ["a", " a "]}),
            json!({"type": "string", "enum": ["x".repeat(CHOICE_BYTES + 1)]}),
            json!({"type": "string", "enum": (0..=CHOICES).map(|at| at.to_string()).collect::<Vec<_>>()}),
        ] {
            assert!(read(&field).is_err(), "{field}");
        }
    }

    #[test]
    fn auth_8_a_form_that_asks_for_a_secret_is_refused() {
        for (message, name) in
            [("Your password?", "it"), ("Log in", "api_key"), ("x", "clientSecret"), ("Please type your Access-Token", "it")]
        {
            let schema = json!({"type": "object", "properties": {name: {"type": "string"}}});
            assert_eq!(Form::read(message, &schema), Err("a form must not ask for a secret"), "{message} {name}");
        }
        let schema = json!({"type": "object", "properties": {"it": {"type": "string", "format": "password"}}});
        assert!(Form::read("x", &schema).is_err());
    }

    #[test]
    fn cat_5_a_servers_words_are_made_visible() {
        let schema =
            json!({"type": "object", "properties": {"a\u{202e}b": {"type": "string", "enum": ["x\u{200b}"], "description": "d\u{1b}"}}});
        let form = Form::read("one\ntwo\u{2066}", &schema).unwrap();
        assert_eq!((form.text.as_str(), form.shown()), ("one two\\u{2066}", vec!["x\\u{200b}".to_owned()]));
        assert!(form.context.values().all(|text| !agent_core::safety::has_hidden(text)), "{:?}", form.context);
        assert_eq!(says(&form, "x\\u{200b}"), Some(json!({"a\u{202e}b": "x\u{200b}"})));
    }
}
