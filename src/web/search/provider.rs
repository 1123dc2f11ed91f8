//! A provider of search: one row that says what differs from the others. Everything else
//! is shared; see the other modules.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::SearchResult;
use super::failure::{ProviderFailure, SearchFailureKind};
use super::query::ProviderQuery;
use super::terms::QueryOperators;
use crate::web::client::{self, Response};
use crate::web::credentials::{CredentialName, Credentials, Key};

/// A provider of search.
pub struct Provider {
    /// Its name in requests and variables, in lower case.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// The credentials that it takes.
    pub slots: &'static [CredentialSlot],
    /// Its address.
    pub endpoint: ProviderEndpoint,
    /// The way to a key for it, as a sentence.
    pub setup: &'static str,
    /// The limits of a request to it.
    pub limits: ProviderLimits,
    /// The parts of a search that go into the query as operators.
    pub words: QueryOperators,
    /// The value of `Accept`.
    pub accept: &'static str,
    /// Makes a request.
    pub request: fn(&ProviderQuery<'_>, &ProviderAccount) -> ProviderRequest,
    /// Reads the results of an answer.
    pub read: fn(&Response) -> Result<Vec<SearchResult>, UnreadableReply>,
    /// Says what an answer of 400 or more means. No key is in it any more.
    pub refusal: fn(&Response) -> ProviderRefusal,
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A credential, under the names that it goes by; the first that is set counts.
#[derive(Clone, Copy, Debug)]
pub struct CredentialSlot {
    /// The names.
    pub names: &'static [CredentialName],
    /// True if the provider cannot be asked without it.
    pub required: bool,
}

impl CredentialSlot {
    /// The credential; the error says what is wrong with the file that it may be in.
    pub(super) fn find(&self, credentials: &Credentials<'_>) -> Result<Key, Option<String>> {
        let mut problem = None;
        for name in self.names {
            match credentials.find(name.variable, name.path) {
                Ok(key) => return Ok(key),
                Err(missing) => problem = problem.or(missing.problem),
            }
        }
        Err(problem)
    }
}

/// The address of a provider.
#[derive(Clone, Copy, Debug)]
pub enum ProviderEndpoint {
    /// At this address, unless the variable has another one.
    Known {
        /// The variable.
        variable: &'static str,
        /// The address.
        address: &'static str,
    },
    /// An address of the user's own.
    Own {
        /// The variable.
        variable: &'static str,
        /// The other name of the address.
        name: CredentialName,
    },
}

/// The limits of a request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderLimits {
    /// The longest query, in characters.
    pub characters: usize,
    /// The longest query, in words.
    pub words: usize,
    /// Number of its words that are heeded; the others have no effect.
    pub heeded: usize,
    /// The most hosts of one request, and the way to name them.
    pub sites: SiteQuery,
    /// The most results of one request.
    pub results: usize,
    /// True if there is a second page.
    pub pages: bool,
    /// True if it may be asked several things at once.
    pub at_once: bool,
}

impl ProviderLimits {
    /// Those of a provider that says nothing of them.
    pub const PLAIN: Self = Self {
        characters: 2000,
        words: 400,
        heeded: 400,
        sites: SiteQuery::Words(30),
        results: 10,
        pages: true,
        at_once: true,
    };
}

/// The way to name hosts in a request.
#[derive(Clone, Copy, Debug)]
pub enum SiteQuery {
    /// In the words of the request, so many of them.
    Words(usize),
    /// In a parameter, so many of them.
    Parameter(usize),
}

/// The address and keys of a provider, as they are configured.
#[derive(Clone, Debug)]
pub struct ProviderAccount {
    /// The address.
    pub endpoint: Url,
    /// The credential of each slot, where there is one.
    pub keys: Vec<Option<Key>>,
}

impl ProviderAccount {
    /// The credential in a slot; empty where there is none.
    #[must_use]
    pub fn key(&self, slot: usize) -> &str {
        self.keys
            .get(slot)
            .and_then(Option::as_ref)
            .map_or("", Key::expose)
    }
}

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct ProviderRequest {
    /// The address, with its query.
    pub url: Url,
    /// The headers of this provider's own.
    pub headers: Vec<(String, Key)>,
    /// The JSON of a POST; `None` for a GET.
    pub body: Option<Value>,
    /// The fields of the search that this provider has no way to heed.
    pub unheeded: Vec<&'static str>,
}

/// A field of a request, with its value if it is sent.
pub type RequestField = (&'static str, Option<Value>);

fn given<const N: usize>(fields: [RequestField; N]) -> impl Iterator<Item = (String, Value)> {
    let fields = fields.into_iter();
    fields.filter_map(|(name, value)| Some((name.to_owned(), value?)))
}

impl ProviderRequest {
    /// A GET of the endpoint with the fields that have a value.
    #[must_use]
    pub fn get<const N: usize>(account: &ProviderAccount, fields: [RequestField; N]) -> Self {
        let mut url = account.endpoint.clone();
        let mut pairs = url.query_pairs_mut();
        for (name, value) in given(fields) {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            pairs.append_pair(&name, &text);
        }
        drop(pairs);
        Self {
            url,
            headers: Vec::new(),
            body: None,
            unheeded: Vec::new(),
        }
    }

    /// A POST of them to the endpoint, as a JSON object.
    #[must_use]
    pub fn post<const N: usize>(account: &ProviderAccount, fields: [RequestField; N]) -> Self {
        Self {
            url: account.endpoint.clone(),
            headers: Vec::new(),
            body: Some(given(fields).collect()),
            unheeded: Vec::new(),
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, header: &str, value: &str) -> Self {
        self.headers.push((header.to_owned(), Key::new(value)));
        self
    }

    /// The same, which does not heed `field` of the search, if that is `given`.
    #[must_use]
    pub fn without(mut self, field: &'static str, given: bool) -> Self {
        if given {
            self.unheeded.push(field);
        }
        self
    }
}

/// The reason why an answer with a status of success has no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadableReply {
    /// It is not as documented.
    Unknown,
    /// It is a refusal all the same.
    Refused(ProviderRefusal),
}

/// The meaning of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRefusal {
    /// The kind. Seconds of zero stand for those that the answer says, or else the usual ones.
    pub kind: SearchFailureKind,
    /// A sentence on what happened; empty for the usual one.
    pub text: String,
    /// After how long the provider wants to be asked once more, where it does.
    pub again: Option<Duration>,
}

impl ProviderRefusal {
    /// A refusal of that kind.
    #[must_use]
    pub fn new(kind: SearchFailureKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            again: None,
        }
    }
}

impl Provider {
    /// True if everything is there to ask it. One that needs nothing always is.
    #[must_use]
    pub fn is_configured(&self, credentials: &Credentials<'_>) -> bool {
        let address = match self.endpoint {
            ProviderEndpoint::Known { .. } => true,
            ProviderEndpoint::Own { .. } => self.address(credentials).is_ok(),
        };
        address
            && self
                .slots
                .iter()
                .all(|slot| !slot.required || slot.find(credentials).is_ok())
    }

    /// True if somebody configured it: it is, and needs to be.
    #[must_use]
    pub fn is_chosen(&self, credentials: &Credentials<'_>) -> bool {
        let needs = matches!(self.endpoint, ProviderEndpoint::Own { .. })
            || self.slots.iter().any(|slot| slot.required);
        needs && self.is_configured(credentials)
    }

    /// The credentials that it takes.
    pub fn account(
        &self,
        credentials: &Credentials<'_>,
    ) -> Result<ProviderAccount, ProviderFailure> {
        let text = self
            .address(credentials)
            .map_err(|problem| self.missing(problem))?;
        let endpoint = client::parse_url(&text).map_err(|why| {
            let variable = self.address_variable(credentials);
            ProviderFailure::new(
                self,
                SearchFailureKind::Config,
                format!("{variable} is not an address to ask: {why}"),
            )
        })?;
        let mut keys = Vec::with_capacity(self.slots.len());
        for slot in self.slots {
            match slot.find(credentials) {
                Ok(key) => keys.push(Some(sendable(self, slot, key)?)),
                Err(problem) if slot.required => return Err(self.missing(problem)),
                Err(_) => keys.push(None),
            }
        }
        Ok(ProviderAccount { endpoint, keys })
    }

    /// The address as it is configured, or what is wrong with the file that it may be in.
    fn address(&self, credentials: &Credentials<'_>) -> Result<String, Option<String>> {
        let (variable, name) = self.address_names();
        if let Some(set) = credentials.variable(variable) {
            return Ok(set);
        }
        match (self.endpoint, name) {
            (ProviderEndpoint::Known { address, .. }, _) => Ok(address.to_owned()),
            (ProviderEndpoint::Own { .. }, Some(name)) => credentials
                .find(name.variable, name.path)
                .map(|address| address.expose().to_owned())
                .map_err(|missing| missing.problem),
            (ProviderEndpoint::Own { .. }, None) => Err(None),
        }
    }

    /// The variable that the address is set by, for sentences.
    fn address_variable(&self, credentials: &Credentials<'_>) -> &'static str {
        match self.address_names() {
            (variable, Some(name)) if credentials.variable(variable).is_none() => name.variable,
            (variable, _) => variable,
        }
    }

    fn address_names(&self) -> (&'static str, Option<CredentialName>) {
        match self.endpoint {
            ProviderEndpoint::Known { variable, .. } => (variable, None),
            ProviderEndpoint::Own { variable, name } => (variable, Some(name)),
        }
    }

    /// All names of what has to be configured, as a user sets them.
    #[must_use]
    pub fn wanted(&self) -> Vec<CredentialName> {
        let address = match self.endpoint {
            ProviderEndpoint::Known { .. } => None,
            ProviderEndpoint::Own { name, .. } => Some(name),
        };
        let required = self.slots.iter().filter(|slot| slot.required);
        let keys = required.filter_map(|slot| slot.names.first().copied());
        address.into_iter().chain(keys).collect()
    }

    fn missing(&self, problem: Option<String>) -> ProviderFailure {
        let wanted = self.wanted();
        let variables: Vec<&str> = wanted.iter().map(|name| name.variable).collect();
        let paths: Vec<String> = wanted
            .iter()
            .map(|name| format!("'{}'", name.path.join(".")))
            .collect();
        let mut text = format!("{} is not configured.", self.title);
        if let Some(problem) = problem {
            // Writing to a string does not fail.
            let _ = write!(text, " The credentials file could not be used. {problem}");
        }
        ProviderFailure::new(self, SearchFailureKind::AuthMissing, text).advising(format!(
            "{} Set {}, or {} in credentials.json.",
            self.setup,
            variables.join(" and "),
            paths.join(" and ")
        ))
    }

    /// Where its key is set, for sentences.
    #[must_use]
    pub fn places(&self) -> String {
        let names = self.slots.first().map_or(&[][..], |slot| slot.names);
        match names.first() {
            Some(name) => format!(
                "{}, or '{}' in credentials.json",
                name.variable,
                name.path.join(".")
            ),
            None => "its configuration".to_owned(),
        }
    }
}

/// The key, unless no header could hold it.
fn sendable(provider: &Provider, slot: &CredentialSlot, key: Key) -> Result<Key, ProviderFailure> {
    if key
        .expose()
        .bytes()
        .all(|byte| (b' '..=b'~').contains(&byte))
    {
        return Ok(key);
    }
    let variable = slot.names.first().map_or("", |name| name.variable);
    Err(ProviderFailure::new(
        provider,
        SearchFailureKind::AuthInvalid,
        format!("The value of {variable} holds characters that no key has."),
    )
    .advising(format!("Set {} anew.", provider.places())))
}
