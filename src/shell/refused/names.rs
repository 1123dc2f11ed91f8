//! Names as programs quote them in their messages.
//!
//! Text is one character a byte here, so that nothing is lost of a name that is not UTF-8.

/// A line as text, one character a byte, without what colors it.
pub fn text(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.iter();
    while let Some(byte) = rest.next() {
        match byte {
            // `ESC [ … m` and its like: up to a letter.
            0x1b => {
                let _ = rest.find(|byte| byte.is_ascii_alphabetic());
            }
            b'\r' => {}
            byte => text.push(char::from(*byte)),
        }
    }
    text
}

/// The bytes of such a text.
pub fn bytes(text: &str) -> Vec<u8> {
    // Nothing else than one byte is in a character.
    text.chars()
        .filter_map(|one| u8::try_from(one).ok())
        .collect()
}

/// Quotation marks of UTF-8, as they look here.
const OPENING: &str = "\u{e2}\u{80}\u{98}";
const CLOSING: &str = "\u{e2}\u{80}\u{99}";

/// A quoted name in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Quoted {
    /// Where it begins and ends in the text, its quotes included.
    pub at: usize,
    pub end: usize,
    /// What is quoted.
    pub name: String,
}

/// The quoted names in `text`. A quote opens at the beginning of a word alone: elsewhere it is an
/// apostrophe.
pub fn quoted(text: &str) -> Vec<Quoted> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let opens = at == 0 || text[..at].ends_with([' ', '(', '=', '[', ':', '\t']);
        if opens && let Some((name, length)) = one_quoted(&text[at..]) {
            let end = at + length;
            found.push(Quoted { at, end, name });
            at = end;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The quoted name that `text` begins with, and how long it is with its quotes.
fn one_quoted(text: &str) -> Option<(String, usize)> {
    let closed = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        Some((inner[..end].to_owned(), open.len() + end + close.len()))
    };
    if let Some(inner) = text.strip_prefix(OPENING) {
        // One that belongs to the name has a backslash before it.
        let mut closings = inner.match_indices(CLOSING).map(|(at, _)| at);
        let end = closings.find(|at| !inner[..*at].ends_with('\\'))?;
        let length = OPENING.len() + end + CLOSING.len();
        return Some((unescaped(&inner[..end]), length));
    }
    if text.starts_with('`') {
        return closed("`", "`").or_else(|| closed("`", "'"));
    }
    if text.starts_with("b'") || text.starts_with("b\"") {
        let (name, length) = literal(&text[1..])?;
        return Some((name, length + 1));
    }
    if text.starts_with(['\'', '"']) || text.starts_with("$'") {
        return as_shell(text).or_else(|| literal(text));
    }
    None
}

/// A word as a shell reads it, and how long it is: `'…'`, `"…"`, `$'…'` and `\'`, one behind the
/// other. In double quotes a backslash is itself, as most programs have it.
fn as_shell(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        if let Some(inner) = rest.strip_prefix("$'") {
            let (part, length) = literal(&format!("'{inner}"))?;
            name += &part;
            rest = &inner[length - 1..];
        } else if let Some(inner) = rest.strip_prefix("\\'") {
            name.push('\'');
            rest = inner;
        } else if let Some(mark) = rest.chars().next().filter(|one| matches!(one, '\'' | '"')) {
            let inner = &rest[1..];
            let end = inner.find(mark)?;
            name += &inner[..end];
            rest = &inner[end + 1..];
        } else {
            break;
        }
    }
    // A letter right behind a quote: it was none.
    let goes_on = rest.starts_with(|next: char| next.is_ascii_alphanumeric());
    (!goes_on).then(|| (name, text.len() - rest.len()))
}

/// A literal of C's, Python's or Rust's, and how long it is.
pub fn literal(text: &str) -> Option<(String, usize)> {
    let mark = text.chars().next()?;
    let mut end = None;
    let mut escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            one if one == mark => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let end = end?;
    Some((unescaped(&text[1..end]), end + 1))
}

/// What the escapes of C, Python and Rust stand for: `\n`, `\'`, `\x1f`, `\377`, `\u00e9`,
/// `\u{e9}`.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain += &rest[..at];
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next() else {
            plain.push('\\');
            break;
        };
        rest = &rest[kind.len_utf8()..];
        let simple = match kind {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            'e' => Some('\u{1b}'),
            _ => None,
        };
        if let Some(one) = simple {
            plain.push(one);
            continue;
        }
        let (digits, radix) = match kind {
            'x' => (first_digits(rest, 2, 16), 16),
            'u' if rest.starts_with('{') => {
                let end = rest.find('}').unwrap_or(0);
                if let Ok(number) = u32::from_str_radix(&rest[..end][1.min(end)..], 16) {
                    push_utf8(&mut plain, number);
                }
                rest = &rest[(end + 1).min(rest.len())..];
                continue;
            }
            'u' => (first_digits(rest, 4, 16), 16),
            'U' => (first_digits(rest, 8, 16), 16),
            '0'..='7' => {
                let digits = 1 + first_digits(rest, 2, 8);
                rest = &text[text.len() - rest.len() - 1..];
                (digits, 8)
            }
            other => {
                plain.push(other);
                continue;
            }
        };
        let number = u32::from_str_radix(&rest[..digits], radix).unwrap_or(0);
        rest = &rest[digits..];
        match (kind, u8::try_from(number)) {
            ('u' | 'U', _) | (_, Err(_)) => push_utf8(&mut plain, number),
            (_, Ok(byte)) => plain.push(char::from(byte)),
        }
    }
    plain + rest
}

fn first_digits(text: &str, most: usize, radix: u32) -> usize {
    let digits = text.chars().take(most);
    digits.take_while(|one| one.is_digit(radix)).count()
}

/// Adds a character, one character a byte.
fn push_utf8(text: &mut String, number: u32) {
    let one = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut buffer = [0; 4];
    text.extend(one.encode_utf8(&mut buffer).bytes().map(char::from));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_each_program_quotes_them() {
        for (line, names) in [
            ("ls: cannot open directory '/tmp/out'", &["/tmp/out"][..]),
            ("'/tmp/out/new'$'\\n''line'", &["/tmp/out/new\nline"]),
            ("touch '/tmp/out/it'\\''s \"x\"'", &["/tmp/out/it's \"x\""]),
            ("cat: \"/tmp/out/it's\"", &["/tmp/out/it's"]),
            ("mkdir: cannot create ‘/tmp/a\\’s’", &["/tmp/a’s"]),
            ("cannot move 'a b' to '/x/c d'", &["a b", "/x/c d"]),
            ("cannot create directory 'it\\'s'", &["it's"]),
            ("error: couldn't write `/x/y`", &["/x/y"]),
            ("error: couldn't write `/x/y'", &["/x/y"]),
            ("it's not: that's all", &[]),
            ("denied: b'/tmp/out/\\xff'", &["/tmp/out/\u{ff}"]),
            ("'/x/\\303\\274'", &["/x/\\303\\274"]),
            ("''$'\\303\\274'", &["\u{c3}\u{bc}"]),
        ] {
            let line = text(line.as_bytes());
            let found: Vec<String> = quoted(&line).into_iter().map(|one| one.name).collect();
            let is_text = |name: &str| name.chars().all(|one| one <= '\u{ff}');
            let names: Vec<String> = names
                .iter()
                .map(|name| {
                    if is_text(name) {
                        (*name).to_owned()
                    } else {
                        text(name.as_bytes())
                    }
                })
                .collect();
            assert_eq!(found, names, "{line}");
        }
        assert_eq!(text(b"\x1b[1m\x1b[31merror\x1b[0m: x\r"), "error: x");
        assert_eq!(bytes("/x/\u{ff}"), b"/x/\xff");
        let literal = |text: &str| literal(text).unwrap().0;
        assert_eq!(
            literal(r"'/x/it\'s\n\x01\u00e9\u{e9}\\'"),
            "/x/it's\n\u{1}\u{c3}\u{a9}\u{c3}\u{a9}\\"
        );
    }
}
