//! The HTTP client against servers on loopback, from the well behaved to the hostile.

use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::server::{Server, page, redirect, reply};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{
    FetchError as Error, FetchRequest as Request, HttpClient, HttpResponse, MAX_BODY, PostRequest,
    parse_url,
};

fn client() -> HttpClient {
    HttpClient::new().proxies(ProxySettings::default())
}

fn get_with(client: &HttpClient, url: &str) -> Result<HttpResponse, Error> {
    let url = parse_url(url)?;
    client.get(&Request {
        url: &url,
        accept: "text/markdown, */*;q=0.5",
        headers: &[],
    })
}

fn get(url: &str) -> Result<HttpResponse, Error> {
    get_with(&client(), url)
}

fn network(result: Result<HttpResponse, Error>) -> String {
    match result {
        Err(Error::Network(error)) => error.text,
        other => panic!("not a network error: {other:?}"),
    }
}

#[test]
fn a_page_comes_with_its_type_and_address() {
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/html; charset=x",
        "<p>hi",
    ));
    let got = get(&server.url("/a?b=c#d")).unwrap();
    assert_eq!((got.status, got.reason.as_str()), (200, "OK"));
    assert_eq!(got.content_type(), Some("text/html; charset=x"));
    assert_eq!(got.body, b"<p>hi");
    assert!(!got.is_truncated);
    assert_eq!(got.url.as_str(), server.url("/a?b=c#d"));
    let asked = &server.asked()[0];
    assert_eq!(asked.target, "/a?b=c");
    assert_eq!(
        asked.header("host"),
        Some(format!("127.0.0.1:{}", server.port()).as_str())
    );
    assert_eq!(asked.header("accept"), Some("text/markdown, */*;q=0.5"));
    let agent = asked.header("user-agent").unwrap();
    assert_eq!(agent, format!("ikigai-tools/{}", env!("CARGO_PKG_VERSION")));
    assert_eq!(asked.header("cookie"), None);
}

#[test]
fn every_printable_character_reaches_the_server() {
    let server = Server::bytes(page("x"));
    let odd: String = (33..127)
        .map(char::from)
        .filter(|c| !"#?/\\%".contains(*c))
        .collect();
    for path in [
        format!("/{odd}"),
        format!("/?{odd}"),
        "/a b\u{e9}?\u{e9}={|}^`\"<>".to_owned(),
    ] {
        assert_eq!(get(&server.url(&path)).unwrap().status, 200, "{path}");
    }
}

#[test]
fn what_is_not_an_http_url_is_invalid() {
    for url in [
        "",
        "example.com",
        "//example.com/",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://a/",
        "http://",
        "https://?q",
        "javascript:alert(1)",
        "data:text/plain,x",
        "gopher://a:70/",
        "http://[::1",
        "http://a b/",
        "http://1.2.3.999/",
        "http://a:99999/",
        "HTTP",
        "http://./",
    ] {
        assert!(matches!(get(url), Err(Error::InvalidUrl(_))), "{url}");
    }
}

#[test]
fn statuses_of_success_without_a_body_are_empty_pages() {
    for head in ["204 No Content", "304 Not Modified"] {
        let server = Server::bytes(format!("HTTP/1.1 {head}\r\n\r\n"));
        let got = get(&server.url("/")).unwrap();
        assert_eq!(
            (got.status.to_string(), got.body.len()),
            (head[..3].to_owned(), 0)
        );
    }
}

#[test]
fn a_failure_says_its_status_and_keeps_its_body() {
    for (head, text) in [
        ("404 Not Found", "HTTP 404: Not Found"),
        (
            "429 Too Many Requests\r\nRetry-After: 1",
            "HTTP 429: Too Many Requests",
        ),
        ("503 ", "HTTP 503: Service Unavailable"),
        ("503 Down for \u{1}repairs", "HTTP 503: Down for repairs"),
        ("999 ", "HTTP 999"),
        ("520 Origin Lost", "HTTP 520: Origin Lost"),
    ] {
        let server = Server::bytes(reply(head, "why"));
        match get(&server.url("/")) {
            Err(error @ Error::Status(_)) => {
                assert_eq!(error.to_string(), text);
                let Error::Status(reply) = error else {
                    unreachable!()
                };
                assert_eq!(reply.body, b"why");
            }
            // A control character is an answer that the library may call broken.
            Err(Error::Network(_)) if head.contains('\u{1}') => {}
            other => panic!("{head}: {other:?}"),
        }
    }
}

#[test]
fn an_endless_error_page_costs_one_bounded_read() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 500 Oops\r\n\r\n")?;
        loop {
            conn.write_all(&[b'x'; 4096])?;
        }
    });
    let Err(Error::Status(reply)) = get(&server.url("/")) else {
        panic!("no status")
    };
    assert_eq!(reply.body.len(), 64 * 1024);
}

#[test]
fn an_error_page_that_never_ends_is_not_waited_for() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nx")?;
        thread::sleep(Duration::from_secs(8));
        Ok(())
    });
    let start = Instant::now();
    let error = get(&server.url("/")).unwrap_err();
    assert_eq!(error.to_string(), "HTTP 404: Not Found");
    assert!(start.elapsed() < Duration::from_secs(6));
}

#[test]
fn chunks_and_interim_answers_are_understood() {
    let server = Server::bytes(
        "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 Fine\r\n\
         Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nT: x\r\n\r\n",
    );
    let got = get(&server.url("/")).unwrap();
    assert_eq!(
        (got.reason.as_str(), got.body.as_slice()),
        ("Fine", &b"hello world"[..])
    );
}

#[test]
fn a_body_that_ends_with_the_connection_is_whole() {
    let server = Server::bytes("HTTP/1.0 200 OK\r\n\r\nto the end");
    assert_eq!(get(&server.url("/")).unwrap().body, b"to the end");
}

#[test]
fn a_body_that_is_cut_off_is_an_error() {
    for reply in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    ] {
        let server = Server::bytes(reply);
        let text = network(get(&server.url("/")));
        assert!(text.contains("127.0.0.1"), "{text}");
    }
}

#[test]
fn a_reset_is_an_error_whatever_the_framing() {
    for head in ["Content-Length: 100", "Transfer-Encoding: chunked", "X: y"] {
        let server = Server::start(move |_, conn| {
            write!(conn, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n5\r\nhello")?;
            conn.flush()?;
            thread::sleep(Duration::from_millis(100));
            conn.reset();
            Ok(())
        });
        let text = network(get(&server.url("/")));
        assert!(text.contains("reset"), "{head}: {text}");
    }
}

#[test]
fn what_is_no_answer_at_all_is_an_error() {
    for bytes in [
        "",
        "SSH-2.0-OpenSSH_9\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "<html>hi</html>\n",
    ] {
        let server = Server::bytes(bytes);
        network(get(&server.url("/")));
    }
    let many = "X-Filler: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(100_000);
    let server = Server::bytes(format!("HTTP/1.1 200 OK\r\n{many}\r\n"));
    network(get(&server.url("/")));
}

/// Numbers that are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

#[test]
fn no_answer_however_broken_brings_the_client_down() {
    let whole = b"HTTP/1.1 301 Moved\r\nContent-Length: 11\r\nLocation: /next?a=b#c\r\n\
        Transfer-Encoding: chunked\r\nContent-Encoding: gzip, br, deflate\r\nContent-Type: text/html\r\n\
        Connection: close\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
    let dice = std::sync::Mutex::new(Dice(0x2545_f491_4f6c_dd1d));
    let server = Server::start(move |_, conn| {
        let mut bytes = whole.to_vec();
        {
            let mut dice = dice.lock().unwrap();
            for _ in 0..=dice.roll(6) {
                let at = dice.roll(bytes.len());
                match dice.roll(5) {
                    0 => bytes[at] = u8::try_from(dice.roll(256)).unwrap(),
                    1 => bytes.truncate(at + 1),
                    2 => drop(bytes.remove(at)),
                    3 => bytes.insert(at, b"\r\n :;,0\xff\0"[dice.roll(9)]),
                    _ => bytes[9] = b'1' + u8::try_from(dice.roll(9)).unwrap(),
                }
                bytes.resize(bytes.len().max(12), b' ');
            }
        }
        conn.write_all(&bytes)
    });
    for _ in 0..1500 {
        match get_with(&client().within(Duration::from_secs(3)), &server.url("/")) {
            Ok(_) | Err(Error::Network(_) | Error::Status(_)) => {}
            Err(Error::InvalidUrl(why)) => panic!("{why}"),
        }
    }
}

#[test]
fn a_switch_of_protocols_that_nobody_asked_for_is_no_hang() {
    let server = Server::bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");
    let start = Instant::now();
    let _ = get_with(&client().within(Duration::from_secs(1)), &server.url("/"));
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_long_url_is_sent_whole_or_called_too_long() {
    let server = Server::bytes(page("x"));
    let long = format!("/{}", "y".repeat(60_000));
    get(&server.url(&long)).unwrap();
    assert_eq!(server.asked()[0].target, long);
    let longer = format!("/{}", "y".repeat(70_000));
    assert!(matches!(
        get(&server.url(&longer)),
        Err(Error::InvalidUrl(_))
    ));
}

#[test]
fn nobody_listening_is_said_at_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let text = network(get(&format!("http://127.0.0.1:{port}/")));
    assert!(text.starts_with("Connection refused"), "{text}");
}

#[test]
fn a_server_of_one_byte_a_second_does_not_outlast_the_deadline() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
        loop {
            conn.write_all(b"x")?;
            conn.flush()?;
            thread::sleep(Duration::from_millis(200));
        }
    });
    let silent = Server::start(|_, _| {
        thread::sleep(Duration::from_secs(5));
        Ok(())
    });
    let header = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?;
        loop {
            conn.write_all(b"y")?;
            thread::sleep(Duration::from_millis(200));
        }
    });
    for server in [&server, &silent, &header] {
        let start = Instant::now();
        let text = network(get_with(
            &client().within(Duration::from_secs(1)),
            &server.url("/"),
        ));
        assert!(text.starts_with("Timeout"), "{text}");
        assert!(start.elapsed() < Duration::from_secs(4));
    }
}

#[test]
fn redirects_share_one_deadline() {
    let server = Server::start(|asked, conn| {
        thread::sleep(Duration::from_millis(300));
        let next = format!("{}x", asked.target);
        conn.write_all(&redirect(&next))
    });
    let start = Instant::now();
    network(get_with(
        &client().within(Duration::from_secs(1)),
        &server.url("/"),
    ));
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn twenty_redirects_are_followed_and_no_more() {
    let server = Server::start(|asked, conn| {
        let left: usize = asked.target.trim_start_matches('/').parse().unwrap_or(0);
        match left {
            0 => conn.write_all(&page("there")),
            n => conn.write_all(&redirect(&format!("/{}", n - 1))),
        }
    });
    let got = get(&server.url("/20#part")).unwrap();
    assert_eq!(
        (got.body.as_slice(), got.url.as_str()),
        (&b"there"[..], server.url("/0#part").as_str())
    );
    assert!(network(get(&server.url("/21"))).starts_with("Too many redirects"));
    let looping = Server::start(|_, conn| conn.write_all(&redirect("/again")));
    assert!(network(get(&looping.url("/"))).starts_with("Too many redirects"));
    assert_eq!(looping.asked().len(), 21);
}

#[test]
fn a_redirect_s_bytes_are_asked_for_as_they_are() {
    let server = Server::start(|asked, conn| {
        if asked.target == "/" {
            let mut head =
                b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /\xF6/\xC3\xA9%20".to_vec();
            head.extend(b"\r\n\r\n");
            return conn.write_all(&head);
        }
        conn.write_all(&page("there"))
    });
    get(&server.url("/")).unwrap();
    assert_eq!(server.asked()[1].target, "/%F6/%C3%A9%20");
}

#[test]
fn a_redirect_without_a_location_is_a_page() {
    let server = Server::bytes(reply("302 Found", "where?"));
    assert_eq!(get(&server.url("/")).unwrap().body, b"where?");
}

#[test]
fn a_redirect_leaves_neither_http_nor_for_a_forbidden_address() {
    for (location, word) in [
        ("file:///etc/passwd", "file:"),
        ("ftp://127.0.0.1/", "ftp:"),
        ("javascript:1", "javascript:"),
        ("http://169.254.169.254/latest/", "metadata"),
        ("http://[::ffff:169.254.169.254]/", "metadata"),
        ("http://2852039166/", "metadata"),
        ("http://metadata.google.internal/", "metadata"),
        ("http://0.0.0.0/", "unspecified"),
        ("http://10.0.0.1/", "private"),
        ("http://", "invalid URL"),
    ] {
        let server = Server::start(move |_, conn| conn.write_all(&redirect(location)));
        let text = network(get(&server.url("/")));
        assert!(text.contains(word), "{location}: {text}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_development_server_may_redirect_on_its_own_machine() {
    let server = Server::bytes(page("home"));
    let other = server.url_as("localhost", "/");
    let front = Server::start(move |_, conn| conn.write_all(&redirect(&other)));
    assert_eq!(get(&front.url("/")).unwrap().body, b"home");
    assert_eq!(get(&front.url_as("localhost", "/")).unwrap().body, b"home");
}

#[test]
fn a_login_in_the_url_goes_to_its_own_origin_and_nowhere_else() {
    let other = Server::bytes(page("end"));
    let there = other.url_as("someone:else@127.0.0.1", "/");
    let server = Server::start(move |asked, conn| {
        conn.write_all(&if asked.target == "/" {
            redirect("/b")
        } else {
            redirect(&there)
        })
    });
    let got = get(&server.url_as("us%40er:pass@127.0.0.1", "/")).unwrap();
    assert_eq!(got.url.as_str(), other.url("/"));
    for asked in server.asked() {
        assert_eq!(
            asked.header("authorization"),
            Some("Basic dXNAZXI6cGFzcw==")
        );
    }
    assert_eq!(other.asked()[0].header("authorization"), None);
    let text = network(get("http://us:secret@127.0.0.1:1/?key=hidden"));
    assert!(
        !text.contains("secret") && !text.contains("hidden"),
        "{text}"
    );
}

#[test]
fn headers_of_the_caller_do_not_follow_a_redirect_elsewhere() {
    let other = Server::bytes(page("end"));
    let there = other.url("/");
    let server = Server::start(move |_, conn| conn.write_all(&redirect(&there)));
    let url = parse_url(&server.url("/")).unwrap();
    let headers = &[("X-Subscription-Token", "secret")];
    client()
        .get(&Request {
            url: &url,
            accept: "*/*",
            headers,
        })
        .unwrap();
    assert_eq!(
        server.asked()[0].header("x-subscription-token"),
        Some("secret")
    );
    assert_eq!(other.asked()[0].header("x-subscription-token"), None);
}

#[test]
fn a_long_body_is_cut_at_ten_mebibytes() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        loop {
            conn.write_all(&[b'x'; 8192])?;
        }
    });
    let got = get(&server.url("/")).unwrap();
    assert_eq!((got.body.len(), got.is_truncated), (MAX_BODY, true));
    let exact = Server::bytes(page(vec![b'y'; MAX_BODY]));
    let got = get(&exact.url("/")).unwrap();
    assert_eq!((got.body.len(), got.is_truncated), (MAX_BODY, false));
}

#[test]
fn a_connection_that_is_accepted_and_never_read_times_out() {
    let server = Server::raw(|mut stream| {
        thread::sleep(Duration::from_secs(3));
        let _ = stream.read(&mut [0]);
    });
    let start = Instant::now();
    network(get_with(
        &client().within(Duration::from_millis(700)),
        &server.url("/"),
    ));
    assert!(start.elapsed() < Duration::from_secs(4));
}

fn post_with(client: &HttpClient, url: &str, body: &[u8]) -> Result<HttpResponse, Error> {
    let url = parse_url(url)?;
    client.post(&PostRequest {
        to: Request {
            url: &url,
            accept: "application/json",
            headers: &[("X-Own", "value")],
        },
        content_type: "application/json",
        body,
    })
}

#[test]
fn what_is_posted_arrives_whole_and_the_answer_is_read_like_any_other() {
    let server = Server::bytes(reply("200 OK\r\nContent-Type: application/json", "{}"));
    let long = vec![b'x'; 300_000];
    for body in [&b"{\"a\":1}"[..], b"", &long] {
        let got = post_with(&client(), &server.url("/a?b"), body).unwrap();
        assert_eq!((got.status, &got.body[..]), (200, &b"{}"[..]));
        let asked = server.asked().pop().unwrap();
        assert_eq!((&asked.method[..], &asked.target[..]), ("POST", "/a?b"));
        assert!(asked.body == body, "{} bytes", asked.body.len());
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(asked.header("accept"), Some("application/json"));
        assert_eq!(asked.header("x-own"), Some("value"));
    }
    let login = server.url("/").replace("://", "://user:pass@");
    post_with(&client(), &login, b"x").unwrap();
    let asked = server.asked().pop().unwrap();
    assert_eq!(asked.header("authorization"), Some("Basic dXNlcjpwYXNz"));
    let failing = Server::bytes(reply("402 Pay", "why"));
    match post_with(&client(), &failing.url("/"), b"x") {
        Err(Error::Status(got)) => assert_eq!((got.status, &got.body[..]), (402, &b"why"[..])),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_posted_goes_to_no_other_place() {
    let other = Server::bytes(page("other"));
    for status in ["301 A", "302 B", "303 C", "307 D", "308 E"] {
        let head = format!("{status}\r\nLocation: {}", other.url("/there?secret"));
        let server = Server::bytes(reply(&head, ""));
        let text = network(post_with(&client(), &server.url("/here?secret"), b"x"));
        text.assert_row("web_fetch", "a redirect of what was sent");
    }
    assert!(other.asked().is_empty());
}

#[test]
fn what_is_posted_is_guarded_and_in_time_as_well() {
    for address in [
        "http://169.254.169.254/",
        "http://[fe80::1]/",
        "http://0.0.0.0/",
    ] {
        network(post_with(&client(), address, b"x"));
    }
    let silent = Server::start(|_, _| {
        thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    let start = Instant::now();
    let short = client().for_at_most(Duration::from_millis(700));
    let text = network(post_with(&short, &silent.url("/"), b"x"));
    text.assert_row("web_fetch", "a server that says nothing in time");
    assert!(start.elapsed() < Duration::from_secs(2));
    let shorter = client()
        .within(Duration::from_millis(300))
        .for_at_most(Duration::from_secs(9));
    assert!(shorter.time_left() <= Duration::from_millis(300));
}

#[test]
fn a_failure_says_whether_it_is_this_machine_s_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let own = |client: &HttpClient, url: &str| match get_with(client, url) {
        Err(Error::Network(error)) => error.is_local,
        other => panic!("{other:?}"),
    };
    assert!(!own(&client(), &format!("http://{nobody}/")));
    let proxies =
        ProxySettings::from_vars(|name| (name == "http_proxy").then(|| format!("http://{nobody}")));
    assert!(own(
        &HttpClient::new().proxies(proxies),
        "http://a.example/"
    ));
}
