//! Advice after a search without results, for programs and in sentences.

use serde_json::{Map, Value, json};

use iki_web::search::hints::{SearchHints, SearchSuggestion};

/// Returns the hints as answers have them.
pub fn in_answer(hints: &SearchHints) -> Value {
    let filters = hints.filters_applied.iter();
    let filters = filters.map(|(field, value)| ((*field).to_owned(), value.as_str().into()));
    let actions = hints.suggested_actions.iter().map(|action| {
        let detail = in_words(action);
        match action {
            SearchSuggestion::RemoveFilter(field) => {
                json!({"action": "remove_filter", "parameter": field, "detail": detail})
            }
            SearchSuggestion::TryProvider(name) => json!({
                "action": "try_different_provider",
                "parameter": "provider",
                "value": name,
                "detail": detail,
            }),
            SearchSuggestion::Rephrase => {
                json!({"action": "broaden_query", "parameter": "query", "detail": detail})
            }
        }
    });
    json!({
        "reason": hints.reason,
        "filtersApplied": filters.collect::<Map<String, Value>>(),
        "suggestedActions": actions.collect::<Value>(),
    })
}

fn in_words(action: &SearchSuggestion) -> String {
    match action {
        SearchSuggestion::RemoveFilter(field) => format!("Search again without {field}."),
        SearchSuggestion::TryProvider(name) => format!("Search again with the provider {name}."),
        SearchSuggestion::Rephrase => "Search with other or fewer words.".to_owned(),
    }
}

/// Returns the hints as sentences.
pub fn in_sentences(hints: &SearchHints) -> String {
    let actions: Vec<String> = hints.suggested_actions.iter().map(in_words).collect();
    let filters: Vec<String> = hints
        .filters_applied
        .iter()
        .map(|(field, value)| format!("{field} ({value})"))
        .collect();
    if filters.is_empty() {
        return actions.join(" ");
    }
    format!(
        "What may have taken results away: {}. {}",
        filters.join(", "),
        actions.join(" ")
    )
}
