//! Research: the providers of search, the cache and its key. No key is ever shown.

use crate::cache::KEY_VARIABLE;
use crate::cache::status::{CacheKey, CacheState, look_at_cache};
use crate::commands::doctor::{BAD, DoctorReport, GOOD, advice, display_path};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::contract::tool::ToolSet;
use crate::registry::Registry;
use crate::web::credentials::Credentials;
use crate::web::search::choice::{
    self, NoProvider, PROVIDER_VARIABLE, ProviderChoice, ROUTING_VARIABLE,
};
use crate::web::search::query::WebSearch;

/// Reports what the tools of research use, if `tools` has any.
pub fn report(report: &mut DoctorReport, tools: Registry) {
    if !tools.iter().any(|tool| tool.set == ToolSet::Research) {
        return;
    }
    report.heading("Research");
    report_providers(report, &Credentials::from_env());
    report_cache(report);
}

fn line(report: &mut DoctorReport, subject: &str, state: &str) {
    report.line(&format!("  {subject:<24} {state}"));
}

fn report_providers(report: &mut DoctorReport, credentials: &Credentials<'_>) {
    let configured: Vec<&str> = choice::PROVIDERS
        .iter()
        .filter(|provider| provider.is_chosen(credentials))
        .map(|provider| provider.name)
        .collect();
    let names = match configured.as_slice() {
        [] => "none; DuckDuckGo needs no key".to_owned(),
        some => painted(&some.join(", "), GOOD, report.colour),
    };
    line(report, "providers configured", &names);
    let searches = match choice::choose(&WebSearch::default(), credentials) {
        Ok(ProviderChoice::One(provider)) => provider.name.to_owned(),
        Ok(ProviderChoice::FirstOf(all)) => {
            let names: Vec<&str> = all.iter().map(|provider| provider.name).collect();
            format!("the first that answers of {}", names.join(", "))
        }
        Err(error) => {
            let text = sanitize::for_line(&format!("Searches have nobody to ask: {error}"));
            match error {
                NoProvider::Off => report.hint(text, format!("unset {PROVIDER_VARIABLE}")),
                NoProvider::Unknown { place, .. } => report.problem(text, format!("unset {place}")),
                NoProvider::Routing(_) => report.problem(text, format!("unset {ROUTING_VARIABLE}")),
            }
            painted("nobody", BAD, report.colour)
        }
    };
    line(report, "searches with", &searches);
}

fn report_cache(report: &mut DoctorReport) {
    let secret = std::env::var(KEY_VARIABLE).ok();
    let seen = look_at_cache(secret.as_deref());
    let place = seen
        .directory
        .as_deref()
        .map_or_else(String::new, display_path);
    let (state, mode) = match seen.state {
        CacheState::Sound => (painted("can be written to", GOOD, report.colour), None),
        CacheState::NotYet => ("made by the first answer".to_owned(), None),
        CacheState::ReadOnly => (
            "cannot be written to: nothing new is kept".to_owned(),
            Some("u+rwx"),
        ),
        CacheState::Open => (
            "others may write to it: nothing is kept".to_owned(),
            Some("go-w"),
        ),
        CacheState::Unusable => ("no place: nothing is kept".to_owned(), None),
    };
    line(report, "cache", &format!("{place} {state}"));
    if let (Some(mode), Some(directory)) = (mode, &seen.directory) {
        report.hint(format!("{place}: {state}"), advice::chmod(mode, directory));
    }
    let key = match &seen.key {
        CacheKey::Set => format!("set in the environment ({KEY_VARIABLE})"),
        CacheKey::Wrong => {
            report.problem(
                format!("{KEY_VARIABLE} has not 64 hexadecimal digits, and so nothing is kept"),
                format!("unset {KEY_VARIABLE}"),
            );
            painted("no key", BAD, report.colour)
        }
        CacheKey::File(file) => display_path(file),
        CacheKey::NotYet(file) if seen.state != CacheState::Unusable => {
            format!("{}, made by the first answer", display_path(file))
        }
        CacheKey::NotYet(_) | CacheKey::Nowhere => "no place".to_owned(),
    };
    line(report, "key of the cache", &key);
}
