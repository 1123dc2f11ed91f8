//! One provider asked for papers, by as many requests as it takes.

use std::time::Duration;

use super::paper::Paper;
use super::paper_provider::{PaperPage, PaperProvider};
use super::paper_search::PaperSearch;
use super::request_pace;
use iki_web::client::without_login;
use iki_web::provider::ProviderAccount;
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::search::context::SearchContext;

/// Time kept for the request itself when waiting for the pace of its provider.
const REQUEST_TIME: Duration = Duration::from_secs(3);

/// Parameters that are the user's.
const OWN_PARAMETERS: [&str; 3] = ["api_key", "mailto", "email"];

/// Returns the address that a search asks first, without keys and logins.
#[must_use]
pub fn shown_address(
    search: &PaperSearch,
    provider: &'static PaperProvider,
    account: &ProviderAccount,
) -> String {
    let steps = (provider.steps)(&search.target);
    let request = steps
        .first()
        .map(|step| (step.request)(search, account, &PaperPage::default()));
    let url = request.map_or_else(|| account.endpoint.clone(), |request| request.url);
    let mut address = without_login(&url);
    let is_own_parameter = |name: &str| OWN_PARAMETERS.contains(&name);
    let pairs: Vec<_> = url
        .query_pairs()
        .filter(|(name, _)| !is_own_parameter(name))
        .collect();
    address.set_query(None);
    if !pairs.is_empty() {
        address.query_pairs_mut().extend_pairs(pairs);
    }
    address.into()
}

/// Asks a provider.
pub fn ask(
    context: &SearchContext<'_>,
    search: &PaperSearch,
    provider: &'static PaperProvider,
    account: &ProviderAccount,
) -> Result<PaperPage, ProviderFailure> {
    let later = |left: Duration| {
        let kind = ProviderFailureKind::too_fast(left.as_secs() + 1);
        let text = format!("There was no time to wait for {}.", provider.title);
        ProviderFailure::new(provider, kind, text)
    };
    let mut page = PaperPage::default();
    for step in (provider.steps)(&search.target) {
        if let Some(pace) = provider.pace {
            let longest = context.client.time_left().saturating_sub(REQUEST_TIME);
            request_pace::wait(context.store, provider, pace, longest).map_err(later)?;
        }
        let request = (step.request)(search, account, &page);
        let pages = context.ask(provider, &request, step.read);
        if step.adds {
            let added = pages
                .unwrap_or_default()
                .into_iter()
                .flat_map(|page| page.papers);
            added.for_each(|paper| add_summary(&mut page, paper));
            continue;
        }
        // Without a page the answer was that there is none.
        let next = pages?.into_iter().next().unwrap_or(PaperPage {
            is_absent: request.absent_is_nothing,
            ..PaperPage::default()
        });
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

/// Adds an abstract to the paper of the same number.
fn add_summary(page: &mut PaperPage, added: Paper) {
    let mut papers = page.papers.iter_mut();
    if let Some(paper) = papers.find(|paper| paper.work.pmid == added.work.pmid) {
        paper.summary = added.summary;
    }
}
