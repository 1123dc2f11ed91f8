//! Fields: what stands for a hyperlink in them.
//!
//! Rules: ISO/IEC 29500-1, 17.16.

use std::rc::Rc;

/// The longest field code that is read, in bytes.
const MAX_CODE: usize = 8192;

/// A field that is open.
#[derive(Default)]
pub(super) struct DocxField {
    code: String,
    /// Whether what comes is its result, and is shown.
    pub(super) shown: bool,
    pub(super) link: Option<Rc<str>>,
}

impl DocxField {
    /// Adds to its code.
    pub(super) fn say(&mut self, code: &str) {
        if !self.shown && self.code.len() + code.len() <= MAX_CODE {
            self.code.push_str(code);
        }
    }

    /// Its code is complete, its result begins.
    pub(super) fn show(&mut self) {
        self.shown = true;
        self.link = link(&self.code);
    }
}

/// Where a hyperlink leads to, of which the address and the place within are known.
pub(super) fn target(address: &str, anchor: &str) -> Option<Rc<str>> {
    // Word's own places, as of tables of contents, are nothing that anybody can look for.
    let anchor = if anchor.starts_with('_') { "" } else { anchor };
    match (address.trim(), anchor.trim()) {
        ("", "") => None,
        (address, "") => Some(address.into()),
        (address, anchor) => Some(format!("{address}#{anchor}").into()),
    }
}

/// Where the code of a field leads to, if it is a hyperlink.
pub(super) fn link(code: &str) -> Option<Rc<str>> {
    let mut words = words(code).into_iter();
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
    target(&address, &anchor)
}

/// The words of a field's code; those in quotes may hold blanks.
fn words(code: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix(['"', '\u{201c}', '\u{201d}']) {
            Some(quoted) => quoted
                .split_once(['"', '\u{201c}', '\u{201d}'])
                .unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.replace("\\\\", "\\"));
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::link;

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
            assert_eq!(link(code).as_deref(), wanted, "{code}");
        }
    }
}
