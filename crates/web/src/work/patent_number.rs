//! Numbers of patents: the office, the serial number and the kind of document, in the many ways
//! that they are written.
//!
//! Facts: WIPO standards ST.3 (offices) and ST.16 (kinds of documents), and the offices' own lists
//! of kinds.

use std::fmt;

use url::Url;

/// Host of Google Patents, where every patent has a page.
pub const GOOGLE_PATENTS: &str = "patents.google.com";

/// Minimum and maximum number of digits of a serial number.
const SERIAL_DIGITS: std::ops::RangeInclusive<usize> = 3..=13;

/// Length of the year that published applications begin with.
const YEAR_DIGITS: usize = 4;

/// Maximum number of letters ahead of the digits, as in `USRE12345E1` and `JPWO2019123456A1`.
const MAX_SERIES_LETTERS: usize = 2;

/// The number of a document. Its office and serial number are those of the patent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatentNumber {
    /// Code of the office: `US`.
    pub office: String,
    /// The serial number, with the letters ahead of it.
    pub serial: String,
    /// Kind of the document, such as `B2`; empty if it is not known.
    pub kind: String,
}

impl PatentNumber {
    /// Parses a number such as `US 10,165,245 B2` or `WO 2011/051540`, which is all of `text`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let signs = |c: char| c.is_whitespace() || ",./-_".contains(c);
        let text: String = text.chars().filter(|c| !signs(*c)).collect();
        let text = text.to_ascii_uppercase();
        let (office, remainder) = text.split_at_checked(2)?;
        let letters = |c: char| c.is_ascii_uppercase();
        let digits_at = remainder.find(|c: char| c.is_ascii_digit())?;
        let kind_at = remainder[digits_at..].find(letters);
        let kind_at = kind_at.map_or(remainder.len(), |offset| digits_at + offset);
        let (serial, kind) = remainder.split_at(kind_at);
        let digits = &serial[digits_at..];
        let second = kind.get(1..).unwrap_or_default();
        let sound = office.chars().all(letters)
            && digits_at <= MAX_SERIES_LETTERS
            && serial[..digits_at].chars().all(letters)
            && SERIAL_DIGITS.contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && second.len() <= 1
            && second.bytes().all(|digit| digit.is_ascii_digit());
        sound.then(|| Self {
            office: office.to_owned(),
            serial: usual_serial(office, serial, kind),
            kind: kind.to_owned(),
        })
    }

    /// Returns the number that an address of Google Patents has.
    #[must_use]
    pub fn in_address(address: &str) -> Option<Self> {
        let url = Url::parse(address.trim()).ok()?;
        if url.host_str() != Some(GOOGLE_PATENTS) {
            return None;
        }
        let mut parts = url.path_segments()?;
        (parts.next()? == "patent").then_some(())?;
        Self::parse(parts.next()?)
    }

    /// Address at which the document can be read.
    #[must_use]
    pub fn address(&self) -> String {
        format!("https://{GOOGLE_PATENTS}/patent/{self}/en")
    }

    /// True if the document is one of a granted patent, and not of an application. `None` if its
    /// kind is not known.
    #[must_use]
    pub fn is_grant(&self) -> Option<bool> {
        let kind = self.kind.as_str();
        let digits = self.serial.len();
        Some(match (self.office.as_str(), kind.get(..1)?) {
            // The World Intellectual Property Organization grants none.
            ("WO", _) | ("US", "H") => false,
            // Until 2001 only grants were published.
            ("US", "A") => kind == "A" && digits <= 7,
            ("US", "P") => matches!(kind, "P" | "P2" | "P3"),
            ("CN", "U") => true,
            (_, letter) => "BCESY".contains(letter),
        })
    }

    /// True if both are documents of one patent; a kind that is given in both must be equal.
    #[must_use]
    pub fn meets(&self, wanted: &Self) -> bool {
        let kinds = wanted.kind.is_empty() || self.kind.is_empty() || self.kind == wanted.kind;
        kinds && self.office == wanted.office && self.serial == wanted.serial
    }
}

impl fmt::Display for PatentNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.office, self.serial, self.kind)
    }
}

/// Returns the serial number as the office writes it: the European Patent Office leaves out a zero
/// after the year of an American application.
fn usual_serial(office: &str, serial: &str, kind: &str) -> String {
    let application = office == "US" && !kind.starts_with('B') && serial.starts_with("20");
    if application && serial.len() == YEAR_DIGITS + 6 {
        return format!("{}0{}", &serial[..YEAR_DIGITS], &serial[YEAR_DIGITS..]);
    }
    serial.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        PatentNumber::parse(text).map(|number| number.to_string())
    }

    #[test]
    fn numbers_are_read_in_the_ways_that_they_are_written() {
        for (text, expected) in [
            ("US10165245B2", "US10165245B2"),
            ("us 10,165,245 b2", "US10165245B2"),
            ("US 2014-0167116 A1", "US20140167116A1"),
            ("US2014167116A1", "US20140167116A1"),
            ("EP3456789A1", "EP3456789A1"),
            ("WO 2011/051540", "WO2011051540"),
            ("USRE12345E1", "USRE12345E1"),
            ("JPWO2019123456A1", "JPWO2019123456A1"),
            ("JPH0123456A", "JPH0123456A"),
            ("KR 10-2020-0012345 A", "KR1020200012345A"),
            ("HK1202995B", "HK1202995B"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "US",
            "10165245",
            "US12",
            "video coding",
            "US10165245B2 and more",
            "US10165245B22",
            "US10165245BB",
            "H.264 codec 2000",
            "\u{dc}S10165245",
            "US123456789012345",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_gives_the_number_of_its_document() {
        let number = |address| PatentNumber::in_address(address).map(|number| number.to_string());
        for address in [
            "https://patents.google.com/patent/US10165245B2/en",
            "https://patents.google.com/patent/US10165245B2/de?oq=x#y",
            "http://patents.google.com/patent/US10165245B2",
        ] {
            assert_eq!(
                number(address).as_deref(),
                Some("US10165245B2"),
                "{address}"
            );
        }
        for address in [
            "https://patents.google.com/?q=US10165245B2",
            "https://patents.google.com/scholar/US10165245B2",
            "https://patents.google.com.evil.example/patent/US10165245B2/en",
            "https://a.example/?u=https://patents.google.com/patent/US10165245B2/en",
            "https://patents.google.com/patent/",
        ] {
            assert_eq!(number(address), None, "{address}");
        }
    }

    #[test]
    fn a_grant_is_told_by_its_kind() {
        for (text, grant) in [
            ("US10165245B2", Some(true)),
            ("US20140167116A1", Some(false)),
            ("US5123456A", Some(true)),
            ("USD123456S1", Some(true)),
            ("USRE12345E1", Some(true)),
            ("EP3456789A1", Some(false)),
            ("EP3456789B1", Some(true)),
            ("WO2011051540C1", Some(false)),
            ("JP6543210B2", Some(true)),
            ("CN112345678U", Some(true)),
            ("KR101234567B1", Some(true)),
            ("US10165245", None),
        ] {
            let number = PatentNumber::parse(text).unwrap();
            assert_eq!(number.is_grant(), grant, "{text}");
        }
    }
}
