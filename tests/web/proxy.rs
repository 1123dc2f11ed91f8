//! Through proxies of the test's own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::common::side_by_side;
use crate::server::{Server, page, redirect, reply};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{
    FetchError as Error, FetchRequest as Request, HttpClient, HttpResponse, parse_url,
};
use iki_web::resolve::NameResolver;

/// Knows `known.example` as loopback, and `fake.example` as what fake-IP DNS says of every name.
struct One;

impl NameResolver for One {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        if name == "known.example" {
            return Ok(vec![([127, 0, 0, 1], port).into()]);
        }
        if name == "fake.example" {
            return Ok(vec![([198, 18, 0, 7], port).into()]);
        }
        Err(io::Error::other(
            "asked for a name that is the proxy's to resolve",
        ))
    }
}

fn get(vars: &[(&str, &str)], url: &str) -> Result<HttpResponse, Error> {
    let proxies = ProxySettings::from_vars(|name| {
        vars.iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| (*value).to_owned())
    });
    let url = parse_url(url).unwrap();
    let client = HttpClient::with_resolver(Arc::new(One)).proxies(proxies);
    client.within(Duration::from_secs(2)).get(&Request {
        url: &url,
        accept: "*/*",
        headers: &[],
    })
}

fn network(result: Result<HttpResponse, Error>) -> String {
    match result {
        Err(Error::Network(error)) => error.text,
        other => panic!("not a network error: {other:?}"),
    }
}

#[test]
fn a_plain_request_goes_to_the_proxy_with_its_whole_url() {
    let proxy = Server::bytes(page("by proxy"));
    let via = format!("http://me:pw@127.0.0.1:{}", proxy.port());
    let got = get(&[("http_proxy", &via)], "http://far.example/a?b").unwrap();
    assert_eq!(
        (got.body.as_slice(), got.url.as_str()),
        (&b"by proxy"[..], "http://far.example/a?b")
    );
    let asked = &proxy.asked()[0];
    assert_eq!(asked.target, "http://far.example/a?b");
    assert_eq!(asked.header("host"), Some("far.example"));
    assert_eq!(asked.header("proxy-authorization"), Some("Basic bWU6cHc="));
    get(&[("http_proxy", &via)], "http://far.example:8080/").unwrap();
    assert_eq!(proxy.asked()[1].target, "http://far.example:8080/");
}

#[test]
fn no_proxy_goes_straight() {
    let proxy = Server::bytes(page("by proxy"));
    let direct = Server::bytes(page("direct"));
    let via = format!("127.0.0.1:{}", proxy.port());
    let vars = [("http_proxy", via.as_str()), ("no_proxy", "known.example")];
    assert_eq!(
        get(&vars, &direct.url_as("known.example", "/"))
            .unwrap()
            .body,
        b"direct"
    );
    assert!(proxy.asked().is_empty());
}

#[test]
fn a_proxy_is_not_asked_for_what_is_refused() {
    let proxy = Server::start(|_, conn| conn.write_all(&redirect("http://10.0.0.1/")));
    let via = format!("http://127.0.0.1:{}", proxy.port());
    for url in [
        "http://169.254.169.254/",
        "http://metadata.google.internal/",
        "http://[::ffff:a9fe:a9fe]/",
    ] {
        let text = network(get(&[("all_proxy", &via)], url));
        assert!(text.starts_with("Refused"), "{text}");
    }
    assert!(proxy.asked().is_empty());
    let text = network(get(&[("all_proxy", &via)], "http://far.example/"));
    text.assert_row("web_fetch", "a redirect behind a proxy");
    assert_eq!(proxy.asked().len(), 1);
}

#[test]
fn a_secure_request_tunnels_and_says_why_it_could_not() {
    for (answer, name) in [
        ("407 Authentication Required", "a proxy that wants a login"),
        ("403 Forbidden", "a proxy that forbids a host"),
        ("502 Bad Gateway", "a proxy that fails"),
    ] {
        let proxy = Server::bytes(reply(answer, "no"));
        let via = format!("http://me:secret@127.0.0.1:{}", proxy.port());
        let text = network(get(
            &[("https_proxy", &via)],
            "https://far.example/?key=hidden",
        ));
        let place = format!("127.0.0.1:{}", proxy.port());
        text.assert_row_at("web_fetch", name, &[(&place, "<proxy>")]);
        let asked = &proxy.asked()[0];
        assert_eq!(
            (asked.method.as_str(), asked.target.as_str()),
            ("CONNECT", "far.example:443")
        );
        assert!(asked.header("proxy-authorization").is_some());
    }
}

#[test]
fn a_tunnel_carries_the_bytes_both_ways() {
    // Behind the tunnel there is no TLS, which is what the client must complain about.
    let target = Server::bytes(page("plain"));
    let port = target.port();
    let proxy = Server::start(move |_, conn| {
        conn.write_all(b"HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")?;
        let mut hello = [0; 5];
        conn.read_exact(&mut hello)?;
        assert_eq!(&hello[..2], b"\x16\x03");
        // The proxy of this test is its own client.
        #[allow(clippy::disallowed_methods)]
        let mut behind = TcpStream::connect(("127.0.0.1", port))?;
        behind.write_all(b"GET / HTTP/1.1\r\n\r\n")?;
        let mut reply = Vec::new();
        behind.read_to_end(&mut reply)?;
        conn.write_all(&reply)
    });
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let text = network(get(&[("https_proxy", &via)], "https://far.example/"));
    assert!(text.starts_with("TLS with far.example failed"), "{text}");
}

#[test]
fn a_proxy_that_is_not_there_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let text = network(get(
        &[("http_proxy", &format!("127.0.0.1:{port}"))],
        "http://a.example/",
    ));
    let place = format!("127.0.0.1:{port}");
    text.assert_row_at(
        "web_fetch",
        "a proxy that is not there",
        &[(&place, "<proxy>")],
    );
}

#[test]
fn a_proxy_that_never_answers_is_given_up() {
    let proxy = Server::raw(|stream| {
        thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    let via = format!("http://127.0.0.1:{}", proxy.port());
    for (name, url) in [
        ("https_proxy", "https://a.example/"),
        ("http_proxy", "http://a.example/"),
    ] {
        let start = Instant::now();
        network(get(&[(name, &via)], url));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_proxy_that_dribbles_ends_with_the_call_whatever_is_asked_of_it() {
    const TUNNEL: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
    let cases = [
        (
            "silent SOCKS",
            "socks5h",
            "http://a.example/",
            &b""[..],
            None,
        ),
        (
            "SOCKS, then silent",
            "socks5h",
            "http://a.example/",
            &[5, 0],
            None,
        ),
        (
            "a SOCKS name without end",
            "socks5h",
            "http://a.example/",
            &[5, 0, 5, 0, 0, 3, 255],
            Some(b'x'),
        ),
        (
            "CONNECT without end",
            "http",
            "https://a.example/",
            b"HTTP/1.1 200 OK\r\n",
            Some(b'x'),
        ),
        (
            "a tunnel, then silent",
            "http",
            "https://a.example/",
            TUNNEL,
            None,
        ),
        (
            "TLS byte by byte",
            "http",
            "https://a.example/",
            b"HTTP/1.1 200 OK\r\n\r\n\x16\x03\x03\x3f\xff",
            Some(2),
        ),
        (
            "headers without end",
            "http",
            "http://a.example/",
            b"HTTP/1.1 200 OK\r\nA: ",
            Some(b'x'),
        ),
        (
            "a body without end",
            "http",
            "http://a.example/",
            b"HTTP/1.1 200 OK\r\n\r\n",
            Some(b'x'),
        ),
    ];
    side_by_side(cases, |(name, scheme, url, first, drop)| {
        let proxy = Server::raw(move |mut stream| {
            let until = Instant::now() + Duration::from_secs(20);
            let mut gone = stream.write_all(first).is_err();
            while !gone && Instant::now() < until {
                thread::sleep(Duration::from_millis(50));
                gone = drop.is_some_and(|byte| stream.write_all(&[byte]).is_err());
            }
        });
        let via = format!("{scheme}://127.0.0.1:{}", proxy.port());
        let start = Instant::now();
        let text = network(get(&[("all_proxy", &via)], url));
        let took = start.elapsed();
        // Two seconds are the call's; the third is for a machine that is busy.
        assert!(took < Duration::from_secs(3), "{name}: {took:?}: {text}");
        assert!(took > Duration::from_secs(1), "{name}: {took:?}: {text}");
    });
}

/// A SOCKS 5 proxy that answers HTTP itself; gives what it was asked for.
fn socks(login: Option<(&'static str, &'static str)>) -> (Server, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let server = Server::raw(move |stream| {
        let _ = speak_socks(stream, login, &log);
    });
    (server, seen)
}

fn speak_socks(
    mut stream: TcpStream,
    login: Option<(&str, &str)>,
    log: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let take = |n: usize| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; n];
        (&stream).read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let methods = take(2)?[1];
    let offered = take(methods.into())?;
    if let Some((user, password)) = login {
        if !offered.contains(&2) {
            return (&stream).write_all(&[5, 0xff]);
        }
        (&stream).write_all(&[5, 2])?;
        let len = take(2)?[1];
        let got_user = take(len.into())?;
        let len = take(1)?[0];
        let got_password = take(len.into())?;
        let good = got_user == user.as_bytes() && got_password == password.as_bytes();
        (&stream).write_all(&[1, u8::from(!good)])?;
    } else {
        (&stream).write_all(&[5, 0])?;
    }
    let host = match take(4)?[3] {
        1 => format!("{:?}", take(4)?),
        3 => {
            let len = take(1)?[0];
            String::from_utf8(take(len.into())?).unwrap()
        }
        _ => format!("{:?}", take(16)?),
    };
    let port = take(2)?;
    log.lock()
        .unwrap()
        .push(format!("{host} {}", u16::from_be_bytes([port[0], port[1]])));
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    crate::server::read_head(&mut stream)?;
    stream.write_all(&page("by socks"))
}

#[test]
fn socks_resolves_here_or_there_as_its_name_says() {
    let (proxy, seen) = socks(None);
    for (scheme, url) in [
        ("socks5h", "http://far.example/"),
        ("socks5", "http://known.example:81/"),
        ("socks5h", "http://127.0.0.1:82/"),
        ("socks5", "http://fake.example/"),
    ] {
        let via = format!("{scheme}://127.0.0.1:{}", proxy.port());
        assert_eq!(get(&[("all_proxy", &via)], url).unwrap().body, b"by socks");
    }
    let seen = seen.lock().unwrap();
    assert_eq!(
        *seen,
        [
            "far.example 80",
            "[127, 0, 0, 1] 81",
            "[127, 0, 0, 1] 82",
            "[198, 18, 0, 7] 80"
        ]
    );
}

#[test]
fn socks_signs_in() {
    let (proxy, _) = socks(Some(("me", "pw")));
    let via = |login: &str| format!("socks5h://{login}127.0.0.1:{}", proxy.port());
    assert!(get(&[("all_proxy", &via("me:pw@"))], "http://far.example/").is_ok());
    for (login, name) in [
        ("me:wrong@", "a proxy that rejects a login"),
        ("", "a proxy that asks for a login"),
    ] {
        let text = network(get(&[("all_proxy", &via(login))], "http://far.example/"));
        let place = format!("127.0.0.1:{}", proxy.port());
        text.assert_row_at("web_fetch", name, &[(&place, "<proxy>")]);
    }
}
