//! Searches for what a session lacks, as `web_search` makes them, one after the other: providers
//! throttle whoever asks for several at once.

use serde_json::{Value, json};

use crate::contract::call_terms::CallTerms;
use crate::tools::web::searching::search_failure;
use crate::tools::web::session_record::{CallOutcome, SessionFindings, SessionSource};
use crate::tools::web::{network, research_cache};
use iki_web::credentials::Credentials;
use iki_web::search::context::SearchContext;
use iki_web::search::query::{SafeSearch, WebSearch};
use iki_web::search::searcher;

/// Maximum number of searches of a step, and results of a search.
const MAX_SEARCHES: usize = 3;
const RESULTS_PER_SEARCH: usize = 5;

/// Name of the tool whose searches these are.
const TOOL: &str = "web_search";

/// Runs the first of these searches; adds what they find to `findings`, and returns the results of
/// each, or why there are none.
pub fn search(queries: &[String], terms: &CallTerms, findings: &mut SessionFindings) -> Vec<Value> {
    let credentials = Credentials::from_env();
    let store = research_cache::store(terms);
    let client = network::client(terms);
    let context = SearchContext {
        client: &client,
        credentials: &credentials,
        store: store.as_deref(),
        keeps_answers: research_cache::keeps_answers(terms),
    };
    let queries = queries.iter().take(MAX_SEARCHES);
    let answers = queries.map(|query| {
        let searched = searcher::search(
            &context,
            &WebSearch {
                query: query.clone(),
                count: RESULTS_PER_SEARCH,
                safe: Some(SafeSearch::Medium),
                ..WebSearch::default()
            },
        );
        let mut outcome = CallOutcome {
            tool: TOOL.to_owned(),
            ..CallOutcome::default()
        };
        let reply = match searched {
            Ok(answer) => {
                answer.provider.name.clone_into(&mut outcome.provider);
                let sources = answer.results.iter().map(SessionSource::from);
                findings.sources.extend(sources);
                let results = answer.results.iter();
                let results = results
                    .map(|one| json!({"title": one.title, "url": one.url, "snippet": one.snippet}));
                json!({"query": query, "results": results.collect::<Value>()})
            }
            Err(error) => {
                let failure = search_failure::failure(TOOL, &error, &credentials);
                failure.code.kind().clone_into(&mut outcome.failure);
                let provider = failure.advice.and_then(|advice| advice.provider);
                outcome.provider = provider.unwrap_or_default();
                json!({"query": query, "results": [], "error": failure.message})
            }
        };
        findings.outcomes.push(outcome);
        reply
    });
    answers.collect()
}
