//! Pages that their scripts put together, in a real browser, in a network that has nothing but what
//! the test put there: what is rendered, what is reached, and what is left.

use std::fs;
use std::io;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{self, eventually};
use crate::http_server;
use crate::staged::{self, METADATA, OTHER, PRIVATE, PUBLIC};
use iki_web::browser::{Browser, BrowserError, RenderedPage};
use iki_web::client::{ACCEPT_PAGES, FetchRequest, HttpClient};
use iki_web::guard::Guard;
use iki_web::resolve::NameResolver;
use url::Url;

/// Time enough on a busy machine.
const LONG: Duration = Duration::from_secs(50);

/// The variable that names a copy of the program that everybody may run.
const PROGRAM: &str = "TESTED_PROGRAM";

/// Runs a test in the network, where there is a browser that runs there.
fn staged_with_a_browser(test: &str, variables: &[(&str, &str)], body: impl FnOnce(&Path)) {
    // More browsers at once than these miss their time on a machine that is busy with other tests.
    static SLOTS: [Mutex<()>; 4] = [const { Mutex::new(()) }; 4];
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    if !staged::is_staged() {
        let why = staged::no_network().or_else(no_browser);
        if let Some(why) = why {
            return common::skip(why);
        }
    }
    let slot = &SLOTS[STARTED.fetch_add(1, Ordering::Relaxed) % SLOTS.len()];
    let _slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    staged::in_the_network(test, variables, |room| {
        body(room);
        is_clean(room);
    });
}

/// The reason why there is no browser here, determined once.
fn no_browser() -> Option<&'static str> {
    static WHY: OnceLock<Option<&'static str>> = OnceLock::new();
    *WHY.get_or_init(|| {
        let Some(browser) = Browser::locate() else {
            return Some("no Chromium is here");
        };
        let room = common::public_directory();
        let profile = format!("--user-data-dir={}", room.path().display());
        let args = ["--headless", "--dump-dom", &profile, "about:blank"];
        let page = staged::output_in_the_network(browser.program(), &args, room.path());
        let works = page.is_some_and(|page| page.starts_with(b"<html>"));
        (!works).then_some("Chromium has no sandbox here")
    })
}

/// The processes of browsers whose profile is in `room`.
fn browsers(room: &Path) -> Vec<u32> {
    let mark = format!("={}/", room.display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&arguments).contains(&mark) {
            found.extend(entry.file_name().to_string_lossy().parse::<u32>());
        }
    }
    found
}

/// Asserts that no process and no file of a browser is left.
#[track_caller]
fn is_clean(room: &Path) {
    assert!(
        eventually(|| browsers(room).is_empty()),
        "{:?}",
        browsers(room)
    );
    let empty = || common::names_in(room).is_empty();
    assert!(eventually(empty), "{:?}", common::names_in(room));
}

/// A server at every address of the network, which notes by which of them it was asked for what.
struct Site {
    port: u16,
    seen: Arc<Mutex<Vec<(IpAddr, String)>>>,
}

impl Site {
    /// Answers each path with a page of this script; `/never` never, `/closes` with nothing.
    fn of(script: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = script.replace("PORT", &port.to_string());
        let page = format!(
            "<!doctype html><title>T</title><body><div id=root>shell</div><script>\n\
             const root = document.getElementById('root');\n\
             const say = text => root.append(' ' + text);\n{script}</script></body>"
        );
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (page, log) = (page.clone(), Arc::clone(&log));
                thread::spawn(move || {
                    let mut head = Vec::new();
                    let mut byte = [0];
                    while !head.ends_with(b"\r\n\r\n") {
                        match stream.read(&mut byte) {
                            Ok(1) => head.push(byte[0]),
                            _ => break,
                        }
                    }
                    let line = String::from_utf8_lossy(&head).into_owned();
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    let at = stream.local_addr().unwrap().ip();
                    log.lock().unwrap().push((at, line));
                    if path.starts_with("/never") {
                        let _ = stream.read(&mut byte);
                    }
                    if path.starts_with("/never") || path.starts_with("/closes") {
                        return;
                    }
                    let kind = if path.starts_with("/file") {
                        "application/octet-stream\r\nContent-Disposition: attachment"
                    } else {
                        "text/html"
                    };
                    let length = page.len();
                    let _ = write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
                         Access-Control-Allow-Origin: *\r\n\r\n{page}"
                    );
                });
            }
        });
        Self { port, seen }
    }

    fn url(&self, host: &str) -> Url {
        Url::parse(&format!("http://{host}:{}/", self.port)).unwrap()
    }

    /// The addresses at which it was asked, each once.
    fn reached(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let mut all: Vec<String> = seen.iter().map(|(at, _)| at.to_string()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Waits until it is asked, which takes a browser some seconds on a busy machine.
    fn wait_until_reached(&self) {
        assert!((0..3).any(|_| eventually(|| !self.reached().is_empty())));
    }

    fn heads(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|(_, head)| head.clone()).collect()
    }
}

fn render(url: &Url, within: Duration) -> Result<RenderedPage, BrowserError> {
    let guard = Guard::new(url).unwrap();
    Browser::locate().unwrap().render(url, &guard, within)
}

#[track_caller]
fn rendered(url: &Url) -> RenderedPage {
    render(url, LONG).unwrap_or_else(|error| panic!("{error}"))
}

/// The text that the script has written.
fn said(page: &RenderedPage) -> &str {
    let (_, behind) = page.html.split_once("<div id=\"root\">").expect(&page.html);
    behind.split_once("</div>").unwrap().0
}

/// A script that makes a request and shows its outcome.
fn asks(url: &str) -> String {
    format!(
        "fetch('{url}', {{mode: 'no-cors'}}).then(() => say('reached {url}'), \
         () => say('refused {url}'));\n"
    )
}

/// The targets that were connected to through the proxy, each once.
fn connected(page: &RenderedPage) -> Vec<String> {
    let mut all: Vec<String> = page
        .requests
        .iter()
        .filter(|asked| asked.refused.is_none())
        .map(|asked| asked.target.clone())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Names and their addresses, one after the other at each question.
struct Names(Mutex<Vec<(&'static str, Vec<&'static str>)>>);

impl Names {
    fn of(names: &[(&'static str, &[&'static str])]) -> Arc<Self> {
        let names = names.iter().map(|(name, all)| (*name, all.to_vec()));
        Arc::new(Self(Mutex::new(names.collect())))
    }
}

impl NameResolver for Names {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let mut names = self.0.lock().unwrap();
        let at = names.iter().position(|(known, _)| *known == name);
        let at = at.ok_or(io::ErrorKind::NotFound)?;
        // The last answer for a name stays.
        let more = names[at + 1..].iter().any(|(known, _)| *known == name);
        let found = if more {
            names.remove(at).1
        } else {
            names[at].1.clone()
        };
        let found = found
            .iter()
            .map(|ip| SocketAddr::new(ip.parse().unwrap(), port));
        Ok(found.collect())
    }
}

fn render_with(names: Arc<Names>, url: &Url, guard: &Guard) -> Result<RenderedPage, BrowserError> {
    let browser = Browser::locate().unwrap().with_resolver(names);
    browser.render(url, guard, LONG)
}

#[test]
fn a_shell_is_rendered_with_what_its_scripts_write_late() {
    let test = "a_shell_is_rendered_with_what_its_scripts_write_late";
    staged_with_a_browser(test, &[], |_| {
        // The frame shows an error of the browser's own, and the page what such errors have.
        let script = "document.body.className = 'neterror';\n\
            document.body.append('ERR_FAILED', Object.assign(document.createElement('iframe'), \
            {src: '/closes'}));\n\
            setTimeout(() => { root.textContent = 'late ' + location.href; }, 500);";
        let site = Site::of(script);
        let mut url = site.url(PUBLIC);
        url.set_fragment(Some("part"));
        let started = Instant::now();
        let page = rendered(&url);
        assert_eq!(said(&page), format!("late {url}"));
        let like_an_error = "<body class=\"neterror\"";
        assert!(page.html.contains(like_an_error), "{}", page.html);
        assert!(started.elapsed() < LONG / 2);
        let agent = format!("ikigai-tools/{}", env!("CARGO_PKG_VERSION"));
        let heads = site.heads();
        assert!(heads[0].contains(&agent), "{}", heads[0]);
        assert!(!heads[0].contains("HeadlessChrome/0"), "{}", heads[0]);
        assert!(!heads[0].to_lowercase().contains("referer"), "{}", heads[0]);
        assert!(heads.iter().any(|head| head.contains(" /closes ")));
    });
}

#[test]
fn what_a_public_page_asks_of_this_machine_and_its_network_is_refused() {
    let test = "what_a_public_page_asks_of_this_machine_and_its_network_is_refused";
    staged_with_a_browser(test, &[], |_| {
        let inner = [
            "127.0.0.1",
            "localhost",
            PRIVATE,
            METADATA,
            "127.1.2.3",
            "[::1]",
        ];
        let mut script = asks(&format!("http://{OTHER}:PORT/fine"));
        for host in inner {
            script += &asks(&format!("http://{host}:PORT/inner"));
            script += &asks(&format!("https://{host}:PORT/inner"));
            let frame = format!(
                "document.body.append(Object.assign(document.createElement('iframe'), \
                 {{src: 'http://{host}:PORT/frame'}}));\n\
                 new WebSocket('ws://{host}:PORT/socket');\n"
            );
            script += &frame;
        }
        let site = Site::of(&script);
        let page = rendered(&site.url(PUBLIC));
        let words = said(&page);
        assert!(
            words.contains(&format!("reached http://{OTHER}")),
            "{words}"
        );
        for host in inner {
            let refused = format!("refused http://{host}:");
            assert!(words.contains(&refused), "{host}: {words}");
        }
        assert_eq!(site.reached(), [PUBLIC, OTHER]);
    });
}

#[test]
fn what_a_page_asks_of_private_addresses_is_refused_to_callers_over_http() {
    let test = "what_a_page_asks_of_private_addresses_is_refused_to_callers_over_http";
    // The server is started by an ordinary user, for whom the checkout may be closed.
    let program: PathBuf = match std::env::var_os(PROGRAM) {
        Some(program) => program.into(),
        None => common::public_links().join("ikigai-tools"),
    };
    let named = [(PROGRAM, common::text(&program))];
    staged_with_a_browser(test, &named, |_| {
        let inner = ["127.0.0.1", "localhost", PRIVATE, METADATA, "[::1]"];
        let mut script = asks(&format!("http://{OTHER}:PORT/fine"));
        for host in inner {
            script += &asks(&format!("http://{host}:PORT/inner"));
        }
        let site = Site::of(&script);
        let server = http_server::http_by(&program, &["--tools", "scrape_page"])
            .without_env("IKIGAI_BROWSER")
            .start();
        let scraped = |host: &str| {
            let url = site.url(host).to_string();
            let answer = server.call("scrape_page", &serde_json::json!({"url": url}));
            let result = answer.json()["result"].clone();
            let said = result["content"][0]["text"].as_str().map(str::to_owned);
            (
                said.unwrap_or_else(|| panic!("{result}")),
                result["isError"] == true,
            )
        };
        let (said, failed) = scraped(PUBLIC);
        assert!(!failed, "{said}");
        assert!(said.contains(&format!("reached http://{OTHER}")), "{said}");
        for host in inner {
            let refused = format!("refused http://{host}:");
            assert!(said.contains(&refused), "{host}: {said}");
        }
        assert_eq!(site.reached(), [PUBLIC, OTHER]);
        // Nor is such a page itself opened, which anybody on this machine may have.
        for host in ["127.0.0.1", PRIVATE] {
            let (said, failed) = scraped(host);
            assert!(failed && said.contains("public addresses only"), "{said}");
        }
        assert_eq!(site.reached(), [PUBLIC, OTHER]);
    });
}

#[test]
fn a_page_of_this_machine_reaches_this_machine_and_no_other_private_one() {
    let test = "a_page_of_this_machine_reaches_this_machine_and_no_other_private_one";
    staged_with_a_browser(test, &[], |_| {
        let script = asks("http://localhost:PORT/other-name")
            + &asks("http://inner.example:PORT/inner")
            + &asks(&format!("http://{PRIVATE}:PORT/inner"))
            + &asks(&format!("http://{METADATA}:PORT/inner"));
        let site = Site::of(&script);
        let rendered_at = |host: &str| {
            let names: [(&str, &[&str]); 2] =
                [("localhost", &["127.0.0.1"]), ("inner.example", &[PRIVATE])];
            let url = site.url(host);
            render_with(Names::of(&names), &url, &Guard::new(&url).unwrap()).unwrap()
        };
        for (page, reached, refused) in [
            (
                rendered_at("127.0.0.1"),
                "localhost",
                ["inner.example", PRIVATE, METADATA],
            ),
            // A name may lead where its caller wants to go.
            (
                rendered_at("inner.example"),
                "inner.example",
                ["localhost", PRIVATE, METADATA],
            ),
        ] {
            let words = said(&page);
            let reached = format!("reached http://{reached}:");
            assert!(words.contains(&reached), "{words}");
            for host in refused {
                let refused = format!("refused http://{host}:");
                assert!(words.contains(&refused), "{words}");
            }
        }
        assert_eq!(site.reached(), [PRIVATE, "127.0.0.1"]);
    });
}

#[test]
fn a_name_that_changes_its_address_gains_nothing() {
    let test = "a_name_that_changes_its_address_gains_nothing";
    staged_with_a_browser(test, &[], |_| {
        let script =
            asks("http://turning.example:PORT/again") + &asks("http://inner.example:PORT/");
        let site = Site::of(&script);
        let url = site.url("turning.example");
        let turning: [(&str, &[&str]); 3] = [
            // Of both, only the public one counts.
            ("turning.example", &["127.0.0.1", PUBLIC]),
            ("turning.example", &["127.0.0.1"]),
            ("inner.example", &[PRIVATE]),
        ];
        let fresh = Guard::new(&url).unwrap();
        let page = render_with(Names::of(&turning), &url, &fresh).unwrap();
        assert!(
            said(&page).contains("reached http://turning"),
            "{}",
            said(&page)
        );
        assert!(
            said(&page).contains("refused http://inner"),
            "{}",
            said(&page)
        );
        assert_eq!(site.reached(), [PUBLIC]);
        // Nor between the fetch of a page and its rendering.
        let public: [(&str, &[&str]); 1] = [("turning.example", &[PUBLIC])];
        let client = HttpClient::with_resolver(Names::of(&public));
        let (accept, headers) = (ACCEPT_PAGES, &[][..]);
        let request = FetchRequest {
            url: &url,
            accept,
            headers,
        };
        let reply = client.get(&request).unwrap();
        let refused = render_with(Names::of(&turning[1..2]), &url, &reply.guard).unwrap_err();
        assert!(refused.to_string().contains("127.0.0.1"), "{refused}");
        assert_eq!(site.reached(), [PUBLIC]);
    });
}

#[test]
fn a_page_that_waits_for_ever_is_printed_and_its_login_is_shown_to_nobody() {
    let test = "a_page_that_waits_for_ever_is_printed_and_its_login_is_shown_to_nobody";
    staged_with_a_browser(test, &[], |room| {
        let site = Site::of(
            "say('before'); fetch('/never').catch(() => say('cut off'));\n\
             fetch('/never-2').catch(() => {}); setInterval(() => say('tick'), 1000);\n\
             requestAnimationFrame(function on() { requestAnimationFrame(on); });",
        );
        let url = site.url(PUBLIC).to_string();
        let url = url.replace("http://", "http://user:pass-word@") + "?key=in-words";
        let url = Url::parse(&url).unwrap();
        let rendering = thread::spawn(move || rendered(&url));
        site.wait_until_reached();
        let running = browsers(room);
        assert!(!running.is_empty());
        // Chromium's own arguments have random numbers of twenty digits.
        for pid in running {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            assert!(
                !line.contains("pass-word") && !line.contains("in-words"),
                "{line}"
            );
        }
        let page = rendering.join().unwrap();
        for words in ["before", "cut off", "tick tick"] {
            assert!(said(&page).contains(words), "{words}: {}", said(&page));
        }
        let heads = site.heads();
        assert!(heads[0].contains("/?key=in-words"), "{heads:?}");
    });
}

#[test]
fn a_page_that_keeps_busy_is_given_up() {
    let test = "a_page_that_keeps_busy_is_given_up";
    staged_with_a_browser(test, &[], |room| {
        let mut outcomes = Vec::new();
        // On a busy machine the browser needs some seconds to ask for the page at all.
        for within in [3, 6, 12, 24].map(Duration::from_secs) {
            let site = Site::of("fetch('/busy').then(() => { for (;;) {} });");
            let started = Instant::now();
            let outcome = render(&site.url(PUBLIC), within);
            // Ending it all takes longer on a busy machine.
            assert!(started.elapsed() < within + Duration::from_secs(3));
            assert_eq!(browsers(room), Vec::<u32>::new());
            let has_begun = site.heads().iter().any(|head| head.contains(" /busy "));
            if has_begun && matches!(outcome, Err(BrowserError::TimedOut(_))) {
                return;
            }
            outcomes.push((has_begun, outcome));
        }
        panic!("{outcomes:?}");
    });
}

#[test]
fn memory_without_end_ends_the_page_and_nothing_else() {
    let test = "memory_without_end_ends_the_page_and_nothing_else";
    staged_with_a_browser(test, &[], |_| {
        // Memory counts before it is written to, and one refusal is as good as thousands.
        let greedy = "const all = []; const more = setInterval(() => {\n\
            try { all.push(new Uint8Array(64 << 20)); say(all.length); }\n\
            catch { say('refused'); clearInterval(more); } }, 1);";
        let site = Site::of(greedy);
        match render(&site.url(PUBLIC), Duration::from_secs(15)) {
            Ok(page) => {
                let mut words = said(&page).rsplit(' ');
                assert_eq!(words.next(), Some("refused"), "{}", said(&page));
                let last = words.next().unwrap_or_default();
                assert!(last.parse().is_ok_and(|pieces: u64| pieces <= 64), "{last}");
            }
            Err(BrowserError::TimedOut(_) | BrowserError::Failed(_)) => {}
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn neither_webrtc_nor_a_download_nor_the_browser_itself_leads_past_proxy_and_profile() {
    let test = "neither_webrtc_nor_a_download_nor_the_browser_itself_leads_past_proxy_and_profile";
    staged_with_a_browser(test, &[], |room| {
        let webrtc = format!(
            "const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{OTHER}:PORT'}}, \
             {{urls: 'stun:{PRIVATE}:PORT'}}, {{urls: 'turn:{PRIVATE}:PORT?transport=tcp', \
             username: 'u', credential: 'c'}}]}});\n\
             peer.onicecandidate = event => say(event.candidate ? event.candidate.candidate : \
             'done');\n\
             peer.createDataChannel('x');\n\
             peer.createOffer().then(offer => peer.setLocalDescription(offer)).then(() => \
             say('offered'));\n"
        );
        let download = "const link = document.createElement('a'); link.href = '/file'; \
            link.download = 'kept.html'; document.body.append(link); link.click(); say('clicked');";
        // Long enough for whatever the browser does by itself.
        let waits =
            "fetch('/never').catch(() => {}).then(() => fetch('/never-2')).catch(() => {});";
        let script = asks(&format!("http://{OTHER}:PORT/")) + &webrtc + download + waits;
        let site = Site::of(&script);
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, site.port)).unwrap();
        socket.set_nonblocking(true).unwrap();
        let page = rendered(&site.url(PUBLIC));
        // The page had real time to ask, while it waited for an answer.
        assert!(said(&page).contains("offered"), "{}", said(&page));
        assert!(!said(&page).contains("candidate:"), "{}", said(&page));
        let came = socket.recv_from(&mut [0; 64]);
        assert_eq!(came.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(site.reached(), [PUBLIC, OTHER]);
        assert!(said(&page).contains("clicked"), "{}", said(&page));
        // Saved or not, what was asked for is not where a download would lie.
        assert!(site.heads().iter().any(|head| head.contains(" /file ")));
        for place in ["/", "/tmp", "/nonexistent", common::text(room)].map(Path::new) {
            let kept = place.join("kept.html");
            assert!(!kept.exists(), "{}", kept.display());
            assert!(!place.join("Downloads").exists());
        }
        is_clean(room);
        let hosts = [PUBLIC, OTHER, PRIVATE].map(|host| format!("{host}:{}", site.port));
        assert_eq!(connected(&page), hosts[..2], "{:?}", page.requests);
        for asked in &page.requests {
            let of_page = hosts.contains(&asked.target);
            let refused = asked.refused.as_deref().unwrap_or_default();
            assert!(of_page || refused.contains("browser's own"), "{asked:?}");
        }
    });
}

#[test]
fn only_allowed_hosts_are_asked_for_a_page_and_by_it() {
    let test = "only_allowed_hosts_are_asked_for_a_page_and_by_it";
    let allowed = [("ALLOWED_DOMAINS", PUBLIC)];
    staged_with_a_browser(test, &allowed, |_| {
        let site = Site::of(&asks(&format!("http://{OTHER}:PORT/")));
        let page = rendered(&site.url(PUBLIC));
        assert!(said(&page).contains("refused http://"), "{}", said(&page));
        let refused = render(&site.url(OTHER), LONG).unwrap_err();
        assert!(refused.to_string().contains("ALLOWED_DOMAINS"), "{refused}");
        assert_eq!(site.reached(), [PUBLIC]);
    });
}

#[test]
fn a_page_that_is_not_there_is_an_error_and_no_page_of_the_browser_s() {
    let test = "a_page_that_is_not_there_is_an_error_and_no_page_of_the_browser_s";
    staged_with_a_browser(test, &[], |_| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let closed = Url::parse(&format!("http://{PUBLIC}:{port}/")).unwrap();
        let error = render(&closed, LONG).unwrap_err();
        assert!(matches!(error, BrowserError::Page(_)), "{error}");
        assert!(error.to_string().contains("Connection refused"), "{error}");
        // The server there does not speak TLS.
        let mut plain = Site::of("").url(PUBLIC);
        plain.set_scheme("https").unwrap();
        let error = render(&plain, LONG).unwrap_err();
        let nothing = matches!(error, BrowserError::NoDocument | BrowserError::ErrorPage(_));
        assert!(nothing, "{error}");
    });
}

#[test]
fn an_error_that_the_browser_shows_is_no_page() {
    let test = "an_error_that_the_browser_shows_is_no_page";
    staged_with_a_browser(test, &[], |_| {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = [0; 4096];
                let read = stream.read(&mut head).unwrap_or_default();
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default();
                let (status, body) = match path {
                    "/closes" => continue,
                    "/empty" => ("404 Not Found", ""),
                    "/script" => ("200 OK", "<p>here</p><script>location = '/meta'</script>"),
                    _ => (
                        "200 OK",
                        "<meta http-equiv=refresh content='0;url=/closes'><p>here</p>",
                    ),
                };
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                     Connection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        let url = |path: &str| Url::parse(&format!("http://{PUBLIC}:{port}{path}")).unwrap();
        for (path, code) in [
            ("/closes", "ERR_EMPTY_RESPONSE"),
            ("/empty", "404"),
            // By way of the page that leads on without a script.
            ("/script", "ERR_EMPTY_RESPONSE"),
        ] {
            let error = render(&url(path), LONG).unwrap_err();
            let is_one = match &error {
                BrowserError::ErrorPage(said) => said.contains(code),
                // Chromium 156 prints nothing in place of a page that did not come.
                BrowserError::NoDocument => true,
                _ => false,
            };
            assert!(is_one, "{path}: {error}");
        }
    });
}

#[test]
fn a_caller_that_is_killed_leaves_no_process_and_no_profile() {
    const URL: &str = "IKIGAI_TEST_URL";
    let test = "a_caller_that_is_killed_leaves_no_process_and_no_profile";
    if let Ok(url) = std::env::var(URL) {
        let _ = render(&Url::parse(&url).unwrap(), LONG);
        return;
    }
    staged_with_a_browser(test, &[], |room| {
        let site = Site::of("for (;;) {}");
        let mut caller = Command::new(std::env::current_exe().unwrap())
            .arg(test)
            .env(URL, site.url(PUBLIC).as_str())
            .spawn()
            .unwrap();
        site.wait_until_reached();
        assert!(!browsers(room).is_empty() && !common::names_in(room).is_empty());
        caller.kill().unwrap();
        caller.wait().unwrap();
        is_clean(room);
    });
}
