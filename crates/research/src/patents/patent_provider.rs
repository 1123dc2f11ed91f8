//! A provider of patents: one row with all that differs between them.

use super::patent::Patent;
use super::query::PatentSearch;
use super::{epo, lens, searchapi, uspto};
use iki_web::client::HttpResponse;
use iki_web::credentials::Credentials;
use iki_web::provider::{Provider, ProviderAccount, ProviderRequest, UnreadableReply};

/// A provider of patents.
#[derive(Debug)]
pub struct PatentProvider {
    /// The fields that every provider has.
    pub service: &'static Provider,
    /// The only office whose patents it has; `None` if it has those of all.
    pub office: Option<&'static str>,
    /// Builds the request for a token, if the provider wants one; the token becomes the last of the
    /// account's keys.
    pub login: Option<fn(&ProviderAccount) -> ProviderRequest>,
    /// Builds a request.
    pub request: fn(&PatentSearch, &ProviderAccount) -> ProviderRequest,
    /// Parses the patents of an answer.
    pub read: fn(&HttpResponse) -> Result<Vec<Patent>, UnreadableReply>,
}

/// All providers, in the order in which they are asked.
pub static PROVIDERS: [&PatentProvider; 4] = [
    &uspto::PROVIDER,
    &epo::PROVIDER,
    &lens::PROVIDER,
    &searchapi::PROVIDER,
];

impl PatentProvider {
    /// True if it has patents of the office that is searched.
    #[must_use]
    pub fn covers(&self, search: &PatentSearch) -> bool {
        let number = search.number().map(|number| number.office);
        let wanted = number.as_deref().or(search.office);
        self.office.is_none() || wanted.is_none() || self.office == wanted
    }
}

/// Finds a provider by its name, ignoring case.
#[must_use]
pub fn find_provider(name: &str) -> Option<&'static PatentProvider> {
    let name = match name.trim().to_ascii_lowercase() {
        name if name == "google_patents" => "searchapi".to_owned(),
        name => name,
    };
    let mut all = PROVIDERS.into_iter();
    all.find(|provider| provider.service.name == name)
}

/// Returns the names of all providers, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = PROVIDERS.map(|provider| provider.service.name).into();
    names.sort_unstable();
    names
}

/// Returns the providers that are configured.
#[must_use]
pub fn configured(credentials: &Credentials<'_>) -> Vec<&'static PatentProvider> {
    let all = PROVIDERS.into_iter();
    all.filter(|provider| provider.service.is_chosen(credentials))
        .collect()
}

/// Returns the providers to ask, in order: the one that the search names, else those that are
/// configured and have patents of its office. For a search of all offices those that have all come
/// first.
#[must_use]
pub fn candidates(
    search: &PatentSearch,
    credentials: &Credentials<'_>,
) -> Vec<&'static PatentProvider> {
    if let Some(name) = &search.provider {
        return find_provider(name).into_iter().collect();
    }
    let mut usable = configured(credentials);
    usable.retain(|provider| provider.covers(search));
    if search.office.is_some() {
        return usable;
    }
    let (whole, partial): (Vec<_>, Vec<_>) = usable
        .into_iter()
        .partition(|provider| provider.office.is_none());
    [whole, partial].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_named_once() {
        assert_eq!(names(), ["epo", "lens", "searchapi", "uspto"]);
    }
}
