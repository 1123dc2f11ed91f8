//! The failures of `scrape_page`: each kind, its advice, and the time for which it is cached.

use std::path::Path;

use crate::common::messages::answer_here;
use crate::reading::{Home, article, refusing, serving};
use crate::server::{Server, redirect, reply};
use crate::staged;
use serde_json::{Value, json};

fn ask(server: &Server) -> Value {
    json!({"url": server.url("/page")})
}

#[test]
fn a_check_for_robots_is_told_from_a_page_that_speaks_of_one() {
    let challenged = refusing("200 OK\r\ncf-mitigated: challenge", &article(20));
    Home::new().fails(&ask(&challenged), "BLOCKED");
    let long = article(20).replace("Paragraph 3 ", "Just a moment... a CAPTCHA, access denied ");
    Home::new().page(&serving("text/html", long).url("/"));
}

#[test]
fn a_login_form_in_place_of_a_page_is_no_page() {
    let form = "<title>Sign in</title><form action=/login><label>User</label><input name=user>\
        <input type=\"password\" name=p><button>Sign in</button></form>";
    let login = serving("text/html", form);
    let home = Home::new();
    home.fails(&ask(&login), "AUTH_REQUIRED");
    let raw = home.reads(&json!({"url": login.url("/"), "mode": "raw"}));
    assert_eq!(raw["content"], form);
    let page = article(20).replace("</header>", &format!("{form}</header>"));
    home.page(&serving("text/html", page).url("/"));
}

#[test]
fn what_a_network_does_is_worth_another_try_and_what_is_refused_is_not() {
    let home = Home::new();
    let gone = Server::bytes("").url("/");
    let failure = home.fails(&json!({"url": gone}), "NETWORK_ERROR");
    assert_eq!(
        (&failure["retryable"], &failure["retryAfterSeconds"]),
        (&json!(true), &json!(5))
    );
    assert_eq!(failure["suggestedAction"], "retry_after_delay");
    for url in [
        "http://169.254.169.254/latest/",
        "http://[::ffff:169.254.169.254]/",
        "http://0xa9fea9fe/",
        "http://0.0.0.0/",
    ] {
        let failure = home.fails(&json!({"url": url}), "NETWORK_ERROR");
        assert_eq!(
            (&failure["retryable"], failure.get("retryAfterSeconds")),
            (&json!(false), None),
            "{failure}"
        );
    }
    let server = Server::start(|_, conn| conn.write_all(&redirect("http://169.254.169.254/")));
    let failure = home.fails(&ask(&server), "NETWORK_ERROR");
    assert_eq!(failure["retryable"], false, "{failure}");
}

/// Number of requests to `server` when a failed call is repeated after this many seconds.
#[track_caller]
fn asked_after(server: &Server, code: &str, seconds: u64) -> usize {
    let home = Home::new();
    home.fails(&ask(server), code);
    let before = server.asked().len();
    home.age(seconds);
    home.fails(&ask(server), code);
    server.asked().len() - before
}

#[test]
fn failures_are_kept_for_as_long_as_their_kind_is() {
    for (server, code, seconds) in [
        (refusing("403 Forbidden", "no"), "BLOCKED", 1800),
        (refusing("404 Not Found", "no"), "NOT_FOUND", 600),
        (serving("text/html", ""), "CONTENT_EMPTY", 600),
        (refusing("401 Unauthorized", "no"), "AUTH_REQUIRED", 120),
        (refusing("429 Too Many", "no"), "RATE_LIMIT", 90),
    ] {
        assert_eq!(asked_after(&server, code, seconds - 20), 0, "{code}");
        assert_eq!(asked_after(&server, code, seconds + 1), 1, "{code}");
    }
    let server = refusing("500 Internal Server Error", "no");
    assert_eq!(asked_after(&server, "UPSTREAM_UNAVAILABLE", 0), 1);
}

#[test]
fn a_failure_that_was_kept_says_so_and_when_it_ends() {
    let server = refusing("429 Too Many\r\nRetry-After: 10", "no");
    let home = Home::new();
    let first = home.fails(&ask(&server), "RATE_LIMIT");
    home.age(30);
    let failure = home.fails(&ask(&server), "RATE_LIMIT");
    let wait = failure["retryAfterSeconds"].as_u64().unwrap();
    assert!((58..=60).contains(&wait), "{failure}");
    assert_ne!(failure["note"], first["note"]);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_network_that_failed_is_kept_and_this_machine_s_own_failure_is_not() {
    let home = Home::new();
    let broken = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf")
    });
    home.fails(&ask(&broken), "NETWORK_ERROR");
    home.fails(&ask(&broken), "NETWORK_ERROR");
    assert_eq!(broken.asked().len(), 1);
    let home = Home::new().set("http_proxy", "http://127.0.0.1:1");
    home.fails(&json!({"url": "http://a.example/"}), "NETWORK_ERROR");
    assert!(home.entries().is_empty(), "the proxy is this machine's own");
}

#[test]
fn no_login_is_shown() {
    let server = Server::start(|asked, conn| {
        let said = asked.header("authorization").unwrap_or_default().to_owned();
        conn.write_all(&reply(
            "404 Not Found\r\nContent-Type: text/plain",
            said + " s3cret",
        ))
    });
    let url = server.url("/").replace("http://", "http://user:s3cret@");
    for mode in ["full", "raw"] {
        let failure = Home::new().fails(&json!({"url": url, "mode": mode}), "NOT_FOUND");
        assert!(!failure.to_string().contains("s3cret"), "{failure}");
    }
    let server = serving("text/plain", "text");
    let url = server.url("/").replace("http://", "http://user:s3cret@");
    let page = Home::new().page(&url);
    assert!(!page.to_string().contains("s3cret"), "{page}");
}

/// What `web_fetch` and `scrape_page` make of a server's page in this process.
fn at_both_doors(room: &Path, server: &Server) -> [Value; 2] {
    let home = room.to_str().unwrap();
    let variables = [
        ("HOME", home),
        ("IKIGAI_BROWSER", ""),
        ("IKIGAI_OFFICE", ""),
    ];
    let tools = ["web-fetch", "scrape-page"];
    tools.map(|tool| answer_here(tool, &ask(server), room, &variables))
}

#[test]
fn what_stands_in_place_of_a_page_is_named_at_both_doors() {
    let test = "research::page_failures::what_stands_in_place_of_a_page_is_named_at_both_doors";
    staged::alone(test, &[], each_placeholder_is_named);
}

fn each_placeholder_is_named(room: &Path) {
    let pages = include_str!("placeholders.txt");
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages.split("\n# ").skip(1) {
        let (name, html) = page.split_once('\n').unwrap();
        let kind = name.split_once(':').unwrap().0;
        let word = match kind {
            "login" => "login form",
            "consent" => "consent page",
            "paywall" => "paywall",
            _ => "script",
        };
        let html = format!("<!doctype html><html><meta charset=utf-8>{html}");
        let server = serving("text/html", html);
        let [fetched, scraped] = at_both_doors(room, &server);
        let fetched = fetched["note"].to_string();
        let scraped = format!("{} {}", scraped["error"], scraped["note"]);
        for (door, said) in [("web_fetch", &fetched), ("scrape_page", &scraped)] {
            if !said.to_lowercase().contains(word) {
                wrong.push(format!("{name}: {door} says {said}"));
            }
        }
        count += 1;
    }
    assert_eq!(count, 52);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_with_its_text_is_not_called_a_wall() {
    let test = "research::page_failures::a_page_with_its_text_is_not_called_a_wall";
    staged::alone(test, &[], no_page_is_called_a_wall);
}

fn no_page_is_called_a_wall(room: &Path) {
    let banner = "<div id=cookie-banner><p>We use cookies. Accept all?</p><button>Accept all</button>\
        </div><form><input type=password name=p><button>Log in</button></form><script src=a.js></script>";
    let paywall = "<script type='application/ld+json'>{\"isAccessibleForFree\":false}</script>\
        <p>Already a subscriber? Log in</p>";
    let policy = "<title>Cookie policy</title><h1>Cookie policy</h1><p>We use cookies to remember \
        your basket.</p><p>You accept cookies with the button below.</p><button>Accept</button>";
    let declared = "<script type='application/ld+json'>{\"isAccessibleForFree\":true,\"hasPart\":\
        {\"isAccessibleForFree\":false,\"cssSelector\":\".extra\"}}</script>";
    let words =
        "Words of the page, which has enough of them to be read by everybody who comes here. ";
    let long = format!("<p>{}</p>", words.repeat(7));
    let on_walls = |title: &str, told: &str| {
        format!("<title>{title}</title><article><h1>{title}</h1>{long}{told}{long}{long}</article>")
    };
    let built = |main: &str, script: &str| {
        let noscript = format!("<noscript>{script}</noscript><script src=x.js></script>");
        format!("<title>Notes</title><main>{main}</main>{noscript}")
    };
    let needs_scripts = "You need to enable JavaScript to run this app.";
    for page in [
        article(20).replace("</header>", &format!("{banner}</header>")),
        article(20).replace("</header>", &format!("{paywall}</header>")),
        article(20).replace("</header>", &format!("{declared}</header>")),
        policy.to_owned(),
        on_walls(
            "What is a paywall?",
            "<h2>Wording</h2><ul><li>\u{201c}Subscribe to continue reading\u{201d}</li>\
             <li>This article is for subscribers only</li></ul>",
        ),
        on_walls(
            "UX of paywalls",
            "<p>A typical text is \u{201c}This post is for paid subscribers\u{201d}. Test it.</p>",
        ),
        on_walls("Paywalls", "<pre>&lt;div class=paywall>Subscribe to read&lt;/div></pre>"),
        format!(
            "<title>Help</title><main><h1>Help of the letter</h1>{long}<p>Readers see: This post is \
             for paid subscribers.</p></main>"
        ),
        format!(
            "<title>Our offers</title><h1>Our offers</h1><p>Subscribe now to read it all: in print \
             30, or online 10.</p><table><tr><td>Print<td>30</table>{long}"
        ),
        format!(
            "<article><h1>News</h1>{long}<div class=newsletter>Subscribe to continue receiving our \
             letter. Already a subscriber? Log in</div></article>"
        ),
        built("<h1>Release 1.2</h1><p>Fixed a crash. JavaScript API unchanged.</p>", needs_scripts),
        built(
            "<h1>Opening hours</h1><p>Monday to Friday, 9 to 17.</p>",
            "<p>Please enable JavaScript to see the map.</p>",
        ),
        format!(
            "<title>Notes</title><div id=root><h1>Release 1.2</h1><ul><li>Fixed a crash.</ul></div>\
             <noscript>{needs_scripts}</noscript><script src=x.js></script>"
        ),
        format!("<title>reCAPTCHA</title><h1>Adding reCAPTCHA to a form</h1>{long}<p>When the user has \
            to verify that they are human, the widget shows.</p><pre>&lt;div class=g-recaptcha></pre>"),
        format!("<title>Error 1020: Access denied</title><h1>Error 1020: Access denied</h1>{long}<p>You \
            see \u{201c}Checking your browser\u{201d} or \u{201c}Access denied\u{201d} if a rule has \
            matched. Ask the owner.</p>"),
        "<title>Contact</title><h1>Contact</h1><p>Write to us.</p><form><input type=email name=e>\
            <textarea name=t></textarea><div class=g-recaptcha></div><button>Send</button></form>"
            .to_owned(),
        "<title>Promotion</title><h1>Enter your code</h1><p>The code from the box gives you ten per \
            cent.</p><form><input name=coupon><button>Redeem</button></form>"
            .to_owned(),
    ] {
        let server = serving("text/html", page);
        for json in at_both_doors(room, &server) {
            assert_eq!(json.get("error"), None, "{json}");
            let said = format!("{} {}", json["note"], json["error"]);
            for word in ["login form", "consent page", "paywall", "by a script", "no text", "bot check"] {
                assert!(!said.contains(word), "{word}: {json}");
            }
        }
    }
}
