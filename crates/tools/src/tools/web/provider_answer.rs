//! Common code of the tools of one provider: their fields, their search, and their answer.

use serde_json::{Value, json};

use super::network;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, Credential, EnvelopeFamily, FieldRole, ProviderCredentials, Tool, ToolHints,
    ToolSet,
};
use iki_web::credentials::{CredentialName, Credentials};
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::search::host_search::{self, HostResults, HostSearch};
use iki_web::search::search_provider::SearchProvider;
use iki_web::search::{DomainFilter, count_removed};

/// What the rows of these tools have in common.
pub const PLAIN: Tool = Tool {
    family: EnvelopeFamily::Web,
    set: ToolSet::Web,
    is_served_by_default: false,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    fields: &[("results", FieldRole::Results), ("count", FieldRole::Count)],
    ..Tool::PLAIN
};

/// Differences between the tools of one provider.
pub struct HostTool {
    /// Provider of the tool.
    pub provider: &'static SearchProvider,
    /// The credentials in the tool's row.
    pub account: ProviderCredentials,
    /// Message if no key is configured.
    pub setup_error: &'static str,
    /// Credentials that are missing then, a JSON object for the host.
    pub missing: &'static str,
    /// True if the provider is asked for each allowed domain.
    pub asks_by_domain: bool,
}

/// Searches for `count` results from the offset `first` on, which is counted from 0.
pub fn search<'a>(
    request: &'a Request<'a>,
    tool: &HostTool,
    (count, first): (u64, u64),
    paging: NextPage,
) -> Result<Reply<'a>, Failure> {
    let domains = domains(request)?;
    let wanted = HostSearch {
        text: query(request)?,
        count: usize::try_from(count).unwrap_or(usize::MAX),
        first: usize::try_from(first).unwrap_or(usize::MAX),
        domains: &domains,
        asks_by_domain: tool.asks_by_domain,
    };
    let client = network::client(request.terms());
    let credentials = Credentials::from_env();
    let answer = host_search::account(tool.provider, &credentials, tool.setup_error)
        .and_then(|account| host_search::search(&client, tool.provider, &account, &wanted))
        .map_err(|error| failure(&error, tool))?;
    Ok(reply(answer, &domains, paging))
}

/// Returns the query, which must have two characters at least according to the schemas.
fn query<'a>(request: &'a Request<'_>) -> Result<&'a str, Failure> {
    let query = request.required_text("query")?;
    if query.trim().chars().count() < 2 {
        return Err(Failure::bad_request(
            "query must be at least 2 characters long",
        ));
    }
    Ok(query)
}

/// Returns the filter of the domains that results may be from.
fn domains(request: &Request<'_>) -> Result<DomainFilter, Failure> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let allowed = owned(request.texts("allowed_domains")?);
    let blocked = owned(request.texts("blocked_domains")?);
    Ok(DomainFilter::new(&allowed, &blocked))
}

/// Fields of a request for more results.
pub struct NextPage {
    /// Returns the fields that ask for fewer results, given how many were shown, and for those
    /// after them if possible.
    pub fewer: Box<dyn Fn(usize) -> String>,
    /// Fields that ask for the next page; `None` on the last one.
    pub turn: Option<String>,
}

/// Builds the answer.
fn reply<'a>(answer: HostResults, domains: &DomainFilter, paging: NextPage) -> Reply<'a> {
    let notes = notes(&answer, domains, paging.turn);
    Reply::new(move |object| {
        let rows = answer.results.iter().map(
            |result| json!({"title": result.title, "url": result.url, "snippet": result.snippet}),
        );
        let rows: Vec<Value> = rows.collect();
        let count_shown = object.rows("results", &rows)?;
        object.field("count", &count_shown)?;
        if count_shown < rows.len() {
            object.note(left_out(count_shown, rows.len(), &paging.fewer));
        }
        object.note(notes);
        Ok(())
    })
}

/// Writes the note if the answer has room for only `count_shown` results.
fn left_out(count_shown: usize, all: usize, fewer: impl Fn(usize) -> String) -> String {
    if count_shown == 0 {
        return format!("{all} results were found, and this answer has no room for one of them.");
    }
    let fewer = fewer(count_shown);
    format!("{count_shown} of {all} results are shown, for which there is room: {fewer}.")
}

/// Writes the notes on domains that were not searched, and on a filter that excluded everything.
fn notes(answer: &HostResults, domains: &DomainFilter, turn: Option<String>) -> Notes {
    let mut notes = Notes::default();
    notes.add(count_removed(&answer.results).note_of_page("the results"));
    for (domain, error) in &answer.failed {
        notes.add(format!(
            "{domain} was not searched: {}",
            sentence(&message(error))
        ));
    }
    if answer.unasked > 0 {
        let domains_searched = domains.allowed().map_or(0, <[_]>::len) - answer.unasked;
        notes.add(format!(
            "Only {domains_searched} of the allowed domains were searched: send the other {} in \
             another call.",
            answer.unasked
        ));
    }
    if !answer.results.is_empty() {
        return notes;
    }
    if domains.allowed().is_some_and(<[_]>::is_empty) {
        notes.add(
            "Nothing can be found: no entry of `allowed_domains` is a domain, such as example.com."
                .to_owned(),
        );
    } else if answer.filtered > 0 {
        let filter = match (domains.allowed(), domains.blocked()) {
            (Some(_), []) => "`allowed_domains`",
            (None, _) => "`blocked_domains`",
            _ => "`allowed_domains` and `blocked_domains`",
        };
        let all = answer.filtered;
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
            "{all} {results} {were} found, and {filter} excluded all of them{ways}."
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

/// Converts a credential's names to the form of a tool's row.
pub const fn credential(name: CredentialName) -> Credential {
    Credential {
        variable: name.variable,
        path: name.path,
    }
}

/// Builds the event that makes a host ask its user for credentials, as one line of JSON for stderr:
/// `content` is shown, `missing` is a JSON object as text.
pub fn config_required(content: &str, missing: &str) -> String {
    let event = json!({"kind": "config_required", "content": content, "data_json": missing});
    event.to_string()
}

/// Returns the message of an error, with its advice only if the key is wrong: other advice names
/// providers that a tool of one provider does not have.
fn message(error: &ProviderFailure) -> String {
    match error.kind {
        ProviderFailureKind::AuthInvalid => error.to_string(),
        _ => error.text.clone(),
    }
}

/// Converts an error to a failure. If no key is configured, the host is sent an event for its user.
fn failure(error: &ProviderFailure, tool: &HostTool) -> Failure {
    let code = match error.kind {
        ProviderFailureKind::AuthMissing => ErrorCode::AuthMissing,
        ProviderFailureKind::AuthInvalid => ErrorCode::AuthInvalid,
        ProviderFailureKind::RateLimited { .. } => ErrorCode::RateLimit,
        ProviderFailureKind::Network { .. } => ErrorCode::NetworkError,
        _ => ErrorCode::ApiError,
    };
    let mut failure = Failure::new(code, message(error));
    if code == ErrorCode::AuthMissing {
        failure.event = Some(config_required(tool.account.notice, tool.missing));
    }
    failure
}
