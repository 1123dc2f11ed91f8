//! Fields of a request that make a search, parsed and validated, with errors for those that make no
//! sense.

use std::ops::RangeInclusive;

use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::{Request, quote_value};
use crate::tools::web::research_failure;
use iki_web::credentials::Credentials;
use iki_web::search::lenses::LensCatalog;
use iki_web::search::named_hosts;
use iki_web::search::query::{MAX_RESULTS, SafeSearch, TimeRange, WebSearch};

/// Maximum length of a query, in characters.
const MAX_QUERY_CHARS: usize = 500;

/// Maximum number of hosts in a request.
const MAX_SITES: usize = 10;

/// A parsed request.
pub struct SearchFields {
    /// The search.
    pub search: WebSearch,
    /// Requested number of results, if it is out of range.
    pub requested: Option<i64>,
    /// Lens files that could not be used, if a lens was requested: sentences.
    pub problems: Vec<String>,
}

/// Parses a request, which asks for `usual` results by default.
pub fn read(
    request: &Request<'_>,
    credentials: &Credentials<'_>,
    usual: usize,
) -> Result<SearchFields, Failure> {
    let query = query(request)?;
    let count = count(request, usual)?;
    let time_range = one_of(request, "time_range", TimeRange::NAMES)?;
    let safe = one_of(request, "safe", SafeSearch::NAMES)?;
    let language = code(
        request,
        "language",
        "an ISO 639-1 code of two letters, such as en, de or ja",
    )?;
    let country = code(
        request,
        "country",
        "an ISO 3166-1 alpha-2 code of two letters, such as US, DE or JP",
    )?;
    let country = country.map(|code| match code.to_ascii_uppercase() {
        code if code == "UK" => "GB".to_owned(),
        code => code,
    });
    let sites = sites(request)?;
    let mut problems = Vec::new();
    let lens = match given(request, "lens")? {
        None => None,
        Some(_) if !sites.is_empty() => {
            return Err(invalid_request(
                "lens and site cannot be combined: a lens is a list of hosts by itself",
                "Send either lens or site.",
            ));
        }
        Some(name) => {
            let lenses = LensCatalog::load(credentials);
            let named = lenses.find_lens(name).cloned();
            let named =
                named.map_err(|error| invalid_request(error, "Send one of these, or no lens."))?;
            problems = lenses.problems;
            Some(named)
        }
    };
    let search = WebSearch {
        query,
        count,
        time_range,
        // The specification's default, made explicit so that both requests are the same search.
        safe: safe.or(Some(SafeSearch::Medium)),
        language,
        country,
        sites,
        exact_terms: given(request, "exact_terms")?.map(str::to_owned),
        exclude_terms: given(request, "exclude_terms")?.map(str::to_owned),
        lens,
        provider: given(request, "provider")?.map(str::to_owned),
        claim: given(request, "claim")?.map(str::to_owned),
    };
    Ok(SearchFields {
        search,
        requested: requested(request),
        problems,
    })
}

/// Returns the query, of 1 to 500 characters.
pub fn query(request: &Request<'_>) -> Result<String, Failure> {
    let query = request.required_text("query")?.trim();
    if query.is_empty() {
        return Err(invalid_request(
            "query must have 1 to 500 characters, and has none but blanks",
            "Say in query what to search for.",
        ));
    }
    within_length("query", query)?;
    Ok(query.to_owned())
}

/// Refuses a text that is too long to be searched for.
pub fn within_length(field: &str, text: &str) -> Result<(), Failure> {
    let length = text.chars().count();
    if length <= MAX_QUERY_CHARS {
        return Ok(());
    }
    Err(invalid_request(
        format!("{field} must have 1 to {MAX_QUERY_CHARS} characters, and has {length}"),
        "Shorten it to its telling words.",
    ))
}

/// Returns the number of results to search for.
pub fn count(request: &Request<'_>, usual: usize) -> Result<usize, Failure> {
    let number = request.number("num_results")?;
    Ok(number.map_or(usual, |number| {
        usize::try_from(number.max(1)).map_or(MAX_RESULTS, |number| number.min(MAX_RESULTS))
    }))
}

/// Returns the number of results that is asked for, if it is out of range.
pub fn requested(request: &Request<'_>) -> Option<i64> {
    let number = request.number("num_results").ok().flatten()?;
    let is_searched = usize::try_from(number).is_ok_and(|one| (1..=MAX_RESULTS).contains(&one));
    let clamped = number.clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(clamped).ok().filter(|_| !is_searched)
}

/// Returns the first and the last year that are asked for, which are among those `known`.
pub fn years(
    request: &Request<'_>,
    known: RangeInclusive<u64>,
) -> Result<[Option<u16>; 2], Failure> {
    let mut years = [None; 2];
    for (year, field) in years.iter_mut().zip(["year_from", "year_to"]) {
        let given = request.integer(field, known.clone())?;
        *year = given.and_then(|given| u16::try_from(given).ok());
    }
    match years {
        [Some(from), Some(to)] if from > to => Err(invalid_request(
            format!("year_from is {from}, later than year_to, which is {to}"),
            "Send the earlier year as year_from.",
        )),
        years => Ok(years),
    }
}

/// Returns the hosts of `site` and `sites`, each once.
fn sites(request: &Request<'_>) -> Result<Vec<String>, Failure> {
    let mut entries: Vec<String> = Vec::new();
    let site = given(request, "site")?.into_iter().collect();
    for (field, named) in [("site", site), ("sites", request.texts("sites")?)] {
        let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
        if let Err(wrong) = named_hosts(&named) {
            return Err(invalid_request(
                format!("{field}: {} is not a host name", quote_value(&wrong)),
                "Name hosts such as example.com, each for itself.",
            ));
        }
        entries.extend(named);
    }
    let hosts = named_hosts(&entries).unwrap_or_default();
    if hosts.len() > MAX_SITES {
        return Err(invalid_request(
            format!(
                "sites must name at most {MAX_SITES} hosts, and names {}",
                hosts.len()
            ),
            "Search the others in another call, or with a lens.",
        ));
    }
    Ok(hosts)
}

/// Returns an optional text without surrounding blanks; a blank one is missing.
pub fn given<'r>(request: &'r Request<'_>, field: &str) -> Result<Option<&'r str>, Failure> {
    let text = request.text(field)?.map(str::trim);
    Ok(text.filter(|text| !text.is_empty()))
}

/// Returns the value of a field with these choices.
pub fn one_of<T: Copy + PartialEq, const N: usize>(
    request: &Request<'_>,
    field: &str,
    values: [(&str, T); N],
) -> Result<Option<T>, Failure> {
    // Any other type is a bad request.
    let text = request.text(field)?.unwrap_or_default().trim();
    request.choice(field, &values).map_err(|failure| {
        invalid_request(
            format!("{}, not {}", failure.message, quote_value(text)),
            format!("Send one of these, or leave {field} out."),
        )
    })
}

/// Returns a code of two letters, in lower case.
fn code(request: &Request<'_>, field: &str, what: &str) -> Result<Option<String>, Failure> {
    let Some(text) = given(request, field)? else {
        return Ok(None);
    };
    // A language may come with its region.
    let text = match text.split_once(['-', '_']) {
        Some((language, region)) if field == "language" && !region.is_empty() => language,
        _ => text,
    };
    if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(Some(text.to_ascii_lowercase()));
    }
    Err(invalid_request(
        format!("{field} must be {what}, not {}", quote_value(text)),
        format!("Send such a code, or leave {field} out."),
    ))
}

/// Creates the failure of a request that can be parsed but makes no sense: what is wrong, and what
/// to do.
pub fn invalid_request(message: impl Into<String>, action: impl AsRef<str>) -> Failure {
    let mut message: String = message.into();
    if !message.ends_with('.') {
        message.push('.');
    }
    message.push(' ');
    message.push_str(action.as_ref());
    research_failure::with_advice(ErrorCode::InvalidArg, message)
}
