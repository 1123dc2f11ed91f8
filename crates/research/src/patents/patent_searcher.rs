//! One search of patents from start to end: from the cache if possible, or else by the first
//! provider that answers, or else by a web search.

use std::time::Instant;

use super::patent_answer::{self, PatentAnswer, TIME_TO_LIVE};
use super::patent_list::PatentList;
use super::patent_provider::{self, PatentProvider};
use super::query::PatentSearch;
use super::{epo, web_patents};
use iki_web::cache::{CacheQuestion, SingleFlightGuard};
use iki_web::credentials::SecretText;
use iki_web::provider::exchange::{self, RetryBudget};
use iki_web::provider::failure::ProviderFailure;
use iki_web::provider::{Provider, ProviderAccount};
use iki_web::search::context::SearchContext;
use iki_web::search::provider_choice::{self, NoProvider};
use iki_web::search::provider_route::{PROVIDER_TIMEOUT, ProviderRoute};
use iki_web::search::search_answer::{ProviderRouting, SearchFailure};
use iki_web::search::searcher;

/// Name of the web search as a source.
const WEB: &str = "web_search";

/// Runs a search.
pub fn search(
    context: &SearchContext<'_>,
    search: &PatentSearch,
) -> Result<PatentAnswer, SearchFailure> {
    let start = Instant::now();
    let is_named = search.provider.is_some();
    let mut route = ProviderRoute::new(*context, is_named);
    let mut list = None;
    for provider in patent_provider::candidates(search, context.credentials) {
        // The web search comes after them.
        let longest = PROVIDER_TIMEOUT.min(context.client.time_left() / 2);
        let service = provider.service;
        list = route.ask(
            service,
            longest,
            |account| cached_or_turn(context, service.name, &question(search, service, account)),
            |context, account| ask(context, search, provider, account),
        )?;
        if list.is_some() {
            break;
        }
    }
    let answer = match (list, route.last_failure().filter(|_| is_named)) {
        (Some(answer), _) => answer,
        (None, None) => ask_web(context, search, &mut route.routing)?,
        (None, Some(failure)) => {
            let configured = patent_provider::configured(context.credentials);
            let configured = configured.into_iter().map(|provider| provider.service);
            return Err(route.failed(failure, configured));
        }
    };
    Ok(PatentAnswer {
        routed: route.routing,
        took: start.elapsed(),
        ..answer
    })
}

/// Asks a provider, and caches its answer.
fn ask(
    context: &SearchContext<'_>,
    search: &PatentSearch,
    provider: &'static PatentProvider,
    account: &ProviderAccount,
) -> Result<PatentAnswer, ProviderFailure> {
    let service = provider.service;
    let mut signed_in = account.clone();
    if let Some(login) = provider.login {
        let budget = RetryBudget::WHILE_OTHERS_REMAIN;
        let tokens = exchange::ask(context.client, service, &login(account), budget, epo::token);
        // A login does not show that the provider works.
        let failed = |failure: &ProviderFailure| context.breakers().failed(service, failure.kind);
        let token = tokens.inspect_err(failed)?.pop();
        let token = token.map(|token| SecretText::new(&token.0));
        signed_in.keys.push(token);
    }
    let request = (provider.request)(search, &signed_in);
    let list = PatentList::select(context.ask(service, &request, provider.read)?, search);
    let partial = provider.office.filter(|_| search.office.is_none());
    let note = partial.map(|office| {
        let title = service.title;
        format!("{title} has only patents of the office {office}; another provider has others.")
    });
    let question = question(search, service, account);
    Ok(answer(context, service.name, list, note, &question))
}

fn cached_or_turn(
    context: &SearchContext<'_>,
    source: &'static str,
    question: &CacheQuestion,
) -> Result<PatentAnswer, SingleFlightGuard> {
    context.cached_or_turn(question, || {
        let (stored, age) = context.cached(question, TIME_TO_LIVE)?;
        Some(PatentAnswer::of_stored(source, stored, age))
    })
}

/// Searches the web for pages of patents.
fn ask_web(
    context: &SearchContext<'_>,
    search: &PatentSearch,
    routed: &mut ProviderRouting,
) -> Result<PatentAnswer, SearchFailure> {
    let question = web_question(search, context).map_err(SearchFailure::NoProvider)?;
    let _turn = match cached_or_turn(context, WEB, &question) {
        Ok(answer) => return Ok(answer),
        Err(turn) => turn,
    };
    routed.attempted.push(WEB);
    let web = searcher::search(context, &web_patents::web_search(search));
    let web = web.map_err(|error| web_failed(error, routed))?;
    let title = web.provider.title;
    let patents = web.results.into_iter().filter_map(web_patents::patent_of);
    let note = format!(
        "These are pages of patents.google.com, found by a web search with {title}: its excerpts \
         stand for abstracts, and owners and days are not known."
    );
    let list = PatentList::select(patents.collect(), search);
    Ok(answer(context, WEB, list, Some(note), &question))
}

/// Builds the answer, and caches it if something was found.
fn answer(
    context: &SearchContext<'_>,
    source: &'static str,
    list: PatentList,
    note: Option<String>,
    question: &CacheQuestion,
) -> PatentAnswer {
    let undated = (list.undated > 0).then(|| {
        format!(
            "The years could not be checked for {} of these, whose day of filing is not known.",
            list.undated
        )
    });
    let unseen = list.taken.note_of_page("the results");
    let answer = PatentAnswer {
        source,
        patents: list.patents,
        notes: [note, undated, unseen].into_iter().flatten().collect(),
        ..PatentAnswer::default()
    };
    if !answer.patents.is_empty() {
        context.cache(question, &answer.to_stored(), TIME_TO_LIVE);
    }
    answer
}

/// Returns the failure of a web search that was the last resort.
fn web_failed(error: SearchFailure, routed: &ProviderRouting) -> SearchFailure {
    let SearchFailure::Failed { mut failure, .. } = error else {
        return error;
    };
    let is_only = routed.passed.is_empty();
    if is_only {
        failure.advice +=
            " With a key of uspto, epo, lens or searchapi patents are asked for directly.";
    }
    SearchFailure::Failed {
        failure,
        routed: (!is_only).then(|| routed.clone()),
        alternatives: Vec::new(),
    }
}

/// Returns the configured providers that can be asked in place of this one.
#[must_use]
pub fn alternatives(context: &SearchContext<'_>, named: &str) -> Vec<&'static str> {
    let all = patent_provider::configured(context.credentials).into_iter();
    context.others(all.map(|provider| provider.service), &[named])
}

/// Builds the cache key of a search with this provider.
fn question(search: &PatentSearch, service: &Provider, account: &ProviderAccount) -> CacheQuestion {
    patent_answer::question(search, service.name, &[account.place()])
}

/// Builds the cache key of a web search, which depends on whom it would ask.
fn web_question(
    search: &PatentSearch,
    context: &SearchContext<'_>,
) -> Result<CacheQuestion, NoProvider> {
    let web = web_patents::web_search(search);
    let providers = provider_choice::choose(&web, context.credentials)?.providers();
    let places = providers.iter().map(|provider| {
        let account = provider.account(context.credentials);
        let place = account.map_or_else(|_| String::new(), |account| account.place());
        format!("{} {place}", provider.name)
    });
    let places: Vec<String> = places.collect();
    Ok(patent_answer::question(search, WEB, &places))
}
