//! Advice after a search without results, for programs and in sentences.

use serde::Serialize;

use crate::web::search::hints::{SearchHints, SearchSuggestion};

/// Suggested actions after a search without results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownHints<'a> {
    reason: &'static str,
    filters_applied: serde_json::Map<String, serde_json::Value>,
    suggested_actions: Vec<ShownAction<'a>>,
}

#[derive(Serialize)]
struct ShownAction<'a> {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    detail: String,
}

impl<'a> From<&'a SearchHints> for ShownHints<'a> {
    fn from(hints: &'a SearchHints) -> Self {
        let filters = hints.filters_applied.iter();
        let actions = hints.suggested_actions.iter();
        Self {
            reason: hints.reason.name(),
            filters_applied: filters
                .map(|(field, value)| ((*field).to_owned(), value.as_str().into()))
                .collect(),
            suggested_actions: actions.map(ShownAction::from).collect(),
        }
    }
}

impl<'a> From<&'a SearchSuggestion> for ShownAction<'a> {
    fn from(action: &'a SearchSuggestion) -> Self {
        let (name, parameter, value) = match action {
            SearchSuggestion::RemoveFilter(field) => ("remove_filter", Some(*field), None),
            SearchSuggestion::TryProvider(name) => {
                ("try_different_provider", Some("provider"), Some(*name))
            }
            SearchSuggestion::Rephrase => ("broaden_query", Some("query"), None),
        };
        Self {
            action: name,
            parameter,
            value,
            detail: in_words(action),
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
