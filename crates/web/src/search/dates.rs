//! Dates of pages, normalised from the forms that providers use; and the day so many days ago.

use std::time::{Duration, SystemTime};

use crate::partial_date::PartialDate;

/// Normalises a date: `2024-05-01`, with its time of day if one follows. Other forms, such as `May
/// 1, 2024`, are read as well; `None` for anything else, such as `3 days ago`.
#[must_use]
pub fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    let date = day(text)?;
    // Text after the time is ignored.
    let time = text.strip_prefix(&date);
    let time = time.and_then(|remainder| remainder.strip_prefix([' ', 'T']));
    let time = time.map(|time| time.split(' ').next().unwrap_or_default());
    let time = time.filter(|time| time.len() <= 30 && is_time(time));
    Some(time.map_or(date.clone(), |time| format!("{date}T{time}")))
}

/// Returns the day of a date, such as `2018-12-25`.
#[must_use]
pub fn day(text: &str) -> Option<String> {
    let date = PartialDate::parse(text).filter(|date| date.is_whole());
    date.map(|date| date.to_string())
}

fn is_time(text: &str) -> bool {
    text.len() >= 5
        && text.as_bytes()[0].is_ascii_digit()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":.+-Zz".contains(&byte))
}

/// Returns the day that is this many days before `now`, in UTC.
#[must_use]
pub fn days_before(now: SystemTime, days: u64) -> String {
    let then = now.checked_sub(Duration::from_secs(days.saturating_mul(86_400)));
    PartialDate::from_time(then.unwrap_or(SystemTime::UNIX_EPOCH)).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_of_providers() {
        for (text, expected) in [
            ("2024-05-01", "2024-05-01"),
            ("2024-05-01T10:20:30", "2024-05-01T10:20:30"),
            ("2024-05-01T10:20:30.000Z", "2024-05-01T10:20:30.000Z"),
            ("2024-05-01 10:20:30+02:00", "2024-05-01T10:20:30+02:00"),
            ("2024-05-01T<b>", "2024-05-01"),
            ("May 1, 2024", "2024-05-01"),
            ("Sept. 12, 2024", "2024-09-12"),
            ("1 May 2024", "2024-05-01"),
            (" 31 December 1999 ", "1999-12-31"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "3 days ago",
            "yesterday",
            "2024-13-01",
            "2024-05-32",
            "May 2024",
            "May 1, 24",
            "1 1 2024",
            "May May 2024",
            "\u{661}024-05-01",
            "M\u{e4}y 1 2024",
        ] {
            assert_eq!(iso(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_back_over_the_ends_of_months_and_years() {
        let time_at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        for (now, days, expected) in [
            (0, 0, "1970-01-01"),
            (0, 5, "1970-01-01"),
            (1_709_251_200, 0, "2024-03-01"),
            (1_709_251_200, 1, "2024-02-29"),
            (1_709_251_200, 366, "2023-03-01"),
            (1_735_689_599, 0, "2024-12-31"),
            (4_107_542_400, 1, "2100-02-28"),
        ] {
            assert_eq!(days_before(time_at(now), days), expected, "{now} {days}");
        }
    }
}
