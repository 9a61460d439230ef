//! Times as people write them, and the tools that read one.

use super::{Clock, zone};
use crate::server::{Answer, Wrong, wrong};
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ways to write a date that no standard names; the day comes first where both could.
const DATES: [&str; 8] = ["%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%A, %d %B %Y"];
/// What may follow one of them.
const TIMES: [&str; 5] = ["", " %H:%M", " %H:%M:%S", " %I:%M %p", ", %H:%M"];

/// One moment.
#[derive(Serialize, JsonSchema)]
pub(super) struct Moment {
    /// Date and time with the offset from UTC, as RFC 3339 has it.
    time: String,
    /// The time zone's name.
    zone: String,
    /// The day of the week, in English.
    weekday: String,
    /// Seconds since 1970-01-01 00:00 UTC.
    unix: i64,
}

/// A moment as a line and as a value.
pub(super) fn shown(at: &ZonedDateTime) -> (String, Moment) {
    let zone = zone::name(at.time_zone());
    let moment = Moment {
        time: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        weekday: at.strftime("%A").to_string(),
        unix: at.timestamp().as_second(),
        zone,
    };
    (format!("{}, {} ({})", moment.weekday, moment.time, moment.zone), moment)
}

impl Clock {
    /// Reads a time; one that names no zone is in `zone`, which is also the zone that it is given in.
    pub(super) fn read(&self, text: &str, zone: &TimeZone) -> Result<ZonedDateTime, Wrong> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("now") {
            return Ok((self.now)().to_zoned_datetime(zone.clone()));
        }
        if let Ok(at) = text.parse::<ZonedDateTime>().or_else(|_| rfc2822::parse(text)) {
            return Ok(at.with_time_zone(zone.clone()));
        }
        if let Some(at) = stamp(text) {
            return Ok(at.to_zoned_datetime(zone.clone()));
        }
        let Some(local) = local(text) else {
            return wrong(format!("`{text}` can't be read as a time; write it as 2026-12-24 or 2026-12-24T18:30:00+01:00"));
        };
        local.to_zoned_datetime(zone.clone()).map_err(|_| Wrong(format!("`{text}` is outside of the years that can be counted with")))
    }
}

/// A moment that stands by itself.
fn stamp(text: &str) -> Option<Timestamp> {
    let seconds = || Timestamp::from_second(text.parse().ok().filter(|_| text.len() > 8)?).ok();
    text.parse().ok().or_else(seconds)
}

/// A date, with a time of day or without one.
fn local(text: &str) -> Option<DateTime> {
    let standard = text.parse::<DateTime>().ok().or_else(|| Some(text.parse::<Date>().ok()?.to_datetime(Default::default())));
    let plain = || DATES.iter().find_map(|date| Some(Date::strptime(date, text).ok()?.to_datetime(Default::default())));
    let timed = |date| TIMES.iter().skip(1).find_map(move |time| DateTime::strptime(format!("{date}{time}"), text).ok());
    standard.or_else(plain).or_else(|| DATES.iter().find_map(timed))
}

/// Arguments of `current_time`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Current {
    /// The time zone's IANA name, such as Europe/Berlin.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

pub(super) fn current(clock: &Clock, Current { zone }: Current) -> Answer<Moment> {
    Ok(shown(&(clock.now)().to_zoned_datetime(zone::get(&zone)?)))
}

/// Arguments of `convert_time`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Convert {
    /// The date and time, such as `2026-12-24 18:30`, or `now`.
    #[schemars(length(min = 1, max = 100))]
    time: String,
    /// The zone that the time is in, where it does not say so itself.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    from: String,
    /// The zone to convert it to.
    #[schemars(length(min = 1, max = 64))]
    to: String,
}

pub(super) fn convert(clock: &Clock, Convert { time, from, to }: Convert) -> Answer<Moment> {
    let to = zone::get(&to)?;
    let at = clock.read(&time, &zone::get(&from)?)?;
    let (before, _) = shown(&at);
    let (after, moment) = shown(&at.with_time_zone(to));
    Ok((format!("{before} is {after}"), moment))
}

/// Arguments of `parse_date`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Parse {
    /// The date or time as it was written.
    #[schemars(length(min = 1, max = 100))]
    text: String,
    /// The zone that it is in, where it does not say so itself.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

pub(super) fn parse(clock: &Clock, Parse { text, zone }: Parse) -> Answer<Moment> {
    Ok(shown(&clock.read(&text, &zone::get(&zone)?)?))
}
