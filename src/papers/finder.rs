//! One search for papers from start to end: from the cache if possible, or else from one provider
//! after the other, until there are enough.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cached_papers::{self, GOOD_FOR};
use super::paper::Paper;
use super::paper_provider::{PROVIDERS, PaperPage, PaperProvider, order};
use super::paper_search::PaperSearch;
use super::{request_pace, scholarly_web, unpaywall};
use crate::basics::sort::sort_by_number;
use crate::unseen::UnseenCount;
use crate::web::client::HttpClient;
use crate::web::provider::caller::ProviderCaller;
use crate::web::provider::exchange::RetryBudget;
use crate::web::provider::failure::{ProviderFailure, ProviderFailureKind};
use crate::web::search::context::SearchContext;
use crate::web::search::outcome::{ProviderRouting, SearchFailure};
use crate::web::search::searcher::WebSearcher;
use crate::web::search::unseen_taken_out;

/// Longest time for one provider if others can be asked after it.
const TURN: Duration = Duration::from_secs(8);

/// Least time that is worth asking another provider. A shorter one would say nothing about it.
const LEAST: Duration = Duration::from_secs(5);

/// Time kept for the request itself by one who waits for its turn.
const FOR_THE_REQUEST: Duration = Duration::from_secs(3);

/// Papers that were found, with their origin; as the cache keeps it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PaperAnswer {
    /// The papers, best first, at most as many as wanted: their fields.
    pub papers: Vec<Value>,
    /// Number of all papers that the first provider has found.
    pub total: u64,
    /// Providers that answered, in order; `web_search` if none did.
    pub answered: Vec<String>,
    /// Invisible characters that were removed from what was found.
    pub removed: UnseenCount,
    /// Route through the providers.
    #[serde(skip)]
    pub routed: ProviderRouting,
    /// Search provider that was asked in the place of all.
    #[serde(skip)]
    pub searched_with: Option<&'static str>,
    /// Age of a cached answer; `None` for a new one.
    #[serde(skip)]
    pub age: Option<Duration>,
    /// Duration of the search.
    #[serde(skip)]
    pub took: Duration,
}

/// Finds papers.
pub struct PaperFinder<'a> {
    /// HTTP client; the search ends when its time does.
    pub client: &'a HttpClient,
    /// Configuration and caches.
    pub known: SearchContext<'a>,
}

/// Returns the cached answer to a search, if there is one.
#[must_use]
pub fn kept(search: &PaperSearch, known: &SearchContext<'_>) -> Option<PaperAnswer> {
    let question = cached_papers::question(search, known.credentials);
    let entry = known.entry(&question, GOOD_FOR)?;
    let answer: PaperAnswer = serde_json::from_slice(&entry.bytes).ok()?;
    Some(PaperAnswer {
        age: Some(entry.age),
        ..answer
    })
}

/// Returns the names of providers that may answer now, other than those that are `named`.
#[must_use]
pub fn others(known: &SearchContext<'_>, named: &[&str]) -> Vec<&'static str> {
    known.others(PROVIDERS.iter().map(|one| &one.service), named)
}

impl PaperFinder<'_> {
    /// Runs a search.
    pub fn find(&self, search: &PaperSearch) -> Result<PaperAnswer, SearchFailure> {
        let begin = Instant::now();
        let question = cached_papers::question(search, self.known.credentials);
        let look = || kept(search, &self.known);
        let mut answer = match self.known.kept_or_turn(self.client, &question, look) {
            Ok(answer) => answer,
            Err(_turn) => {
                let answer = self.ask(search)?;
                // A provider that failed might have had more. A web search is kept by itself.
                let is_whole =
                    answer.routed.passed.is_empty() || answer.papers.len() >= search.count;
                if is_whole
                    && answer.searched_with.is_none()
                    && let Ok(bytes) = serde_json::to_vec(&answer)
                {
                    self.known.keep(&question, &bytes, GOOD_FOR);
                }
                answer
            }
        };
        answer.took = begin.elapsed();
        Ok(answer)
    }

    /// Asks one provider after the other, until there are enough papers.
    fn ask(&self, search: &PaperSearch) -> Result<PaperAnswer, SearchFailure> {
        let mut answer = PaperAnswer::default();
        let mut found = Vec::new();
        let mut first_failure = None;
        let mut look_ups = unpaywall::MOST;
        for provider in order(search) {
            let admitted = found.iter().filter(|paper| search.admits(paper));
            if admitted.count() >= search.count {
                break;
            }
            let page = match self.ask_provider(search, provider, &mut answer.routed) {
                Ok(page) => page,
                Err(failure) => {
                    answer.routed.pass(&failure);
                    first_failure.get_or_insert(failure);
                    continue;
                }
            };
            if answer.answered.is_empty() {
                answer.total = page.total;
            }
            answer.answered.push(provider.name.to_owned());
            answer.removed = answer.removed.and(page.removed);
            for paper in page.papers {
                add(&mut found, search, paper.tidied(provider.name));
            }
            if search.wants_open() {
                unpaywall::look_up(&self.caller(self.client), &mut found, &mut look_ups);
            }
        }
        if let Some(failure) = first_failure.filter(|_| answer.answered.is_empty()) {
            found = self.search_web(search, failure, &mut answer)?;
            if search.wants_open() {
                unpaywall::look_up(&self.caller(self.client), &mut found, &mut look_ups);
            }
        }
        found.retain(|paper| search.admits(paper));
        if search.by_date {
            // The newest first; of equals the one that was found first.
            sort_by_number(&mut found, |paper| {
                paper.date.map_or(0.0, |date| -date.rank())
            });
        }
        found.truncate(search.count);
        unpaywall::look_up(&self.caller(self.client), &mut found, &mut look_ups);
        answer.papers = found.into_iter().map(Paper::into_fields).collect();
        Ok(answer)
    }

    fn caller<'c>(&'c self, client: &'c HttpClient) -> ProviderCaller<'c> {
        ProviderCaller {
            client,
            credentials: self.known.credentials,
            breakers: self.known.breakers(),
            patience: RetryBudget::SHORT,
        }
    }

    /// Asks a provider, by as many requests as it takes.
    fn ask_provider(
        &self,
        search: &PaperSearch,
        provider: &'static PaperProvider,
        routed: &mut ProviderRouting,
    ) -> Result<PaperPage, ProviderFailure> {
        let later = |left: Duration| {
            let kind = ProviderFailureKind::too_fast(left.as_secs() + 1);
            let text = format!("There was no time to wait for {}.", provider.title);
            ProviderFailure::new(provider, kind, text)
        };
        let alone = search.provider.is_some();
        if !routed.attempted.is_empty() && self.client.left() < LEAST {
            return Err(later(Duration::ZERO));
        }
        let turn = if alone { self.client.left() } else { TURN };
        let client = self.client.for_at_most(turn);
        let caller = self.caller(&client);
        // One that is asked for is asked whatever happened.
        if !alone && let Some(failure) = caller.skipped(provider) {
            return Err(failure);
        }
        let mut page = PaperPage::default();
        for step in provider.steps {
            if let Some(pace) = provider.pace {
                let longest = client.left().saturating_sub(FOR_THE_REQUEST);
                request_pace::wait(self.known.store, provider, pace, longest).map_err(later)?;
            }
            if routed.attempted.last() != Some(&provider.name) {
                routed.attempted.push(provider.name);
            }
            let build = |account: &_| (step.request)(search, account, &page);
            let pages = caller.ask(provider, &build, step.read)?;
            let next = pages.into_iter().next().unwrap_or_default();
            page = PaperPage {
                total: next.total.max(page.total),
                ..next
            };
            if page.papers.is_empty() && page.ids.is_empty() {
                break;
            }
        }
        Ok(page)
    }

    /// Searches the web for papers after all providers have failed, of which the first had
    /// `failure`.
    fn search_web(
        &self,
        search: &PaperSearch,
        failure: ProviderFailure,
        answer: &mut PaperAnswer,
    ) -> Result<Vec<Paper>, SearchFailure> {
        let (client, known) = (self.client, self.known);
        let routed = &mut answer.routed;
        let alone = search.provider.is_some();
        if !alone {
            routed.attempted.push(scholarly_web::NAME);
            let why =
                match (WebSearcher { client, known }).search(&scholarly_web::search_of(search)) {
                    Ok(results) => {
                        answer.answered = vec![scholarly_web::NAME.to_owned()];
                        answer.searched_with = Some(results.provider.title);
                        answer.removed = unseen_taken_out(&results.results);
                        let mut found = Vec::new();
                        for result in results.results {
                            let paper = scholarly_web::paper(result, search.source);
                            add(&mut found, search, paper);
                        }
                        return Ok(found);
                    }
                    Err(SearchFailure::NoProvider(_)) => "nobody to ask",
                    Err(SearchFailure::Failed { failure, .. }) => failure.kind.in_words(),
                };
            routed.passed.push((scholarly_web::NAME, why.to_owned()));
        }
        let tried: Vec<&str> = routed.passed.iter().map(|(name, _)| *name).collect();
        let alternatives = others(&known, &tried);
        Err(SearchFailure::Failed {
            failure: Box::new(failure),
            routed: (!alone).then(|| routed.clone()),
            alternatives,
        })
    }
}

/// Adds a paper to those that were found, or to what is known of it, if it may be one of those that
/// are searched for.
fn add(found: &mut Vec<Paper>, search: &PaperSearch, paper: Option<Paper>) {
    let Some(paper) = paper.filter(|paper| search.covers(paper)) else {
        return;
    };
    match found.iter_mut().find(|one| one.is_same(&paper)) {
        Some(known) => known.absorb(paper),
        None => found.push(paper),
    }
}
