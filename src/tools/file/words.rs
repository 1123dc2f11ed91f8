//! Words that the notes of the file tools have in common.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::unseen;

/// `line 5`, `lines 3 to 8`, `lines 3, 5 and 9`. The numbers ascend.
pub fn lines_in_words(numbers: &[u64]) -> String {
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
        return String::new();
    };
    if numbers.len() == 1 {
        return format!("line {first}");
    }
    if numbers.len() > 2 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1) {
        return format!("lines {first} to {last}");
    }
    let before: Vec<String> = numbers[..numbers.len() - 1]
        .iter()
        .map(u64::to_string)
        .collect();
    format!("lines {} and {last}", before.join(", "))
}

/// `text` as a word for a shell; unseen characters in it are written by their bytes.
pub fn quoted_for_shell(text: &str) -> Cow<'_, str> {
    let plain = |one: char| one.is_ascii_alphanumeric() || "/._-+,:@%=".contains(one);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    // A name that begins with a dash would be an option.
    let dash = if text.starts_with('-') { "./" } else { "" };
    if text.contains(unseen::is_unseen) {
        let mut word = format!("\"$(printf %b '{dash}");
        for one in text.chars() {
            match one {
                '\\' => word.push_str(r"\\"),
                '\'' => word.push_str(r"'\''"),
                _ if unseen::is_unseen(one) => {
                    for byte in one.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(word, "\\0{byte:03o}");
                    }
                }
                _ => word.push(one),
            }
        }
        return Cow::Owned(word + "')\"");
    }
    Cow::Owned(format!("'{dash}{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_in_words() {
        for (numbers, words) in [
            (&[5][..], "line 5"),
            (&[5, 6], "lines 5 and 6"),
            (&[3, 4, 5], "lines 3 to 5"),
            (&[3, 5, 9], "lines 3, 5 and 9"),
        ] {
            assert_eq!(lines_in_words(numbers), words);
        }
    }

    #[test]
    fn names_are_quoted_for_a_shell() {
        for (name, quoted) in [
            ("src/a.ts", "src/a.ts"),
            ("my file", "'my file'"),
            ("it's", r"'it'\''s'"),
            ("-x", "'./-x'"),
            ("", "''"),
            ("~/a", "'~/a'"),
            (
                "-it's\\\u{202e}",
                r#""$(printf %b './-it'\''s\\\0342\0200\0256')""#,
            ),
        ] {
            assert_eq!(quoted_for_shell(name), quoted);
        }
    }
}
