//! A command's text as a shell reads it: which parts of it are quoted, comments or here-documents,
//! and which are the shell's own words.
//!
//! Only as much of POSIX "Shell Command Language" (2.2, 2.3, 2.7.4) as it takes to tell these
//! apart; where that is in doubt, text counts as quoted.

/// What stands in the place of text that is not the shell's to understand.
const MASK: u8 = 0x01;

/// A command's text, byte for byte as long as the original.
pub struct Script {
    /// Without what is quoted in any way, comments and here-documents.
    bare: Vec<u8>,
    /// The same with what is in double quotes, where parameters are still expanded.
    expanded: Vec<u8>,
    /// Where single quotes are opened.
    opened: Vec<usize>,
}

impl Script {
    /// Reads a command's text.
    pub fn read(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut script = Self {
            bare: vec![MASK; bytes.len()],
            expanded: vec![MASK; bytes.len()],
            opened: Vec::new(),
        };
        let mut delimiters = Vec::new();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let end = match byte {
                b'\\' => at + 2,
                b'\'' => {
                    script.opened.push(at);
                    past(bytes, at + 1, b'\'')
                }
                b'"' => {
                    let end = past_double_quotes(bytes, at + 1);
                    let inner = at + 1..end.min(bytes.len());
                    script.expanded[inner.clone()].copy_from_slice(&bytes[inner]);
                    end
                }
                b'#' if at == 0 || is_break(bytes[at - 1]) => until_newline(bytes, at),
                b'<' if bytes[at..].starts_with(b"<<") && !bytes[at..].starts_with(b"<<<") => {
                    let (delimiter, end) = delimiter(bytes, at + 2);
                    delimiters.extend(delimiter);
                    end
                }
                b'<' if bytes[at..].starts_with(b"<<<") => {
                    script.show(bytes, at, at + 3);
                    at + 3
                }
                b'\n' => {
                    script.show(bytes, at, at + 1);
                    let mut end = at + 1;
                    for delimiter in delimiters.drain(..) {
                        end = past_here_document(bytes, end, &delimiter);
                    }
                    script.show(bytes, end - 1, end);
                    end
                }
                _ => {
                    script.show(bytes, at, at + 1);
                    at + 1
                }
            };
            at = end;
        }
        script
    }

    fn show(&mut self, bytes: &[u8], from: usize, to: usize) {
        self.bare[from..to].copy_from_slice(&bytes[from..to]);
        self.expanded[from..to].copy_from_slice(&bytes[from..to]);
    }

    /// Whether `text` stands in it, unquoted.
    pub fn has(&self, text: &str) -> bool {
        memchr::memmem::find(&self.bare, text.as_bytes()).is_some()
    }

    /// Where `text` stands in it unquoted.
    pub fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        memchr::memmem::find_iter(&self.bare, text.as_bytes())
    }

    /// Whether `word` is called in it: stands where a command's name does.
    pub fn calls(&self, word: &str) -> bool {
        self.places(word).any(|at| {
            let behind = self.bare.get(at + word.len());
            behind.is_none_or(|byte| is_break(*byte)) && is_called(&self.bare[..at])
        })
    }

    /// What follows behind each `text` that stands unquoted where a command begins.
    pub fn opens<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a [u8]> + 'a {
        let places = self.places(text).filter(|at| is_called(&self.bare[..*at]));
        places.map(|at| &self.bare[at + text.len()..])
    }

    /// The byte before the unquoted place `at`.
    pub fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).map(|at| self.bare[at])
    }

    /// Whether `$'…'` stands in it, which only some shells read as a quotation with escapes.
    pub fn has_quoted_dollar(&self) -> bool {
        let mut places = memchr::memchr_iter(b'$', &self.bare);
        places.any(|at| self.opened.contains(&(at + 1)))
    }

    /// The text that follows behind each `${`.
    pub fn expansions(&self) -> impl Iterator<Item = &[u8]> {
        memchr::memmem::find_iter(&self.expanded, b"${").map(|at| &self.expanded[at + 2..])
    }

    /// Each word in braces, with its braces, that a shell with brace expansion takes apart:
    /// `{1..3}`, `{a,b}`.
    pub fn braces(&self) -> impl Iterator<Item = &[u8]> {
        memchr::memchr_iter(b'{', &self.bare).filter_map(|at| {
            let inner = &self.bare[at + 1..];
            let end = memchr::memchr(b'}', inner)?;
            let word = &inner[..end];
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._,-/".contains(byte);
            let several = word.contains(&b',') || memchr::memmem::find(word, b"..").is_some();
            let parameter = at > 0 && self.bare[at - 1] == b'$';
            (several && !parameter && word.iter().all(plain)).then(|| &self.bare[at..at + end + 2])
        })
    }
}

/// Whether a word ends before this byte.
fn is_break(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";&|()<>".contains(&byte)
}

/// Whether what stands behind `before` is a command's name.
fn is_called(before: &[u8]) -> bool {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = before.iter().rposition(|byte| !blank(byte));
    let Some(end) = end else {
        return true;
    };
    let glued = end + 1 == before.len();
    if b";&|(\n".contains(&before[end]) {
        return true;
    }
    if glued {
        return false;
    }
    let start = before[..=end].iter().rposition(|byte| is_break(*byte));
    let word = &before[start.map_or(0, |start| start + 1)..=end];
    let openers: [&[u8]; 10] = [
        b"if", b"then", b"else", b"elif", b"while", b"until", b"do", b"!", b"{", b"time",
    ];
    openers.contains(&word)
}

fn past(bytes: &[u8], from: usize, end: u8) -> usize {
    memchr::memchr(end, &bytes[from..]).map_or(bytes.len(), |at| from + at + 1)
}

fn until_newline(bytes: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at)
}

fn past_double_quotes(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The word at which a here-document ends, whose operator ends at `at`, and where that word ends.
/// In front of it stands whether the word's line may be indented by tabs.
fn delimiter(bytes: &[u8], mut at: usize) -> (Option<(bool, Vec<u8>)>, usize) {
    let tabs = bytes.get(at) == Some(&b'-');
    at += usize::from(tabs);
    while bytes
        .get(at)
        .is_some_and(|byte| matches!(byte, b' ' | b'\t'))
    {
        at += 1;
    }
    let mut word = Vec::new();
    while let Some(&byte) = bytes.get(at).filter(|byte| !is_break(**byte)) {
        match byte {
            b'\'' | b'"' => {
                let end = past(bytes, at + 1, byte);
                word.extend_from_slice(&bytes[at + 1..(end - 1).max(at + 1)]);
                at = end;
            }
            b'\\' => at += 1,
            _ => {
                word.push(byte);
                at += 1;
            }
        }
    }
    ((!word.is_empty()).then_some((tabs, word)), at)
}

fn past_here_document(bytes: &[u8], from: usize, (tabs, word): &(bool, Vec<u8>)) -> usize {
    let mut at = from;
    while at < bytes.len() {
        let end = until_newline(bytes, at);
        let mut line = &bytes[at..end];
        while *tabs && let Some(rest) = line.strip_prefix(b"\t") {
            line = rest;
        }
        at = (end + 1).min(bytes.len());
        if line == word {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_called_are_told_from_words_that_are_quoted_or_given() {
        for called in [
            "[[ a ]]",
            "echo x; [[ a ]]",
            "if [[ a ]]; then echo; fi",
            "echo 'x' && [[ a ]]",
            "true\n  [[ a ]]",
            "! [[ a ]]",
            "cat <<E\nx\nE\n[[ a ]]",
            "cat <<-'E x'\n\tx\n\tE x\n[[ a ]]",
            "echo \"a # b\"; [[ a ]]",
            "x=$([[ a ]])",
            "echo it\\'s; [[ a ]]",
        ] {
            assert!(Script::read(called).calls("[["), "{called}");
        }
        for given in [
            "grep [[ file",
            "bash -c '[[ a ]]'",
            "bash -c \"[[ a ]]\"",
            "# [[ a ]]",
            "echo x # [[ a",
            "cat <<E\n[[ a ]]\nE",
            "cat <<'E'\n[[ a ]]\nE\ntrue",
            "grep '[[:alpha:]]' f",
            "grep [[:alpha:]] f",
            "echo \\[[ a",
            "cat <<E",
            "cat <<",
            "'",
            "\"",
            "\\",
        ] {
            assert!(!Script::read(given).calls("[["), "{given}");
        }
    }

    #[test]
    fn braces_and_expansions_are_found_where_a_shell_sees_them() {
        let braces = |text: &str| {
            let script = Script::read(text);
            let found: Vec<String> = script
                .braces()
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect();
            found.join(" ")
        };
        assert_eq!(
            braces("echo {1..3} a{b,c}d '{1..2}' \"{1..2}\""),
            "{1..3} {b,c}"
        );
        assert_eq!(braces("awk {print} ${x} ${x,,} {} { a; }"), "");
        let script = Script::read("echo \"${a[0]}\" '${b}' ${c:1}");
        let found: Vec<u8> = script.expansions().map(|text| text[0]).collect();
        assert_eq!(found, b"ac");
    }
}
