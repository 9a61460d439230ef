#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use crate::index::words;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn of(text: &str) -> Option<Vector> {
    let words: Vec<_> = words(text, 512).into_iter().filter(|word| !word.whole).map(|word| word.plain).collect();
    embed(words.iter().map(|word| (word.as_str(), 1.0)))
}

#[test]
fn srch_5_the_table_is_the_one_whose_sum_is_written_down() {
    let table = include_bytes!("../../table/table.bin");
    let sum: String = Sha256::digest(table).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(include_str!("../../table/table.sha256").starts_with(&sum));
    assert!(table.len() <= 4_000_000);
}

#[test]
fn srch_5_texts_stand_where_the_recipe_says() {
    let examples: Vec<Value> = serde_json::from_str(include_str!("../../table/examples.json")).unwrap();
    assert!(examples.len() >= 8);
    for example in &examples {
        let text = example["text"].as_str().unwrap();
        let Some(found) = of(text) else {
            assert!(example["pieces"].as_array().unwrap().is_empty(), "{text}");
            continue;
        };
        for (part, expected) in found.parts.iter().zip(example["vector"].as_array().unwrap()) {
            let part = f64::from(*part) * f64::from(found.step);
            // Parts are rounded to 127 steps.
            let error = (part - expected.as_f64().unwrap()).abs();
            assert!(error < 0.001 + f64::from(found.step), "{text}: {part} is not {expected}");
        }
    }
}

#[test]
fn srch_5_what_means_the_same_is_nearer_than_what_does_not() {
    let [mail, letter, weather] =
        ["send an email", "mail a message to somebody", "weather forecast for a city"].map(|text| of(text).unwrap());
    assert!(mail.nearness(&letter) > mail.nearness(&weather) + 0.2);
    assert!((mail.nearness(&mail) - 1.0).abs() < 0.01);
    assert_eq!(of(""), None);
    assert_eq!(of("\u{10fffd}"), None);
}

#[test]
fn a_product_is_the_same_in_pieces_and_in_one() {
    for (left, right) in [(37, 91), (1, 1), (254, 254), (0, 5)] {
        let [a, b] = [left, right].map(|step| -> Parts { std::array::from_fn(|at| i16::try_from(at * step % 255).unwrap() - 127) });
        let plain: i64 = a.iter().zip(&b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        assert_eq!(i64::from(product(&a, &b)), plain);
    }
}
