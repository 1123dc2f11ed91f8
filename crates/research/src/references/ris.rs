//! Bibliographies with a tag and a value on each line: RIS, and the records of `EndNote` and
//! `PubMed`, whose tags are read as those of RIS.

use super::entry::{NamedPerson, ReferenceEntry, years_in};
use iki_web::work::work_id::WorkId;

/// Tags with the fields that they are; the first one of an entry counts.
const TITLES: [&str; 3] = ["TI", "T1", "CT"];
const AUTHORS: [&str; 2] = ["AU", "A1"];
const YEARS: [&str; 3] = ["PY", "Y1", "DA"];
const CONTAINERS: [&str; 6] = ["JO", "JF", "T2", "BT", "JA", "J2"];

/// Forms of tagged lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TagForm {
    /// `TY  - JOUR`, up to `ER  - `.
    Ris,
    /// `%0 Journal Article`.
    EndNote,
    /// `PMID- 1`.
    PubMed,
}

/// Tags of `EndNote` with those of RIS.
const ENDNOTE_TAGS: [(&str, &str); 11] = [
    ("%0", "TY"),
    ("%A", "AU"),
    ("%T", "TI"),
    ("%J", "JO"),
    ("%B", "T2"),
    ("%D", "PY"),
    ("%P", "SP"),
    ("%R", "DO"),
    ("%U", "UR"),
    ("%E", "A2"),
    ("%M", "AN"),
];

/// Tags of `PubMed` with those of RIS.
const PUBMED_TAGS: [(&str, &str); 12] = [
    ("PMID", "TY"),
    ("FAU", "AU"),
    ("AU", "A1"),
    ("TI", "TI"),
    ("BTI", "BT"),
    ("JT", "JF"),
    ("TA", "JA"),
    ("DP", "PY"),
    ("PG", "SP"),
    ("AID", "DO"),
    ("LID", "DI"),
    ("FED", "A2"),
];

/// Returns the form of which a text has a record.
fn form(text: &str) -> Option<TagForm> {
    let forms = [TagForm::Ris, TagForm::EndNote, TagForm::PubMed];
    forms.into_iter().find(|form| {
        let has = |wanted: &str| {
            let mut lines = text.lines().filter_map(|line| tag_and_value(line, *form));
            lines.any(|(tag, _)| tag == wanted)
        };
        // Some programs leave the kind of work out.
        has("TY") || (*form == TagForm::EndNote && has("AU") && has("TI"))
    })
}

/// True if a text has entries of these forms.
#[must_use]
pub fn is_tagged(text: &str) -> bool {
    form(text).is_some()
}

/// Reads all entries.
#[must_use]
pub fn entries(text: &str) -> Vec<ReferenceEntry> {
    let Some(form) = form(text) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut source = String::new();
    let last = if form == TagForm::Ris { "ER  - " } else { "" };
    for line in text.lines().chain([last]) {
        let tagged = tag_and_value(line, form);
        let is_end = match form {
            TagForm::Ris => tagged.is_some_and(|(tag, _)| tag == "ER"),
            _ => line.trim().is_empty(),
        };
        if is_end || tagged.is_some_and(|(tag, _)| tag == "TY") {
            let is_record = |(tag, _): &(&str, String)| {
                matches!(
                    (*tag, form),
                    ("TY", _) | ("AU" | "A1" | "TI" | "T1", TagForm::Ris | TagForm::EndNote)
                )
            };
            if fields.iter().any(is_record) {
                entries.push(read(&fields, &source, form));
            }
            fields.clear();
            source.clear();
        }
        match tagged {
            _ if is_end => continue,
            Some((tag, value)) => fields.push((tag, value.to_owned())),
            // The line before goes on.
            None => {
                if let Some((_, value)) = fields.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            }
        }
        source.push_str(line);
        source.push('\n');
    }
    entries
}

/// Returns the tag of a line, as RIS has it or else as it stands there, and its value.
fn tag_and_value(line: &str, form: TagForm) -> Option<(&str, &str)> {
    let line = line.trim_start_matches('\u{feff}');
    let is_sound = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let (tag, value) = if form == TagForm::EndNote {
        (line.get(..2)?, line.get(2..)?.strip_prefix(' ')?)
    } else {
        // Both have four letters or blanks before the hyphen.
        let (tag, value) = line.split_once('-')?;
        (tag.trim_end(), value)
    };
    let (letters, tags): (_, &[(&str, &str)]) = match form {
        TagForm::Ris => (tag, &[]),
        TagForm::EndNote => (tag.strip_prefix('%')?, &ENDNOTE_TAGS),
        TagForm::PubMed => (tag, &PUBMED_TAGS),
    };
    let is_long_enough = match form {
        TagForm::Ris => {
            tag.len() == 2 && line.as_bytes().get(2).is_some_and(u8::is_ascii_whitespace)
        }
        TagForm::EndNote => true,
        TagForm::PubMed => line.find('-') == Some(4),
    };
    if !is_long_enough || letters.is_empty() || !letters.bytes().all(is_sound) {
        return None;
    }
    let known = tags.iter().find(|(own, _)| *own == tag);
    Some((known.map_or(tag, |(_, ris)| ris), value.trim()))
}

fn read(fields: &[(&str, String)], source: &str, form: TagForm) -> ReferenceEntry {
    let of = |tags: &[&str]| -> Vec<&str> {
        let texts = tags.iter().map(|tag| {
            let values = fields
                .iter()
                .filter(move |(one, value)| one == tag && !value.is_empty());
            values.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
        });
        texts
            .into_iter()
            .find(|values| !values.is_empty())
            .unwrap_or_default()
    };
    let first = |tags: &[&str]| of(tags).first().copied().unwrap_or_default();
    // Both stand for authors, also side by side in one record; those of PubMed twice, with whole
    // names first.
    let has_whole = form == TagForm::PubMed && !of(&["AU"]).is_empty();
    let names = fields.iter().filter(|(tag, name)| {
        AUTHORS.contains(tag) && !name.is_empty() && !(has_whole && *tag == "A1")
    });
    let mut names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    if names.is_empty() {
        names = of(&["A2"]);
    }
    let authors = names.into_iter().map(|name| {
        let parts = name.split_once(',');
        let initials = || name.rsplit_once(' ').filter(|_| form == TagForm::PubMed);
        let (family, given) = parts.or_else(initials).unwrap_or((name, ""));
        NamedPerson {
            family: family.trim().to_owned(),
            given: given.trim().to_owned(),
        }
    });
    let kind = first(&["TY"]);
    let title = match first(&TITLES) {
        "" if kind == "BOOK" => first(&["BT"]),
        title => title,
    };
    let pages = [first(&["SP"]), first(&["EP"])];
    let pages: Vec<&str> = pages.into_iter().filter(|page| !page.is_empty()).collect();
    let mut entry = ReferenceEntry {
        text: source.to_owned(),
        title: title.to_owned(),
        authors: authors.collect(),
        years: years_in(first(&YEARS)).into_iter().take(1).collect(),
        container: first(&CONTAINERS).to_owned(),
        is_article: matches!(kind, "JOUR" | "JFULL" | "MGZN" | "Journal Article")
            || (form == TagForm::PubMed && first(&["BT"]).is_empty()),
        pages: pages.join("-"),
        url: first(&["UR", "L2"]).to_owned(),
        ..ReferenceEntry::default()
    };
    for value in ["DO", "DI", "M3", "UR", "L2", "L1", "C2", "AN"]
        .into_iter()
        .flat_map(|tag| of(&[tag]))
    {
        // PubMed says of each number which one it is.
        entry.add_id(WorkId::parse(value.trim_end_matches(" [doi]")));
    }
    if form == TagForm::PubMed {
        entry.add_id(WorkId::parse(&format!("PMID:{kind}")));
    }
    for value in of(&["N1"]).into_iter().chain(of(&CONTAINERS)) {
        for id in WorkId::all_in(value) {
            entry.add_id(Some(id));
        }
    }
    entry.with_bareness()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_with_lines_that_go_on() {
        let text = "TY  - JOUR\r\nAU  - Jumper, John\r\nA1  - Hassabis, D.\r\nT1  - Highly accurate\r\n\
            prediction\r\nJO  - Nature\r\nPY  - 2021/07/15/\r\nSP  - 583\r\nEP  - 589\r\n\
            DO  - 10.1000/X\r\nUR  - https://doi.org/10.1000/x\r\nER  - \r\n\r\n\
            TY  - BOOK\r\nTI  - A book\r\nY1  - 1999";
        assert!(is_tagged(text));
        let all = entries(text);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].title, "Highly accurate prediction");
        assert_eq!(all[0].authors[1].family, "Hassabis");
        assert_eq!((all[0].years[0], all[0].pages.as_str()), (2021, "583-589"));
        assert_eq!(all[0].ids, [WorkId::Doi("10.1000/x".to_owned())]);
        assert_eq!((all[1].title.as_str(), all[1].years[0]), ("A book", 1999));
        assert!(!is_tagged("No tags here. AU - no"));
        assert!(!is_tagged("50 % of it.\n%A is a hexadecimal number."));
    }
}
