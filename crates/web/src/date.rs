//! Dates of headers and answers.

use std::time::SystemTime;

use iki_base::calendar;

/// Parses a date in one of HTTP's forms (RFC 9110, section 5.6.7), or with hyphens, as cookies have
/// it; `None` for anything else.
#[must_use]
pub fn parse(text: &str) -> Option<SystemTime> {
    let date = httpdate::parse_http_date(text);
    date.or_else(|_| httpdate::parse_http_date(&text.replace('-', " ")))
        .ok()
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
    use std::time::Duration;

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
            "Sun, 06-Nov-1994 08:49:37 GMT",
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
