//! Choice of the provider: the one named in the request, or else the configured one.

use serde_json::Value;

use super::query::WebSearch;
use super::search_provider::SearchProvider;
use super::{brave, duckduckgo, exa, google, searchapi, searxng, serper, tavily};
use crate::credentials::Credentials;

/// All providers, in the order in which they are listed.
pub static PROVIDERS: [&SearchProvider; 8] = [
    &brave::PROVIDER,
    &duckduckgo::PROVIDER,
    &exa::PROVIDER,
    &google::PROVIDER,
    &searchapi::PROVIDER,
    &searxng::PROVIDER,
    &serper::PROVIDER,
    &tavily::PROVIDER,
];

/// Providers that need configuration, best first.
const PREFERRED: [&str; 7] = [
    "brave",
    "google",
    "serper",
    "tavily",
    "exa",
    "searchapi",
    "searxng",
];

/// Variable with the provider to use, or `none`.
pub const PROVIDER_VARIABLE: &str = "SEARCH_PROVIDER";

/// Variable with the providers to try, in order.
pub const ROUTING_VARIABLE: &str = "SEARCH_ROUTING";

/// Value of [`PROVIDER_VARIABLE`] that forbids asking a provider that needs no key.
const NO_PROVIDER: &str = "none";

/// Providers selected for a search.
#[derive(Clone, Debug, PartialEq)]
pub enum ProviderChoice {
    /// Only this one.
    One(&'static SearchProvider),
    /// The first of these that answers.
    FirstOf(Vec<&'static SearchProvider>),
}

impl ProviderChoice {
    /// Returns the selected providers, in order.
    #[must_use]
    pub fn providers(self) -> Vec<&'static SearchProvider> {
        match self {
            Self::One(provider) => vec![provider],
            Self::FirstOf(providers) => providers,
        }
    }
}

/// Reason why no provider can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProvider {
    /// No provider has this name.
    #[error("There is no search provider \"{name}\" ({place}). There are: {}. Configured: {}.",
        PROVIDERS.map(|provider| provider.name).join(", "),
        if configured.is_empty() { "none".to_owned() } else { configured.join(", ") }
    )]
    Unknown {
        /// The name.
        name: String,
        /// Origin of the name: a field of the request, or a variable.
        place: &'static str,
        /// Names of the configured providers.
        configured: Vec<&'static str>,
    },
    /// Searching is switched off.
    #[error(
        "Searching is switched off ({PROVIDER_VARIABLE}={NO_PROVIDER}). Name a provider that is \
         configured, or set {PROVIDER_VARIABLE} to one."
    )]
    Off,
    /// Only the cache may answer, and it has no answer.
    #[error("The cache has no answer, and no provider may be asked.")]
    Offline,
    /// [`ROUTING_VARIABLE`] cannot be parsed.
    #[error(
        "{ROUTING_VARIABLE} is not understood: {0}. Set it to a list such as brave,searxng or \
         {{\"web\":[\"brave\",\"searxng\"]}}."
    )]
    Routing(String),
}

impl NoProvider {
    /// True if the request is at fault, and not the configuration.
    #[must_use]
    pub fn is_of_the_request(&self) -> bool {
        matches!(self, Self::Unknown { place, .. } if *place == FIELD)
    }
}

/// Field of a request that names a provider.
const FIELD: &str = "provider";

/// Finds a provider by its name, ignoring case.
#[must_use]
pub fn find_provider(name: &str) -> Option<&'static SearchProvider> {
    let name = name.trim();
    let mut all = PROVIDERS.iter().copied();
    all.find(|provider| provider.name.eq_ignore_ascii_case(name))
}

/// Returns the providers that can be asked, in order.
#[must_use]
pub fn configured(credentials: &Credentials<'_>) -> Vec<&'static SearchProvider> {
    let off = is_off(credentials);
    PROVIDERS
        .into_iter()
        .filter(|provider| {
            if off {
                provider.is_chosen(credentials)
            } else {
                provider.is_configured(credentials)
            }
        })
        .collect()
}

/// True if providers that the user has not configured must not be asked.
fn is_off(credentials: &Credentials<'_>) -> bool {
    credentials
        .variable(PROVIDER_VARIABLE)
        .is_some_and(|name| name.eq_ignore_ascii_case(NO_PROVIDER))
}

/// Selects the providers for `search`.
pub fn choose(
    search: &WebSearch,
    credentials: &Credentials<'_>,
) -> Result<ProviderChoice, NoProvider> {
    let named = |name: &str, place| {
        find_provider(name).ok_or_else(|| NoProvider::Unknown {
            name: name.trim().chars().take(100).collect(),
            place,
            configured: configured(credentials)
                .into_iter()
                .map(|provider| provider.name)
                .collect(),
        })
    };
    if let Some(name) = &search.provider {
        let provider = named(name, FIELD)?;
        if is_off(credentials) && !provider.is_chosen(credentials) {
            return Err(NoProvider::Off);
        }
        return Ok(ProviderChoice::One(provider));
    }
    // A search engine made for the lens gives the best results for it.
    let engine = search.lens.as_ref().is_some_and(|lens| lens.cx.is_some());
    if engine && google::PROVIDER.is_chosen(credentials) && !is_off(credentials) {
        return Ok(ProviderChoice::One(&google::PROVIDER));
    }
    if let Some(name) = credentials.variable(PROVIDER_VARIABLE) {
        if is_off(credentials) {
            return Err(NoProvider::Off);
        }
        return Ok(ProviderChoice::One(named(&name, PROVIDER_VARIABLE)?));
    }
    if let Some(list) = credentials.variable(ROUTING_VARIABLE) {
        let mut all: Vec<&'static SearchProvider> = Vec::new();
        for name in routing(&list).map_err(NoProvider::Routing)? {
            let provider = named(&name, ROUTING_VARIABLE)?;
            if !all.contains(&provider) {
                all.push(provider);
            }
        }
        if !all.is_empty() {
            return Ok(ProviderChoice::FirstOf(all));
        }
    }
    let mut best = PREFERRED.into_iter().filter_map(find_provider);
    let best = best.find(|provider| provider.is_chosen(credentials));
    Ok(ProviderChoice::One(best.unwrap_or(&duckduckgo::PROVIDER)))
}

/// Parses the names in [`ROUTING_VARIABLE`]: a list with commas, or JSON with a list for `web`.
fn routing(text: &str) -> Result<Vec<String>, String> {
    let split = |list: &str| -> Vec<String> {
        let names = list.split([',', ';']).map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    if !text.starts_with(['{', '[', '"']) {
        return Ok(split(text));
    }
    let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let list = match &json {
        Value::Object(object) => match object.get("web") {
            Some(list) => list,
            // The JSON may be about other kinds of search only.
            None => return Ok(Vec::new()),
        },
        other => other,
    };
    match list {
        Value::String(list) => Ok(split(list)),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| "its list has something in it that is no name".to_owned()),
        _ => Err("it has no list of names".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::lenses::Lens;

    fn chosen(variables: &[(&str, &str)], search: &WebSearch) -> Result<Vec<&'static str>, String> {
        let var = |name: &str| {
            let mut all = variables.iter();
            all.find(|(set, _)| *set == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let route = choose(search, &Credentials::from_vars(&var, None));
        let route = route.map_err(|error| error.to_string())?;
        Ok(match route {
            ProviderChoice::One(one) => vec![one.name],
            ProviderChoice::FirstOf(all) => {
                [vec!["first of"], all.iter().map(|one| one.name).collect()].concat()
            }
        })
    }

    fn plain(variables: &[(&str, &str)]) -> Result<Vec<&'static str>, String> {
        chosen(variables, &WebSearch::default())
    }

    fn search_with(provider: &str) -> WebSearch {
        WebSearch {
            provider: Some(provider.to_owned()),
            ..WebSearch::default()
        }
    }

    const BRAVE: (&str, &str) = ("BRAVE_API_KEY", "k");
    const TAVILY: (&str, &str) = ("TAVILY_API_KEY", "k");
    const SEARXNG: (&str, &str) = ("SEARXNG_URL", "http://localhost:8080");
    const GOOGLE: [(&str, &str); 2] = [
        ("GOOGLE_CUSTOM_SEARCH_API_KEY", "k"),
        ("GOOGLE_CUSTOM_SEARCH_ID", "e"),
    ];

    #[test]
    fn the_first_that_is_configured_is_asked_and_duckduckgo_where_none_is() {
        assert_eq!(plain(&[]).unwrap(), ["duckduckgo"]);
        assert_eq!(plain(&[("BRAVE_API_KEY", " ")]).unwrap(), ["duckduckgo"]);
        assert_eq!(plain(&[SEARXNG]).unwrap(), ["searxng"]);
        assert_eq!(plain(&[SEARXNG, TAVILY]).unwrap(), ["tavily"]);
        assert_eq!(plain(&[TAVILY, GOOGLE[0]]).unwrap(), ["tavily"]);
        assert_eq!(plain(&[TAVILY, GOOGLE[0], GOOGLE[1]]).unwrap(), ["google"]);
        assert_eq!(
            plain(&[TAVILY, GOOGLE[0], GOOGLE[1], BRAVE]).unwrap(),
            ["brave"]
        );
    }

    #[test]
    fn what_is_named_goes_before_what_is_set_and_that_before_a_list() {
        let all = [
            BRAVE,
            ("SEARCH_PROVIDER", " Tavily "),
            ("SEARCH_ROUTING", "exa,brave"),
        ];
        assert_eq!(chosen(&all, &search_with(" Serper ")).unwrap(), ["serper"]);
        assert_eq!(plain(&all).unwrap(), ["tavily"]);
        assert_eq!(
            plain(&[all[0], all[2]]).unwrap(),
            ["first of", "exa", "brave"]
        );
    }

    #[test]
    fn a_list_is_written_with_commas_or_as_json() {
        for list in [
            "brave, searxng,brave",
            "brave;searxng",
            r#"{"web":["brave","SearXNG"],"news":["exa"]}"#,
            r#"{"web":"brave,searxng"}"#,
            r#"["brave","searxng"]"#,
        ] {
            let route = plain(&[("SEARCH_ROUTING", list)]).unwrap();
            assert_eq!(route, ["first of", "brave", "searxng"], "{list}");
        }
        for nothing in [r#"{"news":["exa"]}"#, "[]", ",", " "] {
            let route = plain(&[("SEARCH_ROUTING", nothing), BRAVE]).unwrap();
            assert_eq!(route, ["brave"], "{nothing}");
        }
        for wrong in ["{", r#"{"web":5}"#, "[5]"] {
            let error = plain(&[("SEARCH_ROUTING", wrong)]).unwrap_err();
            assert!(error.contains("SEARCH_ROUTING"), "{error}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_and_with_those_that_are_configured() {
        let error = chosen(&[TAVILY, SEARXNG], &search_with("bing")).unwrap_err();
        assert!(error.contains("\"bing\" (provider)"), "{error}");
        assert!(
            error.ends_with("Configured: duckduckgo, searxng, tavily."),
            "{error}"
        );
        for variable in ["SEARCH_PROVIDER", "SEARCH_ROUTING"] {
            let error = plain(&[(variable, "bing")]).unwrap_err();
            assert!(error.contains(variable), "{error}");
        }
    }

    #[test]
    fn none_switches_off_whoever_is_not_configured() {
        let none = ("SEARCH_PROVIDER", "NONE");
        for search in [
            WebSearch::default(),
            search_with("duckduckgo"),
            search_with("tavily"),
        ] {
            let error = chosen(&[none, BRAVE], &search).unwrap_err();
            assert!(error.contains("SEARCH_PROVIDER"), "{error}");
        }
        assert_eq!(
            chosen(&[none, BRAVE], &search_with("brave")).unwrap(),
            ["brave"]
        );
        let error = chosen(&[none, BRAVE], &search_with("bing")).unwrap_err();
        assert!(error.ends_with("Configured: brave."), "{error}");
    }

    #[test]
    fn a_lens_with_an_engine_goes_to_google_where_that_is_configured() {
        let lens = Lens {
            cx: Some("abc".to_owned()),
            ..Lens::default()
        };
        let search = WebSearch {
            lens: Some(lens),
            ..WebSearch::default()
        };
        let all = [BRAVE, GOOGLE[0], GOOGLE[1], ("SEARCH_PROVIDER", "brave")];
        assert_eq!(chosen(&all, &search).unwrap(), ["google"]);
        assert_eq!(chosen(&[BRAVE], &search).unwrap(), ["brave"]);
        let named = WebSearch {
            provider: Some("brave".to_owned()),
            ..search
        };
        assert_eq!(chosen(&all, &named).unwrap(), ["brave"]);
    }

    #[test]
    fn providers_are_named_once_and_in_order() {
        let names = PROVIDERS.map(|provider| provider.name);
        assert!(names.is_sorted() && names.windows(2).all(|pair| pair[0] != pair[1]));
        for provider in PROVIDERS {
            let slots = provider.slots.iter().map(|slot| slot.name);
            for name in slots.chain(provider.required_names()) {
                assert_eq!(name.path[..2], ["web_search", provider.name]);
            }
        }
    }
}
