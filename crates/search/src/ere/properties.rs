//! Unicode properties (`\p{Lu}`, `\pL`, `\P{Greek}`), as the `regex` crate knows them and with its
//! tables, which are in the executable anyway.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::PatternError;
use super::unsupported;

/// Maximum length of a name of a property, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Reads a property whose `\p` or `\P` ends at `start`. Returns the ranges of its characters and
/// the offset after it. Where case is ignored (`fold`), the members are folded before `\P` takes
/// the other characters.
pub(super) fn parse(
    text: &str,
    start: usize,
    negated: bool,
    fold: bool,
) -> Result<(Vec<(char, char)>, usize), PatternError> {
    let unknown = || PatternError::Unsupported(unsupported::PROPERTY.into());
    let unread = &text[start..];
    let (name, length) = if let Some(name) = unread.strip_prefix('{') {
        let limit = name.len().min(MAX_NAME_BYTES);
        let end = memchr::memchr(b'}', &name.as_bytes()[..limit]);
        let end = end.ok_or_else(unknown)?;
        (&name[..end], end + 2)
    } else {
        let letter = unread.chars().next().ok_or_else(unknown)?;
        (&unread[..letter.len_utf8()], letter.len_utf8())
    };
    // Perl, Python and JavaScript agree on `^` for all others.
    let (others, name) = match name.strip_prefix('^') {
        Some(name) => (!negated, name),
        None => (negated, name),
    };
    let in_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b" _-=:".contains(&byte);
    if name.is_empty() || !name.bytes().all(in_a_name) {
        return Err(unknown());
    }
    let (kind, flag) = (
        if others { 'P' } else { 'p' },
        if fold { "(?i)" } else { "" },
    );
    let pattern = regex_syntax::parse(&format!(r"{flag}\{kind}{{{name}}}"));
    let class = match pattern.map_err(|_| unknown())?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).map_or_else(
            |_| ClassUnicode::empty(),
            |text| ClassUnicode::new(text.chars().map(|char| ClassUnicodeRange::new(char, char))),
        ),
        _ => ClassUnicode::empty(),
    };
    let ranges = class.iter().map(|range| (range.start(), range.end()));
    Ok((ranges.collect(), start + length))
}
