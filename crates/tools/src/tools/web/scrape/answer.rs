//! The answer: the specification's object, field by field, within its reader's limit.
//!
//! Rules: the specification's output of `scrape_page`; the decisions on the host's calls (8, 9) for
//! the fields left out under a limit.

use std::io;

use super::request::MAX_CONTENT_BYTES;
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::reply::AnswerObject;
use crate::tools::web::answer_fields::AnswerFields;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::{FetchPaging, ScrapedPage, size_category};
use crate::tools::web::research_call::TRUST;
use iki_base::wording::count_noun;

/// Fewer words than these are reported as few.
const MIN_WORDS: usize = 150;

/// Fields that are left out first if there is not enough room, in that order.
const DISPENSABLE: &str = "structuredData forumSignals citation sparsityWarning metadata \
                           retractionStatus detectedDoi contentSizeBytes wordCount domainCategory \
                           authorityTier sourceType extractedBy extractionQuality extent \
                           sizeCategory estimatedTokens contentType url";

/// Builds the fields of an answer with this content; `truncated` if it is cut for the answer's
/// limit.
fn fields<'a>(page: &'a ScrapedPage, content: &str, truncated: bool) -> AnswerFields<'a> {
    let mut fields = AnswerFields::default();
    fields.add("url", &page.url);
    fields.add("contentType", &page.content_type);
    fields.add("trust", TRUST);
    fields.add("contentLength", content.len());
    fields.add("truncated", truncated);
    fields.add("estimatedTokens", content.len() / 4);
    fields.add("sizeCategory", size_category(content.len()));
    fields.add_some("citation", page.fact("citation"));
    fields.add_some("raw", page.is_raw.then_some(true));
    if !page.is_raw {
        fields.add_some("extractedBy", page.extracted_by.as_ref());
        let quality = if page.is_partial {
            "partial"
        } else {
            "complete"
        };
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
    for (name, fact) in page.facts.iter().filter(|(name, _)| name != "citation") {
        fields.add(name, fact);
    }
    if !page.is_raw {
        fields.add("wordCount", page.words);
    }
    fields.add("contentSizeBytes", page.whole);
    if !page.is_raw && page.words < MIN_WORDS {
        fields.add("sparsityWarning", sparsity(page));
    }
    fields
}

fn sparsity(page: &ScrapedPage) -> String {
    let words = count_noun(page.words as u64, "word");
    format!(
        "The whole content has {words}: it may be a stub, a notice or the beginning of something \
         that is shown elsewhere."
    )
}

/// Writes the answer, with as much of it as there is room for: the content takes the room that the
/// other fields leave.
pub fn write(object: &mut AnswerObject<'_>, page: &ScrapedPage) -> io::Result<()> {
    let in_words = object.terms().reader.reads_words();
    let is_shown = |name: &str| !in_words || super::FIELDS.iter().any(|(one, _)| *one == name);
    let mut left_out = Vec::new();
    let mut cut = None;
    if let Some(room) = object.room() {
        let mut all = fields(page, &page.content, true);
        all.0.retain(|(name, _)| is_shown(name));
        left_out = all.drop_until_fits(room / 2, DISPENSABLE);
        let room = room.saturating_sub(all.length() + "\"content\":\"\",".len());
        let fits = object.measure().prefix(page.content.as_bytes(), room);
        cut = content_cut::beginning(&page.content, fits, page.is_markdown);
    }
    let content = cut.as_ref().map_or(&*page.content, |cut| &*cut.text);
    let truncated = page.is_truncated || cut.is_some();
    let mut is_first = true;
    for (name, value) in fields(page, content, truncated).0 {
        if is_shown(name) && !left_out.contains(&name) {
            object.field(name, &value)?;
        }
        if std::mem::take(&mut is_first) {
            object.whole_text("content", content.as_bytes())?;
        }
    }
    for note in &page.notes {
        object.note(note.clone());
    }
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

/// Explains how to get the rest of a content of which `shown_bytes` are shown. `bounded` is true if
/// the answer's reader sets the limit, and not the request.
fn rest_of(
    page: &ScrapedPage,
    shown_bytes: usize,
    next: Option<usize>,
    terms: &CallTerms,
    bounded: bool,
) -> Option<String> {
    if page.is_raw && !bounded {
        return Some(format!(
            "There is more than these {shown_bytes} bytes: a larger max_length (at most \
             {MAX_CONTENT_BYTES}) gives it."
        ));
    }
    let opening = format!("The first {shown_bytes} of {} bytes are shown", page.whole);
    if page.is_preview && !bounded {
        return Some(format!("{opening}; mode full gives more."));
    }
    let next = next?;
    let line = page.lines_before + next;
    let is_model = matches!(terms.reader, Audience::Model | Audience::Program);
    // A window of lines would begin again within the first one.
    let pages_on = next > 1
        && terms.serves("web_fetch")
        && page.paging != FetchPaging::Nowhere
        && terms.reader != Audience::Person;
    let go_on = match (page.paging, is_model) {
        (FetchPaging::Main, true) => {
            format!("go on with web_fetch, offset {line}, main_only true")
        }
        (FetchPaging::Main, false) => {
            "web_fetch pages through the whole page with \"offset\" and \"limit\"".to_owned()
        }
        (_, true) => format!("go on with web_fetch, offset {line}"),
        (_, false) => format!("go on with web_fetch, \"offset\":{line}"),
    };
    let go_on = pages_on.then_some(go_on);
    let more =
        (!bounded).then(|| format!("a larger max_length (at most {MAX_CONTENT_BYTES}) gives more"));
    let ways: Vec<String> = go_on.into_iter().chain(more).collect();
    Some(if ways.is_empty() {
        format!("{opening}.")
    } else {
        format!("{opening}; {}.", ways.join(", or "))
    })
}
