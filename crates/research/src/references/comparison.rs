//! An entry beside a work: which of title, authors, year, container and pages differ.

use serde::{Deserialize, Serialize};

use super::containers;
use super::entry::{NamedPerson, ReferenceEntry};
use super::folding::{letters, without_umlauts, words};
use super::names;
use super::plain::without_numbers;
use super::plain_words::{PlainWords, authors_of_text, names_rest};
use iki_web::page::retraction;
use iki_web::work::WorkKind;

/// Minimum number of words of a title that a subtitle may be left out of.
pub(super) const MIN_MAIN_WORDS: usize = 2;

/// Minimum share of words in common of two titles that may be meant to be one.
const MIN_SIMILARITY: f64 = 0.7;

/// Years by which a preprint may come before the work that is published, and after it.
const PREPRINT_YEARS: (u16, u16) = (3, 1);

/// The facts of a work that a provider knows, as far as they are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownWork {
    /// Its title.
    pub title: String,
    /// Its authors, without groups of persons.
    pub authors: Vec<NamedPerson>,
    /// Groups among its authors.
    pub groups: Vec<String>,
    /// True if there are more authors than these.
    pub has_more_authors: bool,
    /// All years in which a form of it appeared.
    pub years: Vec<u16>,
    /// The names of its container.
    pub containers: Vec<String>,
    /// Its pages.
    pub pages: String,
    /// Its kind.
    pub kind: WorkKind,
}

/// A fact that an entry and a work tell differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// `title`, `authors`, `year`, `container`, `pages`, `doi`, `arxiv` or `pmid`.
    pub field: String,
    /// The entry's reading.
    pub given: String,
    /// The work's.
    pub found: String,
}

/// An entry beside a work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct Comparison {
    /// True if the titles are the same.
    pub same_title: bool,
    /// True if the titles share most of their words.
    pub similar_title: bool,
    /// True if the first author is the same, or one of them names none.
    pub same_author: bool,
    /// True if both have authors, and years.
    pub is_telling: bool,
    /// True if the entry says something of which the work says nothing: a subtitle, or in a plain
    /// reference neither its journal nor its second author is named.
    pub is_doubtful: bool,
    /// All differences.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Compares an entry with a work.
    #[must_use]
    pub fn compare(entry: &ReferenceEntry, work: &KnownWork) -> Self {
        if entry.is_bare {
            return Self {
                same_title: true,
                same_author: true,
                ..Self::default()
            };
        }
        let mut differences = Vec::new();
        let mut differ = |field: &str, given: String, actual: String| {
            let field = field.to_owned();
            differences.push(Difference {
                field,
                given,
                found: actual,
            });
        };
        let text = entry.is_plain().then(|| PlainWords::parse(&entry.text));
        let title = retraction::without_mark(&entry.title);
        let (same_title, is_doubtful) = match &text {
            Some(text) => (
                text.have_title(work),
                text.have_subtitle(work) || !names_rest(text, entry, work),
            ),
            None => (
                are_same_titles(title, &work.title),
                adds_subtitle(title, &work.title),
            ),
        };
        if !same_title {
            let given = if entry.is_plain() {
                entry.display_text()
            } else {
                entry.title.clone()
            };
            differ("title", given, work.title.clone());
        }
        let authors = match &text {
            Some(text) => authors_of_text(text, work),
            None => authors_of_entry(entry, work),
        };
        let same_author = authors.is_none_or(|first_is_same| first_is_same);
        if authors == Some(false) || !(entry.is_plain() || all_are_authors(entry, work)) {
            let given = match &text {
                Some(_) => entry.display_text(),
                None => listed(&entry.authors),
            };
            differ("authors", given, listed(&work.authors));
        }
        if !is_same_year(entry, work) {
            let years = |all: &[u16]| {
                let all: Vec<String> = all.iter().map(u16::to_string).collect();
                all.join(", ")
            };
            differ("year", years(&entry.years), years(&work.years));
        }
        let container = match &text {
            Some(text) => text.name_behind_title(work),
            None => Some(entry.container.clone()).filter(|name| !name.is_empty()),
        };
        if let Some(container) = container.filter(|name| !is_same_container(name, entry, work)) {
            let venue = work.containers.first().cloned().unwrap_or_default();
            differ("container", container, venue);
        }
        let pages = match &text {
            Some(_) => page_ranges(&entry.text),
            None => vec![entry.pages.clone()],
        };
        let is_published = (work.kind == WorkKind::Preprint) == entry.is_of_preprint();
        if is_published
            && !pages.is_empty()
            && !pages.iter().any(|pages| are_same_pages(pages, &work.pages))
        {
            differ("pages", pages.join(", "), work.pages.clone());
        }
        Self {
            same_title,
            similar_title: same_title || similarity(title, &work.title) >= MIN_SIMILARITY,
            same_author,
            is_telling: authors.is_some() && !entry.years.is_empty() && !work.years.is_empty(),
            is_doubtful,
            differences,
        }
    }

    /// True if the work may be the one that the entry means, though it was not looked up by a
    /// number.
    pub(crate) fn may_be_meant(&self, entry: &ReferenceEntry) -> bool {
        if self.same_title {
            // Many works have a title such as `Introduction`.
            return self.same_author || words(&entry.title).len() > 3 || entry.is_plain();
        }
        let differs = |field| self.differences.iter().any(|one| one.field == field);
        self.similar_title && self.same_author && !(differs("year") && differs("container"))
    }
}

fn listed(people: &[NamedPerson]) -> String {
    let names = people.iter().take(6).map(|one| {
        if one.given.is_empty() {
            one.family.clone()
        } else {
            format!("{} {}", one.given, one.family)
        }
    });
    let mut names: Vec<String> = names.collect();
    if people.len() > names.len() {
        names.push("et al.".to_owned());
    }
    names.join(", ")
}

/// True if two titles are the same, but for a subtitle that one of them lacks.
fn are_same_titles(one: &str, other: &str) -> bool {
    have_same_letters(one, other) || adds_subtitle(one, other) || adds_subtitle(other, one)
}

/// True if a title is another one with a subtitle.
fn adds_subtitle(long: &str, short: &str) -> bool {
    !have_same_letters(long, short) && main_titles(long).any(|main| have_same_letters(main, short))
}

fn have_same_letters(one: &str, other: &str) -> bool {
    let (one, other) = (letters(one), letters(other));
    !one.is_empty() && (one == other || without_umlauts(&one) == without_umlauts(&other))
}

/// Returns what may be the title without a subtitle.
pub(super) fn main_titles(title: &str) -> impl Iterator<Item = &str> {
    let marks = [
        ": ",
        " - ",
        " \u{2013} ",
        " \u{2014} ",
        "\u{2014}",
        ". ",
        "? ",
        " (",
        "; ",
        " / ",
    ];
    let ends = marks.into_iter().filter_map(|mark| title.find(mark));
    let mains = ends.map(|end| &title[..end]);
    mains.filter(|main| main.split_whitespace().count() >= MIN_MAIN_WORDS)
}

/// Returns the share of words that two titles have in common.
fn similarity(one: &str, other: &str) -> f64 {
    let (one, mut other) = (words(one), words(other));
    let all = one.len() + other.len();
    let mut shared = 0;
    for word in &one {
        if let Some(position) = other.iter().position(|theirs| theirs == word) {
            other.swap_remove(position);
            shared += 2;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "titles have few words")]
    let share = f64::from(shared) / all.max(1) as f64;
    share
}

/// Returns true if the first authors are the same; `None` if an entry or the work has none.
fn authors_of_entry(entry: &ReferenceEntry, work: &KnownWork) -> Option<bool> {
    let given = entry.authors.iter().find(|one| !is_group(one))?;
    let author = work.authors.first()?;
    Some(names::are_same(given, author))
}

/// True if all authors of an entry are those of the work, and none is missing without a word.
fn all_are_authors(entry: &ReferenceEntry, work: &KnownWork) -> bool {
    let given: Vec<&NamedPerson> = entry.authors.iter().filter(|one| !is_group(one)).collect();
    if given.is_empty() || work.authors.is_empty() || work.has_more_authors {
        return true;
    }
    let known = |one: &&&NamedPerson| {
        work.authors.iter().any(|other| names::are_same(one, other))
            || work
                .groups
                .iter()
                .any(|group| letters(group) == letters(&one.family))
    };
    let known = given.iter().filter(known).count();
    let missing = work
        .authors
        .iter()
        .filter(|one| !given.iter().any(|other| names::are_same(one, other)));
    known == given.len() && (entry.has_others || missing.count() == 0)
}

/// True if a name is that of a group, which providers list or leave out.
fn is_group(person: &NamedPerson) -> bool {
    let marks = [
        "collaboration",
        "consortium",
        "group",
        "team",
        "committee",
        "network",
        "project",
    ];
    let words = words(&person.family);
    person.given.is_empty()
        && (words.len() > 3 || words.iter().any(|word| marks.contains(&&**word)))
}

fn is_same_year(entry: &ReferenceEntry, work: &KnownWork) -> bool {
    if entry.years.is_empty() || work.years.is_empty() {
        return true;
    }
    let (before, after) = PREPRINT_YEARS;
    entry.years.iter().any(|given| {
        work.years.iter().any(|known| {
            given == known
                || match (entry.is_of_preprint(), work.kind == WorkKind::Preprint) {
                    (true, false) => (known - before..=known + after).contains(given),
                    (false, true) => (known - after..=known + before).contains(given),
                    _ => false,
                }
        })
    })
}

/// True if a container may be the work's, as far as both are known. Names of journals in marked
/// entries are spelled alike but for abbreviations; all others have a word in common.
fn is_same_container(name: &str, entry: &ReferenceEntry, work: &KnownWork) -> bool {
    let is_article = match work.kind {
        WorkKind::Article => true,
        WorkKind::Proceedings | WorkKind::Chapter => false,
        _ => return true,
    };
    let names = &work.containers;
    if names.is_empty() || entry.is_of_preprint() {
        return true;
    }
    let is_journal = |name: &str| !containers::is_of_proceedings(name);
    let are_journals = || is_journal(name) && names.iter().all(|one| is_journal(one));
    if entry.is_article && is_article && are_journals() {
        return names.iter().any(|known| containers::are_same(name, known));
    }
    // Conferences of the ACM have appeared as journals of other names.
    let is_series = |known: &String| {
        containers::is_series(known)
            || (is_article && !entry.is_article && words(known).iter().any(|word| word == "acm"))
    };
    containers::is_series(name)
        || names.iter().all(is_series)
        || names
            .iter()
            .any(|known| !containers::are_unlike(name, known))
}

/// True if the pages are the same as far as both tell them.
fn are_same_pages(given: &str, known: &str) -> bool {
    let (given, known) = (numbers(given), numbers(known));
    let (Some(first), Some(known_first)) = (given.first(), known.first()) else {
        return true;
    };
    // The number of an article beside its own pages, from 1 on.
    if first != known_first {
        return given.len() > 1 && *first == 1 && known.len() == 1;
    }
    match (given.get(1), known.get(1)) {
        (Some(last), Some(known_last)) => {
            last_page(*first, *last) == last_page(*first, *known_last)
        }
        _ => true,
    }
}

/// Returns the numbers of a range of pages.
fn numbers(pages: &str) -> Vec<u64> {
    let numbers = pages.split(|c: char| !c.is_ascii_digit());
    numbers
        .filter_map(|number| number.parse().ok())
        .take(2)
        .collect()
}

/// Returns the last page of a range, whose first digits may be left out: `123-8`.
fn last_page(first: u64, last: u64) -> u64 {
    let digits = last.checked_ilog10().map_or(1, |digits| digits + 1);
    let base = 10u64.checked_pow(digits).unwrap_or(u64::MAX);
    if last < first {
        first / base * base + last
    } else {
        last
    }
}

/// Returns the ranges of pages of a plain reference: two numbers, of which neither is a year.
fn page_ranges(text: &str) -> Vec<String> {
    let text = without_numbers(text)
        .replace("--", "-")
        .replace(['\u{2013}', '\u{2014}'], "-");
    let ranges = text.match_indices('-').filter_map(|(offset, _)| {
        let before = text[..offset].trim_end();
        let start = before
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |offset| {
                offset + before[offset..].chars().next().map_or(1, char::len_utf8)
            });
        let after = text[offset + 1..].trim_start();
        let end = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        let (first, last) = (&before[start..], &after[..end]);
        // The letter that numbers of pages begin with, or another word's.
        let alone = before[..start]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && c != '-');
        let sound = !first.is_empty() && !last.is_empty() && first.len() < 7 && last.len() < 7;
        let is_date = first.len() == 4 && last.len() < 3 && after[end..].starts_with('-');
        (alone && sound && !is_date).then(|| format!("{first}-{last}"))
    });
    // With several numbers nobody knows which are the pages.
    let ranges: Vec<String> = ranges.collect();
    if ranges.len() > 2 { Vec::new() } else { ranges }
}

#[cfg(test)]
mod tests;
