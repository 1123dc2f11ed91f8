//! Whether the tools of research have what they use: providers of search, a cache, its key. No key
//! is ever shown.

use crate::cache::KEY_VARIABLE;
use crate::cache::look::{Key, State, look};
use crate::commands::doctor::{BAD, GOOD, Problem, Report, shell, shown};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::contract::tool::ToolSet;
use crate::registry::Registry;
use crate::web::credentials::Credentials;
use crate::web::search::choice::{self, PROVIDER_VARIABLE, ROUTING_VARIABLE, Route};
use crate::web::search::query::Search;

/// Puts down how they stand, where `tools` has any that keeps answers.
pub fn report(report: &mut Report, tools: Registry) {
    if !tools.iter().any(|tool| tool.set == ToolSet::Research) {
        return;
    }
    report.heading("Research");
    let credentials = Credentials::from_env();
    providers(report, &credentials);
    cache(report);
}

fn line(report: &mut Report, what: &str, how: &str) {
    report.line(&format!("  {what:<24} {how}"));
}

fn providers(report: &mut Report, credentials: &Credentials<'_>) {
    let configured: Vec<&str> = choice::PROVIDERS
        .iter()
        .filter(|provider| provider.is_chosen(credentials))
        .map(|provider| provider.name)
        .collect();
    let none = "none; DuckDuckGo needs no key".to_owned();
    let names = match configured.as_slice() {
        [] => none,
        some => painted(&some.join(", "), GOOD, report.colour),
    };
    line(report, "providers configured", &names);
    match choice::choose(&Search::default(), credentials) {
        Ok(Route::One(provider)) => line(report, "searches with", provider.name),
        Ok(Route::FirstOf(all)) => {
            let names: Vec<&str> = all.iter().map(|provider| provider.name).collect();
            let names = names.join(", ");
            line(
                report,
                "searches with",
                &format!("the first that answers of {names}"),
            );
        }
        Err(error) => {
            let nobody = painted("nobody", BAD, report.colour);
            line(report, "searches with", &nobody);
            let variable = match error {
                choice::NoProvider::Unknown { place, .. } => place,
                choice::NoProvider::Off => PROVIDER_VARIABLE,
                choice::NoProvider::Routing(_) => ROUTING_VARIABLE,
            };
            let off = matches!(error, choice::NoProvider::Off);
            let what = sanitize::for_line(&format!("Searches have nobody to ask: {error}"));
            let advice = format!("unset {variable}");
            if off {
                report.hint(what, advice);
            } else {
                report.problem(what, advice);
            }
        }
    }
}

fn cache(report: &mut Report) {
    let secret = std::env::var(KEY_VARIABLE).ok();
    let seen = look(secret.as_deref());
    let place = seen.directory.as_deref().map_or_else(String::new, shown);
    let state = match seen.state {
        State::Sound => painted("can be written to", GOOD, report.colour),
        State::NotYet => "made by the first answer".to_owned(),
        State::ReadOnly => "cannot be written to: nothing new is kept".to_owned(),
        State::Open => "others may write to it: nothing is kept".to_owned(),
        State::Unusable => "no place: nothing is kept".to_owned(),
    };
    line(report, "cache", &format!("{place} {state}"));
    if let (State::ReadOnly | State::Open, Some(directory)) = (seen.state, &seen.directory) {
        let mode = if seen.state == State::Open {
            "go-w"
        } else {
            "u+rwx"
        };
        report.hints.push(Problem {
            what: format!("{place}: {state}"),
            advice: shell::chmod(mode, directory),
        });
    }
    let key = match &seen.key {
        Key::Set => format!("set in the environment ({KEY_VARIABLE})"),
        Key::Wrong => painted("no key", BAD, report.colour),
        Key::File(file) => shown(file),
        Key::NotYet(_) if seen.state == State::Unusable => "no place".to_owned(),
        Key::NotYet(file) => format!("{}, made by the first answer", shown(file)),
        Key::Nowhere => "no place".to_owned(),
    };
    line(report, "key of the cache", &key);
    if seen.key == Key::Wrong {
        report.problem(
            format!("{KEY_VARIABLE} has not 64 hexadecimal digits, and so nothing is kept"),
            format!("unset {KEY_VARIABLE}"),
        );
    }
}
