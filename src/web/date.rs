//! Dates in headers, parsed as leniently as those of cookies (RFC 6265, section 5.1.1). That covers
//! the three forms of HTTP itself (RFC 9110, section 5.6.7).

use std::time::{Duration, SystemTime};

use crate::basics::calendar;

/// Parses a date; `None` for anything else, and for a date before 1970.
#[must_use]
pub fn parse(text: &str) -> Option<SystemTime> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let delimiter = |c: char| !c.is_ascii_alphanumeric() && c != ':' && c != '\u{7f}';
    for token in text.split(delimiter).filter(|token| !token.is_empty()) {
        if time.is_none() && token.contains(':') {
            time = Some(clock(token)?);
        } else if day.is_none() && number(token, 1, 2).is_some() {
            day = number(token, 1, 2);
        } else if month.is_none() && month_of(token).is_some() {
            month = month_of(token);
        } else if year.is_none() && number(token, 2, 4).is_some() {
            year = number(token, 2, 4);
        }
    }
    let (time, day, month, mut year) = (time?, day?, month?, year?);
    if year < 100 {
        year += if year < 70 { 2000 } else { 1900 };
    }
    if !(1..=31).contains(&day) || year < 1601 {
        return None;
    }
    let days = u64::try_from(calendar::day_of(year, month, day)).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400 + time))
}

/// Parses a number of so many digits at the beginning of `token`; the rest is ignored.
fn number(token: &str, least: usize, most: usize) -> Option<i64> {
    let end = token
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(token.len());
    (least..=most)
        .contains(&end)
        .then(|| token[..end].parse().ok())?
}

fn month_of(token: &str) -> Option<i64> {
    calendar::month_by_letters(token).map(i64::from)
}

/// Returns the seconds since midnight of `hh:mm:ss`.
fn clock(token: &str) -> Option<u64> {
    let mut parts = token.splitn(3, ':').map(|part| number(part, 1, 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let within = hour < 24 && minute < 60 && second < 60;
    within.then(|| u64::try_from(hour * 3600 + minute * 60 + second).ok())?
}

/// Formats a time in UTC, to the second, as RFC 3339; a time before 1970 is shown as its beginning.
#[must_use]
pub fn rfc_3339(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = since.unwrap_or_default().as_secs();
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = calendar::date_of(i64::try_from(day).unwrap_or_default());
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_it_is_read() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (784_111_777, "1994-11-06T08:49:37Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(rfc_3339(time), expected);
        }
    }

    fn seconds(text: &str) -> Option<u64> {
        let since = parse(text)?.duration_since(SystemTime::UNIX_EPOCH);
        Some(since.unwrap().as_secs())
    }

    #[test]
    fn dates_are_read_in_every_form_that_servers_write() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 6-Nov-1994 8:49:37 GMT",
        ] {
            assert_eq!(seconds(text), Some(784_111_777), "{text}");
        }
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "0",
            "120",
            "-1",
            "tomorrow",
            "Sun, 06 Nov 1994",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Nov Nov Nov 1:1:1",
            "\u{fc}\u{20ac}:::",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
