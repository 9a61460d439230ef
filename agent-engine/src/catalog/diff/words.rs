//! Two texts, word by word.
//!
//! Is: the pieces that stayed, went and came; put together they are the two texts again. Bounded: texts past
//! [`TOKENS`] words are one piece each.

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Words of both texts together that are compared one by one.
const TOKENS: usize = 20_000;

/// One run of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old text.
    Old(&'a str),
    /// Only in the new text.
    New(&'a str),
}

/// The pieces of two texts, in order; of a place where both differ the old words come first.
#[must_use]
pub fn words<'a>(old: &'a str, new: &'a str) -> Vec<Piece<'a>> {
    let (was, is) = (tokens(old), tokens(new));
    if was.len() + is.len() > TOKENS {
        return vec![Piece::Old(old), Piece::New(new)];
    }
    let mut pieces = Vec::new();
    let (mut from_old, mut from_new) = (Rest(old), Rest(new));
    for op in capture_diff_slices(Algorithm::Myers, &was, &is) {
        let (tag, old, new) = op.as_tag_tuple();
        let (old, new) = (from_old.take(was.get(old)), from_new.take(is.get(new)));
        match tag {
            DiffTag::Equal => pieces.push(Piece::Same(new)),
            _ => {
                pieces.extend((!old.is_empty()).then_some(Piece::Old(old)));
                pieces.extend((!new.is_empty()).then_some(Piece::New(new)));
            }
        }
    }
    pieces
}

/// What is left of a text while its words are taken in order.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn take(&mut self, words: Option<&[&str]>) -> &'a str {
        let bytes = words.unwrap_or_default().iter().map(|word| word.len()).sum();
        let (taken, rest) = self.0.split_at_checked(bytes).unwrap_or((self.0, ""));
        self.0 = rest;
        taken
    }
}

#[derive(PartialEq)]
enum Kind {
    Word,
    Space,
    Alone,
}

fn kind(character: char) -> Kind {
    match character {
        // Scripts that put no spaces between words.
        '\u{2e80}'.. => Kind::Alone,
        _ if character.is_alphanumeric() || character == '_' => Kind::Word,
        _ if character.is_whitespace() => Kind::Space,
        _ => Kind::Alone,
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let first = kind(first);
        let end = rest.char_indices().skip(1).find(|(_, next)| first == Kind::Alone || kind(*next) != first);
        let (token, after) = rest.split_at_checked(end.map_or(rest.len(), |(at, _)| at)).unwrap_or((rest, ""));
        found.push(token);
        rest = after;
    }
    found
}
