//! Advice after a search without results, for programs and in sentences.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::web::search::hints::{SearchHints, SearchSuggestion};

/// Suggested actions after a search without results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownHints {
    reason: &'static str,
    filters_applied: Map<String, Value>,
    suggested_actions: Vec<Value>,
}

impl From<&SearchHints> for ShownHints {
    fn from(hints: &SearchHints) -> Self {
        let filters = hints.filters_applied.iter();
        let filters = filters.map(|(field, value)| ((*field).to_owned(), value.as_str().into()));
        Self {
            reason: hints.reason,
            filters_applied: filters.collect(),
            suggested_actions: hints.suggested_actions.iter().map(shown_action).collect(),
        }
    }
}

fn shown_action(action: &SearchSuggestion) -> Value {
    let detail = in_words(action);
    match action {
        SearchSuggestion::RemoveFilter(field) => {
            json!({"action": "remove_filter", "parameter": field, "detail": detail})
        }
        SearchSuggestion::TryProvider(name) => json!({
            "action": "try_different_provider", "parameter": "provider", "value": name,
            "detail": detail,
        }),
        SearchSuggestion::Rephrase => {
            json!({"action": "broaden_query", "parameter": "query", "detail": detail})
        }
    }
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
