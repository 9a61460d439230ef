#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::tests::Client;
use serde_json::json;

/// Monday, 30 November 2026, 20:15 UTC.
async fn clock() -> Client {
    Client::of(server_at(|| Timestamp::from_second(1_796_069_700).unwrap())).await
}

#[tokio::test]
async fn times_are_told_and_converted() {
    let clock = clock().await;
    assert_eq!(clock.text("current_time", json!({})).await, "Monday, 2026-11-30T20:15:00+00:00 (UTC)");
    assert_eq!(clock.value("current_time", json!({"zone": "Asia/Tokyo"})).await["weekday"], json!("Tuesday"));
    let there = clock.value("convert_time", json!({"time": "2026-07-01 15:00", "from": "America/New_York", "to": "Europe/Berlin"})).await;
    assert_eq!(there["time"], json!("2026-07-01T21:00:00+02:00"));
    assert!(clock.refusal("current_time", json!({"zone": "Mars/Base"})).await.contains("find_time_zones"));
    assert!(clock.refusal("convert_time", json!({"time": "soon", "to": "UTC"})).await.contains("2026-12-24"));
}

#[tokio::test]
async fn a_date_is_read_in_many_forms() {
    let clock = clock().await;
    for text in [
        "2026-12-24",
        "2026/12/24",
        "24.12.2026",
        "24 December 2026",
        "24 Dec 2026",
        "December 24, 2026",
        "Dec 24, 2026",
        "2026-12-24T00:00",
        "2026-12-24T00:00:00Z",
        "Thu, 24 Dec 2026 00:00:00 +0000",
        "1798070400",
        "24.12.2026 00:00",
        "2026-12-24T01:00+01:00[Europe/Berlin]",
    ] {
        assert_eq!(clock.value("parse_date", json!({"text": text})).await["unix"], json!(1_798_070_400), "{text}");
    }
    for text in ["31.02.2026", "", "24/12", "99999-01-01", "%Y", "12345678"] {
        clock.refusal("parse_date", json!({"text": text})).await;
    }
}

#[tokio::test]
async fn times_are_counted_with() {
    let clock = clock().await;
    let add = |time: &str, duration: &str, zone: &str| json!({"time": time, "duration": duration, "zone": zone});
    for (arguments, time) in [
        (add("2026-01-31", "1 month", "UTC"), "2026-02-28T00:00:00+00:00"),
        (add("now", "-2 weeks", "UTC"), "2026-11-16T20:15:00+00:00"),
        (add("now", "90m ago", "UTC"), "2026-11-30T18:45:00+00:00"),
        // The night in which the clocks change has an hour less.
        (add("2026-03-28 12:00", "1 day", "Europe/Berlin"), "2026-03-29T12:00:00+02:00"),
        (add("2026-03-28 12:00", "24 hours", "Europe/Berlin"), "2026-03-29T13:00:00+02:00"),
    ] {
        assert_eq!(clock.value("add_to_time", arguments).await["time"], json!(time));
    }
    clock.refusal("add_to_time", add("now", "a while", "UTC")).await;
    clock.refusal("add_to_time", add("now", "9000 years", "UTC")).await;
    let apart = clock.value("time_between", json!({"from": "2026-11-30", "to": "2026-12-24"})).await;
    assert_eq!(apart["total"], json!(24.0));
    let apart = clock.value("time_between", json!({"from": "2000-02-29", "to": "2026-11-30", "unit": "hours"})).await;
    assert_eq!((&apart["iso"], &apart["total"]), (&json!("P26Y9M1D"), &json!(234_504.0)));
    let next = |day: &str, time: &str| json!({"weekday": day, "time_of_day": time});
    assert_eq!(clock.value("next_weekday", next("monday", "21:00")).await["time"], json!("2026-11-30T21:00:00+00:00"));
    assert_eq!(clock.value("next_weekday", next("monday", "20:00")).await["time"], json!("2026-12-07T20:00:00+00:00"));
    assert!(clock.refusal("next_weekday", next("someday", "20:00")).await.contains("monday"));
    clock.refusal("next_weekday", next("friday", "25:00")).await;
    clock.refusal("next_weekday", json!({"weekday": "friday", "after": "9999-12-30"})).await;
}

#[tokio::test]
async fn days_months_and_zones_are_known() {
    let clock = clock().await;
    let day = clock.value("day_info", json!({"date": "2027-01-01"})).await;
    assert_eq!((&day["iso_week"], &day["iso_week_year"], &day["weekday"]), (&json!(53), &json!(2026), &json!("Friday")));
    let month = clock.text("month_calendar", json!({"year": 2026, "month": 2})).await;
    assert_eq!(
        month,
        "February 2026\nweek  Mo Tu We Th Fr Sa Su\n   5                     1\n   6   2  3  4  5  6  7  8\n   7   9 10 11 12 13 14 15\n   8  16 17 18 19 \
         20 21 22\n   9  23 24 25 26 27 28\n"
    );
    clock.refusal("month_calendar", json!({"year": 2026, "month": 13})).await;
    let zones = clock.value("find_time_zones", json!({"contains": "new york"})).await;
    assert_eq!(zones["zones"], json!(["America/New_York"]));
    assert!(clock.text("find_time_zones", json!({"contains": "/", "limit": 3})).await.contains("more"));
    let zone = clock.value("time_zone_info", json!({"zone": "Europe/Berlin"})).await;
    assert_eq!((&zone["offset"], &zone["abbreviation"], &zone["daylight_saving"]), (&json!("+01:00"), &json!("CET"), &json!(false)));
    assert!(zone["next_change"].as_str().unwrap().contains("2027-03-28"));
    assert!(clock.text("time_zone_info", json!({"zone": "UTC"})).await.contains("do not change"));
}
