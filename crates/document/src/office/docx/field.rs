//! Reads hyperlinks and symbols from field codes.
//!
//! Rules: ISO/IEC 29500-1, 17.16.

use std::rc::Rc;

use crate::symbol_font;

/// Limit of a field code, in bytes.
const MAX_CODE: usize = 8192;

#[derive(Default)]
pub(super) struct DocxField {
    code: String,
    /// True while its result is read, which is shown.
    pub(super) shows_result: bool,
    pub(super) link: Option<Rc<str>>,
}

impl DocxField {
    /// Appends to its code.
    pub(super) fn add_code(&mut self, code: &str) {
        if !self.shows_result && self.code.len() + code.len() <= MAX_CODE {
            self.code.push_str(code);
        }
    }

    /// Returns the symbol that its code names.
    pub(super) fn symbol(&self) -> Option<char> {
        symbol_of(&self.code)
    }

    /// Ends its code and begins its result.
    pub(super) fn begin_result(&mut self) {
        self.shows_result = true;
        self.link = hyperlink_target(&self.code);
    }
}

/// Joins the address of a hyperlink and the place within it.
pub(super) fn link_target(address: &str, anchor: &str) -> Option<Rc<str>> {
    // Word's own bookmarks, as those of tables of contents, cannot be looked up.
    let anchor = if anchor.starts_with('_') { "" } else { anchor };
    match (address.trim(), anchor.trim()) {
        ("", "") => None,
        (address, "") => Some(address.into()),
        (address, anchor) => Some(format!("{address}#{anchor}").into()),
    }
}

/// Returns the target of a field's code, if it is a hyperlink.
pub(in super::super) fn hyperlink_target(code: &str) -> Option<Rc<str>> {
    let mut words = split_code(code).into_iter();
    if !words.next()?.eq_ignore_ascii_case("HYPERLINK") {
        return None;
    }
    let (mut address, mut anchor) = (String::new(), String::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "\\l" => anchor = words.next().unwrap_or_default(),
            "\\o" | "\\t" => drop(words.next()),
            word if word.starts_with('\\') => {}
            _ if address.is_empty() => address = word,
            _ => {}
        }
    }
    link_target(&address, &anchor)
}

/// Returns the symbol that a field's code names, if it is one for symbols.
pub(in super::super) fn symbol_of(code: &str) -> Option<char> {
    let mut words = split_code(code).into_iter();
    if !words.next()?.eq_ignore_ascii_case("SYMBOL") {
        return None;
    }
    let number = words.next()?;
    let code = match number.strip_prefix("0x").or(number.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let font = words.skip_while(|word| word != "\\f").nth(1);
    symbol_font::character(code, &font.unwrap_or_default())
}

/// Splits a field's code into words; those in quotes may hold blanks.
fn split_code(code: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut unread = code.trim_start();
    while !unread.is_empty() {
        let (word, after) = match unread.strip_prefix(['"', '\u{201c}', '\u{201d}']) {
            Some(quoted) => quoted
                .split_once(['"', '\u{201c}', '\u{201d}'])
                .unwrap_or((quoted, "")),
            None => unread
                .split_once(char::is_whitespace)
                .unwrap_or((unread, "")),
        };
        words.push(word.replace("\\\\", "\\"));
        unread = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::hyperlink_target;

    #[test]
    fn a_field_code_names_where_its_link_leads_to() {
        for (code, wanted) in [
            (
                " HYPERLINK \"https://example.com/a b\" \\o \"tip\" ",
                Some("https://example.com/a b"),
            ),
            (
                "HYPERLINK https://example.com/ \\t \"_blank\"",
                Some("https://example.com/"),
            ),
            (
                "HYPERLINK \"https://example.com/\" \\l \"part\"",
                Some("https://example.com/#part"),
            ),
            ("HYPERLINK \\l \"part\"", Some("#part")),
            ("HYPERLINK \\l \"_Toc123\" \\h", None),
            ("PAGEREF _Toc123 \\h", None),
            ("", None),
            ("HYPERLINK \"", None),
        ] {
            assert_eq!(hyperlink_target(code).as_deref(), wanted, "{code}");
        }
    }
}
