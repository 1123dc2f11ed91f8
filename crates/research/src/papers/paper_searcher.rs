//! One search for papers from start to end: from the cache if possible, or else from one provider
//! after the other, until there are enough.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::cached_papers::{self, TIME_TO_LIVE};
use super::paper::Paper;
use super::paper_provider::{PROVIDERS, PaperPage, PaperProvider, order};
use super::paper_search::{PaperOrder, PaperSearch, PaperTarget};
use super::{doi_registry, paper_caller, scholarly_web, unpaywall};
use iki_base::unseen::UnseenCount;
use iki_web::cache::SingleFlightGuard;
use iki_web::search::context::SearchContext;
use iki_web::search::count_removed;
use iki_web::search::provider_choice::NoProvider;
use iki_web::search::provider_route::{PROVIDER_TIMEOUT, ProviderRoute};
use iki_web::search::search_answer::{ProviderRouting, SearchFailure};
use iki_web::search::searcher;
use iki_web::work::work_id::WorkId;

/// Minimum time that is worth asking another provider. A shorter one would say nothing about it.
const MIN_PROVIDER_TIME: Duration = Duration::from_secs(5);

/// Papers that were found, with their origin; as the cache keeps it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PaperAnswer {
    /// The papers, best first, at most as many as wanted.
    pub papers: Vec<Paper>,
    /// Number of all papers that the first provider has found.
    pub total: u64,
    /// Providers that answered, in order; `web_search` if none did.
    pub answered: Vec<String>,
    /// Invisible characters that were removed from what was found.
    pub removed: UnseenCount,
    /// Providers that do not apply some of the filters themselves, with these.
    #[serde(default)]
    pub filtered: Vec<(String, Vec<String>)>,
    /// Number of papers to which those were applied afterwards.
    #[serde(default)]
    pub looked_at: usize,
    /// Providers that do not know the work around which papers were searched for.
    #[serde(default)]
    pub unknown_to: Vec<String>,
    /// Providers that keep the list to themselves.
    #[serde(default)]
    pub withheld_by: Vec<String>,
    /// True if the DOI that was looked up is registered, though nobody knows its work.
    #[serde(default)]
    pub is_registered: Option<bool>,
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

/// Returns the names of providers that may answer now, other than those that are `named`.
#[must_use]
pub fn others(context: &SearchContext<'_>, named: &[&str]) -> Vec<&'static str> {
    context.others(PROVIDERS.iter().map(|one| &one.service), named)
}

/// Runs a search.
pub fn search(
    context: &SearchContext<'_>,
    search: &PaperSearch,
) -> Result<PaperAnswer, SearchFailure> {
    let start = Instant::now();
    let question = cached_papers::question(search, context.credentials);
    let cached = context.cached_or_turn(&question, || {
        let (answer, age): (PaperAnswer, _) = context.cached(&question, TIME_TO_LIVE)?;
        Some(PaperAnswer {
            age: Some(age),
            ..answer
        })
    });
    let answer = match cached {
        Ok(answer) => answer,
        Err(_turn) if context.client.is_offline() => {
            return Err(SearchFailure::NoProvider(NoProvider::Offline));
        }
        Err(_turn) => {
            let answer = ask(context, search)?;
            // A provider that failed might have had more. A web search is kept by itself.
            let is_whole = answer.routed.passed.is_empty() || answer.papers.len() >= search.count;
            if is_whole && answer.searched_with.is_none() {
                context.cache(&question, &answer, TIME_TO_LIVE);
            }
            answer
        }
    };
    Ok(PaperAnswer {
        took: start.elapsed(),
        ..answer
    })
}

/// Asks one provider after the other, until there are enough papers.
fn ask(context: &SearchContext<'_>, search: &PaperSearch) -> Result<PaperAnswer, SearchFailure> {
    let mut answer = PaperAnswer::default();
    let mut papers = Vec::new();
    let mut look_ups = unpaywall::MAX_LOOK_UPS;
    let mut route = ProviderRoute {
        min_time: MIN_PROVIDER_TIME,
        ..ProviderRoute::new(*context, search.provider.is_some())
    };
    for provider in order(search) {
        let admitted = papers.iter().filter(|paper| search.admits(paper));
        if admitted.count() >= search.count {
            break;
        }
        let page = route.ask(
            provider,
            PROVIDER_TIMEOUT,
            |_| Err(SingleFlightGuard::default()),
            |context, account| paper_caller::ask(context, search, provider, account),
        )?;
        let Some(page) = page else { continue };
        if answer.total == 0 {
            answer.total = page.total;
        }
        answer.note_page(search, provider, &page);
        answer.removed = answer.removed.and(page.removed);
        for paper in page.papers {
            add(&mut papers, search, paper.tidied(provider.name));
        }
        if search.wants_open() {
            unpaywall::look_up(context, &mut papers, &mut look_ups);
        }
        // A page is one provider's; what another one has before it nobody knows.
        if search.page.is_some() && !answer.answered.is_empty() {
            break;
        }
    }
    let about_words = search.target == PaperTarget::Words;
    // A work may be known to who did not answer.
    let is_known =
        !answer.answered.is_empty() && (search.target.work().is_none() || !papers.is_empty());
    let first_failure = route.failures.first().cloned();
    if let Some(failure) = first_failure.filter(|_| !is_known) {
        let may_search = about_words && search.page.is_none() && !route.is_only;
        if !(may_search && search_web(context, search, &mut route, &mut answer, &mut papers)) {
            return Err(route.failed(failure, PROVIDERS.iter().map(|one| &one.service)));
        }
        if search.wants_open() {
            unpaywall::look_up(context, &mut papers, &mut look_ups);
        }
    }
    if let (true, Some(WorkId::Doi(doi))) = (papers.is_empty(), search.target.work()) {
        answer.is_registered = doi_registry::is_registered(context, doi).ok();
    }
    papers.retain(|paper| search.admits(paper));
    match search.order {
        // The newest first; of equals the one that was found first.
        PaperOrder::Date => papers.sort_by_key(|paper| Reverse(paper.work.date)),
        PaperOrder::Citations => {
            papers.sort_by_key(|paper| Reverse(paper.work.citation_count));
        }
        PaperOrder::Relevance => {}
    }
    papers.truncate(search.count);
    unpaywall::look_up(context, &mut papers, &mut look_ups);
    answer.papers = papers;
    answer.routed = route.routing;
    Ok(answer)
}

/// Searches the web for papers in place of the providers, all of which have failed; false if that
/// fails too.
fn search_web(
    context: &SearchContext<'_>,
    search: &PaperSearch,
    route: &mut ProviderRoute<'_>,
    answer: &mut PaperAnswer,
    papers: &mut Vec<Paper>,
) -> bool {
    route.routing.attempted.push(scholarly_web::NAME);
    let why = match searcher::search(context, &scholarly_web::search_of(search)) {
        Ok(results) => {
            answer.answered = vec![scholarly_web::NAME.to_owned()];
            answer.searched_with = Some(results.provider.title);
            answer.removed = count_removed(&results.results);
            papers.clear();
            for result in results.results {
                add(papers, search, scholarly_web::paper(result, search.source));
            }
            return true;
        }
        Err(SearchFailure::NoProvider(_)) => "nobody to ask",
        Err(SearchFailure::Failed { failure, .. }) => failure.kind.in_words(),
    };
    let passed = (scholarly_web::NAME, why.to_owned());
    route.routing.passed.push(passed);
    false
}

impl PaperAnswer {
    /// Notes what the page of a provider says beside its papers.
    fn note_page(&mut self, search: &PaperSearch, provider: &PaperProvider, page: &PaperPage) {
        let name = || provider.name.to_owned();
        if page.is_withheld {
            self.withheld_by.push(name());
            return;
        }
        if search.target.center().is_some() && page.is_absent {
            self.unknown_to.push(name());
            return;
        }
        self.answered.push(name());
        let own_filters = (provider.filters)(&search.target);
        let order = match search.order {
            PaperOrder::Date => "date",
            PaperOrder::Citations => "citations",
            PaperOrder::Relevance => "",
        };
        let lacking = search.filters().into_iter().filter(|filter| match *filter {
            "sort_by" => !own_filters.contains(&order),
            // All of arXiv is one source.
            "source" => !own_filters.contains(filter) && search.source.name != provider.name,
            filter => !own_filters.contains(&filter),
        });
        let lacking: Vec<String> = lacking.map(str::to_owned).collect();
        if !lacking.is_empty() && search.target.work().is_none() {
            self.looked_at += page.papers.len();
            self.filtered.push((name(), lacking));
        }
    }
}

/// Adds a paper to those that were found, or to what is known of it, if it may be one of those that
/// are searched for.
fn add(papers: &mut Vec<Paper>, search: &PaperSearch, paper: Option<Paper>) {
    let Some(paper) = paper.filter(|paper| search.covers(paper)) else {
        return;
    };
    match papers.iter_mut().find(|one| one.is_same(&paper)) {
        Some(known) => known.absorb(paper),
        None => papers.push(paper),
    }
}
