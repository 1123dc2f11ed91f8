//! The web's tools: their keys, which are never shown, the providers of search, the cache and its
//! key, the proxies that the environment names, and the certificates that are trusted. Nothing is
//! sent, but to the Redis that the environment names.

use std::env;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

use url::Url;

use super::{BAD, DoctorReport, GOOD, PLAIN, advice};
use iki_base::console::sanitize::{display_path, for_line};
use iki_conversion as conversion;
use iki_document::FileKind;
use iki_research::papers::paper_provider::PROVIDERS;
use iki_research::patents::patent_provider;
use iki_tools::contract::tool::ToolSet;
use iki_tools::registry::Registry;
use iki_web::browser::{self, Browser};
use iki_web::cache::status::{CacheState, look_at_cache};
use iki_web::cache::{KEY_VARIABLE, REDIS_VARIABLE, RedisAddress, RedisMemory, is_key};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{tls_config, trusted_certificates};
use iki_web::credentials::{CredentialName, CredentialSource, Credentials};
use iki_web::search::provider_choice::{
    self, NoProvider, PROVIDER_VARIABLE, ProviderChoice, ROUTING_VARIABLE,
};
use iki_web::search::query::WebSearch;

/// Reports the place of each tool's keys, or how to get them.
pub fn report_keys(report: &mut DoctorReport, tools: Registry) {
    report.heading("Keys");
    let credentials = Credentials::from_env();
    let file = credentials.file().unwrap_or_default();
    // A key in the environment hides that file from a search, and from no other user.
    let mode = file.metadata().map_or(0, |status| status.mode() & 0o7777);
    if mode & 0o077 != 0 {
        let path_text = display_path(&file);
        let text = format!("{path_text} holds keys, and others may use it (mode {mode:o})");
        report.problem(text, advice::chmod("600", &file));
    }
    for tool in tools {
        let Some(account) = &tool.account else {
            continue;
        };
        let (mut ways, mut reads) = (Vec::new(), Vec::new());
        let mut broken = None;
        for credential in account.credentials {
            let (variable, path) = (credential.variable, credential.path);
            let (colour, state) = match credentials.source(CredentialName { variable, path }) {
                Ok(CredentialSource::Environment) => (GOOD, "set in the environment".to_owned()),
                Ok(CredentialSource::File(file_path)) => {
                    (GOOD, format!("set in {}", display_path(&file_path)))
                }
                Err(missing) => {
                    ways.push(format!("{variable} or `{}`", path.join(".")));
                    reads.push(format!("read -r {variable} && export {variable}"));
                    broken = broken.or(missing.problem);
                    match broken {
                        Some(_) => (BAD, "cannot be read".to_owned()),
                        None => (PLAIN, "not set".to_owned()),
                    }
                }
            };
            let subject = format!("{:<24} {variable:<24}", tool.command());
            report.row(&subject, colour, &state);
        }
        if let Some(reason) = broken {
            let advice = match File::open(&file) {
                Ok(_) => advice::put_aside(&file),
                Err(_) => advice::chmod("600", &file),
            };
            let text = format!("keys cannot be used: {}", for_line(&reason));
            report.problem(text, advice);
        } else if !ways.is_empty() {
            let (tool, ways, source) = (tool.command(), ways.join(" and "), account.source);
            let is_none = reads.len() == account.credentials.len();
            let text = |has: &str| {
                format!(
                    "{tool} has {has}, and answers AUTH_MISSING: set {ways} in \
                     ~/.config/ikigai/credentials.json. {source}"
                )
            };
            // Half an account is a mistake, none at all may be intended.
            if is_none {
                report.hint(text("no key"), reads.join(" && "));
            } else {
                report.problem(text("only a part of what it needs"), reads.join(" && "));
            }
        }
    }
}

/// Reports what the tools of research use, if `tools` has any.
pub fn report_research(report: &mut DoctorReport, tools: Registry) {
    if tools.iter().any(|tool| tool.set == ToolSet::Research) {
        report.heading("Research");
        report_providers(report, &Credentials::from_env());
        report_cache(report);
        report_redis(report);
    }
}

/// Reports the programs that help: the browser, and what reads scans.
pub fn report_helpers(report: &mut DoctorReport) {
    report.heading("Programs that help");
    let browser = Browser::locate().map(|browser| browser.program().to_owned());
    let ocr = conversion::find_ocr_program();
    let office = |kind| conversion::find_office_programs(kind).into_iter().next();
    let variable = conversion::OFFICE_VARIABLE;
    let [doc, ppt] = FileKind::LEGACY_OFFICE.map(|kind| (kind.label(), office(kind)));
    for (subject, program, name, variable) in [
        ("pages of scripts", browser, "Chromium", browser::VARIABLE),
        ("scans", ocr, "tesseract", conversion::OCR_VARIABLE),
        (
            doc.0.as_str(),
            doc.1,
            "LibreOffice, antiword or catdoc",
            variable,
        ),
        (ppt.0.as_str(), ppt.1, "LibreOffice or catppt", variable),
    ] {
        let (colour, state) = match program {
            Some(program) => (GOOD, display_path(&program)),
            None => (
                PLAIN,
                format!("not read: no {name}, and none in {variable}"),
            ),
        };
        report.row(subject, colour, &state);
    }
}

fn report_providers(report: &mut DoctorReport, credentials: &Credentials<'_>) {
    let all = provider_choice::PROVIDERS.iter();
    let configured = all.filter(|provider| provider.is_chosen(credentials));
    let names = configured.map(|provider| provider.name);
    report_names(
        report,
        "providers configured",
        names,
        "none; DuckDuckGo needs no key",
    );
    let with_key = PROVIDERS.iter().filter(|provider| {
        let account = provider.account(credentials);
        account.is_ok_and(|account| account.keys.iter().any(Option::is_some))
    });
    let names = with_key.map(|provider| provider.name);
    report_names(report, "keys for papers", names, "none; none is needed");
    let (colour, searches) = match provider_choice::choose(&WebSearch::default(), credentials) {
        Ok(ProviderChoice::One(provider)) => (PLAIN, provider.name.to_owned()),
        Ok(ProviderChoice::FirstOf(all)) => {
            let names: Vec<&str> = all.iter().map(|provider| provider.name).collect();
            let names = names.join(", ");
            (PLAIN, format!("the first that answers of {names}"))
        }
        Err(error) => {
            let text = for_line(&format!("Searches have nobody to ask: {error}"));
            match error {
                NoProvider::Off | NoProvider::Offline => {
                    report.hint(text, format!("unset {PROVIDER_VARIABLE}"));
                }
                NoProvider::Unknown { place, .. } => report.problem(text, format!("unset {place}")),
                NoProvider::Routing(_) => report.problem(text, format!("unset {ROUTING_VARIABLE}")),
            }
            (BAD, "nobody".to_owned())
        }
    };
    report.row("searches with", colour, &searches);
    let patents = patent_provider::configured(credentials).into_iter();
    let names = patents.map(|provider| provider.service.name);
    report_names(
        report,
        "patents from",
        names,
        "a web search; no provider has a key",
    );
}

/// Reports the names, or that there is none.
fn report_names(
    report: &mut DoctorReport,
    subject: &str,
    names: impl Iterator<Item = &'static str>,
    none: &str,
) {
    match names.collect::<Vec<_>>() {
        names if names.is_empty() => report.row(subject, PLAIN, none),
        names => report.row(subject, GOOD, &names.join(", ")),
    }
}

fn report_cache(report: &mut DoctorReport) {
    let seen = look_at_cache();
    let directory = seen.directory.unwrap_or_default();
    let (colour, state, mode) = match seen.state {
        CacheState::Sound => (GOOD, "can be written to", None),
        CacheState::NotYet => (PLAIN, "made by the first answer", None),
        CacheState::Unusable => (PLAIN, "no place: nothing is kept", None),
        CacheState::ReadOnly => (BAD, "cannot be written to: nothing is added", Some("u+rwx")),
        CacheState::Open => (BAD, "others may write to it: nothing is kept", Some("go-w")),
    };
    let place = format!("{} {state}", display_path(&directory));
    report.row("cache", colour, &place);
    if let Some(mode) = mode {
        report.hint(place, advice::chmod(mode, &directory));
    }
    let secret = env::var(KEY_VARIABLE).unwrap_or_default();
    let (colour, key) = match seen.key_file {
        _ if is_key(&secret) => (GOOD, format!("set in the environment ({KEY_VARIABLE})")),
        _ if !secret.is_empty() => {
            let text = "has not 64 hexadecimal digits, and so nothing is kept";
            let text = format!("{KEY_VARIABLE} {text}");
            report.problem(text, format!("unset {KEY_VARIABLE}"));
            (BAD, "no key".to_owned())
        }
        Some(file) if file.exists() => (PLAIN, display_path(&file)),
        Some(file) => (PLAIN, display_path(&file) + ", made by the first answer"),
        None => (PLAIN, "no place".to_owned()),
    };
    report.row("key of the cache", colour, &key);
}

/// Reports what becomes of research sessions in the Redis that the environment names.
fn report_redis(report: &mut DoctorReport) {
    let named = env::var(REDIS_VARIABLE).unwrap_or_default();
    if named.is_empty() {
        return;
    }
    let address = RedisAddress::read(&named);
    let info = address
        .ok_or_else(|| format!("{REDIS_VARIABLE} is not the address of a Redis"))
        .and_then(|address| {
            let tls = address.speaks_tls().then(tls_config).transpose()?;
            RedisMemory::ask(&address, tls)
        });
    let memory = match info {
        Ok(memory) => memory,
        Err(why) => {
            let text = format!("the Redis of {REDIS_VARIABLE} does not answer: {why}");
            report.hint(for_line(&text), redis_cli("ping"));
            report.row("Redis", BAD, "does not answer");
            return;
        }
    };
    let policy = for_line(&memory.policy);
    let forgets = "the Redis that servers share forgets research sessions";
    if memory.makes_room {
        let text = format!("{forgets} when it is full (maxmemory-policy {policy})");
        report.hint(text, redis_cli("config set maxmemory-policy noeviction"));
    }
    if !memory.is_written {
        let text = format!("{forgets} when it is started again (appendonly no)");
        report.hint(text, redis_cli("config set appendonly yes"));
    }
    let is_sound = !memory.makes_room && memory.is_written;
    let colour = if is_sound { GOOD } else { PLAIN };
    let written = if memory.is_written {
        "written to disk"
    } else {
        "in memory alone"
    };
    report.row("Redis", colour, &format!("{policy}, {written}"));
}

/// A command for the Redis that the environment names, whose address may hold a password.
fn redis_cli(command: &str) -> String {
    format!("redis-cli -u \"${REDIS_VARIABLE}\" {command}")
}

/// Reports proxies and certificates.
pub fn report_network(report: &mut DoctorReport) {
    report.heading("Network");
    let proxies = ProxySettings::from_env();
    let pages = ["http://example.com/", "https://example.com/"];
    for page in pages.into_iter().filter_map(|page| Url::parse(page).ok()) {
        let scheme = page.scheme();
        let (colour, state) = match proxies.for_url(&page) {
            Ok(None) => (PLAIN, "no proxy".to_owned()),
            // Without its login.
            Ok(Some(proxy)) => {
                let kind = format!("{:?}", proxy.kind).to_uppercase();
                let state = format!("by the proxy {}:{} ({kind})", proxy.host, proxy.port);
                (PLAIN, state)
            }
            Err(why) => {
                let advice = format!("unset {}", proxies.variable(&page).unwrap_or_default());
                let why = for_line(&why);
                report.problem(format!("no {scheme} page can be fetched: {why}"), advice);
                (BAD, "none can be fetched".to_owned())
            }
        };
        report.row(&format!("{scheme} pages"), colour, &state);
    }
    let mut named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    let named = named.find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let (colour, state) = match (trusted_certificates(), named) {
        (Ok(0), _) => (
            PLAIN,
            "Mozilla's, built in: this system has none".to_owned(),
        ),
        (Ok(count), Some(variable)) => (PLAIN, format!("{count}, which {variable} names")),
        (Ok(count), None) => (PLAIN, format!("{count} of this system's")),
        (Err(why), _) => {
            let text = format!("no https page can be fetched: {}", for_line(&why));
            report.problem(text, "unset SSL_CERT_FILE SSL_CERT_DIR");
            (BAD, "none".to_owned())
        }
    };
    report.row("trusted certificates", colour, &state);
}
