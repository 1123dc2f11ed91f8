//! TLS against servers with certificates good and bad.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use super::searching::get;
use crate::common::messages::TextRow;
use crate::server::{Authority, SelfSigned, Server, page, redirect};
use crate::staged;
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{FetchError as Error, FetchRequest as Request, HttpClient, parse_url};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Certificates that this process trusts through `SSL_CERT_FILE`: an authority's, and servers' own.
struct Trusted {
    authority: Authority,
    good: SelfSigned,
    elsewhere: SelfSigned,
    expired: SelfSigned,
    future: SelfSigned,
    nameless: SelfSigned,
}

static TRUSTED: LazyLock<Trusted> = LazyLock::new(|| {
    let trusted = Trusted {
        authority: Authority::new(),
        good: SelfSigned::new(&["localhost", "127.0.0.1"], (2020, 2100)),
        elsewhere: SelfSigned::new(&["example.com"], (2020, 2100)),
        expired: SelfSigned::new(&["localhost"], (2001, 2002)),
        future: SelfSigned::new(&["localhost"], (2090, 2100)),
        nameless: SelfSigned::new(&[], (2020, 2100)),
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    let Trusted {
        authority,
        good,
        elsewhere,
        expired,
        future,
        nameless,
    } = &trusted;
    let mut pem = authority.pem();
    for own in [good, elsewhere, expired, future, nameless] {
        pem.push_str(&own.pem());
    }
    std::fs::write(file.path(), pem).unwrap();
    let (_, path) = file.keep().unwrap();
    // SAFETY: every test comes through here before it does anything else, and the standard
    // library, the only one that reads the environment here, takes its own lock.
    unsafe { std::env::set_var("SSL_CERT_FILE", path) };
    trusted
});

fn good() -> Arc<ServerConfig> {
    TRUSTED
        .authority
        .server(&["localhost", "127.0.0.1"], (2020, 2100))
}

fn refusal(config: Arc<ServerConfig>) -> String {
    let server = Server::start_tls(config, |_, conn| conn.write_all(&page("never")));
    match get(&server.url_as("localhost", "/?key=hidden")) {
        Err(Error::Network(error)) => {
            let text = error.text;
            assert!(!text.contains("hidden"), "{text}");
            assert!(server.asked().is_empty());
            text
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_certificate_of_a_trusted_authority_is_good_for_name_and_address() {
    let server = Server::start_tls(good(), |_, conn| conn.write_all(&page("safe")));
    for host in ["localhost", "LOCALHOST", "127.0.0.1"] {
        assert_eq!(
            get(&server.url_as(host, "/")).unwrap().body,
            b"safe",
            "{host}"
        );
    }
}

#[test]
fn a_certificate_of_an_unknown_authority_is_refused() {
    LazyLock::force(&TRUSTED);
    let text = refusal(Authority::new().server(&["localhost"], (2020, 2100)));
    text.assert_row("web_fetch", "a certificate of an unknown authority");
}

#[test]
fn an_expired_certificate_is_refused() {
    let text = refusal(TRUSTED.authority.server(&["localhost"], (2001, 2002)));
    text.assert_row("web_fetch", "a certificate that has expired");
}

#[test]
fn a_certificate_of_the_future_is_refused() {
    let text = refusal(TRUSTED.authority.server(&["localhost"], (2090, 2100)));
    text.assert_row("web_fetch", "a certificate of the future");
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let text = refusal(TRUSTED.authority.server(&["example.com"], (2020, 2100)));
    text.assert_row("web_fetch", "a certificate for another host");
}

#[test]
fn a_trusted_certificate_that_calls_itself_an_authority_is_accepted() {
    let server = Server::start_tls(TRUSTED.good.server(), |_, conn| {
        conn.write_all(&page("mine"))
    });
    for host in ["localhost", "127.0.0.1"] {
        assert_eq!(get(&server.url_as(host, "/")).unwrap().body, b"mine");
    }
}

#[test]
fn a_trusted_certificate_of_a_server_still_needs_its_name_and_dates() {
    for (config, word) in [
        (TRUSTED.elsewhere.server(), "another host"),
        (TRUSTED.nameless.server(), "subjectAltName"),
        (TRUSTED.expired.server(), "expired"),
        (TRUSTED.future.server(), "not valid yet"),
    ] {
        let text = refusal(config);
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn an_authority_s_certificate_that_is_not_trusted_itself_says_how_it_could_be() {
    let names = ["localhost", "127.0.0.1"];
    for own in [
        SelfSigned::new(&names, (2020, 2100)),
        // The key and the names of a trusted one do not make it that one.
        TRUSTED.good.twin(&names, (2020, 2100)),
        TRUSTED.expired.twin(&names, (2020, 2100)),
    ] {
        LazyLock::force(&TRUSTED);
        let text = refusal(own.server());
        text.assert_row("web_fetch", "a certificate that signs itself");
    }
}

#[test]
fn a_certificate_that_openssl_makes_is_trusted_by_its_file() {
    // The variable is the whole process's, so the test runs itself once more with another one.
    if let Some(port) = std::env::var_os("OPENSSL_SERVER") {
        let port = port.into_string().unwrap();
        let got = get(&format!("https://localhost:{port}/")).unwrap();
        assert!(!got.body.is_empty());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let made = Command::new("openssl")
        .args("req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=localhost".split(' '))
        .args("-addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem".split(' '))
        .current_dir(dir.path())
        .stderr(std::process::Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        crate::common::skip("openssl is not there to make a certificate");
        return;
    }
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    let cert = CertificateDer::from_pem_slice(&read("cert.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&read("key.pem")).unwrap();
    let server = Server::start_tls(crate::server::serve_with(cert, key), |_, conn| {
        conn.write_all(&page("mine"))
    });
    let port = server.port().to_string();
    let file = dir.path().join("cert.pem");
    let variables = [
        ("OPENSSL_SERVER", &*port),
        ("SSL_CERT_FILE", crate::common::text(&file)),
    ];
    let test = "a_certificate_that_openssl_makes_is_trusted_by_its_file";
    staged::alone(test, &variables, |_| panic!("it has its port"));
}

#[test]
fn a_redirect_leads_from_http_to_https() {
    let secure = Server::start_tls(good(), |_, conn| conn.write_all(&page("safe")));
    let there = secure.url("/");
    let plain = Server::start(move |_, conn| conn.write_all(&redirect(&there)));
    let got = get(&plain.url("/")).unwrap();
    assert_eq!(
        (got.body.as_slice(), got.url.as_str()),
        (&b"safe"[..], secure.url("/").as_str())
    );
}

#[test]
fn a_server_without_tls_is_no_https_server() {
    LazyLock::force(&TRUSTED);
    let plain = Server::bytes(page("plain"));
    let url = plain.url("/").replace("http:", "https:");
    assert!(matches!(get(&url), Err(Error::Network(_))));
}

#[test]
fn a_body_that_ends_without_the_end_of_tls_may_be_cut_off() {
    let server = Server::start_tls(good(), |_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\n\r\nhalf of")?;
        conn.flush()?;
        thread::sleep(Duration::from_millis(50));
        // Closes the socket beneath TLS, which would have said goodbye.
        conn.reset();
        Ok(())
    });
    let result = get(&server.url("/"));
    assert!(matches!(result, Err(Error::Network(_))), "{result:?}");
}

#[test]
fn a_server_that_never_shakes_hands_is_given_up() {
    LazyLock::force(&TRUSTED);
    let server = Server::raw(|stream| {
        thread::sleep(Duration::from_secs(3));
        drop(stream);
    });
    let url = parse_url(&server.url("/").replace("http:", "https:")).unwrap();
    let client = HttpClient::new()
        .proxies(ProxySettings::default())
        .within(Duration::from_millis(500));
    let start = std::time::Instant::now();
    let result = client.get(&Request {
        url: &url,
        accept: "*/*",
        headers: &[],
    });
    assert!(matches!(result, Err(Error::Network(_))), "{result:?}");
    assert!(start.elapsed() < Duration::from_secs(4));
}

/// Copies bytes both ways between a tunnel's ends, until one side is done.
fn splice(near: &TcpStream, far: &TcpStream) {
    thread::scope(|scope| {
        scope.spawn(|| std::io::copy(&mut &*near, &mut &*far));
        let _ = std::io::copy(&mut &*far, &mut &*near);
        let _ = near.shutdown(std::net::Shutdown::Both);
    });
}

#[test]
fn tls_goes_through_a_tunnel_to_the_target() {
    let target = Server::start_tls(good(), |_, conn| conn.write_all(&page("safe")));
    let port = target.port();
    let proxy = Server::raw(move |mut stream| {
        let asked = crate::server::read_head(&mut stream).unwrap();
        assert_eq!(asked.target, format!("localhost:{port}"));
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        // The proxy of this test is its own client.
        #[allow(clippy::disallowed_methods)]
        splice(&stream, &TcpStream::connect(("127.0.0.1", port)).unwrap());
    });
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let proxies = ProxySettings::from_vars(|name| (name == "https_proxy").then(|| via.clone()));
    let url = parse_url(&target.url_as("localhost", "/")).unwrap();
    let client = HttpClient::new().proxies(proxies);
    let got = client
        .get(&Request {
            url: &url,
            accept: "*/*",
            headers: &[],
        })
        .unwrap();
    assert_eq!(got.body, b"safe");
}

#[test]
fn a_certificate_file_that_is_not_there_is_named() {
    let test = "a_certificate_file_that_is_not_there_is_named";
    let nowhere = [("SSL_CERT_FILE", "/nowhere.pem")];
    // The variable is the whole process's.
    staged::alone(test, &nowhere, |_| match get("https://127.0.0.1:1/") {
        Err(Error::Network(error)) => {
            let name = "a file of certificates that is not there";
            error.text.assert_row("web_fetch", name);
        }
        other => panic!("{other:?}"),
    });
}
