//! Identifiers of works: a DOI, a number of arXiv, a number of `PubMed`.
//!
//! Facts: info.arxiv.org, "Understanding the arXiv identifier" (old numbers name their archive);
//! `DataCite` registers arXiv's DOIs below one prefix.

use std::fmt;

use crate::page::doi::{doi_in, parse_doi};
use crate::work::Work;

/// Beginning of the DOIs of arXiv, whose rest is the number.
const ARXIV_DOI: &str = "10.48550/arxiv.";

/// Beginnings of the addresses of a work's page, with the kind of number that follows.
const PAGES: [(&str, &str); 8] = [
    ("arxiv.org/abs/", "arxiv"),
    ("arxiv.org/pdf/", "arxiv"),
    ("arxiv.org/html/", "arxiv"),
    ("alphaxiv.org/abs/", "arxiv"),
    ("pubmed.ncbi.nlm.nih.gov/", "pubmed"),
    ("ncbi.nlm.nih.gov/pubmed/", "pubmed"),
    ("ncbi.nlm.nih.gov/m/pubmed/", "pubmed"),
    ("europepmc.org/article/med/", "pubmed"),
];

/// Maximum number of digits of a `PubMed` number.
const MAX_PUBMED_DIGITS: usize = 8;

/// An identifier of a work.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkId {
    /// A DOI, in lower case.
    Doi(String),
    /// A number of arXiv, perhaps with its version.
    Arxiv(String),
    /// A number of `PubMed`.
    Pubmed(String),
}

impl WorkId {
    /// Parses a text that is an identifier or its address, and nothing else. Digits alone are
    /// words.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(number) = after_label(text, &["arxiv"]) {
            // The class that arXiv puts behind its numbers.
            let number = number.split(" [").next().unwrap_or(number);
            return arxiv_number(number).map(Self::Arxiv);
        }
        if let Some(number) = after_label(text, &["pmid"]) {
            return pubmed_number(number).map(Self::Pubmed);
        }
        let address = without_scheme(text);
        if address.len() < text.len() {
            let known = PAGES.iter().find_map(|(prefix, kind)| {
                let head = address.get(..prefix.len())?;
                let remainder = &address[prefix.len()..];
                head.eq_ignore_ascii_case(prefix)
                    .then_some((*kind, remainder))
            });
            if let Some((kind, remainder)) = known {
                let remainder = remainder.split(['?', '#']).next().unwrap_or_default();
                let remainder = remainder.trim_end_matches('/').trim_end_matches(".pdf");
                return match kind {
                    "arxiv" => arxiv_number(remainder).map(Self::Arxiv),
                    _ => pubmed_number(remainder).map(Self::Pubmed),
                };
            }
        }
        let bare = after_label(text, &["doi"]).unwrap_or(text);
        if !bare.contains(char::is_whitespace)
            && let Some(doi) = parse_doi(bare)
        {
            return Some(Self::of_doi(doi));
        }
        arxiv_number(text).map(Self::Arxiv)
    }

    /// Returns the identifier that a DOI is: those of arXiv are numbers there.
    pub(crate) fn of_doi(doi: String) -> Self {
        let number = doi.strip_prefix(ARXIV_DOI).and_then(arxiv_number);
        number.map_or(Self::Doi(doi), Self::Arxiv)
    }

    /// Finds the identifiers in a text that are marked as such: each kind at most once.
    #[must_use]
    pub fn all_in(text: &str) -> Vec<Self> {
        let doi = doi_in(text).map(Self::of_doi);
        let mut arxiv = marked(text, &["arxiv:", "arxiv.org/abs/", "arxiv.org/pdf/"]);
        let arxiv = arxiv.find_map(|tail| arxiv_number(first_token(tail)).map(Self::Arxiv));
        let mut pubmed = marked(text, &["pmid:", "pmid ", "pubmed.ncbi.nlm.nih.gov/"]);
        let pubmed = pubmed.find_map(|tail| pubmed_number(first_token(tail)).map(Self::Pubmed));
        let mut all: Vec<Self> = Vec::new();
        for id in [doi, arxiv, pubmed].into_iter().flatten() {
            if !all.iter().any(|one| one.is_same(&id)) {
                all.push(id);
            }
        }
        all
    }

    /// Returns the DOI that stands for it, if there is one.
    #[must_use]
    pub fn doi(&self) -> Option<String> {
        match self {
            Self::Doi(doi) => Some(doi.clone()),
            Self::Arxiv(_) => Some(format!("{ARXIV_DOI}{}", self.number())),
            Self::Pubmed(_) => None,
        }
    }

    /// Returns the number itself, without a version.
    #[must_use]
    pub fn number(&self) -> &str {
        match self {
            Self::Doi(number) | Self::Pubmed(number) => number,
            Self::Arxiv(number) => number.split('v').next().unwrap_or(number),
        }
    }

    /// True if it is the identifier of this work.
    #[must_use]
    pub fn is_of(&self, work: &Work) -> bool {
        self.in_work(work).1 == self.number()
    }

    /// Returns the name of its kind, and the number of that kind that a work has.
    #[must_use]
    pub fn in_work<'w>(&self, work: &'w Work) -> (&'static str, &'w str) {
        match self {
            Self::Doi(_) => ("doi", &work.doi),
            Self::Arxiv(_) => ("arxiv", &work.arxiv),
            Self::Pubmed(_) => ("pmid", &work.pmid),
        }
    }

    /// True if both are the same work's, whatever its version.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.number() == other.number()
    }
}

impl fmt::Display for WorkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doi(doi) => write!(f, "doi:{doi}"),
            Self::Arxiv(number) => write!(f, "arXiv:{number}"),
            Self::Pubmed(number) => write!(f, "PMID:{number}"),
        }
    }
}

/// Returns what follows one of these labels and a colon, or a blank before a digit.
fn after_label<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    labels.iter().find_map(|label| {
        let head = text.get(..label.len())?;
        let remainder = &text[label.len()..];
        let marked = remainder.starts_with(':') || remainder.starts_with(char::is_whitespace);
        let number = remainder.trim_start_matches(':').trim_start();
        let numbered =
            remainder.starts_with(':') || number.starts_with(|c: char| c.is_ascii_digit());
        (head.eq_ignore_ascii_case(label) && marked && numbered).then_some(number)
    })
}

/// Returns an address without its scheme and the hosts' usual prefixes; another text as it is.
fn without_scheme(text: &str) -> &str {
    let mut remainder = text;
    for prefix in ["https://", "http://", "www.", "export."] {
        let head = remainder.get(..prefix.len()).unwrap_or_default();
        if head.eq_ignore_ascii_case(prefix) {
            remainder = &remainder[prefix.len()..];
        }
    }
    remainder
}

/// Returns what follows each of these marks in a text.
fn marked<'t>(text: &'t str, marks: &'static [&str]) -> impl Iterator<Item = &'t str> {
    let lower = text.to_ascii_lowercase();
    let ends = marks.iter().flat_map(move |mark| {
        let all = lower
            .match_indices(mark)
            .map(|(offset, _)| offset + mark.len());
        all.collect::<Vec<_>>()
    });
    ends.map(move |end| text[end..].trim_start())
}

fn first_token(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "./-".contains(c)));
    let token = &text[..end.unwrap_or(text.len())];
    token
        .trim_end_matches(['.', '/', '-'])
        .trim_end_matches(".pdf")
}

/// Returns a number of arXiv in its usual spelling.
fn arxiv_number(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, version) = match text.rsplit_once('v') {
        Some((number, version)) if digits(version) => (number, Some(version)),
        _ => (text.as_str(), None),
    };
    let is_month = |year_and_month: &str| {
        let month = year_and_month
            .get(2..4)
            .and_then(|month| month.parse().ok());
        digits(year_and_month) && month.is_some_and(|month: u8| (1..=12).contains(&month))
    };
    let number = if let Some((archive, number)) = number.split_once('/') {
        // Its class says nothing that the number does not.
        let archive = archive.split('.').next()?;
        let named = archive.len() >= 2
            && archive
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (named && number.len() == 7 && digits(number) && is_month(&number[..4]))
            .then(|| format!("{archive}/{number}"))?
    } else {
        let (month, serial) = number.split_once('.')?;
        let sound = month.len() == 4 && is_month(month) && digits(serial);
        (sound && (4..=5).contains(&serial.len())).then(|| number.to_owned())?
    };
    Some(version.map_or(number.clone(), |version| format!("{number}v{version}")))
}

fn pubmed_number(text: &str) -> Option<String> {
    let number = text.trim().trim_end_matches('/');
    let sound = (1..=MAX_PUBMED_DIGITS).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.trim_start_matches('0');
    (sound && !number.is_empty()).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doi(text: &str) -> WorkId {
        WorkId::Doi(text.to_owned())
    }

    fn arxiv(text: &str) -> WorkId {
        WorkId::Arxiv(text.to_owned())
    }

    fn pubmed(text: &str) -> WorkId {
        WorkId::Pubmed(text.to_owned())
    }

    #[test]
    fn a_text_that_is_an_identifier_is_one_in_each_of_its_forms() {
        for (text, expected) in [
            (
                "10.1038/S41586-021-03819-2",
                doi("10.1038/s41586-021-03819-2"),
            ),
            ("doi:10.1000/1", doi("10.1000/1")),
            ("DOI: 10.1000/1", doi("10.1000/1")),
            ("DOI 10.1000/1", doi("10.1000/1")),
            (" https://doi.org/10.1000/a(b)c ", doi("10.1000/a(b)c")),
            ("http://dx.doi.org/10.1000/1", doi("10.1000/1")),
            ("10.48550/arXiv.1706.03762", arxiv("1706.03762")),
            ("1706.03762", arxiv("1706.03762")),
            ("1706.03762v5", arxiv("1706.03762v5")),
            ("arXiv:0704.0001", arxiv("0704.0001")),
            ("arxiv: 2101.00001 [cs.LG]", arxiv("2101.00001")),
            ("hep-th/9901001", arxiv("hep-th/9901001")),
            ("arXiv:math.GT/0309136v2", arxiv("math/0309136v2")),
            ("https://arxiv.org/abs/2101.00001v2", arxiv("2101.00001v2")),
            (
                "https://arxiv.org/pdf/cond-mat/0207270.pdf",
                arxiv("cond-mat/0207270"),
            ),
            (
                "http://export.arxiv.org/abs/2101.00001#x",
                arxiv("2101.00001"),
            ),
            ("PMID:34265844", pubmed("34265844")),
            ("pmid 34265844", pubmed("34265844")),
            (
                "https://pubmed.ncbi.nlm.nih.gov/34265844/",
                pubmed("34265844"),
            ),
            (
                "https://www.ncbi.nlm.nih.gov/pubmed/34265844?x=1",
                pubmed("34265844"),
            ),
        ] {
            assert_eq!(WorkId::parse(text), Some(expected), "{text}");
        }
        for words in [
            "",
            "34265844",
            "2020",
            "10.1000/1 is a DOI",
            "what is 10.1000/1",
            "protein folding",
            "doi",
            "doi numbers",
            "pmid lookup",
            "pubmed 2020",
            "arxiv preprints",
            "2013.04567",
            "1706.037",
            "https://example.com/10",
            "3.14159",
            "https://arxiv.org/list/cs.LG/recent",
            "input/output",
        ] {
            assert_eq!(WorkId::parse(words), None, "{words}");
        }
    }

    #[test]
    fn identifiers_are_found_in_a_reference() {
        let text = "Vaswani et al. Attention. arXiv preprint arXiv:1706.03762v5, 2017. \
                    doi:10.48550/arXiv.1706.03762. PMID: 123.";
        let ids: Vec<String> = WorkId::all_in(text).iter().map(WorkId::to_string).collect();
        assert_eq!(ids, ["arXiv:1706.03762", "PMID:123"]);
        let text = "J. Work 3 (2021). https://doi.org/10.1000/182.";
        assert_eq!(
            WorkId::all_in(text),
            [WorkId::Doi("10.1000/182".to_owned())]
        );
        assert_eq!(WorkId::all_in("Nothing, 2020, 10-12"), []);
    }
}
