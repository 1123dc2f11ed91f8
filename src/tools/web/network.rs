//! Settings of every tool that uses the network: its timeout, and the variables of the environment
//! that it respects, as manual pages list them.

use std::time::Duration;

use crate::contract::call_terms::CallTerms;
use crate::conversion;
use crate::web::allowed;
use crate::web::client::{HttpClient, TOTAL_TIMEOUT};

/// Maximum time of a call in all.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(25);

/// Fraction of a call's time that is reserved for its answer, at most that of [`CALL_TIMEOUT`].
const ANSWER_SHARE: u32 = 10;

/// Creates a client whose time ends before that of the call.
pub fn client(terms: &CallTerms) -> HttpClient {
    on_terms(HttpClient::new(), terms)
}

/// Gives a client the time of a call.
pub fn on_terms(client: HttpClient, terms: &CallTerms) -> HttpClient {
    let left = terms.left(CALL_TIMEOUT);
    let kept = (left / ANSWER_SHARE).min(CALL_TIMEOUT.saturating_sub(TOTAL_TIMEOUT));
    client.within(left.saturating_sub(kept))
}

/// Manual page entry: variables with the proxy of a request.
pub const PROXIES: (&str, &str) = (
    "http_proxy, https_proxy, all_proxy",
    "the proxy to ask through, by the scheme of the address; the names in capitals as well",
);

/// Manual page entry: variables with the hosts that need no proxy.
pub const NO_PROXY: (&str, &str) = (
    "no_proxy",
    "the hosts to be asked without a proxy, separated by commas",
);

/// Manual page entry: variables with the trusted certificates.
pub const CERTIFICATES: (&str, &str) = (
    "SSL_CERT_FILE, SSL_CERT_DIR",
    "the certificates to trust, in place of the system's",
);

/// Manual page entry: variable with the only hosts of pages.
pub const ALLOWED_DOMAINS: (&str, &str) = (
    allowed::VARIABLE,
    "the only hosts to fetch pages from, with all below them, redirects included; separated by \
     commas",
);

/// Manual page entry: variable with the program for OCR.
pub const OCR: (&str, &str) = (
    conversion::OCR_VARIABLE,
    "the program that reads scanned pages of PDF files, in place of tesseract; empty for none",
);

/// Manual page entry: variable with the program for office documents of before 2007.
pub const OFFICE: (&str, &str) = (
    conversion::OFFICE_VARIABLE,
    "the program that reads DOC, PPT and XLS files, in place of LibreOffice; empty for none",
);

/// Manual page entries for a tool that fetches pages.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    PROXIES,
    NO_PROXY,
    CERTIFICATES,
    ALLOWED_DOMAINS,
    OCR,
    OFFICE,
];
