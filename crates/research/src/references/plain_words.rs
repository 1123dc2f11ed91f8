//! The words of a plain reference, in which those of a work's title, authors and journal are looked
//! for.

use std::rc::Rc;

use super::comparison::{KnownWork, MIN_MAIN_WORDS, main_titles};
use super::containers;
use super::entry::ReferenceEntry;
use super::folding::{without_umlauts, words};
use super::names;
use super::plain::without_numbers;
use iki_base::calendar;
use iki_web::work::WorkKind;

/// The words of a plain reference.
pub(super) struct PlainWords {
    words: Vec<String>,
    /// For each word, true if something other than a blank comes after it.
    ends: Vec<bool>,
    /// For each word, true if what comes after it begins a subtitle.
    colons: Vec<bool>,
    /// For each word, true if it may be the initials of a person, or a number.
    short: Vec<bool>,
    /// For each word, what it stands in.
    tokens: Vec<Rc<str>>,
}

/// Words of what may follow a title and is no container, besides months.
const NO_CONTAINERS: &[&str] = &[
    "published",
    "online",
    "epub",
    "accessed",
    "retrieved",
    "available",
    "preprint",
    "thesis",
    "dissertation",
    "report",
    "ed",
    "eds",
    "editor",
    "editors",
    "hg",
    "translated",
    "trans",
    "version",
    "press",
    "university",
    "verlag",
    "unpublished",
    "forthcoming",
    "http",
    "https",
    "doi",
];

impl PlainWords {
    pub(super) fn parse(text: &str) -> Self {
        let text = without_numbers(text);
        let (mut all, mut short) = (Vec::new(), Vec::new());
        let (mut ends, mut colons) = (Vec::new(), Vec::new());
        let mut tokens = Vec::new();
        for token in text.split_whitespace() {
            let parts = words(token);
            let count = parts.len();
            let ended = token.ends_with(|c: char| !c.is_alphanumeric());
            let begun = token.starts_with(|c: char| !c.is_alphanumeric());
            if begun && let Some(last) = ends.last_mut() {
                *last = true;
            }
            let is_dash = ["-", "\u{2013}", "\u{2014}"].contains(&token);
            if is_dash && let Some(last) = colons.last_mut() {
                *last = true;
            }
            let is_short = token.chars().filter(|c| c.is_alphabetic()).count() <= 3
                && !token.chars().any(char::is_lowercase);
            let shared: Rc<str> = token.into();
            for (index, word) in parts.into_iter().enumerate() {
                all.push(without_umlauts(&word));
                ends.push(ended && index + 1 == count);
                colons.push(token.ends_with(':') && index + 1 == count);
                short.push(is_short);
                tokens.push(Rc::clone(&shared));
            }
        }
        Self {
            words: all,
            ends,
            colons,
            short,
            tokens,
        }
    }

    /// Returns the name that stands between the title and a number, or behind the title and `In`,
    /// as far as it may be a container's.
    pub(super) fn name_behind_title(&self, work: &KnownWork) -> Option<String> {
        let ends = self.ends_of_title(&work.title, work);
        let begin = ends.into_iter().find(|last| !self.colons[*last])? + 1;
        let is_in = self.words.get(begin).is_some_and(|word| word == "in");
        let begin = begin + usize::from(is_in);
        let is_number = |index: usize| {
            let next = self.words.get(index);
            next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
        };
        let numbers = ["vol", "volume", "no", "pp", "p"];
        let mut end = begin;
        while end < self.words.len() && !is_number(end) && !numbers.contains(&&*self.words[end]) {
            end += 1;
            let is_abbreviated =
                self.tokens[end - 1].ends_with('.') && self.words[end - 1].len() < 7;
            if self.ends[end - 1] && !is_abbreviated {
                break;
            }
        }
        let next = self.words.get(end);
        let is_ended =
            is_in || is_number(end) || next.is_none_or(|word| numbers.contains(&&**word));
        let words = self.words.get(begin..end)?;
        let is_other = |word: &String| {
            NO_CONTAINERS.contains(&word.as_str()) || calendar::month_named(word).is_some()
        };
        // Initials are those of an editor.
        let has_initials =
            (begin..end).any(|index| self.short[index] && self.words[index].len() < 3);
        let has_other = words.iter().chain(next).any(is_other);
        if !is_ended || has_initials || has_other || words.is_empty() {
            return None;
        }
        let mut tokens: Vec<&str> = self.tokens[begin..end]
            .iter()
            .map(|token| &**token)
            .collect();
        tokens.dedup();
        let name = tokens.join(" ");
        Some(
            name.trim_matches(|c: char| !c.is_alphanumeric() && c != '.')
                .trim_end_matches('.')
                .to_owned(),
        )
    }

    /// True if the words of the title stand in it, and not as a part of a longer one.
    pub(super) fn have_title(&self, work: &KnownWork) -> bool {
        let mut mains = main_titles(&work.title).filter(|main| words(main).len() > MIN_MAIN_WORDS);
        !self.ends_of_title(&work.title, work).is_empty()
            || mains.any(|main| {
                let ends = self.ends_of_title(main, work);
                // Two titles with other subtitles are those of two works.
                ends.iter().any(|last| !self.colons[*last])
            })
    }

    /// True if a subtitle follows wherever the whole title stands in it.
    pub(super) fn have_subtitle(&self, work: &KnownWork) -> bool {
        let ends = self.ends_of_title(&work.title, work);
        !ends.is_empty() && ends.iter().all(|last| self.colons[*last])
    }

    /// Returns the last word of the title wherever it stands in it.
    fn ends_of_title(&self, title: &str, work: &KnownWork) -> Vec<usize> {
        let wanted: Vec<String> = words(title)
            .iter()
            .map(|word| without_umlauts(word))
            .collect();
        let wanted = wanted.concat();
        let begins = (0..self.words.len()).filter(|_| !wanted.is_empty());
        begins
            .filter_map(|index| self.end_of_title(index, &wanted, work))
            .collect()
    }

    /// True if the container is named by the words from a given one on, and then a number, or
    /// something other than a blank, comes.
    fn have_container(&self, index: usize, work: &KnownWork) -> bool {
        let remainder = &self.words[index..];
        work.containers.iter().any(|name| {
            containers::length_in(remainder, name).is_some_and(|length| {
                self.ends[index + length - 1]
                    || remainder
                        .get(length)
                        .is_none_or(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            })
        })
    }

    /// Returns the last word of a title of these letters that begins with a given word, if a title
    /// may begin and end so.
    fn end_of_title(&self, index: usize, wanted: &str, work: &KnownWork) -> Option<usize> {
        if index > 0 && !self.ends[index - 1] && !self.short[index - 1] {
            return None;
        }
        let mut remainder = wanted;
        for (last, word) in self.words.iter().enumerate().skip(index) {
            remainder = remainder.strip_prefix(word.as_str())?;
            if remainder.is_empty() {
                let is_end = self.ends[last]
                    || last + 1 == self.words.len()
                    // Some styles have no points.
                    || self.have_container(last + 1, work);
                return is_end.then_some(last);
            }
        }
        None
    }
}

/// True if a plain reference names what it usually does besides title and first author: the
/// journal, and the second author, or that there are others.
pub(super) fn names_rest(text: &PlainWords, entry: &ReferenceEntry, work: &KnownWork) -> bool {
    let others = ["al", "others", "coauthors"];
    let second_author = work.authors.get(1).is_none_or(|second| {
        names::is_named_in(second, &text.words)
            || text
                .words
                .iter()
                .any(|word| others.contains(&word.as_str()))
    });
    let is_in_journal = work.kind == WorkKind::Article
        && !work.containers.is_empty()
        && !entry.is_of_preprint()
        && !work
            .containers
            .iter()
            .any(|name| containers::is_of_proceedings(name));
    second_author
        && (!is_in_journal || (0..text.words.len()).any(|index| text.have_container(index, work)))
}

/// Returns true if a plain reference names the first author; `None` if the work has none.
pub(super) fn authors_of_text(text: &PlainWords, work: &KnownWork) -> Option<bool> {
    let first = work.authors.first()?;
    Some(names::is_named_in(first, &text.words))
}
