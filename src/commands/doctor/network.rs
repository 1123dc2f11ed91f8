//! The way to the web: the proxies that the environment names, and the certificates that are
//! trusted. Nothing is sent.

use std::env;

use url::Url;

use crate::commands::doctor::DoctorReport;
use crate::console::color::painted;
use crate::console::sanitize;
use crate::web::client::proxy::{ProxyKind, ProxySettings};
use crate::web::client::trusted_certificates;

use super::BAD;

/// Reports both.
pub fn report(report: &mut DoctorReport) {
    report.heading("Network");
    proxies(report, &ProxySettings::from_env());
    certificates(report);
}

fn proxies(report: &mut DoctorReport, proxies: &ProxySettings) {
    for scheme in ["http", "https"] {
        let Ok(page) = Url::parse(&format!("{scheme}://example.com/")) else {
            continue;
        };
        let state = match proxies.for_url(&page) {
            Ok(None) => "no proxy".to_owned(),
            // Without its login.
            Ok(Some(proxy)) => {
                let kind = match proxy.kind {
                    ProxyKind::Http => "",
                    ProxyKind::Socks5 => ", SOCKS 5, to addresses",
                    ProxyKind::Socks5h => ", SOCKS 5, to names",
                };
                format!("by the proxy {}:{}{kind}", proxy.host, proxy.port)
            }
            Err(why) => {
                let variable = proxies.variable(&page).unwrap_or_default();
                let what = format!(
                    "no {scheme} page can be fetched: {}",
                    sanitize::for_line(&why)
                );
                report.problem(what, format!("unset {variable}"));
                painted("none can be fetched", BAD, report.colour)
            }
        };
        report.line(&format!("  {:<24} {state}", format!("{scheme} pages")));
    }
}

fn certificates(report: &mut DoctorReport) {
    let state = match trusted_certificates() {
        Ok(0) => "Mozilla's, which are built in: this system has none".to_owned(),
        Ok(count) => match named() {
            Some(variable) => format!("{count}, which {variable} names"),
            None => format!("{count} of this system's"),
        },
        Err(why) => {
            let what = format!("no https page can be fetched: {}", sanitize::for_line(&why));
            report.problem(what, "unset SSL_CERT_FILE SSL_CERT_DIR");
            painted("none", BAD, report.colour)
        }
    };
    report.line(&format!("  {:<24} {state}", "trusted certificates"));
}

/// The variable that names certificates in place of the system's, if one does.
fn named() -> Option<&'static str> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().find(is_set)
}
