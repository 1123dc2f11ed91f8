//! The register of all DOIs: whether there is one, if nobody knows what it stands for.
//!
//! Facts: "DOI Proxy Server Factsheets": the code 1 is a DOI, 100 is none.

use super::paper_provider::refusal_without_keys;
use iki_web::client::HttpResponse;
use iki_web::page::doi::in_path;
use iki_web::provider::exchange::ProviderItem;
use iki_web::provider::failure::ProviderFailure;
use iki_web::provider::reply;
use iki_web::provider::{Provider, ProviderEndpoint, ProviderRequest, UnreadableReply};
use iki_web::search::context::SearchContext;

/// Row of the register.
pub static PROVIDER: Provider = Provider {
    name: "doi",
    title: "doi.org",
    endpoint: ProviderEndpoint::Known("https://doi.org/api/handles"),
    refusal: refusal_without_keys,
    ..Provider::PLAIN
};

/// True if a DOI is registered.
struct Registered(bool);

impl ProviderItem for Registered {}

/// Asks if a DOI is registered.
pub fn is_registered(context: &SearchContext<'_>, doi: &str) -> Result<bool, ProviderFailure> {
    let account = PROVIDER.account(context.credentials)?;
    let request = ProviderRequest::get(&account.below(&in_path(doi)), []).for_one();
    let record = context.ask(&PROVIDER, &request, read)?;
    // Without an item the status was 404, with which comes the code 100.
    Ok(record.first().is_some_and(|one| one.0))
}

fn read(answer: &HttpResponse) -> Result<Vec<Registered>, UnreadableReply> {
    let body = reply::object(answer)?;
    match body["responseCode"].as_u64() {
        Some(1 | 200) => Ok(vec![Registered(true)]),
        Some(100) => Ok(vec![Registered(false)]),
        _ => Err(UnreadableReply::Unknown),
    }
}
