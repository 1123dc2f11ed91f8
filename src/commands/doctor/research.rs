//! Research: the providers of search, the cache and its key. No key is ever shown.

use crate::cache::KEY_VARIABLE;
use crate::cache::status::{CacheKey, CacheState, look_at_cache};
use crate::commands::doctor::{BAD, DoctorReport, GOOD, PLAIN, advice};
use crate::console::sanitize::{display_path, for_line};
use crate::contract::tool::ToolSet;
use crate::registry::Registry;
use crate::web::credentials::Credentials;
use crate::web::search::choice::{
    self, NoProvider, PROVIDER_VARIABLE, ProviderChoice, ROUTING_VARIABLE,
};
use crate::web::search::query::WebSearch;

/// Reports what the tools of research use, if `tools` has any.
pub fn report(report: &mut DoctorReport, tools: Registry) {
    if tools.iter().any(|tool| tool.set == ToolSet::Research) {
        report.heading("Research");
        report_providers(report, &Credentials::from_env());
        report_cache(report);
    }
}

fn report_providers(report: &mut DoctorReport, credentials: &Credentials<'_>) {
    let all = choice::PROVIDERS.iter();
    let configured = all.filter(|provider| provider.is_chosen(credentials));
    let configured: Vec<&str> = configured.map(|provider| provider.name).collect();
    let (colour, names) = match configured.as_slice() {
        [] => (PLAIN, "none; DuckDuckGo needs no key".to_owned()),
        some => (GOOD, some.join(", ")),
    };
    report.row("providers configured", colour, &names);
    let (colour, searches) = match choice::choose(&WebSearch::default(), credentials) {
        Ok(ProviderChoice::One(provider)) => (PLAIN, provider.name.to_owned()),
        Ok(ProviderChoice::FirstOf(all)) => {
            let names: Vec<&str> = all.iter().map(|provider| provider.name).collect();
            (
                PLAIN,
                format!("the first that answers of {}", names.join(", ")),
            )
        }
        Err(error) => {
            let text = for_line(&format!("Searches have nobody to ask: {error}"));
            match error {
                NoProvider::Off => report.hint(text, format!("unset {PROVIDER_VARIABLE}")),
                NoProvider::Unknown { place, .. } => report.problem(text, format!("unset {place}")),
                NoProvider::Routing(_) => report.problem(text, format!("unset {ROUTING_VARIABLE}")),
            }
            (BAD, "nobody".to_owned())
        }
    };
    report.row("searches with", colour, &searches);
}

fn report_cache(report: &mut DoctorReport) {
    let secret = std::env::var(KEY_VARIABLE).ok();
    let seen = look_at_cache(secret.as_deref());
    let directory = seen.directory.unwrap_or_default();
    let (colour, state, mode) = match seen.state {
        CacheState::Sound => (GOOD, "can be written to", None),
        CacheState::NotYet => (PLAIN, "made by the first answer", None),
        CacheState::Unusable => (PLAIN, "no place: nothing is kept", None),
        CacheState::ReadOnly => (
            BAD,
            "cannot be written to: nothing new is kept",
            Some("u+rwx"),
        ),
        CacheState::Open => (BAD, "others may write to it: nothing is kept", Some("go-w")),
    };
    let place = format!("{} {state}", display_path(&directory));
    report.row("cache", colour, &place);
    if let Some(mode) = mode {
        report.hint(place, advice::chmod(mode, &directory));
    }
    let key = match &seen.key {
        CacheKey::Set => format!("set in the environment ({KEY_VARIABLE})"),
        CacheKey::Wrong => {
            let text = "has not 64 hexadecimal digits, and so nothing is kept";
            report.problem(
                format!("{KEY_VARIABLE} {text}"),
                format!("unset {KEY_VARIABLE}"),
            );
            "no key".to_owned()
        }
        CacheKey::File(file) => display_path(file),
        CacheKey::NotYet(file) => format!("{}, made by the first answer", display_path(file)),
        CacheKey::Nowhere => "no place".to_owned(),
    };
    report.row("key of the cache", PLAIN, &key);
}
