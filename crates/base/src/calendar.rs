//! Days and the dates that they have in the Gregorian calendar, as RFC 3339 and spreadsheets count
//! them.

/// The names of the months in English.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the months in other languages, in lower case.
const OTHER_MONTHS: [&str; 12] = [
    "januar janvier enero janeiro gennaio \u{44f}\u{43d}\u{432}\u{430}\u{440}\u{44f}",
    "februar f\u{e9}vrier febrero fevereiro febbraio \
     \u{444}\u{435}\u{432}\u{440}\u{430}\u{43b}\u{44f}",
    "m\u{e4}rz mars marzo mar\u{e7}o maart \u{43c}\u{430}\u{440}\u{442}\u{430}",
    "avril abril aprile \u{430}\u{43f}\u{440}\u{435}\u{43b}\u{44f}",
    "mai mayo maio maggio mei \u{43c}\u{430}\u{44f}",
    "juni juin junio junho giugno \u{438}\u{44e}\u{43d}\u{44f}",
    "juli juillet julio julho luglio \u{438}\u{44e}\u{43b}\u{44f}",
    "ao\u{fb}t agosto augustus \u{430}\u{432}\u{433}\u{443}\u{441}\u{442}\u{430}",
    "septembre septiembre setembro settembre \
     \u{441}\u{435}\u{43d}\u{442}\u{44f}\u{431}\u{440}\u{44f}",
    "oktober octobre octubre outubro ottobre \u{43e}\u{43a}\u{442}\u{44f}\u{431}\u{440}\u{44f}",
    "novembre noviembre novembro \u{43d}\u{43e}\u{44f}\u{431}\u{440}\u{44f}",
    "dezember d\u{e9}cembre diciembre dezembro dicembre \
     \u{434}\u{435}\u{43a}\u{430}\u{431}\u{440}\u{44f}",
];

/// The month from 1 on that a word names in one of the languages that many pages have: in full, or
/// by its first letters, three at least.
#[must_use]
pub fn month_named(word: &str) -> Option<u8> {
    let word = word.strip_suffix('.').unwrap_or(word).to_lowercase();
    let mut months = MONTHS.iter().zip(OTHER_MONTHS);
    let index = months.position(|(english, others)| {
        let english = english.to_lowercase();
        let mut all = others.split(' ').chain([english.as_str()]);
        all.any(|name| name.starts_with(&word))
    })?;
    u8::try_from(index + 1)
        .ok()
        .filter(|_| word.chars().count() > 2)
}

/// Days from the first of March of the year 0 to the first of January 1970.
const TO_1970: i64 = 719_468;

/// Days in 400 years, after which the calendar repeats itself.
const ERA: i64 = 146_097;

/// The year, month and day of a day that is counted from the first of January 1970 on.
#[must_use]
pub fn date_of(day: i64) -> (i64, i64, i64) {
    // Years are counted from March, so that a leap day is a year's last.
    let day = day.saturating_add(TO_1970);
    let (era, day) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// The day of a date, counted from the first of January 1970 on.
#[must_use]
pub fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_its_date_and_a_date_its_day() {
        for (day, date) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (11_016, (2000, 2, 29)),
            (19_782, (2024, 2, 29)),
            (47_541, (2100, 3, 1)),
            (-25_509, (1900, 2, 28)),
        ] {
            assert_eq!(date_of(day), date, "{day}");
            let (year, month, of_month) = date;
            assert_eq!(day_of(year, month, of_month), day, "{date:?}");
        }
        for day in (-800_000..800_000).step_by(37) {
            let (year, month, of_month) = date_of(day);
            assert_eq!(day_of(year, month, of_month), day);
        }
    }
}
