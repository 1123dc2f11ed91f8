//! Fields of a request, parsed and validated, with errors for those that make no sense.

use crate::contract::failure::Failure;
use crate::contract::request::{Request, quote_value};
use crate::tools::web::searching::search_fields::{
    count, given, invalid_request, one_of, within_length, years,
};
use iki_research::patents::patent_provider;
use iki_research::patents::query::{
    OFFICES, PatentSearch, PatentSearchType, plain_words, without_legal_form,
};
use iki_web::credentials::Credentials;

/// Default number of patents.
const DEFAULT_RESULTS: usize = 5;

/// Years of filing, from the first patent law of the United States on.
const YEARS: std::ops::RangeInclusive<u64> = 1790..=2999;

/// Maximum length of a symbol of a class, in bytes.
const MAX_SYMBOL_BYTES: usize = 20;

/// Parses a request.
pub fn read(request: &Request<'_>, credentials: &Credentials<'_>) -> Result<PatentSearch, Failure> {
    let query = words(request, "query")?.unwrap_or_default();
    let assignee = words(request, "assignee")?.map(|name| without_legal_form(&name));
    let assignee = assignee.map(|name| plain_words(&name));
    let inventor = words(request, "inventor")?.map(|name| plain_words(&name));
    let search_type = one_of(request, "search_type", PatentSearchType::NAMES)?;
    let [us, ep, wo, jp, cn, kr] = OFFICES.map(|office| (office, Some(office)));
    let [year_from, year_to] = years(request, YEARS)?;
    let offices = [("all", None), us, ep, wo, jp, cn, kr];
    let office = one_of(request, "patent_office", offices)?.flatten();
    let search = PatentSearch {
        query,
        count: count(request, DEFAULT_RESULTS)?,
        search_type: search_type.unwrap_or_default(),
        office,
        assignee: assignee.filter(|name| !name.is_empty()),
        inventor,
        cpc_code: cpc_code(request)?,
        year_from,
        year_to,
        provider: given(request, "provider")?.map(str::to_owned),
    };
    if search.query.is_empty() && search.assignee.is_none() && search.inventor.is_none() {
        if !request.has("query") {
            return Err(Failure::bad_request("missing query field"));
        }
        return Err(invalid_request(
            "query must have 1 to 500 characters, some of them letters or digits",
            "Say in query what to search for, or name an assignee or inventor.",
        ));
    }
    if search.query.is_empty() && search.search_type == PatentSearchType::Specific {
        return Err(invalid_request(
            "search_type specific is for one patent, and no query names it",
            "Send its number or title in query, or another search_type.",
        ));
    }
    check_provider(&search, credentials)?;
    Ok(search)
}

/// Refuses a provider that there is not, or that has no patents of the office.
fn check_provider(search: &PatentSearch, credentials: &Credentials<'_>) -> Result<(), Failure> {
    let Some(name) = &search.provider else {
        return Ok(());
    };
    let Some(provider) = patent_provider::find_provider(name) else {
        let configured = patent_provider::configured(credentials).into_iter();
        let mut configured: Vec<&str> = configured.map(|one| one.service.name).collect();
        configured.sort_unstable();
        let configured = match configured.as_slice() {
            [] => "none".to_owned(),
            some => some.join(", "),
        };
        let message = format!(
            "There is no provider of patents {}. There are: {}. Configured: {configured}",
            quote_value(name),
            patent_provider::names().join(", "),
        );
        return Err(invalid_request(message, "Send one of these, or none."));
    };
    if provider.covers(search) {
        return Ok(());
    }
    let (title, office) = (provider.service.title, provider.office.unwrap_or_default());
    Err(invalid_request(
        format!("{title} has patents of the office {office} alone"),
        "Name another provider, or none, for those of other offices.",
    ))
}

/// Returns an optional text that has words.
fn words(request: &Request<'_>, field: &str) -> Result<Option<String>, Failure> {
    let Some(text) = given(request, field)? else {
        return Ok(None);
    };
    within_length(field, text)?;
    Ok((!plain_words(text).is_empty()).then(|| text.to_owned()))
}

fn cpc_code(request: &Request<'_>) -> Result<Option<String>, Failure> {
    let Some(text) = given(request, "cpc_code")? else {
        return Ok(None);
    };
    let symbol: String = text.split_whitespace().collect();
    let symbol = symbol.to_ascii_uppercase();
    let sound = symbol.len() <= MAX_SYMBOL_BYTES
        && symbol.starts_with(|c: char| matches!(c, 'A'..='H' | 'Y'))
        && symbol
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'/');
    if sound {
        return Ok(Some(symbol));
    }
    Err(invalid_request(
        format!(
            "cpc_code must be a symbol of the Cooperative Patent Classification, such as H04L or \
             G06N3/08, not {}",
            quote_value(text)
        ),
        "Send such a symbol, or leave cpc_code out.",
    ))
}
