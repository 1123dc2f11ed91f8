//! Dates, and parts of dates: a page may state only a year.
//!
//! Rules: ISO 8601 as far as pages use it, the form of RFC 5322, and dates in English words. Of an
//! ambiguous date in numbers only the year is kept.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use iki_base::calendar::{self, MONTHS, month_named};
use iki_base::wording::beginning;

/// Words beside a year, in lower case.
const SEASONS: &str = "spring summer autumn fall winter q1 q2 q3 q4 quarter c ca circa early mid \
                       late fr\u{fc}hling fr\u{fc}hjahr sommer herbst printemps \u{e9}t\u{e9} \
                       automne hiver primavera verano estate oto\u{f1}o autunno outono invierno \
                       inverno";

/// A year, with month and day if they are known. Displayed as ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartialDate {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl PartialDate {
    /// Returns the current day, in UTC.
    #[must_use]
    pub fn today() -> Self {
        Self::from_time(SystemTime::now())
    }

    /// Returns the day of `time`, in UTC; for a time before 1970, the first day of 1970.
    #[must_use]
    pub fn from_time(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let day = i64::try_from(since.as_secs() / 86_400).unwrap_or_default();
        let (year, month, day) = calendar::date_of(day);
        Self {
            year: u16::try_from(year).unwrap_or(9999).min(9999),
            month: u8::try_from(month).ok(),
            day: u8::try_from(day).ok(),
        }
    }

    /// Creates a date if its parts are valid. A day beyond the end of the month is left out.
    fn new(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        if !(1000..=9999).contains(&year) {
            return None;
        }
        let month = month.filter(|month| (1..=12).contains(month));
        let day = day.filter(|day| {
            let date = (year.into(), month.unwrap_or(0).into(), (*day).into());
            month.is_some() && calendar::date_of(calendar::day_of(date.0, date.1, date.2)) == date
        });
        Some(Self { year, month, day })
    }

    /// Creates a date from numbers, as Crossref has it: year, optional month, optional day.
    #[must_use]
    pub fn of_parts(parts: &[i64]) -> Option<Self> {
        let small = |index: usize| parts.get(index).and_then(|part| u8::try_from(*part).ok());
        let year = u16::try_from(*parts.first()?).ok()?;
        Self::new(year, small(1), small(2))
    }

    /// Parses the date at the beginning of `text`, and ignores the rest: `2024-05-01T10:00:00Z`,
    /// `2024/05`, `20240501`, `May 1, 2024`, `1 May 2024`, `Wed, 01 May 2024 10:00:00 GMT`,
    /// `1.5.2024`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = beginning(text.trim(), 100);
        let marked = text.replace(['\u{5e74}', '\u{6708}', '\u{b144}', '\u{c6d4}'], "-");
        let text = if marked == text {
            text
        } else {
            &marked.replace("- ", "-")
        };
        Self::year_first(text)
            .or_else(|| Self::in_words(text))
            .or_else(|| Self::year_last(text))
            .or_else(|| Self::in_season(text))
    }

    /// True if year, month and day are known.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.day.is_some()
    }

    /// Returns the number of the day, counted from the first of January 1970 on; of a year or a
    /// month, of a day in its middle.
    #[must_use]
    pub fn day_number(self) -> i64 {
        let part = |part: Option<u8>, middle| part.map_or(middle, i64::from);
        let month = part(self.month, 7);
        let day = part(self.day, if self.month.is_some() { 15 } else { 1 });
        calendar::day_of(self.year.into(), month, day)
    }

    /// Returns the year.
    #[must_use]
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the day of the month.
    #[must_use]
    pub fn day(self) -> Option<u8> {
        self.day
    }

    /// Returns the English name of the month.
    #[must_use]
    pub(crate) fn month_name(self) -> Option<&'static str> {
        MONTHS.get(usize::from(self.month?) - 1).copied()
    }

    fn year_first(text: &str) -> Option<Self> {
        let (year, remainder) = digits(text);
        if year.len() == 8 {
            let (year, remainder) = year.split_at(4);
            let (month, day) = remainder.split_at(2);
            let date = Self::new(year.parse().ok()?, month.parse().ok(), day.parse().ok())?;
            return date.is_whole().then_some(date);
        }
        if year.len() != 4 {
            return None;
        }
        let year = year.parse().ok()?;
        let mark = remainder.chars().next();
        let mark = mark.filter(|c| matches!(c, '-' | '/' | '.'));
        let mut separated = mark.map(|_| digits(&remainder[1..]));
        let month = separated.take_if(|(month, _)| (1..=2).contains(&month.len()));
        let Some((month, remainder)) = month else {
            // `2024May01` is not a date.
            let ends = !remainder.starts_with(|c: char| c.is_alphanumeric());
            return ends.then(|| Self::new(year, None, None)).flatten();
        };
        // `2011/03-04` are two months.
        let day = mark.and_then(|mark| remainder.strip_prefix(mark));
        let day = day.map(digits);
        let day = day.filter(|(day, _)| (1..=2).contains(&day.len()));
        Self::new(
            year,
            month.parse().ok(),
            day.and_then(|(day, _)| day.parse().ok()),
        )
    }

    fn in_words(text: &str) -> Option<Self> {
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '/'));
        let (mut year, mut month, mut day) = (None, None, None);
        for word in words.filter(|word| !word.is_empty()).take(8) {
            let (number, remainder) = digits(word);
            if number.is_empty() {
                month = month.or_else(|| month_named(word));
            } else if number.len() == 4 && remainder.is_empty() {
                year = year.or_else(|| number.parse().ok());
            } else if number.len() <= 2
                && matches!(
                    remainder,
                    "" | "." | "st" | "nd" | "rd" | "th" | "er" | "\u{ba}"
                )
            {
                day = day.or_else(|| number.parse().ok());
            }
            if year.is_some() && month.is_some() {
                break;
            }
        }
        Self::new(year?, Some(month?), day)
    }

    /// Parses `Winter 2010/11`, `Q2 2011` and `c. 1850`, of which only the year is kept.
    fn in_season(text: &str) -> Option<Self> {
        let (mut year, mut is_named) = (None, false);
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let (number, rest) = digits(word);
            if number.is_empty() && !word.is_empty() {
                let word = word.to_lowercase();
                is_named = SEASONS.split(' ').any(|one| one == word);
                if !is_named {
                    return None;
                }
            } else if number.len() == 4 && rest.is_empty() {
                year = year.or_else(|| number.parse().ok());
            }
        }
        Self::new(year.filter(|_| is_named)?, None, None)
    }

    /// Parses `31.12.2024`, `12/31/2024` and `05/2018`. If both numbers could be the month, only
    /// the year is kept; points mean day first, because Americans do not write them.
    fn year_last(text: &str) -> Option<Self> {
        let (first, remainder) = digits(text);
        let mark = remainder
            .chars()
            .next()
            .filter(|c| matches!(c, '.' | '/' | '-'))?;
        let (second, remainder) = digits(&remainder[1..]);
        if second.len() == 4 && first.len() <= 2 && remainder.trim_start().is_empty() {
            let month = first
                .parse()
                .ok()
                .filter(|month| (1..=12).contains(month))?;
            return Self::new(second.parse().ok()?, Some(month), None);
        }
        let (year, _) = digits(remainder.strip_prefix(mark)?);
        if year.len() != 4 || first.len() > 2 || second.len() > 2 {
            return None;
        }
        let (first, second): (u8, u8) = (first.parse().ok()?, second.parse().ok()?);
        let year = year.parse().ok()?;
        match (first, second) {
            (13.., 1..=12) => Self::new(year, Some(second), Some(first)),
            (1..=12, 13..) => Self::new(year, Some(first), Some(second)),
            _ if mark == '.' || first == second => Self::new(year, Some(second), Some(first)),
            _ => Self::new(year, None, None),
        }
    }

    /// Finds the date in the path of a URL: `/2024/05/17/`, `/2024/05/`, `2024-05-17`.
    #[must_use]
    pub fn in_address(url: &Url) -> Option<Self> {
        let segments: Vec<&str> = url.path().split('/').take(32).collect();
        let number = |index: usize, length: usize| {
            let segment = segments.get(index)?;
            let fits = segment.len() == length && digits(segment).1.is_empty();
            fits.then(|| segment.parse::<u16>().ok()).flatten()
        };
        for index in 0..segments.len() {
            let year = number(index, 4).filter(|year| (1990..=2100).contains(year));
            let month = number(index + 1, 2).and_then(|month| u8::try_from(month).ok());
            if let (Some(year), Some(month @ 1..=12)) = (year, month) {
                let day = number(index + 2, 2).and_then(|day| u8::try_from(day).ok());
                return Self::new(year, Some(month), day);
            }
        }
        segments.iter().find_map(|segment| {
            let bytes = segment.as_bytes();
            bytes.windows(10).enumerate().find_map(|(offset, window)| {
                let form = window.iter().enumerate().all(|(index, byte)| match index {
                    4 | 7 => *byte == b'-',
                    _ => byte.is_ascii_digit(),
                });
                let before = offset.checked_sub(1).and_then(|before| bytes.get(before));
                let alone = |byte: Option<&u8>| !byte.is_some_and(u8::is_ascii_alphanumeric);
                if !form || !alone(before) || !alone(bytes.get(offset + 10)) {
                    return None;
                }
                let date = Self::year_first(segment.get(offset..offset + 10)?)?;
                date.is_whole().then_some(date)
            })
        })
    }
}

impl Serialize for PartialDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a date in a stored form; a text that is no date is none.
pub(crate) fn from_stored<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PartialDate>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.as_deref().and_then(PartialDate::parse))
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

/// Splits the digits at the beginning of `text` from the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_read_as_pages_write_them() {
        for (text, expected) in [
            ("2024-05-01", "2024-05-01"),
            ("2024-05-01T23:59:59-08:00", "2024-05-01"),
            (" 2024/5/1 ", "2024-05-01"),
            ("2024.05.01 10:00", "2024-05-01"),
            ("20240501", "2024-05-01"),
            ("2024-05", "2024-05"),
            ("2024", "2024"),
            ("2024-13-40", "2024"),
            ("2023-02-29", "2023-02"),
            ("2024-02-29", "2024-02-29"),
            ("May 1, 2024", "2024-05-01"),
            ("May 1st 2024, 10:00", "2024-05-01"),
            ("1 Sept. 2024", "2024-09-01"),
            ("01-Dec-2024", "2024-12-01"),
            ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01"),
            ("Published on May 1, 2024", "2024-05-01"),
            ("May 2024", "2024-05"),
            ("31.12.2024", "2024-12-31"),
            ("1.5.2024", "2024-05-01"),
            ("12/31/2024", "2024-12-31"),
            ("31/12/2024", "2024-12-31"),
            ("05/05/2024", "2024-05-05"),
            ("01/05/2024", "2024"),
            ("05/2018", "2018-05"),
            ("5.2018", "2018-05"),
            ("2011/03-04", "2011-03"),
            ("2011-03/2011-04", "2011-03"),
            ("5. M\u{e4}rz 2011", "2011-03-05"),
            ("5 mars 2011", "2011-03-05"),
            ("1er ao\u{fb}t 2011", "2011-08-01"),
            ("5 de marzo de 2011", "2011-03-05"),
            ("Okt. 2011", "2011-10"),
            ("5 \u{43c}\u{430}\u{440}\u{442}\u{430} 2011", "2011-03-05"),
            ("2011\u{5e74}3\u{6708}5\u{65e5}", "2011-03-05"),
            ("2011\u{b144} 3\u{c6d4} 5\u{c77c}", "2011-03-05"),
            ("2011\u{5e74}", "2011"),
            ("Spring 2011", "2011"),
            ("Winter 2010/11", "2010"),
            ("Q2 2011", "2011"),
            ("c. 1850", "1850"),
        ] {
            let date = PartialDate::parse(text).map(|date| date.to_string());
            assert_eq!(date.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "0000-01-01",
            "99999",
            "12:30",
            "1 2 3",
            "May",
            "2024x",
            "20241301",
            "\u{661}\u{662}",
            "1/2/3",
            "13/2018",
            "1/20189",
            "Room 2011",
            "Spring",
        ] {
            assert_eq!(PartialDate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_day_of_a_moment_is_that_in_utc() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_251_199, "2024-02-29"),
            (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            let date = PartialDate::from_time(UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(date.to_string(), expected, "{seconds}");
        }
        assert!(PartialDate::today() > PartialDate::parse("2024-01-01").unwrap());
        assert_eq!(
            PartialDate::from_time(UNIX_EPOCH - Duration::from_secs(9)).to_string(),
            "1970-01-01"
        );
    }

    #[test]
    fn an_address_may_hold_a_date() {
        for (path, expected) in [
            ("/2024/05/17/title", Some("2024-05-17")),
            ("/news/2024/05/title", Some("2024-05")),
            ("/posts/2024-05-17-title", Some("2024-05-17")),
            ("/a-2024-05-17", Some("2024-05-17")),
            ("/2024/title", None),
            ("/1234/05/17", None),
            ("/2024/13/17", None),
            ("/x12024-05-17", None),
            ("/?d=2024-05-17", None),
            ("/%E2%82%AC-2024-05-1", None),
        ] {
            let url = Url::parse(&format!("https://example.org{path}")).unwrap();
            let date = PartialDate::in_address(&url).map(|date| date.to_string());
            assert_eq!(date.as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn parts_are_a_date() {
        let date = |parts: &[i64]| PartialDate::of_parts(parts).map(|date| date.to_string());
        assert_eq!(date(&[2020, 5, 5]).as_deref(), Some("2020-05-05"));
        assert_eq!(date(&[2020, -5]).as_deref(), Some("2020"));
        assert_eq!(date(&[]), None);
        assert_eq!(date(&[-1]), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", path in "[0-9/-]{0,40}") {
            let _ = PartialDate::parse(&text);
            let _ = PartialDate::parse(&path);
            if let Ok(url) = Url::parse(&format!("https://example.org/{path}")) {
                let _ = PartialDate::in_address(&url);
            }
        }
    }
}
