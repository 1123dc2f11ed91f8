//! What the two search tools have in common: the fields that they share, and how they answer.

use serde::Serialize;

use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Account, Credential};
use crate::web::credentials::CredentialName;
use crate::web::search::{DomainFilter, Found, SearchError, unseen_taken_out};

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

/// How more results are asked for, as a request has it.
pub struct Paging {
    /// What asks for fewer of them, of so many that were shown; and for those behind them, where
    /// that can be said.
    pub fewer: Box<dyn Fn(usize) -> String>,
    /// What asks for the next page; `None` on the last one.
    pub turn: Option<String>,
}

/// The answer with what was found.
pub fn reply<'a>(found: Found, domains: &DomainFilter, paging: Paging) -> Reply<'a> {
    let notes = notes(&found, domains, paging.turn);
    Reply::new(move |object| {
        let rows: Vec<Row<'_>> = found
            .results
            .iter()
            .map(|result| Row {
                title: &result.title,
                url: &result.url,
                snippet: &result.snippet,
            })
            .collect();
        let shown = object.rows("results", &rows)?;
        object.field("count", &shown)?;
        if shown < rows.len() {
            object.note(left_out(shown, rows.len(), &paging.fewer));
        }
        object.note(notes);
        Ok(())
    })
}

/// What is said where the answer has room for no more than `shown` results.
fn left_out(shown: usize, all: usize, fewer: impl Fn(usize) -> String) -> String {
    if shown == 0 {
        return format!("{all} results were found, and this answer has no room for one of them.");
    }
    let fewer = fewer(shown);
    format!("{shown} of {all} results are shown, for which there is room: {fewer}.")
}

/// What was not searched, and why nothing is left of what was found.
fn notes(found: &Found, domains: &DomainFilter, turn: Option<String>) -> Notes {
    let mut notes = Notes::default();
    notes.add(unseen_taken_out(&found.results).note_of_page("the results"));
    for (domain, error) in &found.failed {
        notes.add(format!(
            "{domain} was not searched: {}",
            sentence(&error.to_string())
        ));
    }
    if found.unasked > 0 {
        let asked = domains.allowed().map_or(0, <[_]>::len) - found.unasked;
        notes.add(format!(
            "Only {asked} of the allowed domains were searched: send the other {} in another call.",
            found.unasked
        ));
    }
    if !found.results.is_empty() {
        return notes;
    }
    if domains.allowed().is_some_and(<[_]>::is_empty) {
        notes.add(
            "Nothing can be found: no entry of `allowed_domains` is a domain, such as example.com."
                .to_owned(),
        );
    } else if found.filtered > 0 {
        let filter = match (domains.allowed(), domains.blocked()) {
            (Some(_), []) => "`allowed_domains`",
            (None, _) => "`blocked_domains`",
            _ => "`allowed_domains` and `blocked_domains`",
        };
        let all = found.filtered;
        let (results, were) = if all == 1 {
            ("result", "was")
        } else {
            ("results", "were")
        };
        let mut ways = turn.map(|turn| format!("ask for the next page with {turn}"));
        if let Some([site, ..]) = domains.allowed() {
            let query = format!("put site:{site} into `query`");
            ways = Some(ways.map_or(query.clone(), |turn| format!("{turn}, or {query}")));
        }
        let ways = ways.map_or(String::new(), |ways| format!(": {ways}"));
        notes.add(format!(
            "{all} {results} {were} found, and {filter} took away all of them{ways}."
        ));
    }
    notes
}

fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{text}{end}")
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
