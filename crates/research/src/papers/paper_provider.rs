//! A provider of papers: one row with all that differs between them.

use std::ops::Deref;
use std::time::Duration;

use serde_json::Value;

use super::paper::Paper;
use super::paper_search::{PaperSearch, PaperTarget};
use super::request_limits::RequestLimits;
use super::{arxiv, crossref, datacite, openalex, pubmed, semanticscholar};
use iki_base::unseen::UnseenCount;
use iki_web::client::HttpResponse;
use iki_web::provider::exchange::ProviderItem;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::provider::{
    Provider, ProviderAccount, ProviderRefusal, ProviderRequest, UnreadableReply, reply,
};
use iki_web::work::work_id::WorkId;

/// All providers, in the order in which they are asked.
pub static PROVIDERS: [&PaperProvider; 5] = [
    &openalex::PROVIDER,
    &crossref::PROVIDER,
    &pubmed::PROVIDER,
    &arxiv::PROVIDER,
    &semanticscholar::PROVIDER,
];

/// A provider of papers.
pub struct PaperProvider {
    /// The fields that every provider has.
    pub service: Provider,
    /// Requests that a search takes, each with the reply to the one before.
    pub steps: fn(&PaperTarget) -> &'static [PaperStep],
    /// Filters of a search that the provider applies itself, by their names in requests, and
    /// `date` and `citations` for the orders that it has.
    pub filters: fn(&PaperTarget) -> &'static [&'static str],
    /// Minimum time between two requests of this user's.
    pub pace: Option<Duration>,
    /// Names of the sources of which it is asked for papers unless it is named.
    pub sources: &'static [&'static str],
}

/// One request and its reply.
pub struct PaperStep {
    /// Builds the request, with the page of the step before.
    pub request: fn(&PaperSearch, &ProviderAccount, &PaperPage) -> ProviderRequest,
    /// Reads the page of a reply.
    pub read: fn(&HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply>,
    /// True if the page only adds to the papers of the step before, which are found without it as
    /// well.
    pub adds: bool,
}

impl PaperStep {
    /// Makes a step on which the search depends.
    pub(super) const fn new(
        request: fn(&PaperSearch, &ProviderAccount, &PaperPage) -> ProviderRequest,
        read: fn(&HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply>,
    ) -> Self {
        Self {
            request,
            read,
            adds: false,
        }
    }
}

impl Deref for PaperProvider {
    type Target = Provider;

    fn deref(&self) -> &Provider {
        &self.service
    }
}

/// Papers of one reply, as the provider gives them.
#[derive(Clone, Debug, Default)]
pub struct PaperPage {
    /// The papers, best first.
    pub papers: Vec<Paper>,
    /// Number of all papers that the provider has found.
    pub total: u64,
    /// Numbers of papers that the next step asks about.
    pub ids: Vec<String>,
    /// True if the provider keeps the list to itself that was asked for.
    pub is_withheld: bool,
    /// True if there is no such work as the one that was asked for.
    pub is_absent: bool,
    /// Invisible characters that were removed.
    pub removed: UnseenCount,
    /// Requests that the provider lets one make.
    pub limits: RequestLimits,
}

impl PaperPage {
    /// Makes the page of a reply with these papers.
    #[must_use]
    pub fn from_papers(papers: Vec<Paper>, total: Option<u64>) -> Vec<Self> {
        vec![Self {
            papers,
            total: total.unwrap_or_default(),
            ..Self::default()
        }]
    }

    /// Makes the page of a reply with these works.
    ///
    /// # Errors
    ///
    /// [`UnreadableReply::Unknown`]: there are some, and none of them has a title.
    pub fn of_works(papers: Vec<Paper>, total: Option<u64>) -> Result<Vec<Self>, UnreadableReply> {
        let has_title = |paper: &Paper| !paper.work.title.is_empty();
        if papers.is_empty() || papers.iter().any(has_title) {
            return Ok(Self::from_papers(papers, total));
        }
        Err(UnreadableReply::Unknown)
    }
}

impl ProviderItem for PaperPage {
    fn texts(&mut self) -> Vec<&mut String> {
        self.papers.iter_mut().flat_map(Paper::texts).collect()
    }

    fn count_unseen(&mut self, removed: UnseenCount) {
        self.removed = self.removed.and(removed);
    }

    fn learn_from(&mut self, reply: &HttpResponse) {
        self.limits = RequestLimits::from_reply(reply);
    }
}

/// Returns the providers that a search asks, in order: the one that it names, or else first the one
/// that holds what is searched for. One that cannot answer is not among them.
#[must_use]
pub fn order(search: &PaperSearch) -> Vec<&'static PaperProvider> {
    let able = match &search.target {
        PaperTarget::Words => {
            let source = search.source.name;
            let all = PROVIDERS.iter().copied();
            let own_providers = all.clone().filter(|one| one.name == source);
            let others = all.filter(|one| one.name != source && one.sources.contains(&source));
            return match search.provider {
                Some(name) => PROVIDERS
                    .iter()
                    .copied()
                    .filter(|one| one.name == name)
                    .collect(),
                None => own_providers.chain(others).collect(),
            };
        }
        PaperTarget::Reference => vec![&crossref::PROVIDER, &openalex::PROVIDER],
        PaperTarget::CitationsOf(_) | PaperTarget::ReferencesOf(_) => {
            vec![&openalex::PROVIDER, &semanticscholar::PROVIDER]
        }
        PaperTarget::Works(ids) => match ids.first() {
            Some(WorkId::Arxiv(_)) => vec![
                &arxiv::PROVIDER,
                &openalex::PROVIDER,
                &semanticscholar::PROVIDER,
            ],
            Some(WorkId::Pubmed(_)) => vec![
                &pubmed::PROVIDER,
                &openalex::PROVIDER,
                &semanticscholar::PROVIDER,
            ],
            _ => vec![
                &crossref::PROVIDER,
                &openalex::PROVIDER,
                &datacite::PROVIDER,
                &semanticscholar::PROVIDER,
            ],
        },
    };
    match search.provider {
        Some(name) => able.into_iter().filter(|one| one.name == name).collect(),
        // Those that are asked where nobody is named; the last one only by its name, for a DOI.
        None if matches!(search.target.work(), Some(WorkId::Doi(_))) => able[..3].to_vec(),
        None => able,
    }
}

/// Returns the key, or what replaces it, if it is set.
pub(super) fn key(account: &ProviderAccount) -> Option<Value> {
    Some(account.key(0))
        .filter(|key| !key.is_empty())
        .map(Value::from)
}

/// Returns the filters that are given, as one parameter.
pub(super) fn filters<const N: usize>(filters: [Option<String>; N]) -> Option<Value> {
    let given: Vec<String> = filters.into_iter().flatten().collect();
    (!given.is_empty()).then(|| given.join(",").into())
}

/// Interprets a status of a provider that can be asked without a key.
pub(super) fn refusal(title: &str, answer: &HttpResponse) -> ProviderRefusal {
    let mut refusal = reply::by_status(title, answer);
    if refusal.kind == ProviderFailureKind::AuthInvalid {
        let why = answer.status_text();
        refusal.text = format!("{title} refused access ({why}): for its key, or for want of one.");
    }
    refusal
}

/// Interprets a status of a provider that knows no keys.
pub(super) fn refusal_without_keys(title: &str, answer: &HttpResponse) -> ProviderRefusal {
    let mut refusal = reply::by_status(title, answer);
    if refusal.kind == ProviderFailureKind::AuthInvalid {
        refusal = reply::upstream_refusal(title, answer);
        refusal.kind = ProviderFailureKind::Upstream;
    }
    refusal
}
