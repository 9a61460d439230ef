//! Days and months.

use super::{Clock, zone};
use crate::server::{Answer, Wrong};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Arguments of `day_info`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfDay {
    /// The date, such as `2026-12-24`, or `now`.
    #[schemars(length(min = 1, max = 100))]
    date: String,
    /// The time zone that `now` is read in.
    #[serde(default = "zone::utc")]
    #[schemars(length(max = 64))]
    zone: String,
}

/// One day.
#[derive(Serialize, JsonSchema)]
pub(super) struct Day {
    /// The date, as ISO 8601 has it.
    date: String,
    /// The day of the week, in English.
    weekday: String,
    /// The year that its ISO week belongs to.
    iso_week_year: i16,
    /// The number of its ISO week.
    iso_week: i8,
    /// Its number in the year, from 1.
    day_of_year: i16,
    /// The quarter of the year, from 1 to 4.
    quarter: i8,
    /// How many days its month has.
    days_in_month: i8,
    /// Whether its year has a 29th of February.
    leap_year: bool,
}

pub(super) fn day(clock: &Clock, OfDay { date, zone }: OfDay) -> Answer<Day> {
    let at = clock.read(&date, &zone::get(&zone)?)?;
    let week = at.iso_week_date();
    let day = Day {
        date: at.date().to_string(),
        weekday: at.strftime("%A").to_string(),
        iso_week_year: week.year(),
        iso_week: week.week(),
        day_of_year: at.day_of_year(),
        quarter: (at.month() - 1) / 3 + 1,
        days_in_month: at.days_in_month(),
        leap_year: at.in_leap_year(),
    };
    let leap = if day.leap_year { "a leap year" } else { "not a leap year" };
    let text = format!(
        "{}, {}: week {} of {}, day {} of the year, quarter {}; the month has {} days, and it is {leap}",
        day.weekday, day.date, day.iso_week, day.iso_week_year, day.day_of_year, day.quarter, day.days_in_month
    );
    Ok((text, day))
}

/// Arguments of `month_calendar`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfMonth {
    /// The year.
    #[schemars(range(min = 1, max = 9998))]
    year: i16,
    /// The month, from 1 to 12.
    #[schemars(range(min = 1, max = 12))]
    month: i8,
}

pub(super) fn month(_: &Clock, OfMonth { year, month }: OfMonth) -> Result<String, Wrong> {
    let first = Date::new(year, month, 1).map_err(|error| Wrong(error.to_string()))?;
    let mut text = format!("{}\nweek  Mo Tu We Th Fr Sa Su\n", first.strftime("%B %Y"));
    let mut date = first;
    for number in 1..=first.days_in_month() {
        let column = date.weekday().to_monday_zero_offset();
        if number == 1 || column == 0 {
            let _ = write!(text, "{:>4}  {}", date.iso_week_date().week(), "   ".repeat(usize::try_from(column).unwrap_or_default()));
        }
        let ends = column == 6 || number == first.days_in_month();
        let _ = write!(text, "{number:>2}{}", if ends { "\n" } else { " " });
        date = date.tomorrow().unwrap_or(date);
    }
    Ok(text)
}
