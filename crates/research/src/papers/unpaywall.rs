//! Unpaywall: free PDF files of papers, by their DOIs. Without them a search has its papers all the
//! same, so that nothing here fails.
//!
//! Facts: unpaywall.org, "REST API": every request names an address of mail.

use std::time::Duration;

use super::paper::{Paper, text_at};
use super::paper_provider::{PaperPage, key, refusal_without_keys};
use iki_web::client::HttpResponse;
use iki_web::page::doi::in_path;
use iki_web::provider::breaker::BreakerState;
use iki_web::provider::{
    Provider, ProviderEndpoint, ProviderRequest, UnreadableReply, reply, required_key,
};
use iki_web::search::context::SearchContext;
use iki_web::search::results::shown_url;
use iki_web::work::Work;

/// Maximum number of papers that are looked up for a search.
pub const MAX_LOOK_UPS: usize = 5;

/// Maximum time for all of them.
const MAX_TIME: Duration = Duration::from_secs(6);

/// Minimum time that is worth looking up another one.
const MIN_LOOKUP_TIME: Duration = Duration::from_secs(1);

/// Row of this provider.
pub static PROVIDER: Provider = Provider {
    name: "unpaywall",
    title: "Unpaywall",
    slots: &[required_key(
        "UNPAYWALL_EMAIL",
        &["academic_search", "unpaywall", "email"],
    )],
    endpoint: ProviderEndpoint::Known("https://api.unpaywall.org/v2"),
    refusal: refusal_without_keys,
    ..Provider::PLAIN
};

/// Looks up the files of those `papers` that have a DOI and no file, as far as `limit` goes, which
/// is reduced by their number.
pub fn look_up(context: &SearchContext<'_>, papers: &mut [Paper], limit: &mut usize) {
    let Ok(account) = PROVIDER.account(context.credentials) else {
        return;
    };
    if matches!(context.breakers().pass(&PROVIDER), BreakerState::Open(_)) {
        return;
    }
    let client = context.client.for_at_most(MAX_TIME);
    let context = context.with_client(&client);
    for paper in papers {
        let lacks = paper.work.pdf_url.is_empty() && !paper.work.doi.is_empty();
        if !lacks || paper.was_file_sought || *limit == 0 || client.time_left() < MIN_LOOKUP_TIME {
            continue;
        }
        *limit -= 1;
        paper.was_file_sought = true;
        let mail = [("email", key(&account))];
        let request = ProviderRequest::get(&account.below(&in_path(&paper.work.doi)), mail);
        let copies = context.ask(&PROVIDER, &request, read).unwrap_or_default();
        for file in copies.iter().flat_map(|page| &page.papers) {
            if file.work.open_access == Some(true) {
                paper.work.open_access = Some(true);
            }
            if let Some(address) = shown_url(&file.work.pdf_url) {
                paper.set_file(Some(address));
            }
        }
    }
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let work = Work {
        pdf_url: text_at(&body, &["/best_oa_location/url_for_pdf"]),
        open_access: body["is_oa"].as_bool(),
        ..Work::default()
    };
    let paper = Paper {
        work,
        ..Paper::default()
    };
    Ok(PaperPage::from_papers(vec![paper], None))
}
