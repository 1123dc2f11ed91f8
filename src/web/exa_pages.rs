//! Pages from Exa, for those that show nothing without scripts: from its store, or crawled for this
//! call.
//!
//! Facts: Exa documentation, "Get contents". Exa sees the page's URL, so it is asked only if its
//! user allows that, and never for a URL that is not public.

use serde_json::{Value, json};
use url::{Host, Url};

use super::client::{FetchError, FetchRequest, HttpClient, HttpResponse, PostRequest};
use super::credentials::{Credentials, SecretText};
use super::guard::class::AddressScope;
use super::guard::class_of;
use super::provider::failure::{ProviderFailure, ProviderFailureKind, QUOTA_WAIT, USUAL_WAIT};
use super::search::exa::{KEY, PROVIDER};
use super::status_advice::retry_delay;

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
    pub crawled: bool,
}

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
    credentials.find(KEY.name.variable, KEY.name.path).ok()
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
        Host::Domain(name) => name.trim_end_matches('.').contains('.') && !is_of_a_house(name),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    let scope = class_of(&host).map(|class| class.scope);
    named && scope.is_none_or(|scope| scope == AddressScope::Public)
}

/// True if a name has an ending that is used within private networks only (RFC 6762, RFC 8375, and
/// names that no registry will ever assign).
fn is_of_a_house(name: &str) -> bool {
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
    let endpoint = contents(&account.endpoint);
    let mut page = url.clone();
    page.set_fragment(None);
    let body = json!({"urls": [page.as_str()], "text": true, "livecrawl": "fallback"});
    let key = account.keys.first().cloned().flatten();
    let clean = |text: &str| match &key {
        Some(key) => key.hide_in(text),
        None => text.to_owned(),
    };
    let reply = client.post(&PostRequest {
        to: FetchRequest {
            url: &endpoint,
            accept: "application/json",
            headers: &[("x-api-key", account.key(0))],
        },
        content_type: "application/json",
        body: body.to_string().as_bytes(),
    });
    let found = match reply {
        Ok(reply) => found(&reply),
        Err(FetchError::Status(reply)) => Err(refused(*reply, clean)),
        Err(error) => {
            let own = matches!(&error, FetchError::Network(error) if error.own);
            let text = format!("Exa was not reached: {error}");
            Err(ProviderFailure::new(
                &PROVIDER,
                ProviderFailureKind::Network { own },
                text,
            ))
        }
    };
    found.map_err(|failure| failure.map(clean))
}

/// Returns the URL of the contents API, beside that of searches.
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

fn refused(mut reply: HttpResponse, clean: impl Fn(&str) -> String) -> ProviderFailure {
    reply.reason = clean(&reply.reason);
    reply.body = clean(&String::from_utf8_lossy(&reply.body)).into_bytes();
    let refusal = (PROVIDER.refusal)(PROVIDER.title, &reply);
    let kind = match refusal.kind {
        ProviderFailureKind::RateLimited { seconds: 0, quota } => {
            let usual = if quota { QUOTA_WAIT } else { USUAL_WAIT };
            let told = retry_delay(&reply).map(|wait| wait.as_secs().max(1));
            ProviderFailureKind::RateLimited {
                seconds: told.unwrap_or(usual),
                quota,
            }
        }
        kind => kind,
    };
    ProviderFailure::new(&PROVIDER, kind, refusal.text)
}

fn found(reply: &HttpResponse) -> Result<ExaPage, ProviderFailure> {
    let unknown = || {
        let text = format!(
            "Exa answered HTTP {} with something that is no page.",
            reply.status
        );
        ProviderFailure::new(&PROVIDER, ProviderFailureKind::NotUnderstood, text)
    };
    let body: Value = serde_json::from_slice(&reply.body).map_err(|_| unknown())?;
    let status = body.pointer("/statuses/0").unwrap_or(&Value::Null);
    let word = |value: &Value, field: &str| {
        let text = value.get(field).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let page = body.pointer("/results/0");
    let text = page.and_then(|page| word(page, "text"));
    let (Some(page), Some(text)) = (page, text) else {
        if !body.is_object() {
            return Err(unknown());
        }
        let tag = status.pointer("/error/tag").and_then(Value::as_str);
        let why = tag.map_or(String::new(), |tag| {
            let tag: String = tag.chars().filter(|c| !c.is_control()).take(60).collect();
            format!(" ({tag})")
        });
        let text = format!("Exa does not have the page either{why}.");
        return Err(
            ProviderFailure::new(&PROVIDER, ProviderFailureKind::Rejected, text).advising(""),
        );
    };
    Ok(ExaPage {
        title: word(page, "title").unwrap_or_default(),
        text,
        author: word(page, "author"),
        published: word(page, "publishedDate"),
        crawled: word(status, "source").is_some_and(|source| source != "cached"),
    })
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
