//! Which certificate authorities are trusted: the system's, or bundled ones where it has none.

use std::env;
use std::path::Path;

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::tls::{Certificate, RootCerts};

/// Loads the roots, as OpenSSL would find them: `SSL_CERT_FILE` and `SSL_CERT_DIR`, then the
/// system's bundle, then its directory. Mozilla's bundled roots stand in where there are none.
///
/// The error says which variable names something that cannot be used.
pub fn roots() -> Result<RootCerts, String> {
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    if let Some(name) = named {
        let found = load_native_certs();
        if found.certs.is_empty() {
            let why = found
                .errors
                .first()
                .map_or("it holds none".to_owned(), ToString::to_string);
            return Err(format!(
                "no certificates could be read where {name} points: {why}"
            ));
        }
        return Ok(wrap(&found));
    }
    // One file is read in a fraction of the time that a directory of hundreds takes.
    let places = openssl_probe::probe();
    let file = places
        .cert_file
        .as_deref()
        .map(|file| load_certs_from_paths(Some(file), None));
    let found = file.filter(|found| !found.certs.is_empty()).or_else(|| {
        places
            .cert_dir
            .iter()
            .map(|dir| load_certs_from_paths(None::<&Path>, Some(dir)))
            .find(|found| !found.certs.is_empty())
    });
    Ok(found.as_ref().map_or(RootCerts::WebPki, wrap))
}

fn wrap(found: &CertificateResult) -> RootCerts {
    found
        .certs
        .iter()
        .map(|cert| Certificate::from_der(cert).to_owned())
        .collect::<Vec<_>>()
        .into()
}
