//! Names that change, hide or never come, through a resolver of the test's own.

use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::server::{Server, page, redirect};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{
    FetchError as Error, FetchRequest as Request, HttpClient, HttpResponse, parse_url,
};
use iki_web::resolve::NameResolver;

fn get_with(client: &HttpClient, url: &str) -> Result<HttpResponse, Error> {
    let url = parse_url(url)?;
    client.get(&Request {
        url: &url,
        accept: "text/markdown, */*;q=0.5",
        headers: &[],
    })
}

fn network(result: Result<HttpResponse, Error>) -> String {
    match result {
        Err(Error::Network(error)) => error.text,
        other => panic!("not a network error: {other:?}"),
    }
}

/// Answers each question with the next of its addresses, and counts them.
struct Changing(Vec<Vec<SocketAddr>>, AtomicUsize);

impl NameResolver for Changing {
    fn resolve(&self, name: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let nth = self.1.fetch_add(1, Ordering::SeqCst);
        let found = self
            .0
            .get(nth)
            .ok_or_else(|| std::io::Error::other(format!("no {name}")))?;
        Ok(found
            .iter()
            .map(|a| SocketAddr::new(a.ip(), if a.port() == 0 { port } else { a.port() }))
            .collect())
    }
}

fn changing(answers: &[&[&str]]) -> (HttpClient, Arc<Changing>) {
    let parse = |a: &&str| SocketAddr::new(a.parse().unwrap(), 0);
    let answers = answers
        .iter()
        .map(|list| list.iter().map(parse).collect())
        .collect();
    let resolver = Arc::new(Changing(answers, AtomicUsize::new(0)));
    let as_dyn: Arc<dyn NameResolver> = resolver.clone();
    (
        HttpClient::with_resolver(as_dyn).proxies(ProxySettings::default()),
        resolver,
    )
}

#[test]
fn a_name_is_resolved_once_a_hop() {
    let server = Server::start(|asked, conn| {
        conn.write_all(&if asked.target == "/" {
            redirect("/b")
        } else {
            page("b")
        })
    });
    let (client, resolver) = changing(&[&["127.0.0.1"], &["127.0.0.1"]]);
    let got = get_with(&client, &server.url_as("dev.example", "/")).unwrap();
    assert_eq!(got.url.host_str(), Some("dev.example"));
    assert_eq!(resolver.1.load(Ordering::SeqCst), 2);
}

#[test]
fn a_name_that_turns_into_metadata_is_refused() {
    let server = Server::start(|_, conn| conn.write_all(&redirect("/again")));
    for turned in [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "0.0.0.0",
    ] {
        let (client, _) = changing(&[&["127.0.0.1"], &[turned]]);
        let text = network(get_with(&client, &server.url_as("dev.example", "/")));
        assert!(text.starts_with("Refused"), "{text}");
        let (client, _) = changing(&[&[turned]]);
        let text = network(get_with(&client, &server.url_as("dev.example", "/")));
        assert!(text.starts_with("Refused"), "{text}");
    }
}

#[test]
fn a_name_that_a_local_proxy_answers_for_is_not_refused() {
    // The stand-in is dialled nowhere: it comes behind an address that answers.
    for stand_in in ["198.18.0.7", "203.0.113.9", "2001:db8::7"] {
        let server = Server::bytes(page("up"));
        let (client, _) = changing(&[&["127.0.0.1", stand_in]]);
        let got = get_with(&client, &server.url_as("far.example", "/")).unwrap();
        assert_eq!(got.body, b"up");
    }
    // A name that was public, by its stand-in, gets no further into this machine.
    let server = Server::bytes(redirect("/again"));
    let (client, _) = changing(&[&["127.0.0.1", "198.18.0.7"], &["127.0.0.1"]]);
    let text = network(get_with(&client, &server.url_as("far.example", "/")));
    text.assert_row("web_fetch", "a name that turned to this machine");
    let (client, _) = changing(&[]);
    let text = network(get_with(&client, "http://198.18.0.7/"));
    text.assert_row("web_fetch", "a stand-in for a name");
}

#[test]
fn the_second_address_is_tried_where_the_first_is_closed() {
    let server = Server::bytes(page("up"));
    let (client, _) = changing(&[&["127.0.0.2", "127.0.0.1"]]);
    assert_eq!(
        get_with(&client, &server.url_as("dev.example", "/"))
            .unwrap()
            .body,
        b"up"
    );
}

#[test]
fn an_address_that_never_answers_leaves_time_for_the_next() {
    let server = Server::bytes(page("up"));
    let dead = std::net::TcpListener::bind(("127.0.0.2", server.port())).unwrap();
    // SAFETY: the descriptor is an open listening socket; this only shortens its queue.
    assert_eq!(unsafe { libc::listen(dead.as_raw_fd(), 0) }, 0);
    let fill = || {
        let (client, _) = changing(&[&["127.0.0.2"]]);
        get_with(
            &client.within(Duration::from_millis(300)),
            &server.url_as("dev.example", "/"),
        )
    };
    // These fill the queue; from then on the kernel drops what knocks.
    let waiting: Vec<_> = (0..4)
        .map(|_| thread::scope(|s| s.spawn(fill).join().unwrap()))
        .collect();
    assert!(waiting.iter().all(Result::is_err));
    let (client, _) = changing(&[&["127.0.0.2", "127.0.0.1"]]);
    let start = Instant::now();
    let client = client.within(Duration::from_secs(3));
    assert_eq!(
        get_with(&client, &server.url_as("dev.example", "/"))
            .unwrap()
            .body,
        b"up"
    );
    assert!(start.elapsed() > Duration::from_secs(1));
}

struct Slow;

impl NameResolver for Slow {
    fn resolve(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        thread::sleep(Duration::from_secs(4));
        Ok(Vec::new())
    }
}

#[test]
fn a_name_server_that_does_not_answer_costs_no_more_than_the_deadline() {
    let client = HttpClient::with_resolver(Arc::new(Slow)).proxies(ProxySettings::default());
    let start = Instant::now();
    let text = network(get_with(
        &client.within(Duration::from_millis(500)),
        "http://a.example/",
    ));
    text.assert_row("web_fetch", "a name server that is slow");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn an_unknown_name_is_named() {
    let (client, _) = changing(&[]);
    let text = network(get_with(&client, "http://nowhere.example/?secret"));
    text.assert_row("web_fetch", "an unknown name");
}
