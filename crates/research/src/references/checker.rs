//! The check of a bibliography from start to end: each entry is looked up by its identifiers, or
//! searched for, and compared with what is found. Entries that have a number come first.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::check_outcome::{CheckedReference, ReferenceLookup, ReferenceStatus};
use super::entry::ReferenceEntry;
use super::entry_check::EntryCheck;
use super::request_gate::ProviderGate;
use crate::papers::doi_registry;
use crate::papers::paper::Paper;
use crate::papers::paper_caller;
use crate::papers::paper_provider::{PaperProvider, order};
use crate::papers::paper_search::{PaperSearch, PaperTarget};
use crate::papers::request_limits::RequestLimits;
use iki_base::mutex::lock;
use iki_base::parallel::map_in_parallel;
use iki_web::cache::CacheQuestion;
use iki_web::client::HttpClient;
use iki_web::page::doi;
use iki_web::provider::Provider;
use iki_web::provider::breaker::BreakerState;
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::search::context::SearchContext;
use iki_web::work::work_id::WorkId;

/// Version of the stored form: incremented whenever [`CheckedReference`] changes, or what counts as
/// the same.
const VERSION: u32 = 4;

/// Time for which an outcome is valid.
const TIME_TO_LIVE: Duration = Duration::from_secs(60 * 60);

/// Number of entries that are checked at once.
const MAX_CONCURRENT_ENTRIES: usize = 8;

/// Number of works that a search is asked for: reviews of a book have its title.
const MAX_CANDIDATES: usize = 5;

/// Maximum time for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);

/// Time left at the end, for requests under way.
const LAST_REQUEST_TIME: Duration = Duration::from_secs(3);

/// Works that were asked for at once, or why there was no answer.
type BatchOutcome = Result<Vec<Paper>, String>;

/// A check under way.
struct ReferenceCheck<'a> {
    context: SearchContext<'a>,
    /// Time after which no request begins.
    end: Instant,
    gates: Vec<(&'static str, ProviderGate)>,
    /// Works of arXiv and of `PubMed`, each asked for at once, when the first one is wanted.
    batches: [Mutex<Option<BatchOutcome>>; 2],
    numbers: [Vec<WorkId>; 2],
}

/// Checks all entries, until the time of the client ends.
#[must_use]
pub fn check(context: &SearchContext<'_>, entries: &[ReferenceEntry]) -> Vec<CheckedReference> {
    let number = |wanted: fn(&WorkId) -> bool| -> Vec<WorkId> {
        let mut all: Vec<WorkId> = Vec::new();
        for id in entries
            .iter()
            .flat_map(|entry| &entry.ids)
            .filter(|id| wanted(id))
        {
            if !all.iter().any(|one| one.is_same(id)) {
                all.push(id.clone());
            }
        }
        all
    };
    let names = [
        "crossref",
        "openalex",
        "pubmed",
        "arxiv",
        "semanticscholar",
        "datacite",
        "doi",
    ];
    let left = context.client.time_left().saturating_sub(LAST_REQUEST_TIME);
    let check = ReferenceCheck {
        context: *context,
        end: Instant::now() + left,
        gates: names.map(|name| (name, ProviderGate::default())).into(),
        batches: [Mutex::new(None), Mutex::new(None)],
        numbers: [
            number(|id| matches!(id, WorkId::Arxiv(_))),
            number(|id| matches!(id, WorkId::Pubmed(_))),
        ],
    };
    let mut queue: Vec<usize> = (0..entries.len()).collect();
    queue.sort_by_key(|index| (entries[*index].ids.is_empty(), entries[*index].is_plain()));
    let outcomes = map_in_parallel(&queue, MAX_CONCURRENT_ENTRIES, |index| {
        check.outcome(&entries[*index])
    });
    let mut outcomes: Vec<_> = queue.into_iter().zip(outcomes).collect();
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

impl ReferenceCheck<'_> {
    /// Returns what became of an entry, from the cache if possible.
    fn outcome(&self, entry: &ReferenceEntry) -> CheckedReference {
        let services = order(&PaperSearch {
            target: PaperTarget::Reference,
            ..PaperSearch::default()
        });
        let places = services
            .iter()
            .map(|one| one.service.account(self.context.credentials));
        let places: Vec<String> = places
            .map(|account| account.map_or(String::new(), |account| account.place()))
            .collect();
        let question = CacheQuestion::new("check_references", VERSION)
            .with("entry", Some(&entry.text))
            .with_list("places", &places);
        if let Some((outcome, _)) = self.context.cached(&question, TIME_TO_LIVE) {
            return outcome;
        }
        let outcome = self.check(entry);
        if outcome.status != ReferenceStatus::Unchecked {
            self.context.cache(&question, &outcome, TIME_TO_LIVE);
        }
        outcome
    }

    fn check(&self, entry: &ReferenceEntry) -> CheckedReference {
        let mut course = EntryCheck::default();
        if !entry.fault.is_empty() || !entry.can_be_found() {
            course.refusal = Some(match entry.fault.as_str() {
                "" => "it has neither a title nor a number".to_owned(),
                fault => fault.to_owned(),
            });
            course.is_in_vain = true;
            return course.outcome(entry);
        }
        for id in &entry.ids {
            let is_known = |(_, paper): &(_, Paper)| id.is_of(&paper.work);
            match &course.best {
                // A DOI costs a request; the other numbers are asked for at once.
                Some(_) if matches!(id, WorkId::Doi(_)) => continue,
                Some(best) if is_known(best) => continue,
                _ => self.look_up(entry, id, &mut course),
            }
            if course.best.is_some() && !course.is_clear() {
                break;
            }
        }
        if course.best.is_none() && !entry.is_bare {
            // A search may tell more than the look-up did.
            let refused = course.refusal.take();
            self.search(entry, &mut course);
            if course.best.is_none() {
                course.refusal = course.refusal.take().or(refused);
            }
        }
        course.outcome(entry)
    }

    /// Looks a work up by a number, wherever it may be known.
    fn look_up(&self, entry: &ReferenceEntry, id: &WorkId, course: &mut EntryCheck) {
        let search = PaperSearch {
            target: PaperTarget::Works(vec![id.clone()]),
            count: 1,
            ..PaperSearch::default()
        };
        // The first of them has all works of this kind of number, but for DOIs.
        let mut is_nobodys = false;
        let providers = order(&search).into_iter();
        let provider_count = if course.best.is_some() { 1 } else { usize::MAX };
        for provider in providers.take(provider_count) {
            let answer = match (id, provider.name) {
                (WorkId::Arxiv(_), "arxiv") => self.look_up_in_batch(0, id, provider, course),
                (WorkId::Pubmed(_), "pubmed") => self.look_up_in_batch(1, id, provider, course),
                _ => self.ask(&search, provider, course),
            };
            let Some(papers) = answer else { continue };
            if !papers.is_empty() {
                course.consider_by_number(entry, id, papers);
                return;
            }
            is_nobodys |= matches!(provider.name, "arxiv" | "pubmed");
        }
        let WorkId::Doi(doi) = id else {
            if is_nobodys {
                course.foreign_ids.push(id.clone());
            }
            return;
        };
        if course.refusal.is_some() {
            return;
        }
        let registered = self.through_gate(&doi_registry::PROVIDER, |client| {
            let registered = doi_registry::is_registered(&self.context.with_client(client), doi)?;
            Ok((registered, RequestLimits::default()))
        });
        let outcome = match &registered {
            Ok(true) => "registered",
            Ok(false) => "not_found",
            Err(why) => why,
        };
        course.checked.push(ReferenceLookup {
            provider: doi_registry::PROVIDER.title.to_owned(),
            url: doi::address(doi),
            outcome: outcome.to_owned(),
        });
        match registered {
            Ok(false) => course.foreign_ids.push(id.clone()),
            Ok(true) => {
                course.refusal = Some("its DOI is registered, but nobody says for what".to_owned());
                course.is_in_vain = true;
            }
            Err(why) => course.refusal = Some(why),
        }
    }

    /// Searches for an entry by its words.
    fn search(&self, entry: &ReferenceEntry, course: &mut EntryCheck) {
        let mut search = PaperSearch {
            query: entry.query(),
            target: PaperTarget::Reference,
            count: MAX_CANDIDATES,
            page: Some(1),
            ..PaperSearch::default()
        };
        for provider in order(&search) {
            if provider.name == "openalex" {
                // It wants all words in what it finds.
                search.query = entry.title_words();
                if search.query.is_empty() {
                    continue;
                }
            }
            if let Some(papers) = self.ask(&search, provider, course) {
                course.consider(entry, papers, false);
            }
            if course.is_clear() {
                return;
            }
        }
    }

    /// Returns the work of this number out of those that are asked for at once.
    fn look_up_in_batch(
        &self,
        kind: usize,
        id: &WorkId,
        provider: &'static PaperProvider,
        course: &mut EntryCheck,
    ) -> Option<Vec<Paper>> {
        let mut batch = lock(&self.batches[kind]);
        if batch.is_none() {
            let search = PaperSearch {
                target: PaperTarget::Works(self.numbers[kind].clone()),
                count: self.numbers[kind].len(),
                ..PaperSearch::default()
            };
            let mut check = EntryCheck::default();
            let reply = self.ask(&search, provider, &mut check);
            *batch = Some(reply.ok_or(check.refusal.unwrap_or_default()));
        }
        let reply = batch.as_ref()?.as_ref();
        let papers = reply.map(|all| {
            let of_number = all.iter().filter(|paper| id.is_of(&paper.work));
            of_number.cloned().collect::<Vec<_>>()
        });
        let noted = papers.as_ref().map(|_| ()).map_err(|why| (*why).clone());
        course.note(provider, &id.to_string(), noted);
        papers.ok()
    }

    /// Asks a provider; `None` if it does not answer, which is noted.
    fn ask(
        &self,
        search: &PaperSearch,
        provider: &'static PaperProvider,
        course: &mut EntryCheck,
    ) -> Option<Vec<Paper>> {
        let account = match provider.account(self.context.credentials) {
            Ok(account) => account,
            Err(failure) => {
                course.refusal = Some(failure.kind.in_words().to_owned());
                return None;
            }
        };
        let answer = self.through_gate(&provider.service, |client| {
            let context = self.context.with_client(client);
            let page = paper_caller::ask(&context, search, provider, &account)?;
            Ok((page.papers, page.limits))
        });
        let papers = answer.map(|papers| {
            papers
                .into_iter()
                .filter_map(|paper| paper.tidied(provider.name))
                .collect::<Vec<_>>()
        });
        let url = paper_caller::shown_address(search, provider, &account);
        course.note(
            provider,
            &url,
            papers.as_ref().map(|_| ()).map_err(Clone::clone),
        );
        papers.ok()
    }

    /// Sends a request when its provider takes it; the error is why there is no answer.
    fn through_gate<T>(
        &self,
        provider: &Provider,
        send: impl FnOnce(&HttpClient) -> Result<(T, RequestLimits), ProviderFailure>,
    ) -> Result<T, String> {
        let gate = self.gates.iter().find(|(name, _)| *name == provider.name);
        let (_, gate) = gate.ok_or_else(String::new)?;
        let pass = gate.enter(self.end)?;
        if let BreakerState::Open(_) = self.context.breakers().pass(provider) {
            gate.refuse("it failed lately and is left alone for a while");
            return Err("left alone after failures".to_owned());
        }
        match send(&self.context.client.for_at_most(REQUEST_TIMEOUT)) {
            Ok((answer, limits)) => {
                pass.heed(limits);
                Ok(answer)
            }
            Err(failure) => {
                let why = failure.kind.in_words();
                if matches!(
                    failure.kind,
                    ProviderFailureKind::RateLimited { .. } | ProviderFailureKind::AuthInvalid
                ) {
                    gate.refuse(why);
                }
                pass.heed(RequestLimits::default());
                Err(why.to_owned())
            }
        }
    }
}
