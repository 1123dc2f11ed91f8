//! One search of patents from start to end: from the cache if possible, or else by the first
//! provider that answers, or else by a web search.

use std::time::{Duration, Instant};

use super::patent_answer::{self, GOOD_FOR, PatentAnswer};
use super::patent_list::PatentList;
use super::patent_provider::{self, PatentProvider};
use super::query::PatentSearch;
use super::{epo, web_patents};
use crate::cache::{CacheQuestion, SingleFlightGuard};
use crate::web::client::HttpClient;
use crate::web::credentials::SecretText;
use crate::web::provider::ProviderAccount;
use crate::web::provider::breaker::BreakerState;
use crate::web::provider::caller::ProviderCaller;
use crate::web::provider::exchange::{self, RetryBudget};
use crate::web::provider::failure::ProviderFailure;
use crate::web::search::choice::{self, NoProvider, ProviderChoice};
use crate::web::search::context::SearchContext;
use crate::web::search::outcome::{ProviderRouting, SearchFailure};
use crate::web::search::searcher::WebSearcher;

/// Longest time for one provider if others can be asked after it.
const TURN: Duration = Duration::from_secs(8);

/// Name of the web search as a source.
const WEB: &str = "web_search";

/// Runs searches of patents.
pub struct PatentSearcher<'a> {
    /// HTTP client; the search ends when its time does.
    pub client: &'a HttpClient,
    /// Configuration and caches.
    pub known: SearchContext<'a>,
}

impl PatentSearcher<'_> {
    /// Runs a search.
    pub fn search(&self, search: &PatentSearch) -> Result<PatentAnswer, SearchFailure> {
        let begin = Instant::now();
        let mut routed = ProviderRouting::default();
        let (mut found, mut last) = (None, None);
        for provider in patent_provider::candidates(search, self.known.credentials) {
            match self.ask(search, provider, &mut routed) {
                Ok(answer) => {
                    found = Some(answer);
                    break;
                }
                Err(failure) => {
                    routed.pass(&failure);
                    last = Some(failure);
                }
            }
        }
        let answer = match (found, last.filter(|_| search.provider.is_some())) {
            (Some(answer), _) => answer,
            (None, None) => self.ask_web(search, &mut routed)?,
            (None, Some(failure)) => {
                return Err(SearchFailure::Failed {
                    alternatives: alternatives(&self.known, failure.provider),
                    failure: Box::new(failure),
                    routed: None,
                });
            }
        };
        let took = begin.elapsed();
        Ok(PatentAnswer {
            routed,
            took,
            ..answer
        })
    }

    /// Asks a provider, unless its answer is cached or it failed lately.
    fn ask(
        &self,
        search: &PatentSearch,
        provider: &'static PatentProvider,
        routed: &mut ProviderRouting,
    ) -> Result<PatentAnswer, ProviderFailure> {
        let service = provider.service;
        let account = service.account(self.known.credentials)?;
        let question = patent_answer::question(search, service.name, &[account.place()]);
        let _turn = match self.kept_or_turn(service.name, &question) {
            Ok(answer) => return Ok(answer),
            Err(turn) => turn,
        };
        let is_named = search.provider.is_some();
        let half = TURN.min(self.client.left() / 2);
        let turn = if is_named { self.client.left() } else { half };
        let client = self.client.for_at_most(turn);
        let caller = ProviderCaller {
            client: &client,
            credentials: self.known.credentials,
            breakers: self.known.breakers(),
            patience: RetryBudget::SHORT,
        };
        if !is_named && let Some(failure) = caller.skipped(service) {
            return Err(failure);
        }
        routed.attempted.push(service.name);
        let mut token = None;
        if let Some(login) = provider.login {
            let (request, patience) = (login(&account), caller.patience);
            let asked = exchange::ask(&client, service, &request, patience, epo::token);
            // A login alone says nothing good of the provider.
            let failed = |failure: &ProviderFailure| caller.breakers.failed(service, failure.kind);
            token = asked.inspect_err(failed)?.pop();
        }
        let request = |account: &ProviderAccount| {
            let mut account = account.clone();
            let token = token.as_ref().map(|token| SecretText::new(&token.0));
            account.keys.push(token);
            (provider.request)(search, &account)
        };
        let list = PatentList::of(caller.ask(service, &request, provider.read)?, search);
        let partial = provider.office.filter(|_| search.office.is_none());
        let note = partial.map(|office| {
            let title = service.title;
            format!(
                "{title} has patents of the office {office} alone; another provider has others."
            )
        });
        Ok(self.answer(service.name, list, note, &question))
    }

    fn kept_or_turn(
        &self,
        source: &'static str,
        question: &CacheQuestion,
    ) -> Result<PatentAnswer, SingleFlightGuard> {
        let look = || kept(&self.known, source, question);
        self.known.kept_or_turn(self.client, question, look)
    }

    /// Searches the web for pages of patents.
    fn ask_web(
        &self,
        search: &PatentSearch,
        routed: &mut ProviderRouting,
    ) -> Result<PatentAnswer, SearchFailure> {
        let question = web_question(search, &self.known).map_err(SearchFailure::NoProvider)?;
        let _turn = match self.kept_or_turn(WEB, &question) {
            Ok(answer) => return Ok(answer),
            Err(turn) => turn,
        };
        routed.attempted.push(WEB);
        let searcher = WebSearcher {
            client: self.client,
            known: self.known,
        };
        let found = searcher.search(&web_patents::web_search(search));
        let found = found.map_err(|error| web_failed(error, routed))?;
        let title = found.provider.title;
        let patents = found.results.into_iter().filter_map(web_patents::patent_of);
        let note = format!(
            "These are pages of patents.google.com, found by a web search with {title}: its \
             excerpts stand for abstracts, and owners and days are not known."
        );
        let list = PatentList::of(patents.collect(), search);
        Ok(self.answer(WEB, list, Some(note), &question))
    }

    /// Builds the answer, and caches it if something was found.
    fn answer(
        &self,
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
            self.known.keep(question, &answer.bytes(), GOOD_FOR);
        }
        answer
    }
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
pub fn alternatives(known: &SearchContext<'_>, asked: &str) -> Vec<&'static str> {
    let all = patent_provider::configured(known.credentials).into_iter();
    known.others(all.map(|provider| provider.service), &[asked])
}

/// Returns the cached answer to a search, if a searcher would return it before it asks a provider.
#[must_use]
pub fn cached_answer(search: &PatentSearch, known: &SearchContext<'_>) -> Option<PatentAnswer> {
    let begin = Instant::now();
    let mut routed = ProviderRouting::default();
    let found = |answer: PatentAnswer, routed| PatentAnswer {
        routed,
        took: begin.elapsed(),
        ..answer
    };
    for provider in patent_provider::candidates(search, known.credentials) {
        let service = provider.service;
        let account = service.account(known.credentials).ok()?;
        let question = patent_answer::question(search, service.name, &[account.place()]);
        if let Some(answer) = kept(known, service.name, &question) {
            return Some(found(answer, routed));
        }
        let BreakerState::Open(left) = known.breakers().state(service) else {
            return None;
        };
        routed.leave_alone(service, left);
    }
    let question = web_question(search, known).ok()?;
    let answer = kept(known, WEB, &question).filter(|_| search.provider.is_none())?;
    Some(found(answer, routed))
}

fn kept(
    known: &SearchContext<'_>,
    source: &'static str,
    question: &CacheQuestion,
) -> Option<PatentAnswer> {
    PatentAnswer::read(source, &known.entry(question, GOOD_FOR)?)
}

/// Builds the cache key of a web search, which depends on whom it would ask.
fn web_question(
    search: &PatentSearch,
    known: &SearchContext<'_>,
) -> Result<CacheQuestion, NoProvider> {
    let web = web_patents::web_search(search);
    let providers = match choice::choose(&web, known.credentials)? {
        ProviderChoice::One(provider) => vec![provider],
        ProviderChoice::FirstOf(providers) => providers,
    };
    let places = providers.iter().map(|provider| {
        let account = provider.account(known.credentials);
        let place = account.map_or_else(|_| String::new(), |account| account.place());
        format!("{} {place}", provider.name)
    });
    let places: Vec<String> = places.collect();
    Ok(patent_answer::question(search, WEB, &places))
}
