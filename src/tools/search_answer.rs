//! What the two search tools have in common: the fields that they share, and how they answer.

use serde::Serialize;

use crate::contract::failure::{Code, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Account, Credential};
use crate::web::credentials::CredentialName;
use crate::web::search::{DomainFilter, SearchError, SearchResult};

/// The query, which the schemas want to be of two characters at least.
pub fn query<'a>(request: &'a Request<'_>) -> Result<&'a str, Failure> {
    let query = request.required_text("query")?;
    if query.trim().chars().count() < 2 {
        return Err(Failure::bad_request(
            "query must be at least 2 characters long",
        ));
    }
    Ok(query)
}

/// The domains that results may or may not be from.
pub fn domains(request: &Request<'_>) -> Result<DomainFilter, Failure> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let allowed = owned(request.texts("allowed_domains")?);
    let blocked = owned(request.texts("blocked_domains")?);
    Ok(DomainFilter::new(&allowed, &blocked))
}

/// One result as the specification shows it.
#[derive(Serialize)]
struct Row<'a> {
    title: &'a str,
    url: &'a str,
    snippet: &'a str,
}

/// The answer with these results.
pub fn reply<'a>(results: Vec<SearchResult>) -> Reply<'a> {
    Reply::new(move |object| {
        let rows: Vec<Row<'_>> = results
            .iter()
            .map(|result| Row {
                title: &result.title,
                url: &result.url,
                snippet: &result.snippet,
            })
            .collect();
        object.field("results", &rows)?;
        object.field("count", &rows.len())
    })
}

/// A credential as a tool's row has it.
pub const fn credential(name: CredentialName) -> Credential {
    Credential {
        variable: name.variable,
        path: name.path,
    }
}

/// A host's event, as one line of JSON on stderr.
#[derive(Serialize)]
struct Event<'a> {
    kind: &'a str,
    content: &'a str,
    data_json: &'a str,
}

/// The failure that `error` is. Where no key is configured, a host hears what to show its user
/// (`config_required`): the account's notice, and what is `missing`, a JSON object as text.
pub fn failure(error: SearchError, account: &Account, missing: &str) -> Failure {
    match error {
        SearchError::AuthMissing(message) => {
            let event = Event {
                kind: "config_required",
                content: account.notice,
                data_json: missing,
            };
            let mut failure = Failure::new(Code::AuthMissing, message);
            failure.event = serde_json::to_string(&event).ok();
            failure
        }
        SearchError::AuthInvalid(message) => Failure::new(Code::AuthInvalid, message),
        SearchError::RateLimit(message) => Failure::new(Code::RateLimit, message),
        SearchError::Network(message) => Failure::new(Code::NetworkError, message),
        SearchError::Api(message) => Failure::new(Code::ApiError, message),
    }
}
