//! The clock: what time it is, and how times, zones and dates go together.
//!
//! Is: the list of its tools. Time zones come with the program, so the answers are the same on every machine and need no network.
//! Is not: a timer; it keeps nothing and changes nothing. Neighbours: `moment` reads times, `span` counts with them, `calendar`
//! knows days, `zone` the zones.

mod calendar;
mod moment;
mod span;
mod zone;

#[cfg(test)]
mod tests;

use crate::server::{About, Effect, Entry, Server};
use jiff::Timestamp;

const INSTRUCTIONS: &str = "Times and dates. A time may be written in many ways, also as `now`; a time without a zone is read in UTC or in \
    the zone that is given.";

/// Where the time comes from.
pub(crate) struct Clock {
    now: fn() -> Timestamp,
}

pub(crate) fn server() -> Server<Clock> {
    server_at(Timestamp::now)
}

fn server_at(now: fn() -> Timestamp) -> Server<Clock> {
    Server::new("clock", INSTRUCTIONS, Clock { now }, tools())
}

fn about(name: &'static str, title: &'static str, description: &'static str) -> About {
    About { name, title, description, effect: Effect::Reads, idempotent: true }
}

fn tools() -> [Entry<Clock>; 10] {
    [
        Entry::new(
            &about(
                "current_time",
                "Current time",
                "Tell the current date and time in a time zone: what time it is now, and what day it is today.",
            ),
            moment::current,
        ),
        Entry::new(
            &about(
                "convert_time",
                "Convert between time zones",
                "Convert a date and time from one time zone to another, for example 3 pm in New York to the time in Tokyo.",
            ),
            moment::convert,
        ),
        Entry::new(
            &about(
                "parse_date",
                "Read a written date",
                "Read a date or time written in almost any common way (ISO 8601, email headers, `24.12.2026`, `Dec 24, 2026`, Unix seconds) \
                 and give it in one standard form.",
            ),
            moment::parse,
        ),
        Entry::new(
            &about(
                "add_to_time",
                "Add to or subtract from a time",
                "Add a duration to a date and time, or subtract one: the date in 90 days, or two weeks and three hours ago. Months and \
                 changes to summer time are counted as a calendar does.",
            ),
            span::add,
        ),
        Entry::new(
            &about(
                "time_between",
                "Time between two dates",
                "Count how long it is from one date or time to another: days until a deadline, or the age of something in years, months and days.",
            ),
            span::between,
        ),
        Entry::new(
            &about(
                "next_weekday",
                "Next such weekday",
                "Find the next date that falls on a weekday, with a time of day if wanted: next Friday at 17:00, or the coming Monday.",
            ),
            span::next,
        ),
        Entry::new(
            &about(
                "day_info",
                "About a day",
                "Tell about one calendar day: its weekday, ISO week number, day of the year, quarter, days in its month, and whether the year \
                 is a leap year.",
            ),
            calendar::day,
        ),
        Entry::told(
            &about(
                "month_calendar",
                "Calendar of a month",
                "Print the calendar of a month as text, weeks from Monday, with ISO week numbers.",
            ),
            calendar::month,
        ),
        Entry::new(
            &about(
                "find_time_zones",
                "Find time zones",
                "List the names of time zones (IANA names such as Europe/Berlin) that contain a word, such as a city, a country or a continent.",
            ),
            zone::find,
        ),
        Entry::new(
            &about(
                "time_zone_info",
                "About a time zone",
                "Tell about a time zone at a moment: its offset from UTC, its abbreviation, whether it is daylight saving (summer) time, and \
                 when the clocks change next.",
            ),
            zone::info,
        ),
    ]
}
