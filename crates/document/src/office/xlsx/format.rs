//! Formats numbers, dates and times as cells show them.
//!
//! Rules: ISO/IEC 29500-1, 18.8.30 (number formats), 18.17.4 (dates). Dates and times are written
//! as ISO 8601, whatever order the file wants; numbers are written in full, percentages with their
//! sign.

use std::collections::HashMap;
use std::rc::Rc;

use iki_base::calendar;
use iki_markdown::xml::XmlReader;

/// Limit of a document's formats.
const MAX_FORMATS: usize = 70_000;

/// Days from the spreadsheets' day 0, 30 December 1899, to 1 January 1970, and to that of 1904.
const DAYS_TO_1970: i64 = 25_569;
const DAYS_TO_1904: f64 = 1462.0;

/// The last day of spreadsheets, 31 December 9999.
const LAST_DAY: f64 = 2_958_466.0;

/// The kinds of number formats.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NumberFormat {
    Number,
    /// With this number of decimals.
    Percent(u8),
    Date,
    DateTime,
    Time,
    /// A duration, in hours that may exceed a day.
    Elapsed,
    /// All digits of a whole number, `0` for each, with other signs between them.
    Padded(Rc<str>),
    /// Shows nothing.
    Hidden,
}

/// The formats of a document's cells.
#[derive(Default)]
pub(in super::super) struct CellFormats {
    /// The formats that the document defines by their numbers.
    custom: HashMap<u32, NumberFormat>,
    cells: Vec<NumberFormat>,
    /// True if days are counted from 1904 on.
    pub(in super::super) from_1904: bool,
}

impl CellFormats {
    pub(super) fn read(styles: &str, from_1904: bool) -> Self {
        let mut formats = Self {
            from_1904,
            ..Self::default()
        };
        let mut in_cells = None;
        XmlReader::new(styles, None).each_tag(|xml, tag| {
            let depth = xml.depth();
            match tag.name() {
                "numFmt" => {
                    let code = tag.attribute("formatCode").unwrap_or_default();
                    formats.add_code(tag.number("numFmtId").unwrap_or_default(), &code);
                }
                "cellXfs" => in_cells = Some(depth),
                "xf" if in_cells.is_some_and(|cells_depth| cells_depth + 1 == depth) => {
                    formats.add_cell(tag.number("numFmtId").unwrap_or_default());
                }
                "cellStyleXfs" | "dxfs" => {
                    in_cells = None;
                    xml.skip();
                }
                _ => {}
            }
        });
        formats
    }

    /// Adds a format that the document defines.
    pub(in super::super) fn add_code(&mut self, id: u32, code: &str) {
        if self.custom.len() < MAX_FORMATS {
            self.custom.insert(id, parse_format(code));
        }
    }

    /// Adds the next style of cells, which has the format of this number.
    pub(in super::super) fn add_cell(&mut self, id: u32) {
        if self.cells.len() < MAX_FORMATS {
            let custom = self.custom.get(&id).cloned();
            self.cells
                .push(custom.unwrap_or_else(|| built_in_format(id)));
        }
    }

    /// Formats what a cell of this style holds as it shows it, if it is a number.
    pub(super) fn format_value(&self, value: &str, style: usize) -> String {
        let number = value.parse();
        number.map_or_else(
            |_| value.to_owned(),
            |number| self.format_number(number, style),
        )
    }

    /// Formats a number as the cell of this style shows it.
    pub(in super::super) fn format_number(&self, parsed: f64, style: usize) -> String {
        let kind = self.cells.get(style).unwrap_or(&NumberFormat::Number);
        let days = if self.from_1904 {
            parsed + DAYS_TO_1904
        } else {
            parsed
        };
        let is_date = (0.0..LAST_DAY).contains(&days);
        match kind {
            NumberFormat::Hidden => String::new(),
            NumberFormat::Percent(digits) => {
                let text = format!("{:.*}", usize::from(*digits), parsed * 100.0);
                format!("{text}%")
            }
            NumberFormat::Date if is_date && days.fract() < 1e-9 => format_date(days),
            NumberFormat::Time if (0.0..1.0).contains(&parsed) => format_clock(parsed, true),
            NumberFormat::Date | NumberFormat::DateTime | NumberFormat::Time if is_date => {
                format!("{} {}", format_date(days), format_clock(days.fract(), true))
            }
            NumberFormat::Elapsed if parsed.abs() < LAST_DAY => format_clock(parsed, false),
            NumberFormat::Padded(digits) if parsed.fract() == 0.0 && parsed.abs() < 1e15 => {
                format_padded(parsed, digits)
            }
            _ => number(parsed),
        }
    }
}

/// Returns a format that the standard defines by its number.
fn built_in_format(id: u32) -> NumberFormat {
    match id {
        9 => NumberFormat::Percent(0),
        10 => NumberFormat::Percent(2),
        14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => NumberFormat::Date,
        18..=21 | 32..=35 | 45 | 47 | 55 | 56 => NumberFormat::Time,
        22 => NumberFormat::DateTime,
        46 => NumberFormat::Elapsed,
        _ => NumberFormat::Number,
    }
}

/// Reads a format code.
fn parse_format(code: &str) -> NumberFormat {
    if code.trim() == ";;;" {
        return NumberFormat::Hidden;
    }
    // Only the first section is read, that of positive numbers.
    let (mut day, mut hour, mut minute_or_month, mut percent) = (false, false, false, false);
    let (mut digits, mut behind_point) = (0, false);
    let (mut shape, mut is_plain) = (String::new(), true);
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '"' => shape.extend(chars.by_ref().take_while(|c| *c != '"').map(literal)),
            '\\' => shape.extend(chars.next().map(literal)),
            '_' | '*' => drop(chars.next()),
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let inside = inside.to_ascii_lowercase();
                if !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return NumberFormat::Elapsed;
                }
            }
            'd' | 'D' | 'y' | 'Y' | 'e' | 'b' => day = true,
            // `E+00` is an exponent.
            'E' => {
                is_plain = false;
                day |= chars.clone().next().is_none_or(|c| !matches!(c, '+' | '-'));
            }
            'h' | 'H' | 's' | 'S' => hour = true,
            'm' | 'M' => minute_or_month = true,
            '%' => percent = true,
            '.' => behind_point = true,
            '0' if behind_point => digits += 1,
            '0' | '-' | '(' | ')' | ' ' => shape.push(c),
            '#' | '?' | ',' | '@' => is_plain = false,
            'G' | 'g' => {
                // `General`.
                let word: String = chars.clone().take(6).collect();
                if word.eq_ignore_ascii_case("eneral") {
                    chars.nth(5);
                }
            }
            _ => {}
        }
    }
    match (day, hour, minute_or_month) {
        (true, true, _) => NumberFormat::DateTime,
        (true, false, _) | (false, false, true) => NumberFormat::Date,
        (false, true, _) => NumberFormat::Time,
        _ if percent => NumberFormat::Percent(digits.min(10)),
        _ if is_plain && !behind_point && shape.matches('0').count() > 1 => {
            NumberFormat::Padded(shape.into())
        }
        _ => NumberFormat::Number,
    }
}

/// A sign of a format that means itself.
fn literal(c: char) -> char {
    // This digit would mean any digit.
    if c == '0' { '\u{2007}' } else { c }
}

/// Writes a whole number with leading zeros, from its last digit on.
fn format_padded(value: f64, shape: &str) -> String {
    let mut digits: Vec<char> = format!("{:.0}", value.abs()).chars().collect();
    let mut text = Vec::new();
    let mut left = shape.matches('0').count();
    for c in shape.chars().rev() {
        if c != '0' {
            text.push(if c == '\u{2007}' { '0' } else { c });
            continue;
        }
        text.push(digits.pop().unwrap_or('0'));
        left -= 1;
        if left == 0 {
            text.extend(digits.drain(..).rev());
        }
    }
    text.extend((value < 0.0).then_some('-'));
    text.iter().rev().collect()
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "days are within those that spreadsheets know"
)]
fn format_date(days: f64) -> String {
    let mut day = days.floor() as i64;
    // Spreadsheets count a 29 February 1900, which did not exist.
    if day < 60 {
        day += 1;
    }
    let (year, month, day) = calendar::date_of(day - DAYS_TO_1970);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A time of a day, or else a duration, whose hours are not limited.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "days are within those that spreadsheets know"
)]
fn format_clock(days: f64, is_time: bool) -> String {
    let seconds = (days.abs() * 86_400.0).round() as u64;
    let (seconds, width) = if is_time {
        (seconds.min(86_399), 2)
    } else {
        (seconds, 1)
    };
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let sign = if days < 0.0 { "-" } else { "" };
    format!("{sign}{hours:0width$}:{minutes:02}:{seconds:02}")
}

/// A number with fifteen digits, the most that spreadsheets show.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-7..1e21).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    let text = rounded.to_string();
    if text == "-0" { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_from_its_code() {
        for (code, wanted) in [
            ("General", NumberFormat::Number),
            ("0.00E+00", NumberFormat::Number),
            ("#,##0.00 \"days\"", NumberFormat::Number),
            ("[Red]0;[Blue]-0", NumberFormat::Number),
            ("0.0%", NumberFormat::Percent(1)),
            ("yyyy-mm-dd", NumberFormat::Date),
            ("mmm\\-yy", NumberFormat::Date),
            ("[$-409]d. mmmm yyyy;@", NumberFormat::Date),
            ("dd/mm/yyyy hh:mm", NumberFormat::DateTime),
            ("h:mm AM/PM", NumberFormat::Time),
            ("[h]:mm:ss", NumberFormat::Elapsed),
            ("00000", NumberFormat::Padded("00000".into())),
            ("000\\-00;-0", NumberFormat::Padded("000-00".into())),
            ("#,##0", NumberFormat::Number),
            ("0", NumberFormat::Number),
            ("0.00", NumberFormat::Number),
            (";;;", NumberFormat::Hidden),
            ("\"h\"0", NumberFormat::Number),
        ] {
            assert_eq!(parse_format(code), wanted, "{code}");
        }
    }

    #[test]
    fn dates_and_numbers_are_shown_as_people_read_them() {
        let styles = "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='[h]:mm'/><numFmt \
             numFmtId='165' formatCode='&quot;N0 &quot;000\\-00'/></numFmts><cellStyleXfs><xf \
             numFmtId='22'/></cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf \
             numFmtId='22'/><xf numFmtId='20'/><xf numFmtId='164'/><xf numFmtId='10'/><xf \
             numFmtId='165'/></cellXfs></styleSheet>";
        let formats = CellFormats::read(styles, false);
        for (value, style, wanted) in [
            ("45322", 1, "2024-01-31"),
            ("45322.5", 1, "2024-01-31 12:00:00"),
            ("45322.75", 2, "2024-01-31 18:00:00"),
            ("60", 1, "1900-02-28"),
            ("61", 1, "1900-03-01"),
            ("1", 1, "1900-01-01"),
            ("0.5", 3, "12:00:00"),
            ("1.25", 4, "30:00:00"),
            ("0.125", 5, "12.50%"),
            ("215", 6, "N0 002-15"),
            ("-1234567", 6, "-N0 12345-67"),
            ("1.5", 6, "1.5"),
            ("0.30000000000000004", 0, "0.3"),
            ("1.1000000000000001", 0, "1.1"),
            ("12345678", 0, "12345678"),
            ("1E+25", 0, "1e25"),
            ("-0", 0, "0"),
            ("-5", 1, "-5"),
            ("abc", 1, "abc"),
            ("7", 99, "7"),
        ] {
            assert_eq!(
                formats.format_value(value, style),
                wanted,
                "{value} {style}"
            );
        }
        assert_eq!(
            CellFormats::read(styles, true).format_value("43860", 1),
            "2024-01-31"
        );
    }
}
