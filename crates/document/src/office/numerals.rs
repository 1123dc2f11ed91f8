//! Numbers of list items, as documents show them.

use std::fmt::Write as _;

/// True if a label says more than the number that Markdown gives an item: letters, Roman numerals,
/// or the numbers of several levels.
pub(super) fn is_worth_showing(label: &str, number: u32) -> bool {
    let bare = label.trim_matches(['.', ')', '(', ':', ' ']);
    !bare.is_empty() && bare.parse() != Ok(number)
}

/// Writes a number in a format, as `WordprocessingML` or `OpenDocument` name it.
pub(super) fn format_number(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" | "a" => letters(number, b'a'),
        "upperLetter" | "A" => letters(number, b'A'),
        "lowerRoman" | "i" => roman(number).to_lowercase(),
        "upperRoman" | "I" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "none" | "bullet" => String::new(),
        _ => number.to_string(),
    }
}

/// `a` to `z`, then `aa`, `bb`.
fn letters(number: u32, first: u8) -> String {
    if number == 0 {
        return String::new();
    }
    let letter = first + u8::try_from((number - 1) % 26).unwrap_or_default();
    let times = ((number - 1) / 26 + 1).min(8);
    char::from(letter).to_string().repeat(times as usize)
}

fn roman(number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut roman = String::new();
    if number > 4999 {
        let _ = write!(roman, "{number}");
        return roman;
    }
    let mut left = number;
    for (value, digit) in DIGITS {
        while left >= value {
            roman.push_str(digit);
            left -= value;
        }
    }
    roman
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_formats_say() {
        for (number, format, wanted) in [
            (4, "lowerRoman", "iv"),
            (1999, "upperRoman", "MCMXCIX"),
            (28, "lowerLetter", "bb"),
            (3, "upperLetter", "C"),
            (7, "decimalZero", "07"),
            (7, "", "7"),
            (9999, "upperRoman", "9999"),
        ] {
            assert_eq!(format_number(number, format), wanted);
        }
    }
}
