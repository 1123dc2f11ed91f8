//! Entries for BibTeX, as `btxdoc` describes them, with TeX's special characters escaped.

use std::fmt::Write as _;

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::{AuthorName, CitedWork, WorkKind};

/// Maximum number of authors before `others`.
const MAX_AUTHORS: usize = 50;

/// Words that are ignored in the key of a title.
const EMPTY_WORDS: &str =
    "a an and are at das der die for from how in is la le les of on the to und what why with";

/// Formats the entry of a work.
pub fn format_entry(work: &CitedWork) -> String {
    format_entry_as(work, &key(work))
}

/// Formats the entry of a work under this key. Writing to a string does not fail.
pub fn format_entry_as(work: &CitedWork, key: &str) -> String {
    let (entry, container, publisher) = match work.kind {
        WorkKind::Article => ("article", "journal", "publisher"),
        WorkKind::Chapter => ("incollection", "booktitle", "publisher"),
        WorkKind::Book => ("book", "howpublished", "publisher"),
        WorkKind::Proceedings => ("inproceedings", "booktitle", "publisher"),
        WorkKind::Thesis => ("phdthesis", "school", "school"),
        WorkKind::Report => ("techreport", "institution", "institution"),
        WorkKind::Patent => ("patent", "howpublished", "holder"),
        WorkKind::Preprint => ("misc", "howpublished", "howpublished"),
        // Zotero passes over `@dataset`, which only biblatex has.
        WorkKind::Dataset | WorkKind::Software | WorkKind::Unknown | WorkKind::Page => {
            ("misc", "howpublished", "publisher")
        }
    };
    let mut text = format!("@{entry}{{{key}");
    let mut field = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = write!(text, ",\n  {name} = {value}");
        }
    };
    let braced = |value: &str| match value {
        "" => String::new(),
        value => format!("{{{}}}", escaped(value)),
    };
    field("author", names(&work.authors, work.more_authors));
    field("editor", names(&work.editors, false));
    // Double braces keep styles from changing a title to lower case.
    let whole = |value: &str| match value {
        "" => String::new(),
        value => format!("{{{{{}}}}}", title(value)),
    };
    field("title", whole(&work.marked_title()));
    let is_data = matches!(work.kind, WorkKind::Dataset | WorkKind::Software);
    field("type", braced(if is_data { work.kind.name() } else { "" }));
    // One field has one value.
    if container != publisher || work.publisher.is_empty() {
        let is_title = container == "booktitle";
        let format: &dyn Fn(&str) -> String = if is_title { &whole } else { &braced };
        field(container, format(&work.container));
    }
    field(publisher, braced(&work.publisher));
    let edition = if work.has_editions() {
        "edition"
    } else {
        "version"
    };
    field(edition, braced(&work.edition));
    field("isbn", braced(&work.isbn));
    field("series", whole(&work.series));
    field("volume", braced(&work.volume));
    field("number", braced(&work.issue));
    field("pages", braced(&work.pages.replace('-', "--")));
    if let Some(date) = work.date {
        field("year", format!("{{{}}}", date.year()));
        // The names that every style knows.
        let month = date.month_name().map(|name| name[..3].to_lowercase());
        field("month", month.unwrap_or_default());
        let day = date.day().map(|day| format!("{{{day}}}"));
        field("day", day.unwrap_or_default());
    }
    // The place in the list of a work without an author.
    let key = work.authors.is_empty().then(|| braced(&work.title));
    field("key", key.unwrap_or_default());
    let code = |value: &str| match value {
        "" => String::new(),
        value => address(value),
    };
    field("doi", code(&work.doi));
    field("eprint", code(&work.arxiv));
    if !work.arxiv.is_empty() {
        field("archiveprefix", "{arXiv}".to_owned());
    }
    field("pmid", code(&work.pmid));
    field("url", address(&work.url));
    field("urldate", format!("{{{}}}", work.accessed));
    field("note", braced(&work.notes().join("; ")));
    text.push_str("\n}");
    text
}

/// Escapes a URL, which styles put into a command that takes all but these characters literally.
fn address(address: &str) -> String {
    let codes = [("{", "%7B"), ("}", "%7D"), ("\\", "%5C")].into_iter();
    let text = codes.fold(address.to_owned(), |text, (c, code)| text.replace(c, code));
    format!("{{{text}}}")
}

/// Formats names; `has_more` if there are more than these.
fn names(all: &[AuthorName], has_more: bool) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = all.iter().take(MAX_AUTHORS).map(name).collect();
    if has_more || all.len() > MAX_AUTHORS {
        names.push("others".to_owned());
    }
    format!("{{{}}}", names.join(" and "))
}

/// Formats a name as `Doe, Jr., Jane`; an indivisible name is put in braces.
fn name(author: &AuthorName) -> String {
    if author.given.is_empty() {
        return format!("{{{}}}", escaped(&author.family));
    }
    // A word that would separate two authors, or a comma, within a name.
    let part = |text: &str| {
        let text = escaped(text);
        let and = text.split(' ').any(|word| word.eq_ignore_ascii_case("and"));
        if and || text.contains(',') {
            format!("{{{text}}}")
        } else {
            text
        }
    };
    let parts = [&author.family, &author.suffix, &author.given];
    let parts = parts.into_iter().filter(|text| !text.is_empty());
    parts.map(|text| part(text)).collect::<Vec<_>>().join(", ")
}

/// Escapes a title, but for the formulas in it, which are TeX: between dollar signs without blanks
/// inside, and no prices.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut remainder = text;
    while let Some(offset) = remainder.find('$') {
        let (before, from) = remainder.split_at(offset);
        let end = from[1..].find('$').map(|end| end + 2);
        let formula = end.filter(|end| {
            let is_price = from[*end..].starts_with(|c: char| c.is_ascii_digit());
            !is_price && is_formula(&from[1..end - 1])
        });
        out.push_str(&escaped(before));
        match formula {
            Some(end) => out.push_str(&from[..end]),
            None => out.push_str("\\$"),
        }
        remainder = &from[formula.unwrap_or(1)..];
    }
    out + &escaped(remainder)
}

/// True if a text between dollar signs may be left to TeX.
fn is_formula(text: &str) -> bool {
    let is_tight = !text.is_empty() && text.trim() == text;
    is_tight && is_paired(text) && !text.contains(['%', '#', '&'])
}

/// True if each brace of a text has its other.
#[must_use]
pub fn is_paired(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth >= 0
    }) && depth == 0
}

/// Escapes TeX's special characters. BibTeX counts braces that are escaped, too, and one without
/// its other would end the entry: such braces become parentheses.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_paired = is_paired(text);
    for c in text.chars() {
        match c {
            '{' if !is_paired => out.push('('),
            '}' if !is_paired => out.push(')'),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Builds the key, such as `doe2024title`: only letters and digits, and never empty.
pub fn key(work: &CitedWork) -> String {
    // For an organisation or a site the first word is enough.
    let first_of = |name: &str| telling(name.split(|c: char| !c.is_alphanumeric()));
    let mut key = match work.authors.first() {
        Some(author) if author.organisation => first_of(&author.family),
        Some(author) => Some(ascii_letters(&author.family)).filter(|key| !key.is_empty()),
        None => None,
    }
    .or_else(|| first_of(&work.container))
    .unwrap_or_default();
    key.truncate(40);
    match work.date {
        Some(date) => key.push_str(&date.year().to_string()),
        None => key.push_str("nd"),
    }
    let title = telling(work.title.split(|c: char| !c.is_alphanumeric()));
    let mut title = title.unwrap_or_else(|| "page".to_owned());
    title.truncate(20);
    key + &title
}

/// Returns the first meaningful word.
fn telling<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut plain_words = words.map(ascii_letters);
    plain_words.find(|word| !word.is_empty() && EMPTY_WORDS.split(' ').all(|one| one != word))
}

/// Reduces a text to ASCII letters and digits, without accents, in lower case.
fn ascii_letters(text: &str) -> String {
    let normalizer = DecomposingNormalizerBorrowed::new_nfd();
    let mut plain = normalizer.normalize(text).into_owned();
    plain.retain(|c| c.is_ascii_alphanumeric());
    plain.make_ascii_lowercase();
    plain
}
