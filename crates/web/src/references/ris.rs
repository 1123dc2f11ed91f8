//! Bibliographies in RIS: a tag and a value on each line.

use super::entry::{NamedPerson, ReferenceEntry, years_in};
use crate::papers::work_id::WorkId;

/// Tags with the fields that they are; the first one of an entry counts.
const TITLES: [&str; 3] = ["TI", "T1", "CT"];
const AUTHORS: [&str; 2] = ["AU", "A1"];
const YEARS: [&str; 3] = ["PY", "Y1", "DA"];
const CONTAINERS: [&str; 6] = ["JO", "JF", "T2", "BT", "JA", "J2"];

/// True if a text has entries of this form.
#[must_use]
pub fn is_ris(text: &str) -> bool {
    let mut lines = text.lines().filter_map(tag_and_value);
    lines.any(|(tag, _)| tag == "TY")
}

/// Reads all entries.
#[must_use]
pub fn entries(text: &str) -> Vec<ReferenceEntry> {
    let mut entries = Vec::new();
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut source = String::new();
    for line in text.lines() {
        let tagged = tag_and_value(line);
        if tagged.is_some_and(|(tag, _)| tag == "TY") && !fields.is_empty() {
            entries.push(read(&fields, &source));
            fields.clear();
            source.clear();
        }
        match tagged {
            Some(("ER", _)) => {
                if !fields.is_empty() {
                    entries.push(read(&fields, &source));
                }
                fields.clear();
                source.clear();
                continue;
            }
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
    if fields.iter().any(|(tag, _)| *tag == "TY") {
        entries.push(read(&fields, &source));
    }
    entries
}

fn tag_and_value(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches('\u{feff}');
    let tag = line.get(..2)?;
    let sound = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if !tag.bytes().all(sound) {
        return None;
    }
    let remainder = line[2..].trim_start();
    (line.len() > remainder.len() + 2).then_some(())?;
    let value = remainder.strip_prefix('-')?;
    Some((tag, value.trim()))
}

fn read(fields: &[(&str, String)], source: &str) -> ReferenceEntry {
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
    // Both stand for authors, also side by side in one record.
    let names = fields
        .iter()
        .filter(|(tag, name)| AUTHORS.contains(tag) && !name.is_empty());
    let mut names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    if names.is_empty() {
        names = of(&["A2"]);
    }
    let authors = names.into_iter().map(|name| {
        let (family, given) = name.split_once(',').unwrap_or((name, ""));
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
        is_article: matches!(kind, "JOUR" | "JFULL" | "MGZN"),
        pages: pages.join("-"),
        url: first(&["UR", "L2"]).to_owned(),
        ..ReferenceEntry::default()
    };
    for value in ["DO", "DI", "M3", "UR", "L2", "L1", "C2", "AN"]
        .into_iter()
        .flat_map(|tag| of(&[tag]))
    {
        entry.add_id(WorkId::parse(value));
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
        assert!(is_ris(text));
        let all = entries(text);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].title, "Highly accurate prediction");
        assert_eq!(all[0].authors[1].family, "Hassabis");
        assert_eq!((all[0].years[0], all[0].pages.as_str()), (2021, "583-589"));
        assert_eq!(all[0].ids, [WorkId::Doi("10.1000/x".to_owned())]);
        assert_eq!((all[1].title.as_str(), all[1].years[0]), ("A book", 1999));
        assert!(!is_ris("No tags here. AU - no"));
    }
}
