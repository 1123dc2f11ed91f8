//! Providers: services that are asked over HTTP and answer with a list. A row ([`Provider`]) has
//! all that every provider has; each kind of search builds on it in a module of its own.
//!
//! | module | contents |
//! |---|---|
//! | `exchange` | one request and its answer, without a key in it |
//! | `reply` | parsing that the providers' replies have in common |
//! | `failure` | failures of a provider |
//! | `breaker` | circuit breakers of failing providers |

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use self::failure::{ProviderFailure, ProviderFailureKind};
use crate::client::{self, HttpResponse};
use crate::credentials::{CredentialName, Credentials, SecretText};

pub mod breaker;
pub mod exchange;
pub mod failure;
pub mod reply;

/// A provider, whatever it is asked for.
pub struct Provider {
    /// Name in requests and variables, in lower case.
    pub name: &'static str,
    /// Name in sentences.
    pub title: &'static str,
    /// Credentials that it takes.
    pub slots: &'static [CredentialSlot],
    /// Address of its API.
    pub endpoint: ProviderEndpoint,
    /// Sentence on how to get a key.
    pub setup: &'static str,
    /// Value of `Accept`.
    pub accept: &'static str,
    /// Interprets an answer with a status of 400 or more, from which keys have been removed, for
    /// the provider of this title.
    pub refusal: fn(&str, &HttpResponse) -> ProviderRefusal,
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

/// A credential that a provider takes.
#[derive(Clone, Copy, Debug)]
pub struct CredentialSlot {
    /// Its names.
    pub name: CredentialName,
    /// Other variables, which count after its own.
    pub also: &'static [&'static str],
    /// True if the provider cannot be asked without it.
    pub is_required: bool,
}

/// Returns a credential without which a provider cannot be asked.
#[must_use]
pub const fn required_key(variable: &'static str, path: &'static [&'static str]) -> CredentialSlot {
    CredentialSlot {
        name: CredentialName { variable, path },
        also: &[],
        is_required: true,
    }
}

/// Returns a credential without which a provider can be asked.
#[must_use]
pub const fn optional_key(variable: &'static str, path: &'static [&'static str]) -> CredentialSlot {
    CredentialSlot {
        is_required: false,
        ..required_key(variable, path)
    }
}

impl CredentialSlot {
    /// Returns the credential; the error says what is wrong with the credentials file.
    fn find_credential(&self, credentials: &Credentials<'_>) -> Result<SecretText, Option<String>> {
        let mut problem = None;
        for variable in [self.name.variable].iter().chain(self.also) {
            match credentials.find_credential(variable, self.name.path) {
                Ok(key) => return Ok(key),
                Err(missing) => problem = problem.or(missing.problem),
            }
        }
        Err(problem)
    }

    /// Names the places in which it can be set, for sentences.
    fn places(&self) -> String {
        let CredentialName { variable, path } = self.name;
        format!("{variable}, or '{}' in credentials.json", path.join("."))
    }
}

/// Address of a provider, unless the variable `IKIGAI_<NAME>_URL` sets another one.
#[derive(Clone, Copy, Debug)]
pub enum ProviderEndpoint {
    /// This one.
    Known(&'static str),
    /// That of the user's own instance, by its name in the credentials.
    Own(CredentialName),
}

/// Address and keys of a provider, as configured.
#[derive(Clone, Debug)]
pub struct ProviderAccount {
    /// The address.
    pub endpoint: Url,
    /// Credential of each slot, if it is set.
    pub keys: Vec<Option<SecretText>>,
}

impl ProviderAccount {
    /// Returns the credential in a slot; empty if it is not set.
    #[must_use]
    pub fn key(&self, slot: usize) -> &str {
        self.keys
            .get(slot)
            .and_then(Option::as_ref)
            .map_or("", SecretText::expose)
    }

    /// Returns the account with an address below the one that a provider's addresses share.
    #[must_use]
    pub fn below(&self, path: &str) -> Self {
        let mut account = self.clone();
        let shared = self.endpoint.path().trim_end_matches('/');
        account.endpoint.set_path(&format!("{shared}/{path}"));
        account
    }

    /// Returns the endpoint without a login, for the key of a cached answer.
    #[must_use]
    pub fn place(&self) -> String {
        client::without_login(&self.endpoint).into()
    }
}

/// A request ready to be sent.
#[derive(Clone, Debug)]
pub struct ProviderRequest {
    /// URL, with its query.
    pub url: Url,
    /// Credentials of the account, which no text may show.
    pub keys: Vec<SecretText>,
    /// Headers of this provider.
    pub headers: Vec<(String, SecretText)>,
    /// Body of a POST: JSON, or as a string the fields of a form; `None` for a GET.
    pub body: Option<Value>,
    /// Fields of the search that this provider does not support.
    pub unheeded: Vec<&'static str>,
    /// True if a status of 404 is an answer: there is no such work.
    pub absent_is_nothing: bool,
}

/// A parameter of a request; without a value it is not sent.
pub type RequestField = (&'static str, Option<Value>);

fn given<const N: usize>(fields: [RequestField; N]) -> impl Iterator<Item = (String, Value)> {
    let fields = fields.into_iter();
    fields.filter_map(|(name, value)| Some((name.to_owned(), value?)))
}

impl ProviderRequest {
    /// Creates a GET request to the endpoint with the fields that have a value.
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
        Self::to(account, url, None)
    }

    /// Creates a POST request to the endpoint with the fields as a JSON object.
    #[must_use]
    pub fn post<const N: usize>(account: &ProviderAccount, fields: [RequestField; N]) -> Self {
        let body = given(fields).collect();
        Self::to(account, account.endpoint.clone(), Some(body))
    }

    fn to(account: &ProviderAccount, url: Url, body: Option<Value>) -> Self {
        Self {
            url,
            keys: account.keys.iter().flatten().cloned().collect(),
            headers: Vec::new(),
            body,
            unheeded: Vec::new(),
            absent_is_nothing: false,
        }
    }

    /// Marks it as a request for one work, which there may not be.
    #[must_use]
    pub fn for_one(mut self) -> Self {
        self.absent_is_nothing = true;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, header: &str, value: &str) -> Self {
        self.headers
            .push((header.to_owned(), SecretText::new(value)));
        self
    }

    /// Marks `field` of the search as unsupported, if it is `given`.
    #[must_use]
    pub fn without(mut self, field: &'static str, given: bool) -> Self {
        if given {
            self.unheeded.push(field);
        }
        self
    }
}

/// Reason why an answer with a status of success has no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadableReply {
    /// The answer does not have the documented form, unless it tells of an error.
    Unknown,
    /// The provider says in these words that it has failed, or rejects the search.
    Failed(ProviderFailureKind, String),
    /// The answer is a refusal all the same.
    Refused(ProviderRefusal),
}

/// Meaning of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRefusal {
    /// Kind of the failure. Zero seconds stand for those in the answer, or else the usual ones.
    pub kind: ProviderFailureKind,
    /// Sentence on what happened.
    pub text: String,
    /// Wait after which the provider wants a retry, if it does.
    pub again: Option<Duration>,
    /// True if it is none: this is how the provider says that nothing was found.
    pub means_nothing_found: bool,
}

impl ProviderRefusal {
    /// Creates a refusal of this kind.
    #[must_use]
    pub fn new(kind: ProviderFailureKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            again: None,
            means_nothing_found: false,
        }
    }

    /// Returns the status with which a provider says that nothing was found.
    #[must_use]
    pub fn nothing_found() -> Self {
        Self {
            means_nothing_found: true,
            ..Self::new(ProviderFailureKind::Rejected, "")
        }
    }
}

impl Provider {
    /// A provider without keys that answers with JSON, and whose statuses mean what they usually
    /// do.
    pub const PLAIN: Self = Self {
        name: "",
        title: "",
        slots: &[],
        endpoint: ProviderEndpoint::Known(""),
        setup: "",
        accept: "application/json",
        refusal: reply::by_status,
    };

    /// True if all that the provider requires is configured.
    #[must_use]
    pub(crate) fn is_configured(&self, credentials: &Credentials<'_>) -> bool {
        let mut slots = self.slots.iter();
        self.address(credentials).is_ok()
            && slots.all(|slot| !slot.is_required || slot.find_credential(credentials).is_ok())
    }

    /// True if the user configured the provider, and it requires that.
    #[must_use]
    pub fn is_chosen(&self, credentials: &Credentials<'_>) -> bool {
        !self.required_names().is_empty() && self.is_configured(credentials)
    }

    /// Returns the account: address and credentials.
    pub fn account(
        &self,
        credentials: &Credentials<'_>,
    ) -> Result<ProviderAccount, ProviderFailure> {
        self.account_or(credentials, |problem| self.missing(problem))
    }

    /// Like [`Provider::account`], with another failure if something is not configured;
    /// `missing` gets the problem with the credentials file.
    pub(crate) fn account_or(
        &self,
        credentials: &Credentials<'_>,
        missing: impl Fn(Option<String>) -> ProviderFailure,
    ) -> Result<ProviderAccount, ProviderFailure> {
        let mut keys = Vec::with_capacity(self.slots.len());
        for slot in self.slots {
            match slot.find_credential(credentials) {
                Ok(key) => keys.push(Some(key)),
                Err(problem) if slot.is_required => return Err(missing(problem)),
                Err(_) => keys.push(None),
            }
        }
        let (variable, text) = self.address(credentials).map_err(missing)?;
        let endpoint = client::parse_url(&text).map_err(|why| {
            let text = format!("{variable} is not a valid endpoint URL: {why}");
            ProviderFailure::new(self, ProviderFailureKind::Config, text)
        })?;
        // A header cannot carry other characters.
        let sendable = |byte: u8| (b' '..=b'~').contains(&byte);
        for (slot, key) in self.slots.iter().zip(&keys) {
            if key
                .as_ref()
                .is_some_and(|key| !key.expose().bytes().all(sendable))
            {
                let variable = slot.name.variable;
                let text = format!(
                    "The value of {variable} contains characters that are not allowed in a key."
                );
                let failure = ProviderFailure::new(self, ProviderFailureKind::AuthInvalid, text);
                return Err(failure.advising(format!("Correct {}.", slot.places())));
            }
        }
        Ok(ProviderAccount { endpoint, keys })
    }

    /// Returns the configured address, with the variable that sets it; the error says what is wrong
    /// with the credentials file.
    fn address(&self, credentials: &Credentials<'_>) -> Result<(String, String), Option<String>> {
        let variable = format!("IKIGAI_{}_URL", self.name.to_uppercase());
        if let Some(set) = credentials.variable(&variable) {
            return Ok((variable, set));
        }
        match self.endpoint {
            ProviderEndpoint::Known(address) => Ok((variable, address.to_owned())),
            ProviderEndpoint::Own(name) => {
                match credentials.find_credential(name.variable, name.path) {
                    Ok(address) => Ok((name.variable.to_owned(), address.expose().to_owned())),
                    Err(missing) => Err(missing.problem),
                }
            }
        }
    }

    /// Returns all names that a user has to configure.
    #[must_use]
    pub fn required_names(&self) -> Vec<CredentialName> {
        let address = match self.endpoint {
            ProviderEndpoint::Known(_) => None,
            ProviderEndpoint::Own(name) => Some(name),
        };
        let required = self.slots.iter().filter(|slot| slot.is_required);
        let keys = required.map(|slot| slot.name);
        address.into_iter().chain(keys).collect()
    }

    fn missing(&self, problem: Option<String>) -> ProviderFailure {
        let wanted = self.required_names();
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
        ProviderFailure::new(self, ProviderFailureKind::AuthMissing, text).advising(format!(
            "{} Set {}, or {} in credentials.json.",
            self.setup,
            variables.join(" and "),
            paths.join(" and ")
        ))
    }

    /// Names the places in which its key can be set, for sentences.
    #[must_use]
    pub fn places(&self) -> String {
        let first = self.slots.first();
        first.map_or("its configuration".to_owned(), CredentialSlot::places)
    }
}
