//! Search results' snippets of HTML as plain text.

use iki_document::entities;

/// Elements for the look of words.
const INLINE: &str = "i b em strong sub sup u small span sc scp tt br";

/// Converts a snippet of HTML to text: tags removed, entities decoded once, whitespace collapsed.
///
/// A `<` that does not begin a tag is text.
#[must_use]
pub fn text(html: &str) -> String {
    let decoded = entities::decoded(&without_tags(html, &tag_length));
    decoded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Converts a title that may have a little markup of HTML: entities are decoded, tags for the look
/// of words removed. Any other tag may be what the title is about.
#[must_use]
pub fn title_text(title: &str) -> String {
    let length = |remainder: &str| {
        let length = tag_length(remainder)?;
        let name = remainder[1..].trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric())?;
        INLINE
            .split(' ')
            .any(|one| one.eq_ignore_ascii_case(&name[..end]))
            .then_some(length)
    };
    let decoded = entities::decoded(&without_tags(title, &length));
    decoded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text without its tags, with a blank for each that separates words. `length` is given
/// the rest of the text from each `<` on, and returns the length of the tag that it begins.
pub(super) fn without_tags(html: &str, length: &dyn Fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut remainder = html;
    while let Some(offset) = remainder.find('<') {
        out.push_str(&remainder[..offset]);
        remainder = &remainder[offset..];
        let tag = length(remainder);
        out.push_str(match tag {
            None => "<",
            Some(length) if breaks(&remainder[..length]) => " ",
            Some(_) => "",
        });
        remainder = &remainder[tag.unwrap_or(1)..];
    }
    out + remainder
}

/// Returns the length of the tag or comment that `text` begins with.
fn tag_length(text: &str) -> Option<usize> {
    let name = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.starts_with("<!--") {
        return None;
    }
    let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-:_".contains(c));
    // A formula such as `$a<b$` is no tag.
    let is_tag = after.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '<'));
    if !is_tag && !text.starts_with("<!--") {
        return None;
    }
    text.find('>').map(|offset| offset + 1)
}

/// True if a tag separates words.
fn breaks(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let name = name[..end].to_ascii_lowercase();
    matches!(
        name.as_str(),
        "br" | "p" | "div" | "li" | "ul" | "ol" | "hr" | "tr" | "td" | "th" | "title" | "sec"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_title_only_the_look_of_words_is_markup() {
        for (title, text) in [
            (
                "Loss of <i>BRCA1</i> in H<sub>2</sub>O",
                "Loss of BRCA1 in H2O",
            ),
            (
                "Don&#8217;t panic &amp; carry on",
                "Don\u{2019}t panic & carry on",
            ),
            ("The <template> element", "The <template> element"),
            ("if a < b", "if a < b"),
        ] {
            assert_eq!(title_text(title), text);
        }
    }

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
            ("one<br/>two<p>three</p>", "one two three"),
            ("<!-- x -->y\n  z", "y z"),
            ("ends in <", "ends in <"),
            ("<b", "<b"),
            ("$a<b$ and $c>d$", "$a<b$ and $c>d$"),
            ("<em class=\"a\">x</em>y", "xy"),
            ("", ""),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }
}
