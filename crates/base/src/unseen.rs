//! Unseen characters: a list of them, the contexts in which they belong to a text, and the spelling
//! of names that have them elsewhere.
//!
//! Rules: Unicode 16 (`Default_Ignorable_Code_Point`, and the annotations of U+FFF9 to U+FFFB);
//! UTS 51 for emoji, UTS 37 for the variants of ideographs. With them a text can tell a model
//! things that no person reads, or make a line read as another. Some belong to a text all the same:
//! one selector behind a character that has variants, the tags of a flag, a joiner at a letter or
//! between emoji, a mark of direction.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;

use serde::{Deserialize, Serialize};

/// Length of a run of unseen characters in which marks of direction do not belong either.
const MANY_MARKS: usize = 4;

/// The effect of an unseen character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnseenEffect {
    /// It changes the direction of writing until something ends that.
    Turn,
    /// It marks the direction of one place.
    Mark,
    /// It was defined to tag text, and now spells flags.
    Tag,
    /// It selects a variant of the character before it.
    Select,
    /// It joins letters, or prevents that.
    Join,
    /// It allows a line break, or has no effect at all.
    Nothing,
    /// It stands in place of a letter.
    Fill,
}

/// Names for the note, in the order of [`UnseenCount`].
const NAMES: [&str; 5] = [
    "bidirectional override",
    "tag character",
    "variation selector",
    "zero-width character",
    "filler",
];

/// The flags that are spelled with tags, by their tags: those that Unicode recommends for
/// interchange, of England, Scotland and Wales. Others could spell any text.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

fn effect(c: char) -> Option<UnseenEffect> {
    Some(match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => UnseenEffect::Turn,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => UnseenEffect::Mark,
        '\u{e0100}'..='\u{e01ef}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{180b}'..='\u{180d}'
        | '\u{180f}' => UnseenEffect::Select,
        '\u{e0000}'..='\u{e0fff}' => UnseenEffect::Tag,
        '\u{200c}' | '\u{200d}' | '\u{34f}' => UnseenEffect::Join,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => UnseenEffect::Fill,
        '\u{ad}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' => UnseenEffect::Nothing,
        _ => return None,
    })
}

/// True for a character that shows nothing by itself.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    !c.is_ascii() && effect(c).is_some()
}

/// True for a character that turns the direction of writing: with it a line can read as another.
#[must_use]
pub(crate) fn turns_direction(c: char) -> bool {
    effect(c) == Some(UnseenEffect::Turn)
}

/// Counts of the unseen characters that were removed from a text, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnseenCount {
    kinds: [usize; NAMES.len()],
    /// Those among them that stood alone and at most allow a line break.
    idle: usize,
}

impl UnseenCount {
    /// The sum of both counts.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (kind, more) in self.kinds.iter_mut().zip(other.kinds) {
            *kind += more;
        }
        self.idle += other.idle;
        self
    }

    fn add(&mut self, effect: UnseenEffect, alone: bool) {
        let (kind, idle) = match effect {
            UnseenEffect::Turn => (0, false),
            UnseenEffect::Tag => (1, false),
            UnseenEffect::Select => (2, false),
            UnseenEffect::Join | UnseenEffect::Nothing => (3, alone),
            UnseenEffect::Mark => (3, false),
            UnseenEffect::Fill => (4, false),
        };
        self.kinds[kind] += 1;
        self.idle += usize::from(idle);
    }

    /// A note on the characters that were removed from `text`, such as `the output`.
    #[must_use]
    pub fn note(self, text: &str) -> Option<String> {
        let all: usize = self.kinds.iter().sum();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let kinds: Vec<_> = NAMES
            .iter()
            .zip(self.kinds)
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name}{}", plural(count)))
            .collect();
        let were = if all == 1 { "was" } else { "were" };
        (all > 0).then(|| {
            format!(
                "{all} unseen character{} ({}) {were} taken out of {text}.",
                plural(all),
                kinds.join(", ")
            )
        })
    }

    /// The note for a typeset text, in which lone characters that allow a line break are not worth
    /// mentioning.
    #[must_use]
    pub fn note_of_page(self, text: &str) -> Option<String> {
        if self.kinds.iter().sum::<usize>() == self.idle {
            return None;
        }
        self.note(text)
    }
}

/// `text` without unseen characters that do not belong to it, and a count of these.
#[must_use]
pub fn remove(text: &str) -> (Cow<'_, str>, UnseenCount) {
    let mut taken = UnseenCount::default();
    let visible = rewritten(text, |_, effect, alone, _| taken.add(effect, alone));
    (visible, taken)
}

/// `text` without unseen characters that do not belong to it.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    rewritten(text, |_, _, _, _| ())
}

/// A file's name, or text with such names, with the same characters spelled out: `\u{202E}`.
#[must_use]
pub fn spelled(text: &str) -> Cow<'_, str> {
    rewritten(text, |c, _, _, out| {
        let _ = write!(out, "\\u{{{:X}}}", u32::from(c));
    })
}

/// [`spelled`] for a name that need not be UTF-8.
#[must_use]
pub fn spelled_name(name: &[u8]) -> Cow<'_, [u8]> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    let mut out = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        out.extend_from_slice(spelled(chunk.valid()).as_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

/// The path that is meant if `path` spells out unseen or control characters: each part is read so
/// if a file of that name exists and none of the literal name. `None` if that is `path` itself.
#[must_use]
pub fn unspelled_path(path: &str) -> Option<String> {
    if !path.contains('\\') {
        return None;
    }
    let there = |path: &str| fs::symlink_metadata(path).is_ok();
    let mut meant = String::with_capacity(path.len());
    for part in path.split_inclusive('/') {
        let literal = format!("{meant}{part}");
        let real = format!("{meant}{}", unspelled(part, false));
        meant = if !there(&literal) && there(&real) {
            real
        } else {
            literal
        };
    }
    (meant != path).then_some(meant)
}

/// A wildcard pattern with the characters that it spells out; `None` if it spells none. Escaped
/// backslashes are skipped.
#[must_use]
pub fn unspelled_pattern(pattern: &str) -> Option<String> {
    let meant = unspelled(pattern, true);
    (meant != pattern).then_some(meant)
}

/// The unseen or control character that is spelled at the beginning of `text`, and what follows:
/// `\u{202E}`, and `\x1b` as answers have it.
fn spelled_character(text: &str) -> Option<(char, &str)> {
    let (digits, behind) = match text.strip_prefix("\\x") {
        Some(digits) => digits.split_at_checked(2)?,
        None => text.strip_prefix("\\u{")?.split_once('}')?,
    };
    let is_short = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_short)?;
    let character = char::from_u32(code).filter(|one| is_unseen(*one) || one.is_control())?;
    (character != '\0').then_some((character, behind))
}

fn unspelled(text: &str, escapes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut unread = text;
    while let Some(backslash) = unread.find('\\') {
        out.push_str(&unread[..backslash]);
        unread = &unread[backslash..];
        if let Some((c, behind)) = spelled_character(unread) {
            out.push(c);
            unread = behind;
        } else {
            let length = if escapes && unread.starts_with("\\\\") {
                2
            } else {
                1
            };
            out.push_str(&unread[..length]);
            unread = &unread[length..];
        }
    }
    out + unread
}

/// `text` with each unseen character that does not belong to it replaced by what `replace` appends.
/// `replace` gets the character, its effect, and true if it stands alone.
fn rewritten(
    text: &str,
    mut replace: impl FnMut(char, UnseenEffect, bool, &mut String),
) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut unread, mut before) = (text, None);
    while let Some(offset) = unread.find(is_unseen) {
        let (seen, from) = unread.split_at(offset);
        out.push_str(seen);
        before = seen.chars().next_back().or(before);
        let end = from.find(|c| !is_unseen(c)).unwrap_or(from.len());
        let (run, behind) = from.split_at(end);
        let (selectors, run) = run.split_at(length_of_selectors(before, run));
        out.push_str(selectors);
        let next = behind.chars().next();
        let all = run.chars().count();
        let is_mark = |c: &char| effect(*c) == Some(UnseenEffect::Mark);
        let alone = all - run.chars().filter(is_mark).count() == 1;
        for c in run.chars() {
            let Some(effect) = effect(c) else { continue };
            let stays = match effect {
                UnseenEffect::Mark => all < MANY_MARKS,
                UnseenEffect::Join => alone && joins(before, next),
                UnseenEffect::Fill => {
                    alone && (before.is_some_and(is_jamo) || next.is_some_and(is_jamo))
                }
                _ if c == '\u{180e}' => alone && is_mongolian(before) && is_mongolian(next),
                _ => false,
            };
            if stays {
                out.push(c);
            } else {
                replace(c, effect, alone, &mut out);
            }
        }
        unread = behind;
    }
    out.push_str(unread);
    if out == text {
        return Cow::Borrowed(text);
    }
    Cow::Owned(out)
}

/// Length in bytes of the part of a `run` of unseen characters that belongs to the character
/// `before` it: one selector, or the tags of a flag.
fn length_of_selectors(before: Option<char>, run: &str) -> usize {
    let (Some(before), Some(first)) = (before, run.chars().next()) else {
        return 0;
    };
    if before == '\u{1f3f4}' {
        let flag = FLAGS.into_iter().find(|flag| run.starts_with(flag));
        return flag.map_or(0, str::len);
    }
    let belongs = match first {
        '\u{fe00}'..='\u{fe0f}' => !before.is_whitespace() && !before.is_control(),
        '\u{e0100}'..='\u{e011f}' => matches!(before,
            '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
        '\u{180b}'..='\u{180f}' => first != '\u{180e}' && is_mongolian(Some(before)),
        _ => false,
    };
    if belongs { first.len_utf8() } else { 0 }
}

/// True if a joiner has an effect between these: on letters and marks of scripts that join them, or
/// on emoji. After such a letter it also decides on the letter's form.
fn joins(before: Option<char>, next: Option<char>) -> bool {
    let is_written = |c: char| {
        let is_sign = c <= '\u{bf}' || matches!(c, '\u{2000}'..='\u{206f}');
        !is_sign && !c.is_whitespace() && !is_emoji(c)
    };
    match (before, next) {
        (Some(before), _) if is_written(before) => true,
        (Some(before), Some(next)) if is_emoji(before) => is_emoji(next),
        (Some(before), Some(next)) => before.is_alphanumeric() && is_written(next),
        _ => false,
    }
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

fn is_mongolian(c: Option<char>) -> bool {
    matches!(
        c,
        Some('\u{1807}' | '\u{1820}'..='\u{18aa}' | '\u{11660}'..='\u{1166c}')
    )
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests;
