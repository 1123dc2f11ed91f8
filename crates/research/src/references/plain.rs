//! References as they stand in a paper: sentences, one a line or paragraph, perhaps with numbers.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::entry::{ReferenceEntry, years_in};
use super::one_line::{one_a_line, references_apart};
use iki_base::wording::on_one_line;
use iki_web::work::work_id::WorkId;

/// Headings of lists of references, in lower case.
const HEADINGS: &[&str] = &[
    "references",
    "reference list",
    "references and notes",
    "bibliography",
    "works cited",
    "literature",
    "literature cited",
    "cited literature",
    "sources",
    "literatur",
    "literaturverzeichnis",
    "quellen",
    "quellenverzeichnis",
    "bibliographie",
    "références",
    "bibliografía",
    "referencias",
];

/// Codes of GB/T 7714 for types of works, and for the media that they are on.
const TYPES: [&str; 16] = [
    "M", "C", "G", "N", "J", "D", "R", "S", "P", "A", "DB", "CP", "EB", "CM", "DS", "Z",
];
const MEDIA: [&str; 4] = ["OL", "CD", "DK", "MT"];

/// Minimum length of a line that is a reference by itself, in bytes.
const MIN_BYTES: usize = 20;

/// Returns the part of a document below its last heading of references; `None` if it has none.
#[must_use]
pub fn section(document: &str) -> Option<&str> {
    let mut start = None;
    let mut offset = 0;
    for line in document.split_inclusive('\n') {
        if is_heading(line) {
            start = Some(offset + line.len());
        }
        offset += line.len();
    }
    let section = &document[start?..];
    // The next heading of Markdown is another part.
    let end = section.find("\n#").unwrap_or(section.len());
    Some(&section[..end])
}

pub(super) fn is_heading(line: &str) -> bool {
    let name = line
        .trim()
        .trim_matches(|c: char| "#*_:.[]() ".contains(c) || c.is_ascii_digit());
    HEADINGS.contains(&name.to_lowercase().as_str())
}

/// Reads all references of a list.
#[must_use]
pub fn entries(text: &str) -> Vec<ReferenceEntry> {
    let text = one_a_line(&without_table(text));
    let texts = parts(&text).into_iter().flat_map(references_apart);
    let texts = texts.flat_map(identifiers_apart);
    let references = texts.map(|text| {
        let marked = without_marker(&text);
        let line = on_one_line(marked.unwrap_or(&text));
        if let Some(id) = identifier(&line) {
            return ReferenceEntry {
                ids: vec![id],
                is_bare: true,
                text: line,
                ..ReferenceEntry::default()
            };
        }
        ReferenceEntry {
            years: years_of(&without_numbers(&line)),
            ids: WorkId::all_in(&line),
            has_others: true,
            text: line,
            ..ReferenceEntry::default()
        }
    });
    references.filter(|entry| !entry.text.is_empty()).collect()
}

/// Returns a text in which each row of a Markdown table, but for its head, is a paragraph: its
/// cells one after the other, without numbers of rows.
fn without_table(text: &str) -> Cow<'_, str> {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let is_rule = |line: &str| {
        is_row(line) && line.contains("--") && line.chars().all(|c| " |:-\t\r".contains(c))
    };
    let lines: Vec<&str> = text.lines().collect();
    if !lines.iter().any(|line| is_rule(line)) {
        return text.into();
    }
    let is_rule_at = |index: usize| lines.get(index).is_some_and(|line| is_rule(line));
    let rows = lines.iter().enumerate().map(|(index, line)| {
        if !is_row(line) {
            return format!("{line}\n");
        }
        let cells = line.trim().trim_matches('|').split('|').map(str::trim);
        let cells = cells.filter(|cell| cell.contains(char::is_alphabetic) || cell.len() > 3);
        let cells: Vec<&str> = cells.map(|cell| cell.trim_end_matches('.')).collect();
        if is_rule_at(index) || is_rule_at(index + 1) {
            String::new()
        } else {
            format!("{}.\n\n", cells.join(". "))
        }
    });
    rows.collect::<String>().into()
}

/// Returns the identifiers of a line that has several and nothing else; any other line as it is.
fn identifiers_apart(line: String) -> Vec<String> {
    let all: Vec<&str> = line.split_whitespace().collect();
    if identifier(&line).is_none() && all.iter().all(|word| identifier(word).is_some()) {
        return all.into_iter().map(str::to_owned).collect();
    }
    vec![line]
}

/// Returns the identifier that a line is, if it says nothing else.
fn identifier(line: &str) -> Option<WorkId> {
    let line = without_marker(line).unwrap_or(line).trim();
    let line = line.strip_prefix('<').unwrap_or(line);
    WorkId::parse(line.trim_end_matches(['.', ',', ';', '>']))
}

/// Returns the years of a reference: those in brackets, or before a volume, or else all numbers
/// that may be one. Some volumes are called by a year, too.
fn years_of(text: &str) -> Vec<u16> {
    let all = text
        .match_indices(|c: char| c.is_ascii_digit())
        .map(|(offset, _)| offset);
    let at_mark = |is_marked: fn(&str, &str) -> bool| -> Vec<u16> {
        let begins = all.clone().filter(|offset| {
            let (before, remainder) = text.split_at(*offset);
            let end = remainder
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(remainder.len());
            end == 4 && is_marked(before, &remainder[end..])
        });
        begins
            .flat_map(|offset| years_in(&text[offset..offset + 4]))
            .collect()
    };
    let in_brackets = at_mark(|before, _| before.ends_with('('));
    if !in_brackets.is_empty() {
        return in_brackets;
    }
    let before_volume = at_mark(|before, after| before.ends_with(' ') && after.starts_with(';'));
    if !before_volume.is_empty() {
        return before_volume;
    }
    years_in(text)
}

/// Returns a reference without identifiers and addresses, whose digits are no years and pages, and
/// with characters, points and blanks as most write them.
#[must_use]
pub fn without_numbers(text: &str) -> String {
    let text = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let text = without_type_marks(&text);
    let words = text.split_whitespace().filter(|word| {
        let lower = word.to_ascii_lowercase();
        let is_doi = lower.contains("10.") && lower.contains('/');
        !is_doi && !lower.contains("arxiv:") && !lower.contains("://")
    });
    words.map(spaced).collect::<Vec<_>>().join(" ")
}

/// Returns a word with a blank after each mark within it that ends a sentence or a name: `S.Long`.
fn spaced(word: &str) -> String {
    let mut spaced = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        // Chinese titles are within such brackets.
        match c {
            '\u{300a}' => spaced.extend([' ', c]),
            '\u{300b}' => spaced.extend([c, ' ']),
            c => spaced.push(c),
        }
        let is_end = matches!(c, '.' | ',' | ';' | ':' | '\u{3002}' | '\u{3001}');
        // Letters that are neither upper nor lower case are those of Chinese and the like.
        let begins = |next: &char| next.is_alphabetic() && !next.is_lowercase();
        if is_end && chars.peek().is_some_and(begins) {
            spaced.push(' ');
        }
    }
    spaced
}

/// Returns a text with a full stop for each mark of GB/T 7714 for the type of a work: `[J]`,
/// `[C]//`, `[EB/OL]`.
fn without_type_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut remainder = text;
    while let Some((before, inside)) = remainder.split_once('[') {
        out.push_str(before);
        let mark = inside.split_once(']').filter(|(mark, after)| {
            let mut codes = mark.split('/');
            let kind = codes.next().is_some_and(|kind| TYPES.contains(&kind));
            kind && codes.all(|medium| MEDIA.contains(&medium))
                && !after.starts_with(char::is_alphanumeric)
        });
        remainder = if let Some((_, after)) = mark {
            out.push_str(". ");
            after.trim_start_matches('/')
        } else {
            out.push('[');
            inside
        };
    }
    out + remainder
}

/// Returns the texts of the references: by their numbers, else by paragraphs, else by lines.
fn parts(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !is_heading(line)).collect();
    let numbered = lines.iter().filter(|line| without_marker(line).is_some());
    let numbered = numbered.count();
    let first = lines.iter().find(|line| !line.trim().is_empty());
    let begins = first.is_some_and(|line| without_marker(line).is_some());
    let paragraphs =
        text.trim().split("\n\n").count() > 1 || text.trim().split("\n\r\n").count() > 1;
    let is_beginning = |index: usize| {
        let line = lines[index];
        if begins
            && (numbered > 1 || lines.iter().filter(|line| !line.trim().is_empty()).count() == 1)
        {
            return without_marker(line).is_some();
        }
        let before = index.checked_sub(1).map_or("", |index| lines[index]);
        if paragraphs {
            return before.trim().is_empty();
        }
        // A hanging indent, or the rest of a sentence.
        let goes_on = line.starts_with([' ', '\t']) && !lines[0].starts_with([' ', '\t']);
        !goes_on && line.trim().len() >= MIN_BYTES
    };
    let begins_at = |line_index: usize, last: &str| {
        match (
            identifier(lines[line_index]).is_some(),
            identifier(last).is_some(),
        ) {
            (true, true) => true,
            // The identifier of the reference before it, if that has none.
            (true, false) if !(begins || paragraphs) => !WorkId::all_in(last).is_empty(),
            _ => is_beginning(line_index),
        }
    };
    let mut parts: Vec<String> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match parts.last_mut() {
            Some(last) if !begins_at(index, last) => {
                // A word that was divided at the end of a line.
                let divided = last.ends_with('-')
                    && line.trim_start().starts_with(|c: char| c.is_lowercase());
                if divided {
                    last.pop();
                } else {
                    last.push(' ');
                }
                last.push_str(line.trim());
            }
            _ => parts.push(line.trim().to_owned()),
        }
    }
    parts
}

/// Returns a line without the marker that it begins with: `[12]`, `[Knu84]`, `12.`, `(3)`, `-`.
fn without_marker(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches('\\');
    if let Some(inside) = line.strip_prefix('[') {
        let (label, remainder) = inside.split_once(']')?;
        let label = label.trim_end_matches('\\');
        let sound = !label.is_empty() && label.len() <= 24 && !label.contains(". ");
        return sound.then(|| remainder.trim_start_matches(':').trim_start());
    }
    if let Some(remainder) = line.strip_prefix(['-', '*', '•', '–']) {
        return remainder.strip_prefix(' ').map(str::trim_start);
    }
    let line = line.strip_prefix('(').unwrap_or(line);
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let remainder = line[digits..].trim_start_matches('\\');
    let remainder = remainder.strip_prefix(['.', ')'])?;
    let sound = (1..=3).contains(&digits) && remainder.starts_with([' ', '\t']);
    sound.then(|| remainder.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        entries(text).into_iter().map(|entry| entry.text).collect()
    }

    #[test]
    fn references_are_parted_by_numbers_paragraphs_or_lines() {
        let expected = [
            "Doe, J. A title of it. Journal 3, 2001.",
            "Roe, R. Another title of it. 2002.",
        ];
        for text in [
            "References\n[1] Doe, J. A title of it.\n    Journal 3, 2001.\n[2] Roe, R. Another \
             title of it. 2002.",
            "1. Doe, J. A title of it. Journal 3, 2001.\n2. Roe, R. Another title of it.\n2002.\n",
            "Doe, J. A title of it.\nJournal 3, 2001.\n\nRoe, R. Another title of it. 2002.",
            "Doe, J. A title of it. Journal 3, 2001.\nRoe, R. Another title of it. 2002.",
            "Doe, J. A title of it.\n\tJournal 3, 2001.\nRoe, R. Another title of it.\n\t2002.",
            "## Bibliography\n\n- Doe, J. A title of it. Jour-\n  nal 3, 2001.\n- Roe, R. Another \
             title of it. 2002.",
            "\\[1\\] Doe, J. A title of it. Journal 3, 2001.\n\n\\[2\\] Roe, R. Another title of \
             it. 2002.",
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
        assert_eq!(texts("[7] Doe, J. Alone. 2001."), ["Doe, J. Alone. 2001."]);
        assert_eq!(texts(" \n \n"), [""; 0]);
    }

    #[test]
    fn identifiers_alone_are_an_entry_each() {
        let ids = |text: &str| -> Vec<Vec<String>> {
            let all = entries(text).into_iter();
            let bare = all.inspect(|entry| assert!(entry.is_bare, "{}", entry.text));
            bare.map(|entry| entry.ids.iter().map(WorkId::to_string).collect())
                .collect()
        };
        for text in [
            "10.1000/a1\n10.1000/a4\narXiv:2101.00001\n2101.00002v1\nPMID: 123",
            "https://doi.org/10.1000/a1\nhttps://doi.org/10.1000/a4\n\
             https://arxiv.org/abs/2101.00001\n2101.00002\nhttps://pubmed.ncbi.nlm.nih.gov/123/",
            "10.1000/a1\n\n10.1000/a4\narXiv:2101.00001\n\narXiv:2101.00002\npmid 123",
            "- doi:10.1000/a1\n- 10.1000/a4.\n- <https://arxiv.org/abs/2101.00001>\n\
             - 2101.00002,\n- PMID:123;",
            "10.1000/a1, 10.1000/a4; arXiv:2101.00001 2101.00002 PMID:123",
            "[1] 10.1000/a1\n[2] 10.1000/a4\n[3] 2101.00001\n[4] 2101.00002\n[5] PMID:123",
        ] {
            let all: Vec<String> = ids(text).concat();
            assert_eq!(ids(text).len(), 5, "{text}");
            assert_eq!(all[..2], ["doi:10.1000/a1", "doi:10.1000/a4"], "{text}");
            assert_eq!(all[2], "arXiv:2101.00001", "{text}");
            assert_eq!(all[4], "PMID:123", "{text}");
        }
        let mixed = "Doe, J. A title of it. Journal 3, 2001.\nhttps://doi.org/10.1000/a1\n\
            10.1000/a4\n10.1000/a5";
        let all = entries(mixed);
        let bare: Vec<bool> = all.iter().map(|entry| entry.is_bare).collect();
        assert_eq!(bare, [false, true, true]);
        assert_eq!(all[0].ids, [WorkId::Doi("10.1000/a1".to_owned())]);
    }

    #[test]
    fn years_are_not_read_out_of_identifiers() {
        let all =
            entries("Doe. Title. Nature 581, 1999-2010 (2020). doi:10.1000/1987 arXiv:2101.00001");
        assert_eq!(all[0].years, [2020]);
        assert_eq!(all[0].ids.len(), 2);
        let years = |text: &str| entries(text).remove(0).years;
        assert_eq!(
            years("Doe J. Title of it. Journal. 2017;2015:1-14."),
            [2017]
        );
        assert_eq!(
            years("J. Doe, Title of it, Journal, pp. 1999-2010, 2020."),
            [1999, 2010, 2020]
        );
    }

    #[test]
    fn references_on_one_line_are_parted_where_another_begins() {
        let both = [
            "Doe, J. A title of its own. Journal 3, 2001.",
            "Roe, R. Another title of it. 2002.",
        ];
        let [one, other] = both;
        for text in [
            format!("[1] {one} [2] {other}"),
            format!("1. {one} 2. {other}"),
            format!("\nReferences\n\n1. {one} 2. {other}"),
            format!("(1) {one} (2) {other}"),
            format!("[1] {}\n[2] {other}", one.replace(" of", "\nof")),
            format!("[1] {} [2] {other}", one.replace(" of", "\nof")),
            format!("<ol><li>{one}</li><li id=\"b\">{other}</li></ol>"),
            format!("<p>{one}</p>\n<p>{other}</p>"),
        ] {
            assert_eq!(texts(&text), both, "{text}");
        }
        for (text, count) in [
            (
                "Doe J. A title of its own. Journal, 2001; Roe R. Another title of it. 2002.",
                2,
            ),
            (
                "Doe, J.; Roe, R. A title of its own. J. 2001, 9, 1; Roe, R. Another one of it. \
                 2002.",
                2,
            ),
            (
                "Doe, J. (2001). A title of its own. Journal, 3. Roe, R. (2002). Another one of \
                 it.",
                2,
            ),
            (
                "[1] Doe J. It is so. 1999. [2] Roe R. Another title of it. [3] Poe E. A tale. \
                 1840.",
                3,
            ),
            ("1. Doe J. A title of it. Vol. 2. Springer, 1990.", 1),
            (
                "1. Doe J. A title (1990). Vol. 2. Springer.\n2. Roe R. Another title of it. 2002.",
                2,
            ),
            (
                "Doe, J.; Roe, R. A Title; Springer: Oxford, UK, 1997; Volume 9, pp. 1-50.",
                1,
            ),
            ("Doe J, Roe R. A title of it. Lancet 1998; 351: 637-41.", 1),
            (
                "Doe, J. (2001). A title. In Roe, R. (Ed.), Another title (pp. 1-9). Journal \
                 (2002).",
                1,
            ),
            ("[1] Doe J. Comment on [2] and others. 2001.", 1),
        ] {
            assert_eq!(texts(text).len(), count, "{text} {:?}", texts(text));
        }
    }

    #[test]
    fn a_long_text_on_one_line_costs_little() {
        for part in [
            "Doe, J. a b c d (2001). ",
            "1. 2. ",
            "a. ",
            "; ",
            "[1] [2] ",
            "<p>",
        ] {
            let start = std::time::Instant::now();
            assert!(!texts(&format!("1. {}", part.repeat(400_000 / part.len()))).is_empty());
            assert!(start.elapsed().as_secs() < 20, "{part}");
        }
    }

    #[test]
    fn of_a_document_the_part_below_the_heading_is_taken() {
        let document =
            "# Title\n\nText.\n\n## References\n\n1. Doe. It. 2001.\n\n# Appendix\n\nMore.";
        assert_eq!(section(document).map(str::trim), Some("1. Doe. It. 2001."));
        assert_eq!(section("No references here."), None);
    }
}
