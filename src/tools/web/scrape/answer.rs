//! The answer: the specification's object, field by field, within its reader's limit.
//!
//! Rules: the specification's output of `scrape_page`; the decisions on the host's calls (8, 9) for
//! the fields left out under a limit.

use std::io;

use serde_json::value::RawValue;

use super::request::LONGEST;
use crate::contract::bounded::TextMeasure;
use crate::contract::reply::Object;
use crate::contract::terms::{Audience, Terms};
use crate::tools::web::answer_fields::AnswerFields;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::{FetchPaging, ScrapedPage, size_category};
use crate::tools::web::research_cache::TRUST;

/// Fewer words than these are reported as few.
const SPARSE: usize = 150;

/// Facts beside the text, placed behind those about it.
const FACTS: [&str; 7] = [
    "structuredData",
    "forumSignals",
    "sourceType",
    "authorityTier",
    "domainCategory",
    "detectedDoi",
    "retractionStatus",
];

/// Facts for programs only.
const FOR_PROGRAMS: [&str; 1] = ["structuredData"];

/// Fields that are left out first if there is not enough room, in that order.
const DISPENSABLE: [&str; 19] = [
    "structuredData",
    "forumSignals",
    "citation",
    "sparsityWarning",
    "metadata",
    "retractionStatus",
    "detectedDoi",
    "contentSizeBytes",
    "wordCount",
    "domainCategory",
    "authorityTier",
    "sourceType",
    "extractedBy",
    "extractionQuality",
    "extent",
    "sizeCategory",
    "estimatedTokens",
    "contentType",
    "url",
];

/// Builds the fields of an answer with this content; `truncated` if it is cut for the answer's
/// limit.
fn fields(page: &ScrapedPage, content: &str, truncated: bool) -> AnswerFields {
    let mut fields = AnswerFields::default();
    fields.add("url", &page.url);
    fields.add("contentType", &page.content_type);
    fields.add("trust", TRUST);
    fields.add("contentLength", content.len());
    fields.add("truncated", truncated);
    fields.add("estimatedTokens", content.len() / 4);
    fields.add("sizeCategory", size_category(content.len()));
    fields.add_some("citation", page.fact("citation"));
    fields.add_some("raw", page.raw.then_some(true));
    if !page.raw {
        fields.add_some("extractedBy", page.extracted_by.as_ref());
        let quality = if page.partial { "partial" } else { "complete" };
        fields.add("extractionQuality", quality);
        fields.add_some("extent", page.extent);
        fields.add_some(
            "metadata",
            page.title.as_ref().map(|title| {
                let author = page.author.as_deref().unwrap_or_default();
                serde_json::json!({"title": title, "author": author})
            }),
        );
    }
    for name in FACTS {
        fields.add_some(name, page.fact(name));
    }
    if !page.raw {
        fields.add("wordCount", page.words);
    }
    fields.add("contentSizeBytes", page.whole);
    if !page.raw && page.words < SPARSE {
        fields.add("sparsityWarning", sparsity(page));
    }
    fields
}

fn sparsity(page: &ScrapedPage) -> String {
    let words = match page.words {
        1 => "1 word".to_owned(),
        words => format!("{words} words"),
    };
    format!(
        "The whole content has {words}: it may be a stub, a notice or the beginning of something that is shown elsewhere."
    )
}

/// Writes the answer.
pub fn write(object: &mut Object<'_>, page: &ScrapedPage) -> io::Result<()> {
    if object.terms().max_answer.is_some() {
        return write_within(object, page);
    }
    for (name, value) in fields(page, &page.content, page.truncated).0 {
        put(object, name, &value)?;
        if name == "url" {
            object.whole_text("content", page.content.as_bytes())?;
        }
    }
    say_notes(object, page);
    if page.truncated {
        let note = rest_of(
            page,
            page.content.len(),
            page.next_line,
            object.terms(),
            false,
        );
        object.note_at_both_ends(note);
    }
    Ok(())
}

fn put(object: &mut Object<'_>, name: &str, value: &RawValue) -> io::Result<()> {
    if FOR_PROGRAMS.contains(&name) {
        object.field_for_programs(name, value)
    } else {
        object.field(name, value)
    }
}

fn say_notes(object: &mut Object<'_>, page: &ScrapedPage) {
    for note in &page.notes {
        object.note(note.clone());
    }
}

/// Writes as much as there is room for: the content comes last because it takes the room that the
/// other fields leave.
fn write_within(object: &mut Object<'_>, page: &ScrapedPage) -> io::Result<()> {
    let is_model = object.terms().reader == Audience::Model;
    let room = object.room().unwrap_or(usize::MAX);
    let mut all = fields(page, &page.content, true);
    if is_model {
        all.0.retain(|(name, _)| !FOR_PROGRAMS.contains(name));
    }
    let left_out = all.drop_until_fits(room / 2, &DISPENSABLE);
    let room = room.saturating_sub(all.length() + "\"content\":\"\",".len());
    let cut = shorter(page, room, object.measure());
    let content = cut.as_ref().map_or(&*page.content, |cut| &*cut.text);
    let truncated = page.truncated || cut.is_some();
    for (name, value) in fields(page, content, truncated).0 {
        if !left_out.contains(&name) {
            put(object, name, &value)?;
        }
    }
    object.whole_text("content", content.as_bytes())?;
    say_notes(object, page);
    if truncated {
        let next = cut
            .as_ref()
            .map_or(page.next_line, |cut| Some(cut.next_line));
        let note = rest_of(page, content.len(), next, object.terms(), cut.is_some());
        object.note_at_both_ends(note);
    }
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        object.note(format!("There was no room for {names}."));
    }
    Ok(())
}

/// Returns the beginning of the content that fits into `room`, if not all of it does.
fn shorter(
    page: &ScrapedPage,
    room: usize,
    measure: TextMeasure,
) -> Option<content_cut::ContentBeginning> {
    let fits = measure.prefix(page.content.as_bytes(), room);
    if fits == page.content.len() {
        return None;
    }
    content_cut::beginning(&page.content, fits, page.markdown)
}

/// Explains how to get the rest of a content of which `shown` bytes are shown. `bounded` is true if
/// the answer's reader sets the limit, and not the request.
fn rest_of(
    page: &ScrapedPage,
    shown: usize,
    next: Option<usize>,
    terms: &Terms,
    bounded: bool,
) -> Option<String> {
    if page.raw && !bounded {
        return Some(format!(
            "There is more than these {shown} bytes: a greater max_length (at most {LONGEST}) \
             gives it."
        ));
    }
    let begin = format!("The first {shown} of {} bytes are shown", page.whole);
    if page.preview && !bounded {
        return Some(format!("{begin}; mode full gives more."));
    }
    let next = next?;
    let line = page.lines_before + next;
    let model = matches!(terms.reader, Audience::Model | Audience::Program);
    let main = page.paging == FetchPaging::Main;
    let go_on = match (page.paging, terms.reader) {
        // A window of lines would begin again within the first one.
        _ if next <= 1 || !terms.serves("web_fetch") => None,
        (FetchPaging::Nowhere, _) | (_, Audience::Person) => None,
        (_, Audience::Model | Audience::Program) => {
            let main = if main { ", main_only true" } else { "" };
            Some(format!("go on with web_fetch, offset {line}{main}"))
        }
        (FetchPaging::Whole, _) => Some(format!("go on with web_fetch, \"offset\":{line}")),
        (FetchPaging::Main, _) => {
            Some("web_fetch pages through the whole page with \"offset\" and \"limit\"".to_owned())
        }
    };
    let more =
        (!bounded || model).then(|| format!("a greater max_length (at most {LONGEST}) gives more"));
    let ways: Vec<String> = go_on.into_iter().chain(more).collect();
    Some(if ways.is_empty() {
        format!("{begin}.")
    } else {
        format!("{begin}; {}.", ways.join(", or "))
    })
}
