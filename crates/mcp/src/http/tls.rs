//! TLS beneath HTTP: a certificate chain and its key, from two files in PEM.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::access::CredentialFile;
use crate::log;

/// The one protocol that is spoken above it (ALPN).
const HTTP: &[u8] = b"http/1.1";

/// Reads both files.
///
/// # Errors
/// A sentence about the file and its fault.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let chain = read(certificate)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&chain.bytes).collect();
    let chain = chain.map_err(|error| {
        format!(
            "the certificate file {} is not as PEM has to be: {error}",
            certificate.display()
        )
    })?;
    if chain.is_empty() {
        return Err(format!(
            "the certificate file {} has no certificate in PEM (`-----BEGIN CERTIFICATE-----`)",
            certificate.display()
        ));
    }
    let secret = read(key)?;
    if secret.is_open_to_others() {
        log(&format!(
            "warning: the key file {} may be read or changed by others than its owner (its mode \
             is {:04o})",
            key.display(),
            secret.mode
        ));
    }
    // Its own error could quote the file.
    let secret = PrivateKeyDer::from_pem_slice(&secret.bytes).map_err(|_| {
        format!(
            "the key file {} has no private key in PEM (PKCS#8, PKCS#1 or SEC1, not encrypted)",
            key.display()
        )
    })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be spoken: {error}"))?;
    let config = builder
        .with_no_client_auth()
        .with_single_cert(chain, secret);
    let mut config = config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => format!(
            "the key in {} does not belong to the certificate in {}, which has to be the first of \
             its file",
            key.display(),
            certificate.display()
        ),
        error => format!(
            "the certificate in {} and the key in {} cannot be used: {error}",
            certificate.display(),
            key.display()
        ),
    })?;
    config.alpn_protocols = vec![HTTP.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path) -> Result<CredentialFile, String> {
    CredentialFile::read(path).map_err(|reason| format!("{} {reason}", path.display()))
}
