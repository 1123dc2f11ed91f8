//! Pages of sites that are read by an API instead of their HTML.

use super::failure::{self, PageError};
use super::full_page::FullPage;
use super::page::FetchPaging;
use super::page_request::ScrapeRequest;
use crate::contract::failure::ErrorCode;
use crate::tools::web::page_source;
use iki_web::allowed_hosts::AllowedHosts;
use iki_web::client::HttpClient;
use iki_web::site_apis::{self, SiteApiError};

/// Reads the page by its site's API; `None` if it has none.
pub fn read_page(
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<Option<FullPage>, PageError> {
    let Some(route) = site_apis::route(&request.url) else {
        return Ok(None);
    };
    if let Err(why) = AllowedHosts::from_env().check(&request.url) {
        return Err(failure::of_not_allowed(&why));
    }
    let end = page_source::conversion_end(client, &request.terms);
    let (code, why) = match route.read(&client.for_services(), end) {
        Ok(page) => {
            let mut full =
                FullPage::new(&request.url, page.kind, page.document, FetchPaging::Nowhere);
            full.page.is_partial = page.is_partial;
            // A part that could not be read may be readable the next time.
            full.page.is_transient = page.is_partial;
            return Ok(Some(full));
        }
        Err(SiteApiError::Fetch(error)) => return Err(failure::of_fetch(error, request)),
        Err(SiteApiError::NotFound(why)) => (ErrorCode::NotFound, why),
        Err(SiteApiError::Blocked(why)) => (ErrorCode::Blocked, why),
        Err(SiteApiError::AuthRequired(why)) => (ErrorCode::AuthRequired, why),
        Err(SiteApiError::Empty(why)) => (ErrorCode::ContentEmpty, why),
        Err(SiteApiError::NotUnderstood(why)) => (ErrorCode::UpstreamUnavailable, why),
    };
    Err(PageError::new(code, why))
}
