//! The entries of a text: which of the four forms it has, and what it has in it.

use super::entry::ReferenceEntry;
use super::{bibtex, csl, plain, ris};

/// Form of a bibliography.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BibliographyForm {
    /// BibTeX or BibLaTeX.
    Bibtex,
    /// RIS, or records of `EndNote` or `PubMed`.
    Ris,
    /// CSL-JSON.
    Csl,
    /// References as they stand in a paper.
    Plain,
}

/// Entries of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bibliography {
    /// Its form.
    pub form: BibliographyForm,
    /// All entries, in order.
    pub entries: Vec<ReferenceEntry>,
}

impl Bibliography {
    /// Reads a text in whatever form it has.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (form, entries) = if let Some(entries) = csl::entries(text) {
            (BibliographyForm::Csl, entries)
        } else if bibtex::is_bibtex(text) {
            (BibliographyForm::Bibtex, bibtex::entries(text))
        } else if ris::is_tagged(text) {
            (BibliographyForm::Ris, ris::entries(text))
        } else {
            (BibliographyForm::Plain, plain::entries(text))
        };
        Self { form, entries }
    }

    /// Returns why a text that is meant to be JSON cannot be read, with the place.
    #[must_use]
    pub fn fault(text: &str) -> Option<String> {
        csl::fault(text)
    }

    /// Reads a file: one of the three forms, or of a document the part below the heading of its
    /// references; `None` if it is neither.
    #[must_use]
    pub fn of_document(text: &str) -> Option<Self> {
        let whole = Self::read(text);
        if whole.form == BibliographyForm::Plain {
            return plain::section(text).map(Self::read);
        }
        Some(whole)
    }
}
