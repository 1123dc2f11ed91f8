//! Notes on the results of a search.

use super::search_fields::SearchFields;
use crate::contract::notes::Notes;
use iki_web::search::count_removed;
use iki_web::search::search_answer::SearchAnswer;
use iki_web::search::search_provider::SearchProvider;

/// Writes notes on fields that were ignored, and hosts that were not searched.
pub fn notes(wanted: &SearchFields, answer: &SearchAnswer) -> Notes {
    let SearchProvider {
        service, limits, ..
    } = answer.provider;
    let title = service.title;
    let mut notes = Notes::default();
    if !answer.unheeded.is_empty() {
        notes.add(format!(
            "{title} cannot search by {}, and did not.",
            answer.unheeded.join(" or ")
        ));
    }
    if let Some(sent_query) = &answer.shortened {
        notes.add(format!(
            "{title} takes searches of at most {} characters and {} words: only the beginning of \
             the query was searched for, {sent_query:?}.",
            limits.characters, limits.words
        ));
    }
    for (hosts, failure) in &answer.unsearched {
        let were = if hosts.len() == 1 { "was" } else { "were" };
        notes.add(format!(
            "{} {were} not searched: {failure}",
            hosts.join(", ")
        ));
    }
    for problem in &wanted.problems {
        notes.add(problem.clone());
    }
    notes.add(count_removed(&answer.results).note_of_page("the results"));
    notes
}
