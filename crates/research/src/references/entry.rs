//! An entry of a bibliography, as far as it tells what it refers to.

use super::plain::without_numbers;
use iki_base::wording::on_one_line;
use iki_web::page::doi;
use iki_web::work::is_archive;
use iki_web::work::work_id::WorkId;

/// Maximum length of an entry as it is shown, in characters.
const MAX_SHOWN_CHARS: usize = 300;

/// Archives of preprints, by words that few titles have.
const ARCHIVES: [&str; 4] = ["arxiv", "biorxiv", "medrxiv", "chemrxiv"];

/// A person as an entry names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPerson {
    /// The family name, or the whole name if it is not split.
    pub family: String,
    /// The given names or their initials; empty if they are not known.
    pub given: String,
}

/// An entry of a bibliography.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceEntry {
    /// The entry as it was sent.
    pub text: String,
    /// The work's title; empty in a plain reference, which is a sentence.
    pub title: String,
    /// Its authors, or the editors of a book without authors.
    pub authors: Vec<NamedPerson>,
    /// True if there are more authors, which the entry does not name.
    pub has_others: bool,
    /// Years that it may have appeared in; a plain reference may name several.
    pub years: Vec<u16>,
    /// The journal, or the book that it is a part of.
    pub container: String,
    /// True if the container is said to be a journal.
    pub is_article: bool,
    /// Its pages.
    pub pages: String,
    /// Identifiers, the clearest first.
    pub ids: Vec<WorkId>,
    /// Its address, if there is one.
    pub url: String,
    /// True if it says nothing but identifiers.
    pub is_bare: bool,
    /// Why it cannot be read; empty if it can.
    pub fault: String,
}

impl ReferenceEntry {
    /// True if it is a sentence, whose parts are not marked.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.title.is_empty()
    }

    /// True if it says enough to look for.
    #[must_use]
    pub fn can_be_found(&self) -> bool {
        let text = without_numbers(&self.text);
        let words = text.split_whitespace();
        !self.ids.is_empty() || !self.title.is_empty() || words.take(4).count() == 4
    }

    /// Returns the words by which it is searched for.
    #[must_use]
    pub fn query(&self) -> String {
        if self.is_plain() {
            return on_one_line(&self.text);
        }
        let families = self.authors.iter().map(|one| one.family.as_str()).take(5);
        let year = self.years.first().map(u16::to_string).unwrap_or_default();
        let parts = [self.title.as_str()]
            .into_iter()
            .chain(families)
            .chain([self.container.as_str(), year.as_str()]);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    /// Returns the words of its title; of a plain reference those that may be it: what stands in
    /// quotation marks or after the year, or else the longest sentence.
    #[must_use]
    pub fn title_words(&self) -> String {
        if !self.is_plain() {
            return self.title.clone();
        }
        let text = without_numbers(&self.text);
        let quoted = [('\u{201c}', '\u{201d}'), ('"', '"'), ('\u{ab}', '\u{bb}')];
        let quoted = quoted.into_iter().find_map(|(open, close)| {
            let (_, remainder) = text.split_once(open)?;
            let (inside, _) = remainder.split_once(close)?;
            (inside.split_whitespace().count() > 1).then(|| inside.to_owned())
        });
        let after_year = || {
            let end = text
                .find("). ")
                .or_else(|| text.find("), "))
                .filter(|end| {
                    let year = text[..*end].rsplit('(').next().unwrap_or_default();
                    !years_in(year).is_empty()
                })?;
            let remainder = &text[end + 3..];
            Some(remainder.split(". ").next().unwrap_or(remainder).to_owned())
        };
        let longest = || {
            let sentences = text.split(['.', '?']).map(str::trim);
            let words = |sentence: &&str| {
                let words = sentence.split_whitespace();
                words
                    .filter(|word| word.len() > 3 && !word.ends_with(','))
                    .filter(|word| word.contains(char::is_alphabetic))
                    .count()
            };
            sentences.max_by_key(words).unwrap_or_default().to_owned()
        };
        let title = quoted.or_else(after_year).unwrap_or_else(longest);
        title
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_owned()
    }

    /// Returns the entry on one line, as answers show it.
    #[must_use]
    pub fn display_text(&self) -> String {
        iki_web::search::results::shortened(&on_one_line(&self.text), MAX_SHOWN_CHARS)
    }

    /// Returns the address that it gives, or that its DOI stands for.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        if self.url.starts_with("http://") || self.url.starts_with("https://") {
            return Some(self.url.clone());
        }
        let mut dois = self.ids.iter().filter_map(|id| match id {
            WorkId::Doi(doi) => Some(doi::address(doi)),
            _ => None,
        });
        dois.next()
    }

    /// True if it refers to the preprint of a work.
    pub(crate) fn is_of_preprint(&self) -> bool {
        let has_word = |text: &str, names: &[&str]| {
            let text = text.to_lowercase();
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            words.any(|word| names.contains(&word))
        };
        match (self.container.as_str(), self.ids.first()) {
            ("", Some(WorkId::Arxiv(_))) => true,
            // The rest of such an entry may say where it is, as `howpublished` does.
            ("", Some(WorkId::Pubmed(_)) | None) => has_word(&self.text, &ARCHIVES),
            ("", Some(WorkId::Doi(_))) => false,
            (place, _) => is_archive(place),
        }
    }

    /// Notes if its identifiers are all that it says.
    pub(super) fn with_bareness(mut self) -> Self {
        let texts = [&self.title, &self.container, &self.pages];
        let is_silent = texts.into_iter().all(String::is_empty);
        self.is_bare =
            is_silent && self.authors.is_empty() && self.years.is_empty() && !self.ids.is_empty();
        self
    }

    /// Adds an identifier that it does not have.
    pub(super) fn add_id(&mut self, id: Option<WorkId>) {
        if let Some(id) = id.filter(|id| !self.ids.iter().any(|one| one.is_same(id))) {
            self.ids.push(id);
        }
    }
}

/// Returns the years that a text names, in order.
pub(super) fn years_in(text: &str) -> Vec<u16> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let years = numbers.filter(|number| number.len() == 4);
    let years = years.filter_map(|number| number.parse().ok());
    years.filter(|year| (1500..=2099).contains(year)).collect()
}
