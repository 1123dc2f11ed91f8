//! Sites that are read by another way than their pages, at servers of the test's own: Hacker News'
//! API, `YouTube`'s captions; and pages as Exa has them.

use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::server::{Asked, Server, redirect, reply};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{FetchError, HttpClient};
use iki_web::credentials::Credentials;
use iki_web::exa_pages::{self, ExaPage};
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::site_apis::{self, SiteApiError, SiteApiPage};
use serde_json::{Value, json};
use url::Url;

/// Reads what is at `url`, its site at `server`, within some seconds.
fn read_within(seconds: u64, url: &str, server: &Server) -> Result<SiteApiPage, SiteApiError> {
    let native = site_apis::route(&Url::parse(url).unwrap()).expect("it has a way of its own");
    let (news, videos) = (server.url("/v0/"), server.url("/"));
    let var = |name: &str| match name {
        "IKIGAI_HN_URL" => Some(news.clone()),
        "IKIGAI_YOUTUBE_URL" => Some(videos.clone()),
        _ => None,
    };
    let client = HttpClient::new().proxies(ProxySettings::default());
    let end = Instant::now() + Duration::from_secs(seconds);
    native.read_with(&client, &Credentials::from_vars(&var, None), end)
}

fn read(url: &str, server: &Server) -> Result<SiteApiPage, SiteApiError> {
    read_within(10, url, server)
}

/// A server that has these values under `/v0/`, and null for all others.
fn news(values: Vec<(&'static str, Value)>) -> Server {
    Server::start(move |asked: &Asked, conn| {
        let path = asked.target.trim_start_matches("/v0/");
        let mut all = values.iter();
        let value = all.find(|(at, _)| format!("{at}.json") == path);
        let body = value.map_or("null".to_owned(), |(_, value)| value.to_string());
        conn.write_all(&reply("200 OK\r\nContent-Type: application/json", body))
    })
}

const ITEM: &str = "https://news.ycombinator.com/item?id=1";

#[test]
fn a_story_comes_with_its_first_ten_comments_that_are_there() {
    let kids: Vec<u64> = (10..30).collect();
    let mut values = vec![
        (
            "item/1",
            json!({"id": 1, "type": "story", "by": "pg", "time": 1_175_714_200, "score": 57,
            "title": "A *story* of <b>\u{1b}[31m", "url": "https://example.com/a?b=c&d",
            "text": "What I <i>say</i>.<p>And <a href=\"https://x.example/\">link</a>.", "kids": kids,
            "descendants": 40}),
        ),
        (
            "item/10",
            json!({"id": 10, "type": "comment", "by": "first", "time": 1_175_714_260,
            "text": "It&#x27;s <code>x</code>.<p>Two.</div></blockquote><!-- ", "kids": [1, 2]}),
        ),
        ("item/11", json!({"id": 11, "deleted": true, "time": 1})),
        (
            "item/12",
            json!({"id": 12, "dead": true, "by": "spam", "text": "buy"}),
        ),
    ];
    for (path, id) in [
        ("item/13", 13),
        ("item/14", 14),
        ("item/15", 15),
        ("item/16", 16),
        ("item/17", 17),
        ("item/18", 18),
        ("item/19", 19),
        ("item/20", 20),
        ("item/21", 21),
        ("item/22", 22),
    ] {
        values.push((
            path,
            json!({"id": id, "by": "x", "text": format!("number {id}")}),
        ));
    }
    let server = news(values);
    let page = read(ITEM, &server).unwrap();
    assert_eq!(page.kind, "hn");
    assert_eq!(page.document.author.as_deref(), Some("pg"));
    assert_eq!(page.document.date.as_deref(), Some("2007-04-04"));
    assert!(!page.is_partial);
    assert_eq!(page.document.title, "A *story* of <b> [31m");
    let text = &page.document.markdown;
    let begin = "# A \\*story* of \\<b> [31m\n\n<https://example.com/a?b=c&d>\n\n57 points by pg, \
        2007-04-04 19:16 UTC, 40 comments\n\nWhat I *say*.\n\nAnd [link](https://x.example/).\n\n\
        ## Comments (the first 10 of 40)\n\n### first, 2007-04-04 19:17 UTC, 2 replies\n\nIt's `x`.\n\n\
        Two.\n\n### x\n\nnumber 13";
    assert_eq!(&text[..begin.len()], begin);
    assert!(
        text.ends_with("number 21") && !text.contains("buy"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn comments_that_fail_are_said_and_do_no_harm() {
    let server = Server::start(|asked: &Asked, conn| {
        let body = match asked.target.as_str() {
            "/v0/item/1.json" => json!({"id": 1, "type": "story", "title": "T", "kids": [2, 3, 4]}),
            "/v0/item/2.json" => json!({"id": 2, "by": "a", "text": "one"}),
            _ => return conn.write_all(&reply("500 Oops", "{}")),
        };
        conn.write_all(&reply("200 OK", body.to_string()))
    });
    let page = read(ITEM, &server).unwrap();
    assert!(page.is_partial);
    let text = page.document.markdown;
    assert!(
        text.contains("one\n\n[2 comments could not be read: HTTP 500: Oops.]"),
        "{text}"
    );
}

#[test]
fn what_is_asked_for_side_by_side_ends_with_the_call() {
    let server = Server::start(|asked: &Asked, conn| {
        if asked.target == "/v0/item/1.json" {
            let kids: Vec<u64> = (2..500).collect();
            let body = json!({"id": 1, "type": "story", "title": "T", "kids": kids});
            return conn.write_all(&reply("200 OK", body.to_string()));
        }
        std::thread::sleep(Duration::from_secs(30));
        Ok(())
    });
    let begin = Instant::now();
    let page = read_within(2, ITEM, &server).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(4));
    assert!(
        page.document
            .markdown
            .contains("[10 comments could not be read: ")
    );
    assert_eq!(server.asked().len(), 11);
}

#[test]
fn an_item_that_is_not_there_is_not_found() {
    let server = news(vec![("item/2", json!({"id": 2, "deleted": true}))]);
    for id in ["1", "2"] {
        let url = format!("https://news.ycombinator.com/item?id={id}");
        let error = read(&url, &server).unwrap_err();
        assert!(matches!(error, SiteApiError::NotFound(_)), "{error:?}");
    }
    let error = read("https://news.ycombinator.com/user?id=nobody", &server).unwrap_err();
    assert!(matches!(error, SiteApiError::NotFound(_)), "{error:?}");
    let refusing = Server::bytes(reply("403 Forbidden", "{}"));
    let error = read(ITEM, &refusing).unwrap_err();
    assert!(matches!(error, SiteApiError::Fetch(_)), "{error:?}");
    let login = Server::bytes(reply("200 OK", "<html>log in</html>"));
    let error = read(ITEM, &login).unwrap_err();
    assert!(matches!(error, SiteApiError::NotUnderstood(_)), "{error:?}");
}

#[test]
fn lists_users_comments_and_polls_are_told_as_they_are() {
    let ids: Vec<u64> = (100..165).collect();
    let values = vec![
        ("topstories", json!(ids)),
        ("jobstories", json!([])),
        (
            "item/100",
            json!({"id": 100, "type": "story", "title": "First & best", "by": "a", "score": 1,
            "url": "https://example.com/", "descendants": 2}),
        ),
        (
            "item/101",
            json!({"id": 101, "type": "story", "title": "Ask HN: <x>?", "by": "b", "score": 20}),
        ),
        (
            "item/130",
            json!({"id": 130, "type": "story", "title": "Thirty-first", "by": "c"}),
        ),
        (
            "user/pg",
            json!({"id": "pg", "created": 1_160_418_092, "karma": 157_236,
            "about": "Bug <i>fixer</i>.", "submitted": [100, 7]}),
        ),
        (
            "item/7",
            json!({"id": 7, "type": "comment", "by": "pg", "parent": 6, "text": "Said <i>so</i>.<p>More"}),
        ),
        (
            "item/5",
            json!({"id": 5, "type": "poll", "title": "Which?", "by": "p", "parts": [51, 52]}),
        ),
        (
            "item/51",
            json!({"id": 51, "type": "pollopt", "text": "This &amp; that", "score": 3}),
        ),
        (
            "item/52",
            json!({"id": 52, "type": "pollopt", "text": "<b>None</b>", "score": 1}),
        ),
    ];
    let server = news(values);
    for url in [
        "https://news.ycombinator.com/",
        "https://news.ycombinator.com/news?p=1",
    ] {
        let page = read(url, &server).unwrap();
        assert_eq!(page.document.title, "Top stories | Hacker News");
        assert_eq!(
            page.document.markdown,
            "# Top stories | Hacker News\n\n1. [First & best](https://example.com/)  \n   1 point by a, \
             2 comments ([thread](https://news.ycombinator.com/item?id=100))\n2. [Ask HN: \\<x>?]\
             (https://news.ycombinator.com/item?id=101)  \n   20 points by b \
             ([thread](https://news.ycombinator.com/item?id=101))"
        );
    }
    let second = read("https://news.ycombinator.com/news?p=2", &server).unwrap();
    assert!(
        second.document.markdown.contains("31. [Thirty-first]"),
        "{}",
        second.document.markdown
    );
    let none = read("https://news.ycombinator.com/jobs", &server).unwrap_err();
    assert!(matches!(none, SiteApiError::Empty(_)), "{none:?}");
    let beyond = read("https://news.ycombinator.com/news?p=9", &server).unwrap_err();
    beyond
        .to_string()
        .assert_row("web_fetch", "a page behind the last of a list");
    let user = read("https://news.ycombinator.com/user?id=pg", &server).unwrap();
    let text = &user.document.markdown;
    assert!(
        text.starts_with("# pg\n\nsince 2006-10-09, karma 157236\n\nBug *fixer*.\n\n## Latest"),
        "{text}"
    );
    assert!(
        text.contains("[First & best](https://example.com/)"),
        "{text}"
    );
    assert!(
        text.contains("[Said so.](https://news.ycombinator.com/item?id=7)"),
        "{text}"
    );
    let comment = read("https://news.ycombinator.com/item?id=7", &server).unwrap();
    assert_eq!(comment.document.title, "A comment of pg");
    assert!(
        comment
            .document
            .markdown
            .contains("[What it answers](https://news.ycombinator.com/item?id=6)")
    );
    assert!(comment.document.markdown.ends_with("Said *so*.\n\nMore"));
    let poll = read("https://news.ycombinator.com/item?id=5", &server).unwrap();
    assert!(
        poll.document
            .markdown
            .contains("- This & that: 3 points\n- None: 1 point"),
        "{}",
        poll.document.markdown
    );
}

#[test]
fn a_hostile_answer_costs_little() {
    let endless: Vec<u64> = vec![1; 100_000];
    let server = news(vec![
        (
            "item/1",
            json!({"id": 1e300, "type": ["x"], "by": {"a": 1}, "time": 1e18, "score": -5, "title": 7,
            "url": "javascript:alert(1)", "text": "<div>".repeat(50_000), "kids": endless, "parent": "x"}),
        ),
        (
            "item/2",
            json!({"id": 2, "title": "T", "time": u64::MAX, "url": format!("https://a.example/{}", "x".repeat(100_000)),
            "text": "x".repeat(1_000_000), "kids": [2, 2, -1, 1.5, "3", null]}),
        ),
    ]);
    let begin = Instant::now();
    let page = read(ITEM, &server).unwrap();
    assert_eq!(page.document.date, None);
    assert!(
        !page.document.markdown.contains("javascript:"),
        "{}",
        page.document.markdown
    );
    let page = read("https://news.ycombinator.com/item?id=2", &server).unwrap();
    assert!(page.document.markdown.len() < 200_000);
    assert!(
        page.document
            .markdown
            .contains("[Cut off: this text is too long")
    );
    assert!(
        begin.elapsed() < Duration::from_secs(8),
        "{:?}",
        begin.elapsed()
    );
    let deep = Server::bytes(reply("200 OK", "[".repeat(1_000_000)));
    assert!(matches!(
        read(ITEM, &deep).unwrap_err(),
        SiteApiError::NotUnderstood(_)
    ));
}

const VIDEO: &str = "https://www.youtube.com/watch?v=dQw4w9WgXcQ";

/// `YouTube`, whose page has this player, and whose captions are `text`.
fn youtube(player: &Value, text: &'static str) -> Server {
    let page = format!(
        "<!DOCTYPE html><html lang=\"en-US\"><head><title>x - YouTube</title></head><body>\
         <script nonce=\"x\">var ytInitialPlayerResponse = {player};var meta = 1;</script></body></html>"
    );
    Server::start(move |asked: &Asked, conn| {
        let body = if asked.target.starts_with("/watch") {
            page.as_str()
        } else {
            text
        };
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: text/html; charset=utf-8",
            body,
        ))
    })
}

fn player(tracks: &Value) -> Value {
    json!({
        "playabilityStatus": {"status": "OK"},
        "videoDetails": {"videoId": "dQw4w9WgXcQ", "title": "A <talk>\u{7} on\nit", "lengthSeconds": "3725",
            "author": "The Channel", "shortDescription": "About it.\nhttps://example.com/"},
        "microformat": {"playerMicroformatRenderer": {"publishDate": "2024-05-01T10:00:00-07:00"}},
        "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": tracks}},
    })
}

#[test]
fn a_video_is_told_by_its_captions() {
    let tracks = json!([
        {"baseUrl": "/api/timedtext?v=x&lang=en&kind=asr&fmt=srv3", "languageCode": "en", "kind": "asr"},
        {"baseUrl": "/api/timedtext?v=x&lang=en", "languageCode": "en"},
        {"baseUrl": "/api/timedtext?v=x&lang=de", "languageCode": "de"},
    ]);
    let text = r#"{"events":[{"tStartMs":0,"segs":[{"utf8":"Hello"}]},
        {"tStartMs":65100,"segs":[{"utf8":"and [Music]"}]},{"tStartMs":3661000,"segs":[{"utf8":"bye"}]}]}"#;
    let server = youtube(&player(&tracks), text);
    let page = read(VIDEO, &server).unwrap();
    assert_eq!(page.kind, "youtube");
    assert_eq!(page.document.author.as_deref(), Some("The Channel"));
    assert_eq!(page.document.date.as_deref(), Some("2024-05-01"));
    assert!(!page.is_partial);
    assert_eq!(page.document.title, "A <talk> on it");
    assert_eq!(
        page.document.markdown,
        "# A \\<talk> on it\n\nThe Channel, 2024-05-01, 1:02:05\n\n[0:00] Hello\n[1:05] and [Music]\n[1:01:01] bye"
    );
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].param("v").as_deref(), Some("dQw4w9WgXcQ"));
    assert_eq!(asked[1].target, "/api/timedtext?v=x&lang=en&fmt=json3");
    read("https://youtu.be/dQw4w9WgXcQ?hl=de", &server).unwrap();
    let asked = server.asked();
    assert_eq!(asked[2].param("hl").as_deref(), Some("de"));
    assert_eq!(asked[3].param("lang").as_deref(), Some("de"));
}

#[test]
fn captions_come_as_xml_as_well() {
    let tracks = json!([{"baseUrl": "/api/timedtext?v=x", "languageCode": "fr"}]);
    let text = "<?xml version=\"1.0\" encoding=\"utf-8\" ?><transcript>\
        <text start=\"0.5\" dur=\"1\">l&amp;#39;eau</text><text start=\"61\" dur=\"1\">b</text></transcript>";
    let page = read(VIDEO, &youtube(&player(&tracks), text)).unwrap();
    assert!(
        page.document
            .markdown
            .ends_with("\n\n[0:00] l'eau\n[1:01] b"),
        "{}",
        page.document.markdown
    );
}

#[test]
fn without_captions_the_description_is_told_and_why() {
    let page = read(VIDEO, &youtube(&player(&json!([])), "")).unwrap();
    assert!(page.is_partial);
    let end = "[This video has no captions. Its description:]\n\nAbout it.\nhttps://example.com/";
    assert!(
        page.document.markdown.ends_with(end),
        "{}",
        page.document.markdown
    );
    let tracks = json!([{"baseUrl": "/api/timedtext?v=x", "languageCode": "en"}]);
    for (text, why) in [
        ("", "answered with nothing"),
        ("{\"events\":[]}", "no lines"),
        ("<html>", "no lines"),
    ] {
        let page = read(VIDEO, &youtube(&player(&tracks), text)).unwrap();
        assert!(
            page.document.markdown.contains(why),
            "{}",
            page.document.markdown
        );
        assert!(
            page.document
                .markdown
                .ends_with("About it.\nhttps://example.com/")
        );
    }
    for elsewhere in [
        "http://127.0.0.1:9/x",
        "https://evil.example/x",
        "http://169.254.169.254/",
        "file:///etc/passwd",
    ] {
        let tracks = json!([{"baseUrl": elsewhere, "languageCode": "en"}]);
        let server = youtube(&player(&tracks), "");
        let page = read(VIDEO, &server).unwrap();
        assert!(
            page.document.markdown.contains("at another site"),
            "{}",
            page.document.markdown
        );
        assert_eq!(server.asked().len(), 1);
    }
    let mut nothing = player(&json!([]));
    nothing["videoDetails"]["shortDescription"] = json!("");
    let error = read(VIDEO, &youtube(&nothing, "")).unwrap_err();
    assert!(matches!(error, SiteApiError::Empty(_)), "{error:?}");
}

#[test]
fn a_page_that_shows_no_video_is_a_clear_failure() {
    let status = |status: &str, reason: &str| json!({"playabilityStatus": {"status": status, "reason": reason}});
    for (player, kind, says) in [
        (
            status(
                "LOGIN_REQUIRED",
                "Sign in to confirm you\u{2019}re not a bot",
            ),
            "blocked",
            "not a bot",
        ),
        (
            status("LOGIN_REQUIRED", "Sign in to confirm your age"),
            "auth",
            "your age",
        ),
        (
            status("LOGIN_REQUIRED", "Private video"),
            "auth",
            "Private video",
        ),
        (
            status("ERROR", "Video unavailable"),
            "missing",
            "Video unavailable",
        ),
        (
            status("UNPLAYABLE", "Not available in your country"),
            "blocked",
            "your country",
        ),
    ] {
        let error = read(VIDEO, &youtube(&player, "")).unwrap_err();
        let found = match &error {
            SiteApiError::Blocked(_) => "blocked",
            SiteApiError::AuthRequired(_) => "auth",
            SiteApiError::NotFound(_) => "missing",
            _ => "other",
        };
        assert_eq!(found, kind, "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
    for (page, says) in [
        (
            "<form action=\"https://consent.youtube.com/save\">Before you continue</form>",
            "consent",
        ),
        (
            "Our systems have detected unusual traffic from your computer network.",
            "unusual traffic",
        ),
    ] {
        let server = Server::bytes(reply("200 OK\r\nContent-Type: text/html", page));
        let error = read(VIDEO, &server).unwrap_err();
        assert!(
            matches!(&error, SiteApiError::Blocked(text) if text.contains(says)),
            "{error:?}"
        );
    }
    let limited = Server::bytes(reply("429 Too Many Requests", ""));
    assert!(matches!(
        read(VIDEO, &limited).unwrap_err(),
        SiteApiError::Fetch(FetchError::Status(reply)) if reply.status == 429
    ));
    let strange = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/html",
        "<html>Hello</html>",
    ));
    assert!(matches!(
        read(VIDEO, &strange).unwrap_err(),
        SiteApiError::NotUnderstood(_)
    ));
    let moved = Server::start(|asked: &Asked, conn| {
        if asked.target.starts_with("/watch") {
            return conn.write_all(&redirect("/sorry/index?continue=x"));
        }
        conn.write_all(&reply("200 OK", "<html>who are you?</html>"))
    });
    assert!(matches!(
        read(VIDEO, &moved).unwrap_err(),
        SiteApiError::Blocked(_)
    ));
}

const KEY: &str = "s3cret+exa/key=";

fn exa(server: &Server) -> Result<ExaPage, ProviderFailure> {
    let address = server.url("/search");
    let var = |name: &str| match name {
        "EXA_API_KEY" => Some(KEY.to_owned()),
        "IKIGAI_EXA_URL" => Some(address.clone()),
        _ => None,
    };
    let client = HttpClient::new().proxies(ProxySettings::default());
    let page = Url::parse("https://example.com/a?b=c#part").unwrap();
    let found = exa_pages::read(&client, &Credentials::from_vars(&var, None), &page);
    assert!(
        !format!("{found:?}").to_lowercase().contains("s3cret"),
        "{found:?}"
    );
    found
}

#[test]
fn a_page_comes_from_exa_s_store_or_is_crawled() {
    for (source, crawled) in [("cached", false), ("crawled", true)] {
        let body = json!({"requestId": "1", "results": [{"id": "x", "url": "https://example.com/a", "title": "T",
            "author": "A. Uthor", "publishedDate": "2024-05-01T00:00:00.000Z", "text": "The text."}],
            "statuses": [{"id": "x", "status": "success", "source": source}]});
        let server = Server::bytes(reply("200 OK", body.to_string()));
        let page = exa(&server).unwrap();
        assert_eq!(
            page,
            ExaPage {
                title: "T".to_owned(),
                text: "The text.".to_owned(),
                author: Some("A. Uthor".to_owned()),
                published: Some("2024-05-01T00:00:00.000Z".to_owned()),
                is_fresh: crawled,
            }
        );
        let asked = &server.asked()[0];
        assert_eq!(
            (asked.method.as_str(), asked.target.as_str()),
            ("POST", "/contents")
        );
        assert_eq!(asked.header("x-api-key"), Some(KEY));
        let body: Value = serde_json::from_slice(&asked.body).unwrap();
        assert_eq!(body["urls"], json!(["https://example.com/a?b=c"]));
        assert_eq!(body["livecrawl"], "fallback");
    }
}

#[test]
fn what_exa_does_not_have_or_refuses_is_said_without_the_key() {
    for (status, body, kind) in [
        (
            "200 OK",
            r#"{"results":[],"statuses":[{"id":"x","status":"error","error":{"tag":"CRAWL_NOT_FOUND","httpStatusCode":404}}]}"#,
            ProviderFailureKind::Rejected,
        ),
        (
            "200 OK",
            r#"{"results":[{"text":" "}]}"#,
            ProviderFailureKind::Rejected,
        ),
        ("200 OK", "<html>", ProviderFailureKind::NotUnderstood),
        ("200 OK", "[]", ProviderFailureKind::NotUnderstood),
        (
            "401 No",
            r#"{"tag":"INVALID_API_KEY","error":"bad s3cret+exa/key="}"#,
            ProviderFailureKind::AuthInvalid,
        ),
        (
            "402 Pay",
            r#"{"tag":"NO_MORE_CREDITS","error":"none"}"#,
            ProviderFailureKind::RateLimited {
                seconds: 3600,
                is_quota: true,
            },
        ),
        (
            "429 Slow\r\nRetry-After: 7",
            "{}",
            ProviderFailureKind::RateLimited {
                seconds: 7,
                is_quota: false,
            },
        ),
        ("500 Oops", "{}", ProviderFailureKind::Upstream),
    ] {
        let failure = exa(&Server::bytes(reply(status, body))).unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
    }
}
