//! Counting with times.

use super::moment::{Moment, shown};
use super::{Clock, zone};
use crate::server::{Answer, Wrong, wrong};
use jiff::civil::{Time, Weekday};
use jiff::{Span, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `add_to_time`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Add {
    /// The date and time to start from, or `now`.
    #[schemars(length(min = 1, max = 100))]
    time: String,
    /// How much to add, such as `3 days`, `1 month 2 weeks`, `90m`, `P1DT2H`; with a minus before it, or `ago` after it, to subtract.
    #[schemars(length(min = 1, max = 100))]
    duration: String,
    /// The time zone to count in.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

pub(super) fn add(clock: &Clock, Add { time, duration, zone }: Add) -> Answer<Moment> {
    let at = clock.read(&time, &zone::get(&zone)?)?;
    let span: Span = match duration.trim().parse() {
        Ok(span) => span,
        Err(_) => return wrong(format!("`{duration}` can't be read as a duration; write it as `3 days 2 hours` or `-2 weeks`")),
    };
    let after = at.checked_add(span).map_err(|_| Wrong("that is outside of the years that can be counted with".to_owned()))?;
    let (text, moment) = shown(&after);
    Ok((text, moment))
}

/// A unit to count in.
#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Counted {
    Years,
    Months,
    Weeks,
    Days,
    Hours,
    Minutes,
    Seconds,
}

/// Arguments of `time_between`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Between {
    /// The first date or time, or `now`.
    #[schemars(length(min = 1, max = 100))]
    from: String,
    /// The second one; the answer is negative where it is earlier.
    #[schemars(length(min = 1, max = 100))]
    to: String,
    /// Also count it all in this one unit.
    #[serde(default = "days")]
    unit: Counted,
    /// The time zone that both are in.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

fn days() -> Counted {
    Counted::Days
}

/// How far two times are apart.
#[derive(Serialize, JsonSchema)]
pub(super) struct Apart {
    /// In words, from years down to seconds.
    words: String,
    /// As an ISO 8601 duration.
    iso: String,
    /// In the unit that was asked for.
    total: f64,
}

pub(super) fn between(clock: &Clock, Between { from, to, unit, zone }: Between) -> Answer<Apart> {
    let zone = zone::get(&zone)?;
    let (from, to) = (clock.read(&from, &zone)?, clock.read(&to, &zone)?);
    let far = |_| Wrong("those are too far apart to count".to_owned());
    let span = from.until((Unit::Year, &to)).map_err(far)?;
    let (unit, name) = match unit {
        Counted::Years => (Unit::Year, "years"),
        Counted::Months => (Unit::Month, "months"),
        Counted::Weeks => (Unit::Week, "weeks"),
        Counted::Days => (Unit::Day, "days"),
        Counted::Hours => (Unit::Hour, "hours"),
        Counted::Minutes => (Unit::Minute, "minutes"),
        Counted::Seconds => (Unit::Second, "seconds"),
    };
    let total = span.total((unit, &from)).map_err(far)?;
    let apart = Apart { words: format!("{span:#}"), iso: span.to_string(), total };
    Ok((format!("{}, which is {} {name}", apart.words, (total * 100.0).round() / 100.0), apart))
}

/// A day of the week.
#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Day {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// Arguments of `next_weekday`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Next {
    /// The day of the week.
    weekday: Day,
    /// The time of day, such as `17:00`.
    #[serde(default = "midnight")]
    #[schemars(length(min = 1, max = 20))]
    time_of_day: String,
    /// The date or time that it must come after.
    #[serde(default = "now")]
    #[schemars(length(min = 1, max = 100))]
    after: String,
    /// The time zone to count in.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

fn midnight() -> String {
    "00:00".to_owned()
}

fn now() -> String {
    "now".to_owned()
}

pub(super) fn next(clock: &Clock, Next { weekday, time_of_day, after, zone }: Next) -> Answer<Moment> {
    let zone = zone::get(&zone)?;
    let after = clock.read(&after, &zone)?;
    let Ok(time) = time_of_day.trim().parse::<Time>() else {
        return wrong(format!("`{time_of_day}` can't be read as a time of day; write it as 17:00"));
    };
    let weekday = match weekday {
        Day::Monday => Weekday::Monday,
        Day::Tuesday => Weekday::Tuesday,
        Day::Wednesday => Weekday::Wednesday,
        Day::Thursday => Weekday::Thursday,
        Day::Friday => Weekday::Friday,
        Day::Saturday => Weekday::Saturday,
        Day::Sunday => Weekday::Sunday,
    };
    let past = |_| Wrong("that is outside of the years that can be counted with".to_owned());
    // The same day counts, where the time of day is still to come.
    let mut date = after.date();
    loop {
        let at = date.to_datetime(time).to_zoned_datetime(zone.clone()).map_err(past)?;
        if at > after && at.weekday() == weekday {
            return Ok(shown(&at));
        }
        date = date.tomorrow().map_err(past)?;
    }
}
