//! Upper and lower case, and names made of words.

use crate::server::Wrong;
use schemars::JsonSchema;
use serde::Deserialize;

/// A way to write words.
#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum To {
    Upper,
    Lower,
    Title,
    Snake,
    Kebab,
    Camel,
}

/// Arguments of `change_case`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The text to change.
    #[schemars(length(max = 100_000))]
    text: String,
    /// What to change it to.
    to: To,
}

pub(super) fn case(_: &(), Case { text, to }: Case) -> Result<String, Wrong> {
    let joined = |between: &str| parts(&text).join(between);
    Ok(match to {
        To::Upper => text.to_uppercase(),
        To::Lower => text.to_lowercase(),
        To::Title => text.split_inclusive(char::is_whitespace).map(|word| capital(&word.to_lowercase())).collect(),
        To::Snake => joined("_"),
        To::Kebab => joined("-"),
        To::Camel => parts(&text).iter().enumerate().map(|(at, part)| if at == 0 { part.clone() } else { capital(part) }).collect(),
    })
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The words of a name, in lower case: `parseHTTPHeader` has three.
fn parts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut parts, mut word) = (Vec::new(), String::new());
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let inner = before.is_some_and(|c| c.is_lowercase() || c.is_numeric());
        let last_capital = before.is_some_and(|c| c.is_uppercase()) && after.is_some_and(|c| c.is_lowercase());
        if !letter.is_alphanumeric() || (letter.is_uppercase() && (inner || last_capital)) {
            parts.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    parts.push(word);
    parts.retain(|part| !part.is_empty());
    parts
}
