//! Bibliographies in CSL-JSON, and the records of Crossref, which are nearly that.

use serde_json::Value;

use super::entry::{NamedPerson, ReferenceEntry, years_in};
use iki_web::provider::reply::string;
use iki_web::work::work_id::WorkId;

/// Reads all entries; `None` if the text is not of this form.
#[must_use]
pub fn entries(text: &str) -> Option<Vec<ReferenceEntry>> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if !text.starts_with(['[', '{']) {
        return None;
    }
    let whole: Value = serde_json::from_str(text).ok()?;
    let items = match &whole {
        Value::Array(items) => items.as_slice(),
        Value::Object(object) => match object.get("items").or(object.get("references")) {
            Some(Value::Array(items)) => items.as_slice(),
            _ => std::slice::from_ref(&whole),
        },
        _ => return None,
    };
    let items: Vec<ReferenceEntry> = items
        .iter()
        .filter(|item| item.is_object())
        .map(read)
        .collect();
    let is_empty = |entry: &ReferenceEntry| entry.title.is_empty() && entry.ids.is_empty();
    (!items.iter().all(is_empty) || items.is_empty()).then_some(items)
}

/// Returns why a text that is meant to be JSON cannot be read, with the place.
#[must_use]
pub fn fault(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('\u{feff}');
    // References may begin with their numbers in brackets.
    let inside = text.strip_prefix('[').unwrap_or(text).trim_start();
    let object = inside.strip_prefix('{')?.trim_start();
    if !object.starts_with(['"', '}']) {
        return None;
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => Some(format!("it is no JSON: {error}")),
        Ok(_) if entries(text).is_none() => {
            Some("nothing in it has a title or a DOI where CSL-JSON has them".to_owned())
        }
        Ok(_) => None,
    }
}

/// Returns a text, or the first of several.
fn text(item: &Value, names: &[&str]) -> String {
    let values = names.iter().filter_map(|name| item.get(name));
    let texts = values.filter_map(|value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(all) => all.first()?.as_str().map(str::to_owned),
        _ => None,
    });
    texts
        .map(|text| text.trim().to_owned())
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

fn read(item: &Value) -> ReferenceEntry {
    let people = ["author", "editor"]
        .iter()
        .filter_map(|name| item.get(name)?.as_array());
    let people = people.into_iter().find(|people| !people.is_empty());
    let authors = people.into_iter().flatten().map(|one| {
        let literal = text(one, &["literal", "name"]);
        let particle = text(one, &["non-dropping-particle", "dropping-particle"]);
        let family = [particle.as_str(), string(one, "family")]
            .join(" ")
            .trim()
            .to_owned();
        NamedPerson {
            family: if family.is_empty() { literal } else { family },
            given: string(one, "given").to_owned(),
        }
    });
    let issued = &item["issued"];
    let year = match &issued["date-parts"][0][0] {
        Value::Number(year) => year.to_string(),
        Value::String(year) => year.clone(),
        _ => text(issued, &["raw", "literal", "year"]),
    };
    let kind = string(item, "type");
    let mut entry = ReferenceEntry {
        text: item.to_string(),
        title: text(item, &["title"]),
        authors: authors.filter(|one| !one.family.is_empty()).collect(),
        years: years_in(&year).into_iter().take(1).collect(),
        container: text(
            item,
            &[
                "container-title",
                "container-title-short",
                "journalAbbreviation",
            ],
        ),
        is_article: matches!(
            kind,
            "article-journal" | "journal-article" | "article-magazine"
        ),
        pages: text(item, &["page", "page-first"]),
        url: text(item, &["URL"]),
        ..ReferenceEntry::default()
    };
    entry.add_id(WorkId::parse(&text(item, &["DOI"])));
    entry.add_id(WorkId::parse(&format!("PMID:{}", text(item, &["PMID"]))));
    entry.add_id(WorkId::parse(&entry.url));
    for name in ["number", "note", "archive_location", "container-title"] {
        for id in WorkId::all_in(&text(item, &[name])) {
            entry.add_id(Some(id));
        }
    }
    entry.with_bareness()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_json_is_told_with_the_place() {
        for (text, place) in [
            (r#"[{"title":"It",}]"#, "line 1 column 16"),
            (
                r#"[{"title":"It"}"#,
                "EOF while parsing a list at line 1 column 15",
            ),
            (" {\"title\": \"It\"\n\"DOI\": 1}", "line 2 column 1"),
        ] {
            let fault = fault(text).unwrap_or_default();
            assert!(fault.contains(place), "{text}: {fault}");
        }
        let other = fault(r#"{"work": {"name": "It"}}"#).unwrap_or_default();
        assert!(other.contains("title or a DOI"), "{other}");
        for text in [
            "[1] A. Lee, It, 2020.",
            "[{1}] A. Lee, It, 2020.",
            r#"[{"title":"It"}]"#,
            "{Lee} It.",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }

    #[test]
    fn entries_are_read_from_a_list_or_alone() {
        let one = r#"{"type":"article-journal","title":"Highly <i>accurate</i>","DOI":"10.1000/X",
            "author":[{"family":"Berg","given":"Jan","non-dropping-particle":"van den"},
            {"literal":"A Consortium"}],"issued":{"date-parts":[["2021",7]]},
            "container-title":"Nature","page":"583-589","PMID":"123"}"#;
        for text in [
            one.to_owned(),
            format!("[{one}]"),
            format!(r#"{{"items":[{one}]}}"#),
        ] {
            let all = entries(&text).unwrap();
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].authors[0].family, "van den Berg");
            assert_eq!(all[0].authors[1].family, "A Consortium");
            assert_eq!((all[0].years[0], all[0].is_article), (2021, true));
            let ids: Vec<String> = all[0].ids.iter().map(WorkId::to_string).collect();
            assert_eq!(ids, ["doi:10.1000/x", "PMID:123"]);
        }
        for text in ["", "[1] A. Author. Title.", "{not json}", r#"{"a":1}"#] {
            assert_eq!(entries(text), None, "{text}");
        }
    }
}
