//! Time zones by name, and the tools that tell about them.

use super::Clock;
use super::moment::shown;
use crate::server::{Answer, Wrong, wrong};
use jiff::tz::{self, TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The zone where none is named.
pub(super) fn utc() -> String {
    "UTC".to_owned()
}

/// A zone by its name.
pub(super) fn get(name: &str) -> Result<TimeZone, Wrong> {
    tz::db().get(name).or_else(|_| wrong(format!("no time zone has the name `{name}`; `find_time_zones` finds one by a city")))
}

/// What a zone is called.
pub(super) fn name(zone: &TimeZone) -> String {
    zone.iana_name().unwrap_or("UTC").to_owned()
}

/// Arguments of `find_time_zones`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    /// A part of the name, such as `tokyo`, `America/` or `new york`.
    #[schemars(length(min = 1, max = 64))]
    contains: String,
    /// How many names to give at most.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    limit: usize,
}

fn fifty() -> usize {
    50
}

/// Names of zones.
#[derive(Serialize, JsonSchema)]
pub(super) struct Found {
    /// The names, in order.
    zones: Vec<String>,
    /// How many there are in all, also those past the limit.
    total: usize,
}

pub(super) fn find(_: &Clock, Find { contains, limit }: Find) -> Answer<Found> {
    let wanted = contains.trim().to_lowercase().replace(' ', "_");
    let all = tz::db().available().map(|name| name.as_str().to_owned());
    let mut zones: Vec<String> = all.filter(|name| name.to_lowercase().contains(&wanted)).collect();
    zones.sort();
    zones.dedup();
    let total = zones.len();
    zones.truncate(limit);
    let text = match zones.len() {
        0 => format!("no time zone's name contains `{contains}`; zones are named after a large city, such as Europe/Berlin"),
        some if some < total => format!("{}\n({} more)", zones.join("\n"), total - some),
        _ => zones.join("\n"),
    };
    Ok((text, Found { zones, total }))
}

/// Arguments of `time_zone_info`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Info {
    /// The time zone's IANA name, such as Europe/Berlin.
    #[schemars(length(min = 1, max = 64))]
    zone: String,
    /// The moment to tell of.
    #[serde(default = "now")]
    #[schemars(length(min = 1, max = 100))]
    at: String,
}

fn now() -> String {
    "now".to_owned()
}

/// A zone at a moment.
#[derive(Serialize, JsonSchema)]
pub(super) struct About {
    /// Its name.
    zone: String,
    /// Its offset from UTC, such as +01:00.
    offset: String,
    /// What its time is called, such as CET.
    abbreviation: String,
    /// Whether it is daylight saving time.
    daylight_saving: bool,
    /// When its clocks change next, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_change: Option<String>,
}

pub(super) fn info(clock: &Clock, Info { zone, at }: Info) -> Answer<About> {
    let zone = get(&zone)?;
    let at = clock.read(&at, &zone)?;
    let known = zone.to_offset_info(at.timestamp());
    let change = zone.following(at.timestamp()).next().map(|change| shown(&change.timestamp().to_zoned_datetime(zone.clone())).0);
    let about = About {
        zone: name(&zone),
        offset: at.strftime("%:z").to_string(),
        abbreviation: known.abbreviation().to_owned(),
        daylight_saving: known.dst().is_dst(),
        next_change: change,
    };
    let saving = if about.daylight_saving { "daylight saving time" } else { "standard time" };
    let next = about.next_change.as_ref().map_or("its clocks do not change".to_owned(), |at| format!("its clocks change next on {at}"));
    Ok((format!("{} is at UTC{} ({}, {saving}); {next}", about.zone, about.offset, about.abbreviation), about))
}
