//! TLS with a target: the trusted certificates, and the link of the chain that speaks TLS.
//!
//! The system's authorities are trusted, or bundled ones if it has none. A trusted certificate may
//! be a server's own although it calls itself an authority: `openssl req -x509` makes such
//! certificates for development servers, though RFC 5280 separates the two.

use std::env;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    ALL_VERSIONS, CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct,
    OtherError, RootCertStore, SignatureScheme, StreamOwned,
};
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
    TransportAdapter, time,
};
use url::Host;

use crate::guard::HopTarget;
use iki_base::progress_counters;

/// Builds the configuration of clients from the environment's and the system's certificates.
///
/// The error says which variable names something that cannot be used.
pub fn config() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let trusted = certificates()?;
    let mut roots = RootCertStore::empty();
    if trusted.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    } else {
        roots.add_parsable_certificates(trusted.iter().cloned());
    }
    let chains =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|error| format!("the trusted certificates can't be used: {error}"))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(ALL_VERSIONS)
        .map_err(|error| format!("TLS can't be spoken: {error}"))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(ServerVerifier { chains, trusted }))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Counts the certificates that the environment or the system has to trust; zero if the built-in
/// ones of Mozilla are used. The error says which variable names something that cannot be used.
pub fn trusted() -> Result<usize, String> {
    certificates().map(|roots| roots.len())
}

/// Loads the trusted certificates from the places where OpenSSL looks: `SSL_CERT_FILE` and
/// `SSL_CERT_DIR`, then the system's bundle, then its directory. There may be none.
fn certificates() -> Result<Vec<CertificateDer<'static>>, String> {
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    if let Some(name) = named {
        let loaded = load_native_certs();
        if loaded.certs.is_empty() {
            let why = loaded
                .errors
                .first()
                .map_or("it holds none".to_owned(), ToString::to_string);
            return Err(format!(
                "no certificates could be read where {name} points: {why}"
            ));
        }
        return Ok(loaded.certs);
    }
    // One file is read in a fraction of the time that a directory of hundreds takes.
    let probed = openssl_probe::probe();
    let file = probed
        .cert_file
        .as_deref()
        .map(|file| load_certs_from_paths(Some(file), None));
    let loaded = file.filter(|loaded| !loaded.certs.is_empty()).or_else(|| {
        probed
            .cert_dir
            .iter()
            .map(|dir| load_certs_from_paths(None::<&Path>, Some(dir)))
            .find(|loaded| !loaded.certs.is_empty())
    });
    Ok(loaded.map(|loaded| loaded.certs).unwrap_or_default())
}

/// Verifies servers by their chains, and directly trusted certificates by name and date.
#[derive(Debug)]
struct ServerVerifier {
    chains: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for ServerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verdict = self.chains.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verdict {
            // The dates are valid at this point: they are checked before the certificate's purpose,
            // as the tests with expired ones ensure.
            Err(rustls::Error::InvalidCertificate(why))
                if is_authority(&why) && self.trusted.contains(end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// Returns the verifier's own error, if the TLS library has none for it.
pub fn detail(why: &CertificateError) -> Option<&webpki::Error> {
    match why {
        CertificateError::Other(OtherError(inner)) => inner.downcast_ref(),
        _ => None,
    }
}

/// True if the only problem is that the certificate calls itself an authority.
pub fn is_authority(why: &CertificateError) -> bool {
    matches!(detail(why), Some(webpki::Error::CaUsedAsEndEntity))
}

/// A TLS session with one target: its name is requested and verified.
#[derive(Clone, Debug)]
pub struct TlsSession {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsSession {
    /// Prepares TLS with `target`; the error says why that is impossible.
    pub fn with(target: &HopTarget, config: Arc<ClientConfig>) -> Result<Self, String> {
        let name = match target.host() {
            Host::Ipv4(ip) => ServerName::from(std::net::IpAddr::V4(*ip)),
            Host::Ipv6(ip) => ServerName::from(std::net::IpAddr::V6(*ip)),
            Host::Domain(name) => ServerName::try_from(name.clone())
                .map_err(|error| format!("TLS with {name} failed: {error}"))?,
        };
        Ok(Self { config, name })
    }
}

/// Link of the connector chain that adds TLS, if there is a session.
#[derive(Debug)]
pub struct TlsLink(pub Option<TlsSession>);

impl<In: Transport> Connector<In> for TlsLink {
    type Out = Either<In, TlsTransport<In>>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let Some(session) = &self.0 else {
            return Ok(chained.map(Either::A));
        };
        let Some(inner) = chained else {
            return Ok(None);
        };
        // Connecting and the handshake share one timeout.
        let mut timeout = details.timeout;
        if let time::Instant::Exact(start) = details.now {
            let left = timeout.after.saturating_sub(start.elapsed());
            timeout.after = time::Duration::Exact(left);
        }
        let mut wire = TransportAdapter::new(inner, details.current_time.clone());
        wire.set_timeout(timeout);
        let mut conn = ClientConnection::new(Arc::clone(&session.config), session.name.clone())
            .map_err(io::Error::other)?;
        conn.complete_io(&mut wire)?;
        let buffers = LazyBuffers::new(
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        let stream = StreamOwned::new(conn, wire);
        Ok(Some(Either::B(TlsTransport { stream, buffers })))
    }
}

/// A connection that speaks TLS.
pub struct TlsTransport<In: Transport> {
    stream: StreamOwned<ClientConnection, TransportAdapter<In>>,
    buffers: LazyBuffers,
}

impl<In: Transport> fmt::Debug for TlsTransport<In> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secure").finish_non_exhaustive()
    }
}

impl<In: Transport> Transport for TlsTransport<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        self.stream.write_all(&self.buffers.output()[..amount])?;
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        progress_counters::add(&progress_counters::BYTES, amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // Only asked before a connection is reused, and none is reused here.
        false
    }

    fn is_tls(&self) -> bool {
        true
    }
}
