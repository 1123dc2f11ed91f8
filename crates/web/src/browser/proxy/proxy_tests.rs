// Connections to the proxy that the test has started.
#![allow(clippy::disallowed_methods)]

use std::net::TcpStream;

use super::*;
use std::io::{Read, Write};

struct Known(&'static str);

impl NameResolver for Known {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        assert!(name.ends_with("known.example"), "{name} is looked up");
        Ok(vec![SocketAddr::new(self.0.parse().unwrap(), port)])
    }
}

/// Returns a server that answers each connection with `answer` and keeps what it was sent.
fn server(answer: &'static str) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let request_log = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&request_log);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut piece = [0; 4096];
            let count = stream.read(&mut piece).unwrap_or(0);
            log.lock().unwrap().extend_from_slice(&piece[..count]);
            let _ = stream.write_all(answer.as_bytes());
            // Stays open, as a server that does not heed `Connection: close`.
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                log.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        }
    });
    (port, request_log)
}

fn proxy(page: &str) -> BrowserProxy {
    let page = Url::parse(page).unwrap();
    let guard = Guard::new(&page).unwrap();
    let cut = Instant::now() + Duration::from_secs(20);
    let resolver = Arc::new(Known("127.0.0.1"));
    BrowserProxy::start(&page, guard, resolver, cut).unwrap()
}

/// Returns the proxy's answer to these bytes, until it closes or is silent.
fn ask(proxy: &BrowserProxy, request: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(700)))
        .unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: keep-alive\r\nKeep-Alive: \
                    timeout=5\r\nX-Kept: 1\r\n\r\npage";

#[test]
fn a_request_is_passed_on_for_its_target_and_is_the_connection_s_only_one() {
    let (port, request_log) = server(PAGE);
    let proxy = proxy(&format!("http://127.0.0.1:{port}/"));
    let reply = ask(
        &proxy,
        &format!(
            "GET http://127.0.0.1:{port}/a?b=1 HTTP/1.1\r\nHost: other.example\r\n\
             Proxy-Connection: keep-alive\r\nConnection: keep-alive\r\nAccept: x\r\n\r\n\
             GET http://127.0.0.1:{port}/second HTTP/1.1\r\nHost: x\r\n\r\n"
        ),
    );
    assert_eq!(
        reply,
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Kept: 1\r\nConnection: close\r\n\r\npage"
    );
    let sent = String::from_utf8(request_log.lock().unwrap().clone()).unwrap();
    assert_eq!(
        sent,
        format!(
            "GET /a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: x\r\nConnection: \
             close\r\n\r\n"
        )
    );
}

#[test]
fn a_body_is_passed_on_as_long_as_it_says_and_an_interim_answer_is_not() {
    let (port, request_log) =
        server("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 204 None\r\n\r\n");
    let proxy = proxy(&format!("http://127.0.0.1:{port}/"));
    let to = format!("POST http://127.0.0.1:{port}/ HTTP/1.1\r\n");
    let reply = ask(&proxy, &format!("{to}Content-Length: 4\r\n\r\nbodyGET /"));
    assert_eq!(reply, "HTTP/1.1 204 None\r\nConnection: close\r\n\r\n");
    let sent = String::from_utf8(request_log.lock().unwrap().clone()).unwrap();
    assert!(sent.ends_with("\r\n\r\nbody"), "{sent}");
    for unknown in ["Transfer-Encoding: chunked", "Content-Length: x"] {
        let reply = ask(&proxy, &format!("{to}{unknown}\r\n\r\n0\r\n\r\n"));
        assert!(reply.starts_with("HTTP/1.1 400 "), "{reply}");
    }
}

#[test]
fn a_tunnel_carries_bytes_both_ways() {
    let (port, request_log) = server("there");
    let proxy = proxy("http://known.example/");
    let reply = ask(
        &proxy,
        &format!("CONNECT known.example:{port} HTTP/1.1\r\n\r\nhere"),
    );
    assert_eq!(reply, "HTTP/1.1 200 Connection established\r\n\r\nthere");
    assert_eq!(*request_log.lock().unwrap(), b"here");
    let (requests, failed) = proxy.finish();
    let target = format!("known.example:{port}");
    assert_eq!(
        requests,
        [ProxyRequest {
            target,
            refused: None
        }]
    );
    assert!(failed.is_none());
}

#[test]
fn what_the_guard_refuses_and_what_no_page_asked_for_is_refused() {
    let (port, request_log) = server(PAGE);
    let proxy = proxy("https://93.184.216.34/");
    for host in [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "169.254.169.254",
        "known.example",
        "[::1]",
        "0x7f.1",
        "update.googleapis.com",
        "redirector.gvt1.com",
    ] {
        let reply = ask(&proxy, &format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n"));
        assert!(reply.starts_with("HTTP/1.1 403 "), "{host}: {reply}");
        let reply = ask(
            &proxy,
            &format!("GET http://{host}:{port}/ HTTP/1.1\r\n\r\n"),
        );
        assert_eq!(reply, "", "{host}");
    }
    for nonsense in [
        "GET / HTTP/1.1\r\n\r\n",
        "CONNECT  HTTP/1.1\r\n\r\n",
        "x\r\n\r\n",
    ] {
        let reply = ask(&proxy, nonsense);
        assert!(reply.starts_with("HTTP/1.1 400 "), "{nonsense}: {reply}");
    }
    assert!(request_log.lock().unwrap().is_empty());
    let (requests, failed) = proxy.finish();
    assert_eq!(requests.len(), 18);
    assert!(
        requests.iter().all(|request| request.refused.is_some()),
        "{requests:?}"
    );
    assert!(failed.is_none());
}

#[test]
fn the_way_to_the_page_is_known_to_who_started_it() {
    let proxy = proxy("http://user:pass@known.example/a?b#c");
    let start = proxy.start_url();
    let reply = ask(&proxy, &format!("GET {start} HTTP/1.1\r\n\r\n"));
    assert!(reply.starts_with("HTTP/1.1 302 "), "{reply}");
    assert!(
        reply.contains("Location: http://user:pass@known.example/a?b#c\r\n"),
        "{reply}"
    );
    let reply = ask(&proxy, "GET http://other.ikigai.invalid/ HTTP/1.1\r\n\r\n");
    assert_eq!(reply, "");
}

#[test]
fn why_the_page_s_own_host_was_not_reached_is_kept() {
    let proxy = proxy("http://169.254.169.254/");
    assert_eq!(
        ask(&proxy, "GET http://169.254.169.254/ HTTP/1.1\r\n\r\n"),
        ""
    );
    let (_, failed) = proxy.finish();
    assert!(failed.unwrap().to_string().contains("metadata"));
}

#[test]
fn at_its_end_every_connection_is_closed_and_none_is_taken() {
    let (port, _) = server("there");
    let page = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let cut = Instant::now() + Duration::from_millis(600);
    let guard = Guard::new(&page).unwrap();
    let proxy = BrowserProxy::start(&page, guard, Arc::new(Known("127.0.0.1")), cut).unwrap();
    let mut stream = TcpStream::connect(proxy.address()).unwrap();
    write!(stream, "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nhere").unwrap();
    let started = Instant::now();
    let mut reply = String::new();
    let _ = stream.read_to_string(&mut reply);
    assert!(reply.ends_with("there"), "{reply}");
    assert!(started.elapsed() < IDLE_TIMEOUT, "{:?}", started.elapsed());
    let address = proxy.address();
    drop(proxy);
    assert!(TcpStream::connect(address).is_err());
}
