//! Formulas whose elements have the prefix of a namespace (`m:math`, `mml:math`), as XML allows.
//!
//! Rules: Namespaces in XML 1.0; `MathML` Core. The parsers of HTML know names without prefixes.

use std::borrow::Cow;

use memchr::memmem;

/// Maximum length of a prefix, in bytes.
const MAX_PREFIX_BYTES: usize = 16;

/// Returns the page with the prefixes of its formulas removed.
pub(super) fn remove_prefixes(page: &str) -> Cow<'_, str> {
    let (mut all, mut copied) = (String::new(), 0);
    let finder = memmem::Finder::new(":math");
    while let Some(length) = finder.find(&page.as_bytes()[copied..]) {
        let colon = copied + length;
        let Some(prefix) = prefix_before(&page[copied..colon]) else {
            all.push_str(&page[copied..=colon]);
            copied = colon + 1;
            continue;
        };
        let start = colon - prefix.len() - 1;
        all.push_str(&page[copied..start]);
        let (open, close) = (format!("<{prefix}:"), format!("</{prefix}:"));
        let last = format!("{close}math");
        let end = page[start..].find(&last);
        let end = end.map_or(page.len(), |end| start + end + last.len());
        all.push_str(&page[start..end].replace(&open, "<").replace(&close, "</"));
        copied = end;
    }
    if copied == 0 {
        return page.into();
    }
    all.push_str(&page[copied..]);
    all.into()
}

/// Returns the prefix of the start tag that the text ends with.
fn prefix_before(text: &str) -> Option<&str> {
    let prefix = &text[text.rfind('<')? + 1..];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_short = (1..=MAX_PREFIX_BYTES).contains(&prefix.len());
    (is_short && prefix.chars().all(is_name)).then_some(prefix)
}

#[cfg(test)]
mod tests {
    use super::remove_prefixes;

    #[test]
    fn formulas_alone_lose_their_prefixes() {
        for (page, wanted) in [
            (
                "<m:p>a <m:math xmlns:m='x'><m:mn>2</m:mn></m:math> b:math <m:q>",
                "<m:p>a <math xmlns:m='x'><mn>2</mn></math> b:math <m:q>",
            ),
            ("<mml:math><mml:mn>", "<math><mn>"),
            ("a:math<b c:math>", "a:math<b c:math>"),
            ("<:math>", "<:math>"),
        ] {
            assert_eq!(remove_prefixes(page), wanted);
        }
    }
}
