//! The variables of the environment that every tool heeds that asks the network, as manual pages
//! list them.

/// Through which proxy a request goes.
pub const PROXIES: (&str, &str) = (
    "http_proxy, https_proxy, all_proxy",
    "the proxy to ask through, by the scheme of the address; the names in capitals as well",
);

/// To whom a request goes without a proxy.
pub const NO_PROXY: (&str, &str) = (
    "no_proxy",
    "the hosts to be asked without a proxy, separated by commas",
);

/// Whose certificates are trusted.
pub const CERTIFICATES: (&str, &str) = (
    "SSL_CERT_FILE, SSL_CERT_DIR",
    "the certificates to trust, in place of the system's",
);

/// All of them.
pub const ENVIRONMENT: &[(&str, &str)] = &[PROXIES, NO_PROXY, CERTIFICATES];
