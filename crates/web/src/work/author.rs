//! An author, as a provider names it.

use serde::{Deserialize, Deserializer, Serialize};

use crate::page::author::{self, AuthorKind, AuthorName};
use iki_base::wording::on_one_line;

/// Number of bytes around the names of an author where it is kept.
const OTHER_BYTES: usize = 40;

/// An author: a person with family and given names, a person whose name nobody has split, or a
/// group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkAuthor {
    /// Family name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub family: String,
    /// Given names, or their initials.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub given: String,
    /// `Jr.` and the like.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub suffix: String,
    /// Whole name of a group, or of a person whose name nobody has split.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// True if it is a group.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub group: bool,
}

impl WorkAuthor {
    /// Makes a person of whom the parts of the name are known. A suffix, or a degree, may stand in
    /// the family name.
    #[must_use]
    pub fn person(family: &str, given: &str, suffix: &str) -> Self {
        let (family, suffix) = match family
            .rsplit_once(',')
            .map(|(family_name, end)| (family_name, end.trim()))
        {
            Some((family_name, end)) if suffix.is_empty() && author::is_suffix(end) => {
                (family_name.trim(), end)
            }
            Some((family_name, end)) if author::is_degree(end) => (family_name.trim(), suffix),
            _ => (family, suffix),
        };
        Self {
            family: family.to_owned(),
            given: given.to_owned(),
            suffix: suffix.to_owned(),
            ..Self::default()
        }
    }

    /// Makes a group.
    #[must_use]
    pub fn group(name: &str) -> Self {
        Self {
            group: true,
            ..Self::unsplit(name)
        }
    }

    /// Makes an author of whom only the whole name is known.
    #[must_use]
    pub fn unsplit(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Returns those whom a text names, as pages write several.
    #[must_use]
    pub fn listed(text: &str) -> Vec<Self> {
        let text = text.trim_end().trim_end_matches("et al.");
        let names = author::all(text.trim_end_matches([' ', ',', ';']), AuthorKind::None);
        names.iter().map(Self::from).collect()
    }

    /// Returns the name in natural order.
    #[must_use]
    pub fn in_natural_order(&self) -> String {
        let mut parts = [&self.given, &self.family, &self.suffix, &self.name];
        if author::is_cjk(&self.given) && author::is_cjk(&self.family) {
            parts.swap(0, 1);
        }
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the name in its parts. One that nobody has split is split by the rules of names.
    #[must_use]
    pub fn split(&self) -> Option<AuthorName> {
        if self.group {
            return Some(AuthorName::single_name(on_one_line(&self.name), true));
        }
        if self.family.is_empty() {
            return AuthorName::parse(&self.name, AuthorKind::Listed);
        }
        Some(AuthorName {
            family: self.family.clone(),
            given: self.given.clone(),
            suffix: self.suffix.clone(),
            organisation: false,
        })
    }

    /// True if there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.family.is_empty() && self.name.is_empty()
    }

    /// Returns the number of bytes that it takes where it is kept, about.
    pub(super) fn length(&self) -> usize {
        let parts = [&self.family, &self.given, &self.suffix, &self.name];
        OTHER_BYTES + parts.into_iter().map(String::len).sum::<usize>()
    }

    pub(super) fn texts(&mut self) -> [&mut String; 4] {
        [
            &mut self.family,
            &mut self.given,
            &mut self.suffix,
            &mut self.name,
        ]
    }
}

impl From<&AuthorName> for WorkAuthor {
    fn from(name: &AuthorName) -> Self {
        match (name.organisation, name.given.is_empty()) {
            (true, _) => Self::group(&name.family),
            (false, true) => Self::unsplit(&name.family),
            (false, false) => Self::person(&name.family, &name.given, &name.suffix),
        }
    }
}

/// Reads a list of authors, or the text that a session of a former version has in its place: names
/// that semicolons separate, or commas between whole names.
pub(super) fn list_or_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<WorkAuthor>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Authors {
        List(Vec<WorkAuthor>),
        Text(String),
    }
    Ok(match Authors::deserialize(deserializer)? {
        Authors::List(authors) => authors,
        Authors::Text(text) => WorkAuthor::listed(&text),
    })
}
