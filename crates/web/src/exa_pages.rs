//! Pages from Exa, for those that show nothing without scripts: from its store, or crawled for this
//! call.
//!
//! Facts: Exa documentation, "Get contents". Exa sees the page's URL, so it is asked only if its
//! user allows that, and never for a URL that is not public.

use serde_json::{Value, json};
use url::{Host, Url};

use super::client::{HttpClient, HttpResponse};
use super::credentials::{Credentials, SecretText};
use super::guard::class::AddressScope;
use super::guard::class_of;
use super::provider::exchange::{self, ProviderItem, RetryBudget};
use super::provider::failure::{ProviderFailure, ProviderFailureKind};
use super::provider::reply::{self, string};
use super::provider::{ProviderAccount, ProviderRefusal, ProviderRequest, UnreadableReply};
use super::search::exa::{KEY, PROVIDER};

/// If set to `1`, Exa may be asked for pages.
const VARIABLE: &str = "IKIGAI_EXA_PAGES";

/// A page as Exa returns it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExaPage {
    /// Title; empty if there is none.
    pub title: String,
    /// Text, as Markdown.
    pub text: String,
    /// Author.
    pub author: Option<String>,
    /// Date of publication, as Exa writes it.
    pub published: Option<String>,
    /// True if it was crawled for this call; otherwise it was in Exa's store.
    pub is_fresh: bool,
}

// Its text is read like that of any page.
impl ProviderItem for ExaPage {}

/// True if Exa may be asked for the page at `url`: its user allows it, there is a key, and the URL
/// is public, without a login or an explicit port.
#[must_use]
pub fn is_wanted(url: &Url, credentials: &Credentials<'_>) -> bool {
    let on = credentials.variable(VARIABLE);
    on.is_some_and(|on| on == "1") && is_public(url) && key(credentials).is_some()
}

/// Returns the key, if there is one.
#[must_use]
pub fn key(credentials: &Credentials<'_>) -> Option<SecretText> {
    credentials
        .find_credential(KEY.name.variable, KEY.name.path)
        .ok()
}

/// True if the address is public by its spelling, without a login or an explicit port.
pub(super) fn is_public(url: &Url) -> bool {
    let plain = matches!(url.scheme(), "http" | "https")
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let Some(host) = url.host().filter(|_| plain) else {
        return false;
    };
    let host = host.to_owned();
    let named = match &host {
        Host::Domain(name) => {
            name.trim_end_matches('.').contains('.') && !is_private_network_name(name)
        }
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    let scope = class_of(&host).map(|class| class.scope);
    named && scope.is_none_or(|scope| scope == AddressScope::Public)
}

/// True if a name has an ending that is used within private networks only (RFC 6762, RFC 8375, and
/// names that no registry will ever assign).
fn is_private_network_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let endings = [
        "corp",
        "home",
        "home.arpa",
        "internal",
        "intranet",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "private",
        "test",
        "invalid",
        "onion",
    ];
    endings.iter().any(|ending| {
        name.strip_suffix(ending)
            .is_some_and(|head| head.ends_with('.'))
    })
}

/// Asks Exa for the page at `url`. A failure holds no key.
pub fn read(
    client: &HttpClient,
    credentials: &Credentials<'_>,
    url: &Url,
) -> Result<ExaPage, ProviderFailure> {
    let account = PROVIDER.account(credentials)?;
    let account = ProviderAccount {
        endpoint: contents(&account.endpoint),
        ..account
    };
    let mut page = url.clone();
    page.set_fragment(None);
    let fields = [
        ("urls", Some(json!([page.as_str()]))),
        ("text", Some(true.into())),
        ("livecrawl", Some("fallback".into())),
    ];
    let request = ProviderRequest::post(&account, fields).with("x-api-key", account.key(0));
    let answer = exchange::ask(
        client,
        &PROVIDER,
        &request,
        RetryBudget::WHILE_OTHERS_REMAIN,
        read_pages,
    );
    match answer.map(|mut pages| pages.pop()) {
        Ok(Some(page)) => Ok(page),
        Err(failure) if failure.kind != ProviderFailureKind::Rejected => Err(failure),
        Err(failure) => Err(failure.advising("")),
        Ok(None) => {
            let kind = ProviderFailureKind::NotUnderstood;
            Err(ProviderFailure::new(
                &PROVIDER,
                kind,
                "Exa answered with no page.",
            ))
        }
    }
}

/// Returns the URL of the contents API, next to that of searches.
fn contents(search: &Url) -> Url {
    let mut url = search.clone();
    url.set_query(None);
    url.set_fragment(None);
    let last = url.path_segments().and_then(|mut path| path.next_back());
    let searches = last.is_some_and(|last| last == "search" || last.is_empty());
    if let Ok(mut path) = url.path_segments_mut() {
        if searches {
            path.pop();
        }
        path.push("contents");
    }
    url
}

fn read_pages(reply: &HttpResponse) -> Result<Vec<ExaPage>, UnreadableReply> {
    let body = reply::object(reply)?;
    let status = body.pointer("/statuses/0").unwrap_or(&Value::Null);
    let word = |value: &Value, field: &str| {
        let text = Some(string(value, field).trim());
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let page = body.pointer("/results/0");
    let text = page.and_then(|page| word(page, "text"));
    let (Some(page), Some(text)) = (page, text) else {
        let tag = status.pointer("/error/tag").and_then(Value::as_str);
        let why = tag.map_or(String::new(), |tag| {
            format!(" ({})", reply::on_one_short_line(tag))
        });
        let text = format!("Exa does not have the page either{why}.");
        let refusal = ProviderRefusal::new(ProviderFailureKind::Rejected, text);
        return Err(UnreadableReply::Refused(refusal));
    };
    Ok(vec![ExaPage {
        title: word(page, "title").unwrap_or_default(),
        text,
        author: word(page, "author"),
        published: word(page, "publishedDate"),
        is_fresh: word(status, "source").is_some_and(|source| source != "cached"),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(url: &str, variables: &[(&str, &str)]) -> bool {
        let var = |name: &str| {
            let mut all = variables.iter();
            all.find(|(set, _)| *set == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let credentials = Credentials::from_vars(&var, None);
        is_wanted(&Url::parse(url).unwrap(), &credentials)
    }

    const ON: [(&str, &str); 2] = [(VARIABLE, "1"), ("EXA_API_KEY", "k")];

    #[test]
    fn exa_is_asked_only_where_its_user_says_so_and_there_is_a_key() {
        let page = "https://example.com/a?b#c";
        assert!(wanted(page, &ON));
        assert!(!wanted(page, &ON[..1]));
        assert!(!wanted(page, &ON[1..]));
        assert!(!wanted(page, &[(VARIABLE, "0"), ON[1]]));
    }

    #[test]
    fn an_address_that_is_nobody_else_s_business_is_not_told() {
        for page in [
            "https://user:secret@example.com/",
            "https://user@example.com/",
            "https://example.com:8443/",
            "http://localhost/",
            "http://intranet/",
            "http://printer.local/",
            "http://wiki.corp/",
            "http://nas.home.arpa./",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://127.0.0.1/",
            "http://[::1]/",
            "http://[fd00::1]/",
            "http://169.254.169.254/",
            "ftp://example.com/",
        ] {
            assert!(!wanted(page, &ON), "{page}");
        }
        for page in [
            "http://example.com:80/",
            "https://8.8.8.8/",
            "https://a.b.example.org/",
        ] {
            assert!(wanted(page, &ON), "{page}");
        }
    }

    #[test]
    fn pages_are_beside_searches() {
        for (search, pages) in [
            ("https://api.exa.ai/search", "https://api.exa.ai/contents"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1/contents"),
            (
                "http://127.0.0.1:1/v1/search?x=y",
                "http://127.0.0.1:1/v1/contents",
            ),
            ("http://127.0.0.1:1/exa", "http://127.0.0.1:1/exa/contents"),
        ] {
            assert_eq!(contents(&Url::parse(search).unwrap()).as_str(), pages);
        }
    }
}
