//! The two forms in which Unicode writes a letter with an accent: as one character (NFC), or as
//! the letter followed by the accent (NFD). They look the same, and are different bytes.

use std::fmt::Write;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// `text` in the other form, if that differs.
#[must_use]
pub fn in_other_form(text: &str) -> Option<String> {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let other = if composed == text {
        DecomposingNormalizerBorrowed::new_nfd().normalize(text)
    } else {
        composed
    };
    (other != text).then(|| other.into_owned())
}

/// `json` with numbers in place of what is not ASCII, where a reader would compose it by itself.
#[must_use]
pub fn spelled_json(json: String) -> String {
    if ComposingNormalizerBorrowed::new_nfc().is_normalized(&json) {
        return json;
    }
    let mut spelled = String::new();
    for char in json.chars() {
        if char.is_ascii() {
            spelled.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(spelled, "\\u{unit:04x}");
        }
    }
    spelled
}
