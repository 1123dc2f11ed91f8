//! `search_and_scrape`: one search, and its results read.
//!
//! | module | contents |
//! |---|---|
//! | `request` | the fields of a request |
//! | `parallel_reading` | pages that are read at the same time |
//! | `source` | the sources that they are |
//! | `scores` | the order of sources |
//! | `paragraphs` | the parts of texts, which are not repeated |
//! | `answer` | the answer |
//!
//! Rules: the specification's `search_and_scrape`. The search is `web_search`'s (`searching`), and
//! the pages are `scrape_page`'s (`page_reading`), with the cache of both.

mod answer;
mod paragraphs;
mod parallel_reading;
mod request;
mod scores;
mod source;

use std::time::{Duration, Instant};

use crate::contract::call_terms::{Audience, CallTerms, Deadline};
use crate::contract::failure::Failure;
use crate::contract::reply::{META, Reply};
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::network;
use crate::tools::web::page_reading::cached_page;
use crate::tools::web::research_cache::AnswerFreshness;
use crate::tools::web::research_call::{ResearchCall, research_tool};
use crate::tools::web::resource_link::{self, LargeAnswer, LinkedAnswer};
use crate::tools::web::searching;
use crate::tools::web::searching::search_meta::SearchMeta;
use crate::tools::web::session_record::{CallOutcome, SessionFindings};
use answer::ReadAnswer;
use iki_web::client::AddressOrigin;
use iki_web::credentials::Credentials;
use iki_web::search::cached_results;
use iki_web::search::context::SearchContext;
use iki_web::search::display_link;
use iki_web::search::hints::SearchHints;
use iki_web::search::search_answer::SearchAnswer;
use iki_web::search::searcher;
use parallel_reading::PageOutcome;
use source::ReadResults;

/// Maximum time of the search, so that some is left for the pages.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(15);

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "search-and-scrape-tool",
    title: "Search the web and read what is found",
    max_concurrent_calls: Some(2),
    values: searching::VALUES,
    links_artifacts: true,
    // The others are for programs only.
    fields: &[
        ("combinedContent", FieldRole::Content),
        ("trust", FieldRole::Aside(&[("trust", "")])),
    ],
    ..research_tool!("search_and_scrape", answer)
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let start = Instant::now();
    let context = call.context;
    let wanted = request::read(call.request, context.credentials)?;
    let terms = CallTerms {
        // One for all that is fetched.
        deadline: Deadline::after(call.request.terms().time_left(network::CALL_TIMEOUT)),
        ..*call.request.terms()
    };
    let client = context.client.for_at_most(SEARCH_TIMEOUT);
    let hits = searcher::search(&context.with_client(&client), &wanted.search.search);
    let Some(hits) = call.answer_of(hits)? else {
        return Ok(None);
    };
    let pages = hits.results.iter().map(|one| wanted.page_of(one, &terms));
    let client = context.client.clone();
    let client = client.for_addresses_of(origin(&hits, context.credentials));
    let outcomes = parallel_reading::read(pages.collect(), &terms, &client, context.for_answers());
    let Some(outcomes) = outcomes else {
        return Ok(None);
    };
    call.session_findings = session_findings(&hits, &outcomes);
    let age = freshness(&hits, &outcomes);
    let is_empty = hits.results.is_empty();
    let search = &wanted.search.search;
    let advice = is_empty.then(|| SearchHints::for_search(search, hits.provider, &context));
    let read = ReadResults::arrange(&wanted, &hits.results, outcomes);
    let answer = ReadAnswer {
        wanted,
        hits,
        read,
        hints: advice,
        took: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    let linked = linked(&answer, call.request.terms(), &context);
    Ok(Some(Reply::new(move |object| {
        match &linked {
            Some(linked) => linked.write(object)?,
            None => answer.write(object)?,
        }
        let mut meta = SearchMeta::from_answer(&answer.hits);
        meta.freshness = age;
        object.field_for_server(META, &meta)
    })))
}

/// Returns the origin of the results' addresses: the provider, and not the caller, names them.
fn origin(hits: &SearchAnswer, credentials: &Credentials<'_>) -> AddressOrigin {
    let account = hits.provider.account(credentials);
    account.map_or(AddressOrigin::Unknown, |account| {
        AddressOrigin::Provider(account.endpoint)
    })
}

/// Creates the link that replaces a large answer for a program over MCP, if there is a store.
fn linked(
    answer: &ReadAnswer,
    terms: &CallTerms,
    context: &SearchContext<'_>,
) -> Option<LinkedAnswer> {
    let takes_links = terms.is_served && terms.reader == Audience::Program && context.keeps_answers;
    let store = context.store.filter(|_| takes_links)?;
    let titles = answer
        .read
        .sources
        .iter()
        .map(|one| format!("{} ({})", one.title, one.page.url));
    let large = LargeAnswer {
        mime_type: resource_link::JSON,
        text: resource_link::whole_object(|object| answer.write(object)).ok()?,
        summary: format!(
            "What was found for {:?}, {}: {}. Read the resource for all of it.",
            answer.wanted.search.search.query,
            answer.read.status(),
            titles.collect::<Vec<_>>().join(", "),
        ),
        description: "The whole answer, as JSON; it can be read until it expires.",
    };
    resource_link::link(store, &large)
}

/// Returns the freshness of the part of the answer that is the nearest to its end; new, if a part
/// is.
fn freshness(hits: &SearchAnswer, outcomes: &[PageOutcome]) -> AnswerFreshness {
    let pages = outcomes.iter().flatten();
    let pages = pages.map(|hit| (hit.age, cached_page::TIME_TO_LIVE));
    let mut worst = (hits.age, cached_results::TIME_TO_LIVE);
    let left = |(age, good_for): (Option<Duration>, Duration)| {
        age.map_or(Duration::ZERO, |age| good_for.saturating_sub(age))
    };
    for part in pages {
        if left(part) < left(worst) {
            worst = part;
        }
    }
    let (age, good_for) = worst;
    AnswerFreshness::from_age(age, good_for)
}

/// Returns what a session records of an answer.
fn session_findings(hits: &SearchAnswer, outcomes: &[PageOutcome]) -> SessionFindings {
    let (mut sources, mut all) = (Vec::new(), Vec::new());
    for (result, outcome) in hits.results.iter().zip(outcomes) {
        let failure = outcome.as_ref().err().map(|failure| failure.code.kind());
        sources.push(match outcome {
            Ok(hit) => hit.page.session_source(),
            Err(_) => result.into(),
        });
        all.push(CallOutcome {
            tool: TOOL.name.to_owned(),
            provider: display_link(&result.url),
            failure: failure.unwrap_or_default().to_owned(),
        });
    }
    SessionFindings {
        provider: hits.provider.name.to_owned(),
        sources,
        outcomes: all,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_schema_of_answers_knows_every_field() {
        let schema: Value = serde_json::from_str(TOOL.output_schema.unwrap()).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        for (field, _) in TOOL.fields {
            assert!(properties.contains_key(*field), "{field}");
        }
        assert!(properties.contains_key("note"));
        assert_eq!(schema.get("additionalProperties"), None);
    }
}
