//! `ikigai-tools mcp --http`: TLS, files that are read again, and its end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;

use crate::http_server::{
    HttpServer, call, http, ping, private_file, serve, token_lines, token_of,
};
use crate::server::Server;

const LISTENS: &str = "listening on https://";

/// An authority, and the certificate and key of a server in PEM.
pub struct Certificates {
    pub authority: String,
    pub certificate: String,
    pub key: KeyPair,
}

impl Certificates {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names)
            .unwrap()
            .signed_by(&key, &authority)
            .unwrap();
        Self {
            authority: authority.pem(),
            certificate: certificate.pem() + &authority.pem(),
            key,
        }
    }
}

fn status(server: &HttpServer, name: &str) -> u16 {
    let bearer = format!("Bearer {}", token_of(name));
    server.post(&[("Authorization", &bearer)], &ping()).status
}

#[test]
fn with_a_certificate_it_speaks_tls_and_its_own_origin_is_https() {
    let tls = Certificates::new();
    let server = http(&[])
        .tls(&tls.certificate, &tls.key.serialize_pem(), &tls.authority)
        .start();
    assert!(server.log().contains(LISTENS), "{}", server.log());
    let mut connection = server.connect();
    for _ in 0..3 {
        assert_eq!(connection.post(&[], &ping()).status, 200);
    }
    let origin = |scheme: &str| format!("{scheme}://{}", server.host());
    assert_eq!(
        server.post(&[("Origin", &origin("https"))], &ping()).status,
        200
    );
    assert_eq!(
        server.post(&[("Origin", &origin("http"))], &ping()).status,
        403
    );
    // Whoever speaks without TLS, or nothing, is let go.
    #[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
    let plain = || std::net::TcpStream::connect(server.address()).unwrap();
    let mut clear = plain();
    let silent = plain();
    std::io::Write::write_all(&mut clear, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut said = Vec::new();
    let _ = std::io::Read::read_to_end(&mut clear, &mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
    silent
        .set_read_timeout(Some(Duration::from_secs(14)))
        .unwrap();
    // One that goes on where a signal, meant for nobody, ends the wait.
    let rest = std::io::Read::read_to_end(&mut &silent, &mut Vec::new());
    assert_eq!(rest.unwrap(), 0);
}

#[test]
fn a_certificate_and_a_key_that_do_not_fit_name_the_file_that_is_wrong() {
    let tls = Certificates::new();
    let key = tls.key.serialize_pem();
    let other = KeyPair::generate().unwrap().serialize_pem();
    let empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (certificate, key, file) in [
        (empty, &*key, "certificate.pem"),
        (&tls.certificate, "", "key.pem"),
        (&tls.certificate, &tls.certificate, "key.pem"),
        (&tls.certificate, &other, "key.pem"),
    ] {
        let builder = http(&[]).tls(certificate, key, &tls.authority);
        let said = builder.try_start().map(drop).unwrap_err();
        assert!(said.contains(file), "{said}");
        assert!(!said.contains("PRIVATE KEY-"), "{said}");
    }
}

#[test]
fn a_key_that_others_may_read_is_only_warned_of() {
    let tls = Certificates::new();
    let builder = http(&[]).tls(&tls.certificate, &tls.key.serialize_pem(), &tls.authority);
    let key = builder.room().join("key.pem");
    fs::set_permissions(key, fs::Permissions::from_mode(0o644)).unwrap();
    let server = builder.start();
    assert_eq!(server.post(&[], &ping()).status, 200);
    assert!(
        server.log().contains("warning: the key file"),
        "{}",
        server.log()
    );
}

fn write_tokens(room: &Path, content: &str) {
    private_file(room, "tokens", content);
}

#[test]
fn tokens_are_read_again_on_sighup_and_one_that_is_gone_ends() {
    let server = http(&[]).tokens(&["anna", "ben"]).start();
    // On a connection that has been let in already, too.
    let mut connection = server.connect();
    let anna = format!("Bearer {}", token_of("anna"));
    assert_eq!(
        connection.post(&[("Authorization", &anna)], &ping()).status,
        200
    );
    write_tokens(server.room(), &token_lines(&["ben", "carl"]));
    assert_eq!(
        (status(&server, "anna"), status(&server, "carl")),
        (200, 401)
    );
    server.signal(libc::SIGHUP);
    assert!(server.logs("read again"));
    assert_eq!(
        (status(&server, "ben"), status(&server, "carl")),
        (200, 200)
    );
    assert_eq!(
        connection.post(&[("Authorization", &anna)], &ping()).status,
        401
    );
    // A bad file changes nothing, and the log says why.
    write_tokens(server.room(), "dora 1234\n");
    server.signal(libc::SIGHUP);
    assert!(server.logs("nothing is changed: the file of tokens"));
    assert!(server.log().contains("line 1"), "{}", server.log());
    assert_eq!(
        (status(&server, "ben"), status(&server, "dora")),
        (200, 401)
    );
    fs::remove_file(server.room().join("tokens")).unwrap();
    server.signal(libc::SIGHUP);
    assert!(server.logs("does not exist"));
    assert_eq!(status(&server, "carl"), 200);
}

#[test]
fn certificate_and_key_are_read_again_on_sighup_both_or_neither() {
    let (old, new) = (Certificates::new(), Certificates::new());
    let server = http(&[])
        .tls(&old.certificate, &old.key.serialize_pem(), &old.authority)
        .start();
    assert_eq!(server.post(&[], &ping()).status, 200);
    private_file(server.room(), "certificate.pem", &new.certificate);
    server.signal(libc::SIGHUP);
    assert!(server.logs("nothing is changed: the key in"));
    assert_eq!(server.post(&[], &ping()).status, 200);
    private_file(server.room(), "key.pem", &new.key.serialize_pem());
    server.signal(libc::SIGHUP);
    assert!(server.logs("read again"));
    // The client trusts the old authority alone.
    assert!(server.try_connect().is_err());
}

/// A server under way with a call of a page that takes so long.
fn with_a_call(milliseconds: u64) -> (HttpServer, crate::http_server::Connection, Server) {
    let slow = Server::start(move |_, connection| {
        std::thread::sleep(Duration::from_millis(milliseconds));
        connection.write_all(&crate::server::page("it took its time"))
    });
    let server = serve(&["--allow-private"]);
    let mut connection = server.connect();
    connection.send_message(&[], &call("web_fetch", &json!({"url": slow.url("/")})));
    assert!(crate::common::eventually(|| !slow.asked().is_empty()));
    (server, connection, slow)
}

#[test]
fn sigterm_ends_the_server_after_the_calls_under_way() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let (mut server, mut connection, _slow) = with_a_call(1500);
        let mut idle = server.connect();
        assert_eq!(idle.post(&[], &ping()).status, 200);
        let begin = Instant::now();
        server.signal(signal);
        assert!(idle.is_closed_within(Duration::from_secs(1)));
        assert!(server.try_connect().is_err());
        let answer = connection.answer().unwrap();
        assert!(answer.text().contains("it took its time"), "{answer:?}");
        let status = server.ended_within(Duration::from_secs(5)).unwrap();
        assert_eq!(status.code(), Some(0));
        assert!(
            begin.elapsed() < Duration::from_secs(5),
            "{:?}",
            begin.elapsed()
        );
    }
}

#[test]
fn a_server_without_calls_ends_at_once() {
    let mut server = serve(&[]);
    let mut begun = server.connect();
    begun.write(b"POST /mcp HTTP/1.1\r\nHo").unwrap();
    assert_eq!(server.post(&[], &ping()).status, 200);
    server.signal(libc::SIGTERM);
    let status = server.ended_within(Duration::from_secs(2)).unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_second_signal_ends_the_calls_as_well() {
    let (mut server, mut connection, _slow) = with_a_call(60_000);
    server.signal(libc::SIGTERM);
    assert!(server.ended_within(Duration::from_millis(700)).is_none());
    server.signal(libc::SIGTERM);
    let status = server.ended_within(Duration::from_secs(3)).unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(connection.answer().is_err());
}

#[test]
fn calls_that_take_longer_than_25_seconds_are_ended_with_the_server() {
    // A command, since pages are given up before that.
    let work = crate::common::public_directory();
    let root = work.path().to_str().unwrap();
    let builder = http(&["--root", root, "--tools", "bash"]).tokens(&["anna"]);
    let mut server = match builder.try_start() {
        Ok(server) => server,
        Err(log) if log.contains("Landlock") => {
            crate::common::skip(&log);
            return;
        }
        Err(log) => panic!("{log}"),
    };
    let mark = crate::common::alone(414);
    let mut connection = server.connect();
    let bearer = format!("Bearer {}", token_of("anna"));
    let command = json!({"command": format!("sleep {mark}"), "timeout": 300_000});
    connection.send_message(&[("Authorization", &bearer)], &call("bash", &command));
    assert!(crate::common::eventually(|| {
        !crate::common::processes_with(&mark).is_empty()
    }));
    let begin = Instant::now();
    server.signal(libc::SIGTERM);
    let status = server.ended_within(Duration::from_secs(30)).unwrap();
    let took = begin.elapsed().as_secs();
    assert!(
        status.code() == Some(0) && (24..28).contains(&took),
        "{status} {took}"
    );
    assert!(server.log().contains("still under way"), "{}", server.log());
    assert!(crate::common::eventually(|| crate::common::processes_with(
        &mark
    )
    .is_empty()));
}
