//! What came out of a search beside what a case says must.
//!
//! `top` gives the worst place of each name, counted from 1; `in_top` and `all_in_top` want any and every name among the first `top_k`; `exact`
//! wants these names and no others; `none` wants nothing at all; `not_in` wants none of these names, among the first `top_k` where
//! that is given; `max_results` bounds the count; `stable` wants the same each time. `say` is for a reader.

use serde_json::{Map, Value};

/// What is thought of one case.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Judged {
    /// What is not as it must be.
    pub(super) wrong: Vec<String>,
    /// Keys, or values of known ones, that could not be understood.
    pub(super) unknown: Vec<String>,
    /// How often the search is to be repeated.
    pub(super) repeats: u64,
    /// What an answer should tell, for somebody to look at.
    pub(super) say: String,
}

/// The first hits, where a case doesn't say how many.
const TOP_K: usize = 5;

/// Compares hits by name, the best first, with what is expected of them.
pub(super) fn judge(expect: &Map<String, Value>, hits: &[String]) -> Judged {
    let mut out = Judged::default();
    let depth = expect.get("top_k").and_then(Value::as_u64).and_then(|depth| usize::try_from(depth).ok());
    let first = hits.get(..depth.unwrap_or(TOP_K).min(hits.len())).unwrap_or_default();
    for (key, value) in expect {
        match (key.as_str(), value) {
            ("top", Value::Object(places)) => places.iter().for_each(|(name, worst)| {
                let place = hits.iter().position(|hit| hit == name).map(|place| place as u64 + 1);
                if worst.as_u64().is_none() {
                    out.unknown.push(key.clone());
                } else if place.is_none_or(|place| Some(place) > worst.as_u64()) {
                    out.wrong.push(place.map_or_else(|| format!("no {name}"), |place| format!("{name} is {place}.")));
                }
            }),
            ("in_top", Value::Array(_)) if !names(value).iter().any(|name| first.contains(name)) => {
                out.wrong.push(format!("none of the right in the first {}", depth.unwrap_or(TOP_K)));
            }
            ("all_in_top", Value::Array(_)) => {
                out.wrong.extend(names(value).into_iter().filter(|name| !first.contains(name)).map(|name| format!("{name} not up there")));
            }
            ("exact", Value::Array(_) | Value::String(_)) => {
                let (mut given, mut wanted) = (hits.to_vec(), names(value));
                given.sort();
                wanted.sort();
                if given != wanted {
                    out.wrong.push("not these alone".into());
                }
            }
            ("none", Value::Bool(true)) if !hits.is_empty() => out.wrong.push("not nothing".into()),
            ("not_in", Value::Array(_)) => {
                let within = if depth.is_some() { first } else { hits };
                out.wrong.extend(names(value).into_iter().filter(|name| within.contains(name)).map(|name| format!("{name} is there")));
            }
            ("max_results", Value::Number(most)) if most.as_u64().is_some() => {
                if Some(hits.len() as u64) > most.as_u64() {
                    out.wrong.push(format!("{} results", hits.len()));
                }
            }
            ("stable", Value::Object(how)) if how.keys().all(|key| key == "repeats") => {
                out.repeats = how.get("repeats").and_then(Value::as_u64).unwrap_or(1);
            }
            ("stable", Value::Bool(true)) => out.repeats = 1,
            ("say", Value::String(say)) => out.say.clone_from(say),
            ("in_top", Value::Array(_)) | ("none", Value::Bool(true)) | ("top_k", Value::Number(_)) => {}
            _ => out.unknown.push(key.clone()),
        }
    }
    out
}

fn names(value: &Value) -> Vec<String> {
    let one = std::slice::from_ref(value);
    value.as_array().map_or(one, Vec::as_slice).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    /// How many things are wrong, and how many not understood.
    fn counts(expect: Value, hits: &[&str]) -> (usize, usize) {
        let hits: Vec<String> = hits.iter().map(|hit| (*hit).to_owned()).collect();
        let judged = judge(expect.as_object().unwrap(), &hits);
        (judged.wrong.len(), judged.unknown.len())
    }

    #[test]
    fn each_kind_is_judged_and_no_other_is_passed_over() {
        for (expect, hits, wrong) in [
            (json!({"top": {"a": 1, "b": 2}}), vec!["a", "b"], 0),
            (json!({"top": {"a": 1, "b": 2}}), vec!["b", "a"], 1),
            (json!({"top": {"c": 9}}), vec!["a"], 1),
            (json!({"in_top": ["x", "b"], "top_k": 2}), vec!["a", "b"], 0),
            (json!({"in_top": ["b"], "top_k": 1}), vec!["a", "b"], 1),
            (json!({"all_in_top": ["a", "c"], "top_k": 2}), vec!["a", "b", "c"], 1),
            (json!({"exact": ["a", "b"]}), vec!["b", "a"], 0),
            (json!({"exact": "a"}), vec!["a", "b"], 1),
            (json!({"none": true, "say": "why"}), vec![], 0),
            (json!({"none": true}), vec!["a"], 1),
            (json!({"not_in": ["b"]}), vec!["a", "b"], 1),
            (json!({"not_in": ["b"], "top_k": 1}), vec!["a", "b"], 0),
            (json!({"max_results": 1}), vec!["a", "b"], 1),
        ] {
            assert_eq!(counts(expect.clone(), &hits), (wrong, 0), "{expect}");
        }
        for expect in [json!({"best": "a"}), json!({"none": "yes"}), json!({"top": {"a": "first"}}), json!({"stable": {"days": 1}})] {
            assert_eq!(counts(expect.clone(), &["a"]).1, 1, "{expect}");
        }
    }
}
