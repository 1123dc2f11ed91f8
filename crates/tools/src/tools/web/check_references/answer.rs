//! The answer: an object for programs, lines for models and people, of which a reference that was
//! found takes one.

use serde_json::{Value, json};

use super::request::ReferenceFields;
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::tools::web::research_call::TRUST;
use crate::tools::web::searching::result_list::count_fitting;
use iki_base::wording::{count_noun, join_list};
use iki_research::papers::paper::Paper;
use iki_research::references::check_outcome::{CheckedReference, ReferenceStatus};
use iki_research::references::entry::ReferenceEntry;
use iki_web::link_check::{CheckedLink, LinkState};
use iki_web::page::retraction::RetractionStatus;

/// Maximum number of bytes taken by the fields around the references if there is a limit.
const OTHER_FIELDS_BYTES: usize = 400;

/// Fields of a paper that say nothing of whether it exists.
const LEFT_OUT: [&str; 4] = ["abstract", "tldr", "isInfluential", "retractionStatus"];

/// All statuses, in the order in which they are counted.
const STATUSES: [ReferenceStatus; 4] = [
    ReferenceStatus::Found,
    ReferenceStatus::Differs,
    ReferenceStatus::NotFound,
    ReferenceStatus::Unchecked,
];

/// Returns the name of a link's state.
fn state(link: &CheckedLink) -> &'static str {
    match link.state {
        // A server that lets no program in is there.
        LinkState::Alive | LinkState::Restricted => "alive",
        LinkState::Dead => "dead",
        LinkState::Unreachable | LinkState::Unchecked => "unchecked",
    }
}

/// Returns a reference as programs have it.
fn fields(entry: &ReferenceEntry, checked: &CheckedReference, link: Option<&CheckedLink>) -> Value {
    let source = checked.source.as_str();
    let differences = checked.differences.iter().map(
        |one| json!({"field": one.field, "given": one.given, "found": one.found, "source": source}),
    );
    let mut row = json!({
        "entry": entry.display_text(),
        "status": checked.status.name(),
        "confidence": checked.confidence,
        "checked": checked.checked,
        "differences": differences.collect::<Vec<_>>(),
    });
    if let Some(paper) = &checked.paper {
        let mut work = paper.fields();
        if let Some(work) = work.as_object_mut() {
            for name in LEFT_OUT {
                work.remove(name);
            }
        }
        if let Some(status) = &paper.work.retraction {
            row["retractionStatus"] = serde_json::to_value(status).unwrap_or_default();
        }
        row["work"] = work;
    }
    if let Some(link) = link {
        row["link"] = state(link).into();
        if let Some(copy) = &link.archived {
            row["archivedUrl"] = copy.as_str().into();
        }
    }
    if !checked.reason.is_empty() {
        row["reason"] = checked.reason.as_str().into();
    }
    row
}

/// Returns a reference as lines of text, for reading; an empty line is not shown.
fn lines(entry: &ReferenceEntry, checked: &CheckedReference, link: Option<&CheckedLink>) -> Value {
    let paper = checked.paper.as_ref();
    let mut remarks: Vec<String> = Vec::new();
    let retraction = paper.and_then(|paper| paper.work.retraction.as_ref());
    remarks.extend(retraction.map(RetractionStatus::in_words));
    if let Some(link) = link.filter(|link| state(link) == "dead") {
        let copy = link.archived.as_ref();
        let copy = copy.map(|copy| format!(", archived copy: {copy}"));
        remarks.push(format!("its link is dead{}", copy.unwrap_or_default()));
    }
    let status = checked.status.name();
    if let (ReferenceStatus::Found, Some(paper)) = (checked.status, paper) {
        let remarks = remarks
            .iter()
            .fold(String::new(), |all, one| all + "; " + one);
        return json!({"line": format!("{status}: {}{remarks}", work_line(paper))});
    }
    let differences = checked.differences.iter().map(|one| {
        let actual = match one.found.as_str() {
            "" => "none".to_owned(),
            actual => format!("{actual:?}"),
        };
        format!(
            "{}: given {:?}, {} has {actual}",
            one.field, one.given, checked.source
        )
    });
    let providers: Vec<String> = checked
        .checked
        .iter()
        .map(|one| one.provider.clone())
        .collect();
    let why = match checked.status {
        ReferenceStatus::NotFound => format!("not known to {}", join_list(&providers, "and")),
        ReferenceStatus::Unchecked => checked.reason.clone(),
        _ => differences.collect::<Vec<_>>().join("; "),
    };
    json!({
        "line": format!("{status}: {}", entry.display_text()),
        "why": why,
        "work": paper.map(|paper| format!("the work: {}", work_line(paper))).unwrap_or_default(),
        "remarks": remarks.join("; "),
    })
}

/// Returns a work on one line: its first author, year, title and address.
fn work_line(paper: &Paper) -> String {
    let work = &paper.work;
    let first = work.authors.first().map(|author| {
        let more = if work.authors.len() > 1 {
            " et al."
        } else {
            ""
        };
        author.in_natural_order() + more
    });
    let year = work.year().map(|year| year.to_string());
    let parts = [
        first,
        year,
        Some(work.title.clone()),
        Some(work.url.clone()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Builds the answer.
pub fn reply<'a>(
    wanted: ReferenceFields,
    checked: Vec<CheckedReference>,
    links: Vec<Option<CheckedLink>>,
) -> Reply<'a> {
    Reply::new(move |object| {
        let in_words = object.terms().reader.reads_words();
        let all = wanted.entries_to_check().iter().zip(&checked).zip(&links);
        let rows: Vec<Value> = all
            .map(|((entry, checked), link)| {
                let show = if in_words { lines } else { fields };
                show(entry, checked, link.as_ref())
            })
            .collect();
        let rows_shown = count_fitting(object, &rows, OTHER_FIELDS_BYTES);
        object.field("references", &rows[..rows_shown])?;
        let mut summary = json!({"total": wanted.entries.len(), "checked": rows_shown});
        for status in STATUSES {
            let count = checked[..rows_shown]
                .iter()
                .filter(|one| one.status == status)
                .count();
            summary[status.name()] = count.into();
        }
        object.field("summary", &summary)?;
        object.field("offset", &(wanted.before + 1))?;
        let next = next_offset(&wanted, &checked, rows_shown);
        if let Some(next) = next {
            object.field("nextOffset", &next)?;
        }
        object.field("trust", TRUST)?;
        object.note(notes(&wanted, &checked[..rows_shown], &summary, next));
        Ok(())
    })
}

/// Returns the number of the entry that the next call begins with: the first one that was not
/// checked for a reason that passes, or else the one after those that are shown.
fn next_offset(
    wanted: &ReferenceFields,
    checked: &[CheckedReference],
    rows_shown: usize,
) -> Option<usize> {
    let first = checked[..rows_shown].iter().position(|one| one.may_change);
    let next = wanted.before + first.unwrap_or(rows_shown);
    (next < wanted.entries.len()).then_some(next + 1)
}

fn notes(
    wanted: &ReferenceFields,
    checked: &[CheckedReference],
    summary: &Value,
    next: Option<usize>,
) -> Notes {
    let mut notes = Notes::default();
    let counts = STATUSES.map(|status| {
        let count = &summary[status.name()];
        format!("{count} {}", status.name())
    });
    let (first, last) = (wanted.before + 1, wanted.before + checked.len());
    let total = wanted.entries.len();
    notes.add(if first == 1 && last == total {
        format!(
            "{}: {}.",
            count_noun(total as u64, "reference"),
            counts.join(", ")
        )
    } else {
        format!(
            "References {first} to {last} of {total}: {}.",
            counts.join(", ")
        )
    });
    let mut reasons: Vec<&str> = Vec::new();
    for one in checked
        .iter()
        .filter(|one| one.status == ReferenceStatus::Unchecked)
    {
        if !reasons.contains(&one.reason.as_str()) {
            reasons.push(&one.reason);
        }
    }
    if !reasons.is_empty() {
        reasons.truncate(3);
        notes.add(format!(
            "Unchecked says nothing of a work ({}).",
            reasons.join("; ")
        ));
    }
    if checked.is_empty() {
        notes.add("There is no room for one of them here.".to_owned());
    } else if let Some(next) = next {
        notes.add(format!(
            "Go on with \"offset\":{next}; what was checked is kept for an hour."
        ));
    }
    notes
}
