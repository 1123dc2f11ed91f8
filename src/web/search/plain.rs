//! Search results' snippets of HTML as plain text.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The text of a snippet: tags gone, entities decoded once, blanks run together.
///
/// A `<` that begins no tag is text.
#[must_use]
pub fn text(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(length) = tag_length(rest) {
            if breaks(&rest[..length]) {
                out.push(' ');
            }
            rest = &rest[length..];
        } else {
            out.push('<');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    let decoded = decoded(&out);
    decoded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The longest name of an entity, in bytes (`CounterClockwiseContourIntegral;`).
const LONGEST_NAME: usize = 32;

/// `text` with its entities decoded, once; those that end in a semicolon, as results have them.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest
            .bytes()
            .take(LONGEST_NAME + 1)
            .position(|byte| byte == b';');
        match end.and_then(|end| entity(&rest[..end])) {
            Some(characters) => {
                out.extend(characters.into_iter().flatten());
                rest = &rest[end.map_or(0, |end| end + 1)..];
            }
            None => out.push('&'),
        }
    }
    out + rest
}

/// The one or two characters that an entity stands for.
fn entity(name: &str) -> Option<[Option<char>; 2]> {
    let Some(number) = name.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(&format!("{name};"))?;
        let character = |code: u32| char::from_u32(code).filter(|c| *c != '\0');
        return Some([character(*first), character(*second)]);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // Unlike a number elsewhere, this one has no sign.
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix);
    // What Windows has in place of C1 controls is meant by their numbers (WHATWG HTML, "numeric
    // character reference end state").
    let code = code.ok()?;
    let replaced = code
        .checked_sub(0x80)
        .and_then(|at| *C1_REPLACEMENTS.get(usize::try_from(at).ok()?)?);
    let character = replaced.or_else(|| char::from_u32(code).filter(|_| code != 0));
    Some([Some(character.unwrap_or('\u{fffd}')), None])
}

/// The length of the tag or comment that `text` begins with.
fn tag_length(text: &str) -> Option<usize> {
    let name = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.starts_with("<!--") {
        return None;
    }
    text.find('>').map(|at| at + 1)
}

/// Whether a tag parts words.
fn breaks(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let name = name[..end].to_ascii_lowercase();
    matches!(
        name.as_str(),
        "br" | "p" | "div" | "li" | "ul" | "ol" | "hr" | "tr" | "td" | "th"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_entities_are_decoded_once() {
        for (html, plain) in [
            ("The <strong>Rust</strong> Book", "The Rust Book"),
            (
                "a &amp; b &lt;br&gt; &quot;c&quot; &#x27;d&#39; &eacute;",
                "a & b <br> \"c\" 'd' \u{e9}",
            ),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("if a < b && c > d", "if a < b && c > d"),
            (
                "&hellip;&nGt;&#146;&#x1F600;&#0;&#x110000;",
                "\u{2026}\u{226b}\u{20d2}\u{2019}\u{1f600}\u{fffd}\u{fffd}",
            ),
            (
                "AT&T &; &#; &#x; &nothing; &amp &CounterClockwiseContourIntegral; &",
                "AT&T &; &#; &#x; &nothing; &amp \u{2233} &",
            ),
            ("&#+5; &\u{e9};", "&#+5; &\u{e9};"),
            ("one<br/>two<p>three</p>", "one two three"),
            ("<!-- x -->y\n  z", "y z"),
            ("ends in <", "ends in <"),
            ("<b", "<b"),
            ("<em class=\"a\">x</em>y", "xy"),
            ("", ""),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }
}
