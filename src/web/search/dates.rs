//! Dates of pages, normalised from the forms that providers use; and the day so many days ago.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::basics::calendar;

/// Normalises a date: `2024-05-01`, with its time of day if one follows. `May 1, 2024` and `1 May
/// 2024` are read as well; `None` for anything else, such as `3 days ago`.
#[must_use]
pub fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes
            .get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    if digits(0..4) && bytes.get(4) == Some(&b'-') && digits(5..7) && digits(8..10) {
        let day = number(&text[..4])
            .zip(number(&text[5..7]))
            .zip(number(&text[8..10]));
        let ((year, month), day) = day?;
        // Text behind the time is ignored.
        let time = text[10..].strip_prefix([' ', 'T']);
        let time = time.map(|time| time.split(' ').next().unwrap_or_default());
        let time = time.filter(|time| time.len() <= 30 && is_time(time));
        let date = format_date(year, month, day)?;
        return Some(time.map_or(date.clone(), |time| format!("{date}T{time}")));
    }
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let [first, second, year] = words.as_slice() else {
        return None;
    };
    let (month, day) = match (month(first), month(second)) {
        (Some(month), None) => (month, number(second)?),
        (None, Some(month)) => (month, number(first)?),
        _ => return None,
    };
    if year.len() != 4 {
        return None;
    }
    format_date(number(year)?, month, day)
}

fn is_time(text: &str) -> bool {
    text.len() >= 5
        && text.as_bytes()[0].is_ascii_digit()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":.+-Zz".contains(&byte))
}

fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

fn month(word: &str) -> Option<u32> {
    let all = word
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'.');
    let month = calendar::month_by_letters(word).filter(|_| all);
    month.map(u32::from)
}

fn format_date(year: u32, month: u32, day: u32) -> Option<String> {
    let sound = year > 0 && (1..=12).contains(&month) && (1..=31).contains(&day);
    sound.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns the day that is this many days before `now`, in UTC.
#[must_use]
pub fn days_before(now: SystemTime, days: u64) -> String {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let day = (since / 86_400).saturating_sub(days);
    let (year, month, day) = calendar::date_of(i64::try_from(day).unwrap_or_default());
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        for (now, days, expected) in [
            (0, 0, "1970-01-01"),
            (0, 5, "1970-01-01"),
            (1_709_251_200, 0, "2024-03-01"),
            (1_709_251_200, 1, "2024-02-29"),
            (1_709_251_200, 366, "2023-03-01"),
            (1_735_689_599, 0, "2024-12-31"),
            (4_107_542_400, 1, "2100-02-28"),
        ] {
            assert_eq!(days_before(at(now), days), expected, "{now} {days}");
        }
    }
}
