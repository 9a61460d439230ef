//! Tables.

use crate::server::{RESULT_BYTES, Wrong, wrong};
use csv::ReaderBuilder;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What stands between the fields of a line.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Separator {
    #[default]
    Comma,
    Semicolon,
    Tab,
    Pipe,
}

/// Arguments of `csv_to_json`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Csv {
    /// The table; its first line names the columns.
    #[schemars(length(min = 1, max = 100_000))]
    csv: String,
    /// What stands between the fields.
    #[serde(default)]
    separator: Separator,
}

pub(super) fn csv(_: &(), Csv { csv, separator }: Csv) -> Result<String, Wrong> {
    let separator = match separator {
        Separator::Comma => b',',
        Separator::Semicolon => b';',
        Separator::Tab => b'\t',
        Separator::Pipe => b'|',
    };
    let unreadable = |error: csv::Error| Wrong(format!("the table can't be read: {error}"));
    let mut reader = ReaderBuilder::new().delimiter(separator).from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    let columns = reader.headers().map_err(unreadable)?.clone();
    if columns.iter().collect::<BTreeSet<_>>().len() < columns.len() {
        return wrong("two columns have the same name; give each a name of its own in the first line");
    }
    let (mut rows, mut size) = (Vec::new(), 0);
    for row in reader.records() {
        let row = row.map_err(unreadable)?;
        let pairs = columns.iter().zip(row.iter());
        size += pairs.clone().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        if size > RESULT_BYTES {
            return wrong("as JSON the table would be too long; give a part of its lines");
        }
        rows.push(Value::Object(pairs.map(|(name, value)| (name.to_owned(), Value::String(value.to_owned()))).collect::<Map<_, _>>()));
    }
    serde_json::to_string_pretty(&rows).map_err(|error| Wrong(error.to_string()))
}
