//! `search_and_scrape`: one search, and its results read.
//!
//! | module | contents |
//! |---|---|
//! | `read_request` | the fields of a request |
//! | `parallel_reading` | pages that are read at the same time |
//! | `read_source` | the sources that they are |
//! | `scores` | the order of sources |
//! | `paragraphs` | the parts of texts, which are not repeated |
//! | `answer` | the answer |
//!
//! Rules: the specification's `search_and_scrape`. The search is `web_search`'s (`searching`), and
//! the pages are `scrape_page`'s (`page_reading`), with the cache of both.

mod answer;
mod paragraphs;
mod parallel_reading;
mod read_request;
mod read_source;
mod scores;

use std::time::{Duration, Instant};

use url::Url;

use crate::cache::CacheStore;
use crate::contract::call_terms::{Audience, CallTerms, Deadline};
use crate::contract::failure::Failure;
use crate::contract::reply::{META, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, EnvelopeFamily, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::tools::web::network;
use crate::tools::web::page_reading::cached_page;
use crate::tools::web::research_cache::{self, AnswerFreshness, ResearchCache};
use crate::tools::web::resource_link::{self, LargeAnswer, LinkedAnswer};
use crate::tools::web::searching::search_meta::SearchMeta;
use crate::tools::web::searching::{self, search_failure};
use crate::tools::web::session_record::{self, CallOutcome, SessionFinds};
use crate::web::credentials::Credentials;
use crate::web::guard::Guard;
use crate::web::search::cached_results;
use crate::web::search::context::SearchContext;
use crate::web::search::display_link;
use crate::web::search::hints::SearchHints;
use crate::web::search::outcome::SearchAnswer;
use crate::web::search::searcher::WebSearcher;
use answer::ReadAnswer;
use parallel_reading::PageOutcome;
use read_request::ReadAllFields;
use read_source::ReadResults;

/// The tool's name.
const NAME: &str = "search_and_scrape";

/// Most of a call's time that the search gets, so that some is left for the pages.
const SEARCHING: Duration = Duration::from_secs(15);

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: NAME,
    link: "search-and-scrape-tool",
    title: "Search the web and read what is found",
    family: EnvelopeFamily::Research,
    set: ToolSet::Research,
    served_by_default: false,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    max_concurrent_calls: Some(2),
    schema: include_str!("../../schemas/search_and_scrape.json"),
    model_schema: include_str!("../../schemas/for_models/search_and_scrape.json"),
    output_schema: Some(include_str!("../../schemas/output/search_and_scrape.json")),
    aliases: session_record::ALIASES,
    values: searching::VALUES,
    artifacts: true,
    manual: ToolManual(include_str!("../../manuals/search_and_scrape.txt")),
    // The others are for programs alone.
    fields: &[
        ("combinedContent", FieldRole::Content),
        ("trust", FieldRole::Aside(&[("trust", "")])),
    ],
    run,
    from_cache: Some(from_cache),
    ..Tool::PLAIN
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let mut finds = SessionFinds::default();
    let result = search_and_read(request, &mut finds);
    session_record::recorded(request, None, NAME, finds, result)
}

fn search_and_read<'a>(
    request: &'a Request<'a>,
    finds: &mut SessionFinds,
) -> Result<Reply<'a>, Failure> {
    let begin = Instant::now();
    let credentials = Credentials::from_env();
    let asked = read_request::read(request, &credentials)?;
    let terms = CallTerms {
        // One for all that is fetched.
        deadline: Deadline::after(request.terms().left(network::CALL)),
        ..*request.terms()
    };
    let cache = ResearchCache::of_user(&terms);
    let client = network::client(&terms);
    let known = cache.known(&credentials);
    let searcher = WebSearcher {
        client: &client.for_at_most(SEARCHING),
        known,
    };
    let found = searcher.search(&asked.search.search);
    let found = found.map_err(|error| search_failure::failure(NAME, &error, &credentials))?;
    let pages = found.results.iter().map(|one| asked.page_of(one, &terms));
    let store = cache.for_answers();
    let client = client.led_by(leading(&found, &credentials));
    let outcomes = parallel_reading::read(pages.collect(), &terms, &client, store);
    Ok(reply(
        (asked, found, outcomes),
        &known,
        request.terms(),
        begin,
        finds,
    ))
}

fn from_cache<'a>(
    request: &'a Request<'a>,
    store: &dyn CacheStore,
) -> Option<Result<Reply<'a>, Failure>> {
    let mut finds = SessionFinds::default();
    let result = cached(request, store, &mut finds)?;
    let store = Some(store);
    Some(session_record::recorded(
        request, store, NAME, finds, result,
    ))
}

/// Returns the address of the provider, whose results the caller has not named.
fn leading(found: &SearchAnswer, credentials: &Credentials<'_>) -> Option<Url> {
    let account = found.provider.account(credentials).ok()?;
    Some(account.endpoint)
}

/// Returns the answer if the cache has the search and all of its pages.
fn cached<'a>(
    request: &'a Request<'a>,
    store: &dyn CacheStore,
    finds: &mut SessionFinds,
) -> Option<Result<Reply<'a>, Failure>> {
    let begin = Instant::now();
    let credentials = Credentials::from_env();
    let asked = match read_request::read(request, &credentials) {
        Ok(asked) => asked,
        Err(failure) => return Some(Err(failure)),
    };
    let terms = request.terms();
    let known = SearchContext {
        credentials: &credentials,
        store: Some(store),
        keeps_answers: research_cache::keeps_answers(terms),
    };
    let found = known.answer(&asked.search.search)?;
    let leading = leading(&found, &credentials)?;
    let mut outcomes = Vec::new();
    for result in &found.results {
        let page = asked.page_of(result, terms)?;
        Guard::led_by(&leading, &page.url)?
            .check_url(&page.url)
            .ok()?;
        outcomes.push(cached_page::cached_answer(&page, store)?);
    }
    Some(Ok(reply(
        (asked, found, outcomes),
        &known,
        terms,
        begin,
        finds,
    )))
}

fn reply<'a>(
    (asked, found, outcomes): (ReadAllFields, SearchAnswer, Vec<PageOutcome>),
    known: &SearchContext<'_>,
    terms: &CallTerms,
    begin: Instant,
    finds: &mut SessionFinds,
) -> Reply<'a> {
    *finds = session_finds(&found, &outcomes);
    let age = freshness(&found, &outcomes);
    let hints = found.results.is_empty().then(|| {
        let breakers = known.breakers();
        SearchHints::of(
            &asked.search.search,
            found.provider,
            known.credentials,
            breakers,
        )
    });
    let read = ReadResults::of(&asked, &found.results, outcomes);
    let answer = ReadAnswer {
        asked,
        found,
        read,
        hints,
        took: u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    let linked = linked(&answer, terms, known);
    Reply::new(move |object| {
        match &linked {
            Some(linked) => linked.write(object)?,
            None => answer.write(object)?,
        }
        let mut meta = SearchMeta::of(&answer.found);
        meta.freshness = age;
        object.field_for_server(META, &meta)
    })
}

/// Creates the link that replaces a large answer for a program over MCP, if there is a store.
fn linked(
    answer: &ReadAnswer,
    terms: &CallTerms,
    known: &SearchContext<'_>,
) -> Option<LinkedAnswer> {
    let takes_links = terms.served && terms.reader == Audience::Program && known.keeps_answers;
    let store = known.store.filter(|_| takes_links)?;
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
            answer.asked.search.search.query,
            answer.read.status(),
            titles.collect::<Vec<_>>().join(", "),
        ),
        description: "The whole answer, as JSON; it can be read until it expires.",
    };
    resource_link::link(store, &large)
}

/// Returns the freshness of the part of the answer that is the nearest to its end; new, if a part
/// is.
fn freshness(found: &SearchAnswer, outcomes: &[PageOutcome]) -> AnswerFreshness {
    let pages = outcomes.iter().flatten();
    let pages = pages.map(|hit| (hit.age, cached_page::GOOD_FOR));
    let mut worst = (found.age, cached_results::GOOD_FOR);
    let left = |(age, good_for): (Option<Duration>, Duration)| {
        age.map_or(Duration::ZERO, |age| good_for.saturating_sub(age))
    };
    for part in pages {
        if left(part) < left(worst) {
            worst = part;
        }
    }
    let (age, good_for) = worst;
    AnswerFreshness::of(age, good_for)
}

/// What a session keeps of an answer.
fn session_finds(found: &SearchAnswer, outcomes: &[PageOutcome]) -> SessionFinds {
    let (mut sources, mut all) = (Vec::new(), Vec::new());
    for (result, outcome) in found.results.iter().zip(outcomes) {
        let failure = outcome.as_ref().err().map(|failure| failure.code.kind());
        sources.push(match outcome {
            Ok(hit) => hit.page.session_source(),
            Err(_) => result.into(),
        });
        all.push(CallOutcome {
            tool: NAME.to_owned(),
            provider: display_link(&result.url),
            failure: failure.unwrap_or_default().to_owned(),
        });
    }
    SessionFinds {
        provider: found.provider.name.to_owned(),
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
