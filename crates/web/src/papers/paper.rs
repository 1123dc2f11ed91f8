//! A paper, as answers show it and the cache keeps it; and one paper out of what two providers know
//! of it.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::page::PartialDate;
use crate::page::doi::parse_doi;
use crate::search::claim::sentences;
use crate::search::html_text;
use crate::search::results::{shortened, shown_url};
use iki_base::wording::on_one_line;

/// Fields of a paper, in the order in which answers have them.
const FIELDS: &str = "title url source doi authors journal year abstract citationCount openAccess \
    pdfUrl tldr isInfluential retractionStatus";

/// Maximum length of a text, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// Maximum number of authors; some papers have thousands.
const MAX_AUTHORS: usize = 50;

/// Characters that the path of an address cannot hold.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?');

/// Fields of papers, each with the places in a provider's item where it may be.
pub type PaperPlaces = &'static [(&'static str, &'static [&'static str])];

/// A paper.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    /// Known fields, under their names in answers; before they are [tidied](Paper::tidied), `date`
    /// among them.
    fields: Map<String, Value>,
    /// Date of publication.
    pub date: Option<PartialDate>,
    /// Names of the sources that it is known to be of, in addition to those that its DOI implies.
    pub sources: Vec<&'static str>,
    /// True if its free PDF file was looked for.
    pub looked_up: bool,
    /// Letters and digits of its title, by which it is compared.
    key: String,
}

impl Paper {
    /// Reads a provider's item; its texts may be HTML. The first place that says something counts.
    pub(super) fn of_item(item: &Value, places: PaperPlaces) -> Self {
        let mut paper = Self::default();
        for (name, places) in places {
            let values = places.iter().filter_map(|place| item.pointer(place));
            let mut said = values.filter(|value| !value.is_null() && *value != "");
            match said.next() {
                Some(Value::String(text)) => paper.set(name, html_text::text(text)),
                Some(value) => paper.set(name, value.clone()),
                None => {}
            }
        }
        paper
    }

    /// Sets a field.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// Sets the authors, by their names.
    pub(super) fn set_authors(&mut self, names: impl Iterator<Item = String>) {
        let names = names.filter(|name| !name.is_empty()).take(MAX_AUTHORS);
        let names: Vec<Value> = names.map(Value::from).collect();
        self.set("authors", names);
    }

    /// Returns a text; empty if it is not known.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        let text = self.fields.get(name).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// True if this fact is known to be one.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the year of publication.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        self.date.map(PartialDate::year)
    }

    /// Returns its texts.
    pub(super) fn texts(&mut self) -> Vec<&mut String> {
        let values = self.fields.values_mut().flat_map(|value| match value {
            Value::Array(values) => values.as_mut_slice(),
            value => std::slice::from_mut(value),
        });
        let texts = values.filter_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    /// Puts its fields in order; `None` if it has no title or no address.
    pub(super) fn tidied(mut self, provider: &'static str) -> Option<Self> {
        self.date = match self.fields.remove("date") {
            Some(Value::String(text)) => PartialDate::parse(&text),
            Some(year) => PartialDate::of_parts(&[year.as_i64().unwrap_or_default()]),
            None => None,
        };
        if let Some(year) = self.year() {
            self.set("year", year);
        }
        let doi = parse_doi(self.text("doi"));
        let url = match &doi {
            // The address that it stands for.
            Some(doi) => format!("https://doi.org/{}", utf8_percent_encode(doi, ENCODED)),
            None => shown_url(self.text("url"))?,
        };
        self.set("url", url);
        self.set("source", provider);
        self.set("doi", doi.unwrap_or_default());
        self.set_file(shown_url(self.text("pdfUrl")));
        self.set("abstract", abridged(&on_one_line(self.text("abstract"))));
        for text in self.texts() {
            *text = shortened(&on_one_line(text), MAX_TEXT_CHARS);
        }
        let letters = self.text("title").chars().filter(|c| c.is_alphanumeric());
        self.key = letters.flat_map(char::to_lowercase).collect();
        self.fields.retain(|name, value| match name.as_str() {
            "openAccess" | "isInfluential" => value.is_boolean(),
            "citationCount" | "year" => value.is_u64(),
            "retractionStatus" => value.is_object(),
            "authors" => value.as_array().is_some_and(|names| !names.is_empty()),
            _ => value.as_str().is_some_and(|text| !text.is_empty()),
        });
        (!self.text("title").is_empty()).then_some(self)
    }

    /// Sets the address of a PDF file that everybody may read.
    pub(super) fn set_file(&mut self, address: Option<String>) {
        if address.is_some() {
            self.set("openAccess", true);
        }
        self.set("pdfUrl", address.unwrap_or_default());
    }

    /// True if both are the same paper: by the DOI, or else by title and year. Works with DOIs of
    /// their own, such as a preprint and the article, are one only if they have an author in
    /// common.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let (own, theirs) = (self.text("doi"), other.text("doi"));
        let titled = !self.key.is_empty() && self.key == other.key;
        (!own.is_empty() && own == theirs)
            || (titled
                && self.date.is_some()
                && self.year() == other.year()
                && (own.is_empty() || theirs.is_empty() || self.shares_author(other)))
    }

    /// Returns the names of the authors.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        let authors = self.fields.get("authors").and_then(Value::as_array);
        authors.into_iter().flatten().filter_map(Value::as_str)
    }

    /// True if a family name is among the authors of both, or those of one are not known.
    fn shares_author(&self, other: &Self) -> bool {
        let families = |paper: &Self| -> Vec<String> {
            let names = paper.authors().filter_map(|name| name.rsplit(' ').next());
            names.map(str::to_lowercase).collect()
        };
        let (own, theirs) = (families(self), families(other));
        own.is_empty() || theirs.is_empty() || own.iter().any(|name| theirs.contains(name))
    }

    /// Adds what another provider knows of the same paper.
    pub(super) fn absorb(&mut self, other: Self) {
        let retracted = |paper: &Self| {
            let status = paper.fields.get("retractionStatus");
            status.is_some_and(|status| status["retracted"] == true)
        };
        for name in ["openAccess", "isInfluential"] {
            if other.is(name) {
                self.set(name, true);
            }
        }
        if retracted(&other) && !retracted(self) {
            self.fields.remove("retractionStatus");
        }
        if self.text("doi").is_empty() && !other.text("doi").is_empty() {
            self.fields.remove("url");
        }
        for (name, value) in other.fields {
            self.fields.entry(name).or_insert(value);
        }
        self.date = self.date.or(other.date);
        self.sources.extend(other.sources);
        self.looked_up |= other.looked_up;
    }

    /// Returns its fields in the order of answers.
    #[must_use]
    pub fn into_fields(mut self) -> Value {
        let fields = FIELDS.split(' ');
        let known = fields.filter_map(|name| Some((name.to_owned(), self.fields.remove(name)?)));
        known.collect::<Map<_, _>>().into()
    }
}

/// Returns the whole sentences at the beginning of a text, or its words if the first is too long.
fn abridged(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT_CHARS {
        return text.to_owned();
    }
    let mut kept = String::new();
    for sentence in sentences(text) {
        if kept.chars().count() + sentence.chars().count() >= MAX_TEXT_CHARS {
            break;
        }
        let blank = if kept.is_empty() { "" } else { " " };
        kept.extend([blank, sentence]);
    }
    if kept.is_empty() {
        // With the mark of what is left out.
        return shortened(text, MAX_TEXT_CHARS - 1);
    }
    kept
}
