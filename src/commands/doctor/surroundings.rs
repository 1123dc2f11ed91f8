//! The surroundings of a call: the proxies that the environment names, the certificates that are
//! trusted, and confinement by this machine's kernel. Nothing is sent.

use std::env;

use url::Url;

use crate::commands::doctor::{BAD, DoctorReport, GOOD, PLAIN};
use crate::console::sanitize::{display_path, for_line};
use crate::sandbox::confinement::{self, Confinement, ConfinementBounds};
use crate::web::client::proxy::{ProxyKind, ProxySettings};
use crate::web::client::trusted_certificates;

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
                let kind = match proxy.kind {
                    ProxyKind::Http => "",
                    ProxyKind::Socks5 => ", SOCKS 5, to addresses",
                    ProxyKind::Socks5h => ", SOCKS 5, to names",
                };
                (
                    PLAIN,
                    format!("by the proxy {}:{}{kind}", proxy.host, proxy.port),
                )
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
            "Mozilla's, which are built in: this system has none".to_owned(),
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

/// Openings that a newer ABI of Landlock closes, with the version of Linux that has it.
const CLOSED_LATER: [(i32, &str, &str); 4] = [
    (2, "5.19", "files cannot be moved between directories"),
    (3, "6.2", "files outside can be cut short"),
    (6, "6.12", "signals and abstract sockets go outside"),
    (9, "7.1", "sockets that are files can be reached"),
];

/// Reports the kernel's version of Landlock, and what the environment asks of it.
pub fn report_confinement(report: &mut DoctorReport) {
    report.heading("Confinement (--root, --read, --no-network)");
    let abi = confinement::abi();
    if abi == 0 {
        report.line("  none: this kernel has no Landlock");
        report.hint(
            "a call that is to be confined to directories is refused here, since the kernel cannot",
            "use Linux 5.13 or newer, with `landlock` among the modules in /sys/kernel/security/lsm",
        );
        return;
    }
    report.row("kernel", GOOD, &format!("Landlock, ABI {abi}"));
    for (later, version, open) in CLOSED_LATER {
        if abi < later {
            report.line(&format!("  before ABI {later} (Linux {version}) {open}"));
        }
    }
    let Some(bounds) = ConfinementBounds::of_environment() else {
        return;
    };
    match Confinement::resolve(&bounds) {
        Err(reason) => report.problem(
            format!("every confined call is refused: {}", for_line(&reason)),
            format!(
                "unset {}; export {}=\"$PWD\"",
                confinement::READ,
                confinement::ROOTS
            ),
        ),
        Ok(confinement) => {
            for root in confinement.roots().directories() {
                report.row(confinement::ROOTS, PLAIN, &display_path(root));
            }
            for directory in confinement.extra_readable() {
                report.row(confinement::READ, PLAIN, &display_path(directory));
            }
            if !confinement.has_network() {
                report.row(confinement::NO_NETWORK, PLAIN, "no network");
            }
        }
    }
}
