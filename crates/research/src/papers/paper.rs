//! A paper, as answers show it and the cache keeps it; and one paper out of what two providers know
//! of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::references::folding::letters;
use crate::references::tex;
use iki_base::wording::on_one_line;
use iki_web::page::doi::{self, registered_doi};
use iki_web::page::retraction::{self, RetractionStatus};
use iki_web::search::claim::sentences;
use iki_web::search::html_text;
use iki_web::search::results::{shortened, shown_url};
use iki_web::work::{Work, WorkAuthor, WorkKind, is_archive, page_range};

/// Maximum length of a text, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// Maximum number of authors that an answer names.
const MAX_NAMES: usize = 50;

/// Beginning of the DOIs of arXiv, before the number of a preprint.
const ARXIV_DOI: &str = "10.48550/arxiv.";

/// A paper.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Paper {
    /// The work.
    pub work: Work,
    /// Provider that found it.
    pub source: String,
    /// Abstract, or its beginning.
    pub summary: String,
    /// Summary of a sentence.
    pub tldr: String,
    /// True if it has influenced those that cite it.
    pub is_influential: Option<bool>,
    /// Years in which a form of it appeared, if there are several.
    #[serde(skip)]
    pub(crate) years: Vec<u16>,
    /// Other names of what it is in.
    #[serde(skip)]
    pub(crate) other_containers: Vec<String>,
    /// Names of the sources that it is known to be of, in addition to those that its DOI implies.
    #[serde(skip)]
    pub sources: Vec<&'static str>,
    /// True if its free PDF file was looked for.
    #[serde(skip)]
    pub was_file_sought: bool,
    /// Letters and digits of its title, by which it is compared.
    #[serde(skip)]
    pub(super) key: String,
}

/// Returns the text at the first of these places in a provider's item that says something; it may
/// be HTML there, or a number.
pub(super) fn text_at(item: &Value, places: &[&str]) -> String {
    let values = places.iter().filter_map(|place| item.pointer(place));
    let mut texts = values.filter_map(|value| match value {
        Value::String(text) => Some(html_text::text(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// Returns a title with its subtitle, unless that is in it already.
pub(super) fn with_subtitle(title: String, subtitle: &str) -> String {
    let added = letters(subtitle);
    if title.is_empty() || added.is_empty() || letters(&title).contains(&added) {
        return title;
    }
    if title.ends_with([':', '?', '!', '.', '\u{2014}']) {
        return format!("{title} {subtitle}");
    }
    format!("{title}: {subtitle}")
}

/// Returns pages in one form, of those that providers write: `45 - 67`, `45–67`, `145-145`.
fn tidied_pages(pages: &str) -> String {
    let parts = pages.split(['-', '\u{2013}', '\u{2014}']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [first, last] => page_range((*first).to_owned(), last),
        _ => on_one_line(pages),
    }
}

/// Returns an abstract without the word that is its heading.
pub(super) fn without_heading(summary: &str) -> &str {
    let Some(remainder) = summary.strip_prefix("Abstract") else {
        return summary;
    };
    let text = remainder.trim_start_matches([' ', ':', '.', '\u{2014}']);
    let is_heading = remainder.len() > text.len() && text.starts_with(char::is_uppercase);
    if is_heading { text } else { summary }
}

impl Paper {
    /// Returns its texts.
    pub(super) fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = self.work.texts();
        texts.extend([&mut self.summary, &mut self.tldr]);
        texts
    }

    /// Puts its fields in order; `None` if it has no title or no address.
    pub(crate) fn tidied(mut self, provider: &str) -> Option<Self> {
        let work = &mut self.work;
        let doi = registered_doi(&work.doi);
        work.url = match &doi {
            // The address that it stands for.
            Some(doi) => doi::address(doi),
            None => shown_url(&work.url)?,
        };
        work.doi = doi.unwrap_or_default();
        if let Some(number) = work.doi.strip_prefix(ARXIV_DOI) {
            number.clone_into(&mut work.arxiv);
            // Some providers know where it was published.
            if work.container.is_empty() || is_archive(&work.container) || work.kind.is_unknown() {
                work.kind = WorkKind::Preprint;
            }
        }
        // Markup that was escaped twice is still there.
        for text in [&mut work.title, &mut work.container] {
            *text = html_text::title_text(text);
        }
        work.title = tex::plain(&work.title);
        if work.retraction.is_none() && retraction::without_mark(&work.title) != work.title.trim() {
            work.retraction = Some(RetractionStatus::retracted());
        }
        work.pages = tidied_pages(&work.pages);
        let file = shown_url(&work.pdf_url);
        self.set_file(file);
        provider.clone_into(&mut self.source);
        let summary = on_one_line(&self.summary);
        self.summary = abridged(without_heading(&summary));
        for text in self.texts() {
            *text = shortened(&on_one_line(text), MAX_TEXT_CHARS);
        }
        let letters = self.work.title.chars().filter(|c| c.is_alphanumeric());
        self.key = letters.flat_map(char::to_lowercase).collect();
        (!self.work.title.is_empty()).then_some(self)
    }

    /// Sets the address of an open-access PDF.
    pub(super) fn set_file(&mut self, address: Option<String>) {
        if address.is_some() {
            self.work.open_access = Some(true);
        }
        self.work.pdf_url = address.unwrap_or_default();
    }

    /// True if both are the same paper: by the DOI, or else by title and year. Works with numbers
    /// of their own, such as a preprint and the article, or one editorial and another, are one only
    /// if they have an author in common.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.work, &other.work);
        if !ours.doi.is_empty() && ours.doi == theirs.doi {
            return true;
        }
        let differ =
            |ours: &str, theirs: &str| !ours.is_empty() && !theirs.is_empty() && ours != theirs;
        let are_numbered = differ(&ours.doi, &theirs.doi)
            || differ(&ours.pmid, &theirs.pmid)
            || differ(&ours.arxiv, &theirs.arxiv);
        !self.key.is_empty()
            && self.key == other.key
            && ours.date.is_some()
            && ours.year() == theirs.year()
            && (!are_numbered || self.shares_author(other))
    }

    /// True if a family name is among the authors of both.
    fn shares_author(&self, other: &Self) -> bool {
        let families = |paper: &Self| -> Vec<String> {
            let authors = paper.work.authors.iter();
            let names = authors.map(|author| author.in_natural_order().to_lowercase());
            let last = names.filter_map(|name| Some(name.rsplit(' ').next()?.to_owned()));
            last.collect()
        };
        let theirs = families(other);
        families(self).iter().any(|name| theirs.contains(name))
    }

    /// Adds what another provider knows of the same paper.
    pub(super) fn absorb(&mut self, other: Self) {
        self.work.absorb(other.work);
        for (text, others) in [
            (&mut self.summary, other.summary),
            (&mut self.tldr, other.tldr),
        ] {
            if text.is_empty() {
                *text = others;
            }
        }
        self.is_influential = self.is_influential.max(other.is_influential);
        self.sources.extend(other.sources);
        self.was_file_sought |= other.was_file_sought;
    }

    /// Returns what it is in; of a preprint, where its article was published.
    #[must_use]
    pub fn journal(&self) -> &str {
        match self.work.published_as.as_str() {
            "" => &self.work.container,
            journal => journal,
        }
    }

    /// Returns its known fields in the order of answers.
    #[must_use]
    pub fn fields(&self) -> Value {
        let work = &self.work;
        let text = |text: &str| (!text.is_empty()).then(|| Value::from(text));
        let names = work.authors.iter().take(MAX_NAMES);
        let names: Vec<String> = names.map(WorkAuthor::in_natural_order).collect();
        let fields = [
            ("title", text(&work.title)),
            ("url", text(&work.url)),
            ("source", text(&self.source)),
            ("doi", text(&work.doi)),
            ("authors", (!names.is_empty()).then(|| names.into())),
            ("journal", text(self.journal())),
            ("year", work.year().map(Value::from)),
            ("abstract", text(&self.summary)),
            ("authorList", listed(&work.authors)),
            ("type", text(work.kind.name())),
            ("volume", text(&work.volume)),
            ("issue", text(&work.issue)),
            ("pages", text(&work.pages)),
            ("publisher", text(&work.publisher)),
            (
                "publishedDate",
                work.date.map(|date| date.to_string().into()),
            ),
            ("citationCount", work.citation_count.map(Value::from)),
            ("openAccess", work.open_access.map(Value::from)),
            ("pdfUrl", text(&work.pdf_url)),
            ("tldr", text(&self.tldr)),
            ("isInfluential", self.is_influential.map(Value::from)),
            (
                "retractionStatus",
                work.retraction
                    .as_ref()
                    .and_then(|status| serde_json::to_value(status).ok()),
            ),
        ];
        let known = fields.into_iter();
        let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        known.collect::<Map<_, _>>().into()
    }
}

/// Returns the authors as they are named, as far as an answer names them.
fn listed(authors: &[WorkAuthor]) -> Option<Value> {
    let authors = &authors[..authors.len().min(MAX_NAMES)];
    (!authors.is_empty()).then(|| serde_json::to_value(authors).unwrap_or_default())
}

/// Returns the whole sentences at the beginning of a text, or its words if the first is too long.
fn abridged(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT_CHARS {
        return text.to_owned();
    }
    let mut excerpt = String::new();
    for sentence in sentences(text) {
        if excerpt.chars().count() + sentence.chars().count() >= MAX_TEXT_CHARS {
            break;
        }
        let blank = if excerpt.is_empty() { "" } else { " " };
        excerpt.extend([blank, sentence]);
    }
    if excerpt.is_empty() {
        // With the mark of what is left out.
        return shortened(text, MAX_TEXT_CHARS - 1);
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(doi: &str, pmid: &str, author: &str) -> Paper {
        let mut work = Work {
            title: "Editorial".to_owned(),
            url: "https://example.org/1".to_owned(),
            doi: doi.to_owned(),
            pmid: pmid.to_owned(),
            date: iki_web::page::PartialDate::parse("2020"),
            ..Work::default()
        };
        work.set_authors([WorkAuthor::unsplit(author)].into_iter());
        let paper = Paper {
            work,
            ..Paper::default()
        };
        paper.tidied("test").unwrap()
    }

    #[test]
    fn two_works_with_numbers_of_their_own_are_one_only_by_a_common_author() {
        for (one, other, are_same) in [
            (
                paper("10.1000/1", "", ""),
                paper("10.1000/2", "", ""),
                false,
            ),
            (
                paper("10.1000/1", "", ""),
                paper("10.1000/2", "", "X Foo"),
                false,
            ),
            (
                paper("10.1000/1", "", "Y Foo"),
                paper("10.1000/2", "", "X Foo"),
                true,
            ),
            (paper("", "1", ""), paper("", "2", ""), false),
            (paper("10.1000/1", "1", ""), paper("", "1", ""), true),
            (paper("10.1000/1", "", ""), paper("", "2", "X Foo"), true),
            (
                paper("10.1000/1", "", ""),
                paper("10.1000/1", "", "X Foo"),
                true,
            ),
        ] {
            assert_eq!(one.is_same(&other), are_same, "{one:?} {other:?}");
            assert_eq!(other.is_same(&one), are_same, "{one:?} {other:?}");
        }
    }
}
