//! The tool `patent_search`, called as a host and as a person call it, against servers of the
//! test's own, which answer in the forms that the four providers have.

use std::fs;

use std::time::Duration;

use super::{each_field_is_asked_anew, refuses_what_makes_no_sense};
use crate::common::home::Home;
use crate::providers::answering;
use crate::server::{Asked, Server, reply};
use serde_json::{Value, json};

/// A key that needs encoding, and a token.
const SECRET: &str = "s3cret+key/=";
const TOKEN: &str = "t0ken-s3cret-of-an-hour";

/// A home from which patents are searched.
fn at_home() -> Home {
    Home::of("patent-search-tool")
}

fn uspto(number: &str, title: &str, filed: &str) -> Value {
    json!({
        "applicationNumberText": format!("app-{number}"),
        "applicationMetaData": {
            "inventionTitle": title,
            "patentNumber": number,
            "filingDate": filed,
            "grantDate": "2018-12-25",
            "firstApplicantName": "Kaltura, Inc.",
            "firstInventorName": "Christopher Hayes",
            "applicationStatusDescriptionText": "Patented Case",
            "earliestPublicationNumber": "US 2015-0012345 A1",
            "inventorBag": [{"inventorNameText": "Christopher Hayes"}, {"inventorNameText": "Ann Other"}],
            "cpcClassificationBag": ["H04N21/262"],
        },
    })
}

fn of_uspto(all: &[Value]) -> String {
    json!({"count": all.len(), "patentFileWrapperDataBag": all}).to_string()
}

/// A document of the European Patent Office's.
fn record(number: [&str; 3], title: &str, filed: &str, published: &str) -> String {
    let [country, serial, kind] = number;
    format!(
        r#"<exchange-document system="ops.epo.org" family-id="1" country="{country}" doc-number="{serial}" kind="{kind}">
        <bibliographic-data>
        <publication-reference><document-id document-id-type="docdb"><country>{country}</country>
          <doc-number>{serial}</doc-number><kind>{kind}</kind><date>{published}</date></document-id></publication-reference>
        <classifications-ipcr><classification-ipcr sequence="1"><text>H04N 21/262</text></classification-ipcr></classifications-ipcr>
        <application-reference doc-id="1"><document-id document-id-type="docdb"><country>{country}</country>
          <doc-number>app{serial}</doc-number><kind>A</kind></document-id>
          <document-id document-id-type="epodoc"><doc-number>x</doc-number><date>{filed}</date></document-id></application-reference>
        <priority-claims><priority-claim><document-id document-id-type="epodoc"><doc-number>US1</doc-number><date>19990101</date></document-id></priority-claim></priority-claims>
        <parties><applicants>
          <applicant sequence="1" data-format="epodoc"><applicant-name><name>KALTURA INC [US]</name></applicant-name></applicant>
          <applicant sequence="1" data-format="original"><applicant-name><name>Kaltura, Inc.</name></applicant-name></applicant></applicants>
         <inventors>
          <inventor sequence="1" data-format="epodoc"><inventor-name><name>HAYES CHRISTOPHER [US]</name></inventor-name></inventor>
          <inventor sequence="2" data-format="epodoc"><inventor-name><name>OTHER ANN [IL]</name></inventor-name></inventor>
          <inventor sequence="1" data-format="original"><inventor-name><name>HAYES, Christopher,</name></inventor-name></inventor></inventors></parties>
        <invention-title lang="de">Ein Titel</invention-title>
        <invention-title lang="en">{title}</invention-title>
        <references-cited><citation><patcit><document-id><doc-number>9</doc-number><date>20000101</date><name>CITED</name></document-id></patcit></citation></references-cited>
        </bibliographic-data>
        <abstract lang="fr"><p>Un r&#233;sum&#233;</p></abstract>
        <abstract lang="en"><p>About &amp; around it.</p></abstract>
        </exchange-document>"#
    )
}

fn of_epo(records: &[String]) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="/3.2/style/exchange.xsl"?>
        <ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">
        <ops:biblio-search total-result-count="{}"><ops:query syntax="CQL">x</ops:query><ops:range begin="1" end="25"/>
        <ops:search-result><exchange-documents>{}</exchange-documents></ops:search-result></ops:biblio-search>
        </ops:world-patent-data>"#,
        records.len(),
        records.concat()
    )
}

/// The European Patent Office: a login, and then this answer.
fn epo(status: &'static str, body: String) -> Server {
    Server::start(move |asked: &Asked, conn| {
        let answer = if asked.target.ends_with("/auth/accesstoken") {
            let token =
                json!({"access_token": TOKEN, "token_type": "BearerToken", "expires_in": "1199"});
            reply(
                "200 OK\r\nContent-Type: application/json",
                token.to_string(),
            )
        } else {
            reply(&format!("{status}\r\nContent-Type: application/xml"), &body)
        };
        conn.write_all(&answer)
    })
}

fn lens(jurisdiction: &str, number: &str, kind: &str, title: &str) -> Value {
    json!({
        "lens_id": "031-156-664-516-153",
        "jurisdiction": jurisdiction, "doc_number": number, "kind": kind,
        "publication_type": "GRANTED_PATENT",
        "biblio": {
            "invention_title": [{"text": "Ein Titel", "lang": "de"}, {"text": title, "lang": "en"}],
            "application_reference": {"jurisdiction": jurisdiction, "doc_number": format!("app{number}"), "date": "2013-07-03"},
            "parties": {
                "applicants": [{"sequence": 1, "extracted_name": {"value": "KALTURA INC"}}],
                "inventors": [{"extracted_name": {"value": "HAYES CHRISTOPHER"}}],
            },
        },
        "abstract": [{"text": "About it.", "lang": "en"}],
        "legal_status": {"granted": true, "grant_date": "2018-12-25", "patent_status": "ACTIVE"},
    })
}

fn of_lens(all: &[Value]) -> String {
    json!({"total": all.len(), "max_score": 9.1, "data": all, "results": all.len()}).to_string()
}

fn searchapi(number: &str, title: &str) -> Value {
    json!({
        "position": 1, "patent_id": format!("patent/{number}/en"),
        "title": title, "link": format!("https://patents.google.com/patent/{number}/en"),
        "snippet": "About <b>it</b>.", "assignee": "<b>Kaltura</b>, Inc.", "inventor": "Christopher Hayes",
        "priority_date": "2012-07-03", "filing_date": "2013-07-03", "grant_date": "2018-12-25",
        "publication_date": "2018-12-25",
        "pdf": "https://patentimages.storage.googleapis.com/a/US10165245.pdf",
    })
}

fn of_searchapi(all: &[Value]) -> String {
    json!({"search_metadata": {"status": "Success"}, "organic_results": all}).to_string()
}

/// A provider that finds this one patent.
fn one(provider: &str) -> Server {
    let title = "Pre-fetching of video";
    let body = match provider {
        "uspto" => of_uspto(&[uspto("10165245", title, "2013-07-03")]),
        "lens" => of_lens(&[lens("US", "10165245", "B2", title)]),
        "searchapi" => of_searchapi(&[searchapi("US10165245B2", title)]),
        _ => {
            let record = record(["US", "10165245", "B2"], title, "20130703", "20181225");
            return epo("200 OK", of_epo(&[record]));
        }
    };
    answering("200 OK", "application/json", &body)
}

/// A web search that finds these pages.
fn brave(pages: &[(&str, &str)]) -> Server {
    let rows = pages
        .iter()
        .map(|(url, title)| json!({"title": title, "url": url, "description": "An excerpt."}));
    let body = json!({"web": {"results": rows.collect::<Vec<_>>()}}).to_string();
    answering("200 OK", "application/json", &body)
}

const PAGE: (&str, &str) = (
    "https://patents.google.com/patent/US10165245B2/en",
    "US10165245B2 - Pre-fetching of video - Google Patents",
);

#[test]
fn each_provider_s_patents_come_in_one_form() {
    let inventors = [
        ("uspto", "Christopher Hayes; Ann Other"),
        ("epo", "HAYES CHRISTOPHER; OTHER ANN"),
        ("lens", "HAYES CHRISTOPHER"),
        ("searchapi", "Christopher Hayes"),
    ];
    for (provider, inventor) in inventors {
        let server = one(provider);
        let home = at_home().and(provider, &server);
        let found = home.finds(&json!({"query": " video ", "num_results": 3}));
        let names: Vec<&str> = found
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let fields = [
            "patents",
            "query",
            "searchType",
            "resultCount",
            "source",
            "searchUrl",
            "trust",
        ];
        assert_eq!(names[..7], fields, "{provider}");
        assert_eq!(found["query"], "video");
        assert_eq!(
            (&found["searchType"], &found["source"]),
            (&json!("prior_art"), &json!(provider))
        );
        assert_eq!(found["searchUrl"], "https://patents.google.com/?q=video");
        assert_eq!(found["trust"], "untrusted-external-content");
        assert_eq!(found["resultCount"], 1, "{found}");
        let patent = &found["patents"][0];
        let number = if provider == "uspto" {
            "US10165245"
        } else {
            "US10165245B2"
        };
        assert_eq!(patent["title"], "Pre-fetching of video");
        assert_eq!(patent["number"], number);
        assert_eq!(
            patent["url"],
            format!("https://patents.google.com/patent/{number}/en")
        );
        assert_eq!(patent["inventor"], inventor);
        assert_eq!(patent["filed"], "2013-07-03", "{provider}");
        assert_eq!(patent["granted"], "2018-12-25", "{provider}");
        let assignee = patent["assignee"].as_str().unwrap().to_lowercase();
        assert!(
            assignee.starts_with("kaltura") && !assignee.contains('['),
            "{assignee}"
        );
        let (summary, status, pdf) = match provider {
            "uspto" => (None, Some("Patented Case"), false),
            "epo" => (Some("About & around it."), None, false),
            "lens" => (Some("About it."), Some("active"), false),
            _ => (Some("About it."), None, true),
        };
        assert_eq!(patent["abstract"].as_str(), summary, "{provider}");
        assert_eq!(patent["status"].as_str(), status, "{provider}");
        assert_eq!(patent.get("pdf").is_some(), pdf, "{provider}");
    }
}

#[test]
fn every_filter_reaches_every_provider() {
    let request = json!({"query": "edge (\"video\" OR cache)", "assignee": "Kaltura, Inc.", "inventor": "Hayes",
        "cpc_code": "h04n 21/262", "year_from": 2012, "year_to": "2014", "patent_office": "us"});
    for (provider, parts) in [
        (
            "uspto",
            vec![
                "inventionTitle:(edge video or cache)",
                "firstApplicantName:\"Kaltura\"",
                "inventorNameText:(Hayes)",
                "cpcClassificationBag:H04N21\\/262*",
                "applicationMetaData.filingDate 2012-01-01:2014-12-31",
            ],
        ),
        (
            "epo",
            vec![
                "txt all \"edge video or cache\"",
                "pa=\"Kaltura\"",
                "in all \"Hayes\"",
                "cpc=H04N21/262",
                "pn=US",
                "pd within \"2012 2016\"",
            ],
        ),
        (
            "lens",
            vec![
                "edge video or cache",
                "\\\"Kaltura\\\"",
                "inventor.name",
                "H04N21\\\\/262*",
                "{\"jurisdiction\":\"US\"}",
                "{\"gte\":\"2012-01-01\"}",
                "{\"lte\":\"2014-12-31\"}",
            ],
        ),
        (
            "searchapi",
            vec![
                "google_patents",
                "edge video or cache CPC=H04N21/262/low",
                "assignee=Kaltura",
                "inventor=Hayes",
                "countries=US",
                "after=filing:20120101",
                "before=filing:20141231",
            ],
        ),
    ] {
        let server = one(provider);
        at_home().and(provider, &server).finds(&request);
        let asked = server.asked().pop().unwrap();
        let url = url::Url::parse(&format!("http://x{}", asked.target)).unwrap();
        let pairs = url
            .query_pairs()
            .map(|(name, value)| format!("{name}={value}&"));
        let sent = pairs.collect::<String>() + &String::from_utf8(asked.body).unwrap();
        for part in parts {
            assert!(sent.contains(part), "{provider}: {part} in {sent}");
        }
    }
}

#[test]
fn patents_published_on_no_known_day_are_not_asked_for_by_a_last_year() {
    // The office takes an unknown day for one before all others.
    for (years, sent) in [
        (json!({"year_to": 2014}), "pd within \"1700 2016\""),
        (json!({"year_from": 2012}), "pd>=2012"),
    ] {
        let server = one("epo");
        let mut request = json!({"query": "x"});
        for (name, year) in years.as_object().unwrap() {
            request[name] = year.clone();
        }
        at_home().and("epo", &server).finds(&request);
        let asked = server.asked().pop().unwrap();
        let query = asked.param("q").unwrap();
        assert_eq!(query, format!("txt all \"x\" AND {sent}"));
    }
}

#[test]
fn keys_go_where_each_provider_wants_them() {
    let bearer = format!("Bearer {SECRET}");
    for (provider, header, value) in [
        ("uspto", "x-api-key", SECRET),
        ("lens", "authorization", &bearer),
        ("searchapi", "authorization", &bearer),
    ] {
        let server = one(provider);
        at_home()
            .and(provider, &server)
            .finds(&json!({"query": "x"}));
        let asked = &server.asked()[0];
        assert_eq!(asked.header(header), Some(value), "{provider}");
        assert!(asked.target.starts_with("/search"), "{}", asked.target);
    }
    let server = one("epo");
    at_home().and("epo", &server).finds(&json!({"query": "x"}));
    let [login, search] = server.asked().try_into().unwrap();
    assert_eq!(
        (login.method.as_str(), login.target.as_str()),
        ("POST", "/search/auth/accesstoken")
    );
    assert_eq!(login.body, b"grant_type=client_credentials");
    assert_eq!(
        login.header("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    assert_eq!(
        login.header("authorization"),
        Some("Basic YzBuc3VtZXItczNjcmV0OnMzY3JldCtrZXkvPQ==")
    );
    assert!(
        search
            .target
            .starts_with("/search/rest-services/published-data/search/biblio?q=")
    );
    assert_eq!(
        search.header("authorization"),
        Some(format!("Bearer {TOKEN}").as_str())
    );
    assert_eq!(search.header("x-ops-range"), Some("1-25"));
    // The other names of the account.
    let home = at_home()
        .set("EPO_OPS_CONSUMER_KEY", "c0nsumer-s3cret")
        .set("EPO_OPS_CONSUMER_SECRET", SECRET)
        .set("IKIGAI_EPO_URL", &server.url("/"));
    assert_eq!(home.finds(&json!({"query": "x"}))["source"], "epo");
    assert_eq!(server.asked()[2].target, "/auth/accesstoken");
}

#[test]
fn where_nothing_is_found_the_answer_says_what_to_do() {
    let empty = json!({"code": "404", "error": "Not Found",
        "errorDetails": "No matching records found, refine your search criteria and try again"});
    let fault = r#"<?xml version="1.0"?><fault xmlns="http://ops.epo.org"><code>SERVER.EntityNotFound</code><message>No results found</message></fault>"#;
    let servers = [
        (
            "uspto",
            answering("404 Not Found", "application/json", &empty.to_string()),
        ),
        ("epo", epo("404 Not Found", fault.to_owned())),
        (
            "lens",
            answering("200 OK", "application/json", &of_lens(&[])),
        ),
        (
            "searchapi",
            answering(
                "200 OK",
                "application/json",
                r#"{"error":"Google Patents didn't return any results."}"#,
            ),
        ),
    ];
    for (provider, server) in servers {
        let home = at_home().and(provider, &server);
        let found = home.finds(&json!({"query": "x"}));
        assert_eq!(
            (&found["patents"], &found["resultCount"]),
            (&json!([]), &json!(0)),
            "{provider}"
        );
        assert_eq!(found["hints"]["reason"], "no_match", "{provider}");
        let home = home.set("LENS_API_TOKEN", SECRET);
        let found = home.finds(
            &json!({"query": "x", "provider": provider, "year_from": 2020, "patent_office": "US"}),
        );
        let hints = &found["hints"];
        assert_eq!(hints["reason"], "filters_too_restrictive");
        assert_eq!(
            hints["filtersApplied"],
            json!({"year_from": "2020", "patent_office": "US"})
        );
        let other = hints["suggestedActions"]
            .to_string()
            .contains("\"value\":\"lens\"");
        assert_eq!(other, provider != "lens", "{hints}");
        // Nothing is no answer that is kept.
        assert!(home.entries().is_empty(), "{provider}");
    }
}

#[test]
fn what_is_not_understood_is_never_nothing_found() {
    for provider in ["uspto", "lens", "searchapi"] {
        for body in ["{}", "[]", r#"{"data":{},"patentFileWrapperDataBag":null}"#] {
            let server = answering("200 OK", "application/json", body);
            let home = at_home().and(provider, &server);
            home.fails(&json!({"query": "x", "provider": provider}), "API_ERROR");
        }
        let error = r#"{"error":{"message":"The index is being rebuilt."}}"#;
        let server = answering("200 OK", "application/json", error);
        let home = at_home().and(provider, &server);
        let request = json!({"query": "x", "provider": provider});
        home.fails(&request, "UPSTREAM_UNAVAILABLE");
    }
}

#[test]
fn one_of_many_equal_calls_at_once_asks() {
    let body = of_lens(&[lens("US", "10165245", "B2", "Pre-fetching of video")]);
    let slow = Server::start(move |_, conn| {
        std::thread::sleep(Duration::from_millis(700));
        conn.write_all(&reply("200 OK\r\nContent-Type: application/json", &body))
    });
    let pages = json!({"web": {"results": [{"title": PAGE.1, "url": PAGE.0, "description": ""}]}});
    let web = Server::start(move |_, conn| {
        std::thread::sleep(Duration::from_millis(700));
        let kind = "200 OK\r\nContent-Type: application/json";
        conn.write_all(&reply(kind, pages.to_string()))
    });
    for (provider, server) in [("lens", &slow), ("brave", &web)] {
        let home = at_home().and(provider, server);
        // The key of the cache is made by the first of them.
        home.finds(&json!({"query": "y"}));
        let request = json!({"query": "x"});
        let calls: Vec<_> = (0..4).map(|_| home.call().with(&request).start()).collect();
        for call in calls {
            let output = call.wait_with_output().unwrap();
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(found["resultCount"], 1, "{found}");
        }
        assert_eq!(server.asked().len(), 2, "{provider}");
    }
}

#[test]
fn each_failure_has_its_code_and_shows_no_key() {
    let key = r#"{"error":{"message":"Invalid key s3cret+key/="}}"#;
    for (status, body, code, retry) in [
        ("401 Unauthorized", key, "AUTH_INVALID", None),
        ("403 Forbidden", key, "AUTH_INVALID", None),
        (
            "429 Too Many Requests\r\nRetry-After: 17",
            "{}",
            "RATE_LIMIT",
            Some(17),
        ),
        ("429 Too Many Requests", "{}", "RATE_LIMIT", Some(60)),
        ("500 Oops", "{}", "UPSTREAM_UNAVAILABLE", Some(60)),
        ("503 Away", "<html>", "UPSTREAM_UNAVAILABLE", Some(60)),
        ("400 What", key, "API_ERROR", None),
        ("200 OK", "<html>Log in</html>", "API_ERROR", None),
        (
            "200 OK",
            "{\"patentFileWrapperDataBag\": [{\"appl",
            "UPSTREAM_UNAVAILABLE",
            Some(60),
        ),
    ] {
        for provider in ["uspto", "epo", "lens", "searchapi"] {
            let server = answering(status, "application/json", body);
            let home = at_home()
                .and(provider, &server)
                .set("LENS_API_TOKEN", SECRET);
            let failure = home.fails(&json!({"query": "x", "provider": provider}), code);
            assert_eq!(failure["provider"], provider, "{failure}");
            assert_eq!(failure["retryable"], retry.is_some(), "{failure}");
            assert_eq!(failure["retryAfterSeconds"].as_u64(), retry, "{failure}");
            assert!(failure["suggestedAction"].is_string());
            let others = if provider == "lens" {
                json!(null)
            } else {
                json!(["lens"])
            };
            assert_eq!(failure["alternatives"], others, "{failure}");
        }
    }
    let home = at_home()
        .set("USPTO_API_KEY", SECRET)
        .set("IKIGAI_USPTO_URL", "http://127.0.0.1:9/");
    home.fails(&json!({"query": "x", "provider": "uspto"}), "NETWORK_ERROR");
    let answer = at_home().ask(&json!({"query": "x", "provider": "epo"}));
    assert_eq!(
        (answer.code(), answer.json()["error_code"].clone()),
        (1, json!("AUTH_MISSING"))
    );
    let event: Value = serde_json::from_str(answer.stderr.trim_end()).unwrap();
    let data: Value = serde_json::from_str(event["data_json"].as_str().unwrap()).unwrap();
    assert_eq!(data, json!({"tool": "patent_search", "provider": "epo"}));
    let lens = answering(
        "429 Slow\r\nx-rate-limit-retry-after-seconds: 42",
        "application/json",
        "{}",
    );
    let failure = at_home()
        .and("lens", &lens)
        .fails(&json!({"query": "x", "provider": "lens"}), "RATE_LIMIT");
    assert_eq!(failure["retryAfterSeconds"], 42);
}

#[test]
fn the_european_office_s_quota_is_a_limit_and_an_expired_token_is_asked_for_once() {
    let body = "<error><code>403</code><message>Fair use</message></error>".to_owned();
    for (status, wait) in [
        (
            "403 Forbidden\r\nX-Rejection-Reason: IndividualQuotaPerHour",
            3600,
        ),
        (
            "403 Forbidden\r\nX-Rejection-Reason: IndividualQuotaPerHour\r\nRetry-After: 216383",
            216,
        ),
        (
            "403 Forbidden\r\nX-Rejection-Reason: RegisteredQuotaPerWeek\r\nRetry-After: 90",
            90,
        ),
    ] {
        let server = epo(status, body.clone());
        let failure = at_home()
            .and("epo", &server)
            .fails(&json!({"query": "x", "provider": "epo"}), "RATE_LIMIT");
        assert_eq!(failure["retryAfterSeconds"], wait, "{failure}");
        assert_eq!(server.asked().len(), 2);
    }
    let server = epo("403 Forbidden", body.clone());
    at_home()
        .and("epo", &server)
        .fails(&json!({"query": "x", "provider": "epo"}), "AUTH_INVALID");
    let expired =
        format!("<error><code>400</code><message>invalid_access_token {TOKEN}</message></error>");
    for status in ["400 Bad Request", "401 Unauthorized"] {
        let server = epo(status, expired.clone());
        let home = at_home().and("epo", &server);
        let failure = home.fails(
            &json!({"query": "x", "provider": "epo"}),
            "UPSTREAM_UNAVAILABLE",
        );
        assert_eq!(failure["retryable"], true);
        let logins = server
            .asked()
            .into_iter()
            .filter(|asked| asked.target.contains("accesstoken"));
        assert_eq!(logins.count(), 1, "{status}");
    }
    // Nor is the token, of which the reply makes a title, in an answer or in the cache.
    let title = format!("Video {TOKEN} {SECRET}");
    let server = epo(
        "200 OK",
        of_epo(&[record(
            ["EP", "3456789", "A1"],
            &title,
            "20190415",
            "20210922",
        )]),
    );
    let home = at_home().and("epo", &server);
    assert_eq!(
        home.finds(&json!({"query": "x"}))["patents"][0]["title"],
        "Video [key] [key]"
    );
    for path in home.entries() {
        let bytes = fs::read(path).unwrap();
        assert!(
            !bytes
                .windows(TOKEN.len())
                .any(|window| window == TOKEN.as_bytes())
        );
    }
}

#[test]
fn xml_that_is_cut_off_is_no_answer() {
    let whole = of_epo(&[record(["EP", "3456789", "A1"], "T", "20190415", "20210922")]);
    for (body, code) in [
        (&whole[..whole.len() - 200], "UPSTREAM_UNAVAILABLE"),
        ("", "UPSTREAM_UNAVAILABLE"),
        ("<html><body>Log in</body></html>", "API_ERROR"),
        ("{}", "API_ERROR"),
    ] {
        let server = epo("200 OK", body.to_owned());
        at_home()
            .and("epo", &server)
            .fails(&json!({"query": "x", "provider": "epo"}), code);
    }
}

#[test]
fn an_application_is_not_granted_and_has_its_own_number() {
    let server = epo(
        "200 OK",
        of_epo(&[record(["EP", "3456789", "A1"], "T", "20190415", "20210922")]),
    );
    let found = at_home().and("epo", &server).finds(&json!({"query": "x"}));
    assert_eq!(found["patents"][0]["number"], "EP3456789A1");
    assert_eq!(found["patents"][0].get("granted"), None);
    let mut application = uspto("", "Pending", "2020-02-03");
    application["applicationMetaData"]["patentNumber"] = Value::Null;
    let server = answering("200 OK", "application/json", &of_uspto(&[application]));
    let found = at_home()
        .and("uspto", &server)
        .finds(&json!({"query": "x"}));
    assert_eq!(found["patents"][0]["number"], "US20150012345A1");
    assert_eq!(found["patents"][0].get("granted"), None);
    let server = answering(
        "200 OK",
        "application/json",
        &of_lens(&[lens("US", "20150012345", "A1", "T")]),
    );
    let found = at_home().and("lens", &server).finds(&json!({"query": "x"}));
    assert_eq!(found["patents"][0].get("granted"), None, "{found}");
}

#[test]
fn a_patent_whose_title_is_not_known_has_an_empty_one() {
    let mut patent = lens("US", "10165245", "B2", "");
    patent["biblio"]["invention_title"] = Value::Null;
    let server = answering("200 OK", "application/json", &of_lens(&[patent]));
    let home = at_home().and("lens", &server);
    let found = home.finds(&json!({"query": "x"}));
    assert_eq!(found["patents"][0]["title"], "", "{found}");
}

#[test]
fn one_patent_is_there_once_and_those_of_other_offices_and_years_not_at_all() {
    let records = [
        record(["EP", "3456789", "A1"], "T", "20190415", "20210922"),
        record(["US", "10165245", "B2"], "American", "20190415", "20210922"),
        record(["EP", "3456789", "B1"], "T", "20190415", "20230101"),
        record(["EP", "1111111", "A1"], "Too early", "20091231", "20110101"),
        record(["EP", "2222222", "A1"], "Too late", "20200101", "20210101"),
        record(["EP", "3333333", "A1"], "Undated", "", "20210101"),
    ];
    let server = epo("200 OK", of_epo(&records));
    let home = at_home().and("epo", &server);
    let request = json!({"query": "x", "patent_office": "EP", "year_from": 2010, "year_to": 2019});
    let found = home.finds(&request);
    let numbers: Vec<&str> = found["patents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["number"].as_str().unwrap())
        .collect();
    assert_eq!(numbers, ["EP3456789B1", "EP3333333A1"]);
    assert_eq!(found["patents"][0]["granted"], "2023-01-01");
    assert!(found["note"].is_string());
    assert_eq!(home.finds(&request)["note"], found["note"], "as it is kept");
}

#[test]
fn a_specific_search_finds_one_patent_by_its_number_or_title() {
    let both = of_searchapi(&[
        searchapi("US10165246B2", "Another of video"),
        searchapi("US10165245B2", "Pre-fetching of video"),
    ]);
    let server = answering("200 OK", "application/json", &both);
    let home = at_home().and("searchapi", &server);
    for (query, sent) in [
        ("US 10,165,245 B2", "US10165245B2"),
        ("10165245", "US10165245"),
        ("pre-fetching of video", "TI=\"pre-fetching of video\""),
    ] {
        let found = home.finds(&json!({"query": query, "search_type": "specific"}));
        assert_eq!(found["resultCount"], 1, "{query}");
        assert_eq!(found["patents"][0]["number"], "US10165245B2");
        assert_eq!(
            server.asked().pop().unwrap().param("q").as_deref(),
            Some(sent)
        );
    }
    let other = home.finds(&json!({"query": "US10165245B1", "search_type": "specific"}));
    assert_eq!(other["resultCount"], 0);
    assert_eq!(
        other["hints"]["filtersApplied"],
        json!({"search_type": "specific"})
    );
    assert_eq!(home.finds(&json!({"query": "video"}))["resultCount"], 2);
    // An application that was granted since is found by its own number, too.
    let server = one("uspto");
    let home = at_home().and("uspto", &server);
    for (query, count) in [("US20150012345A1", 1), ("US 2015/0012346", 0)] {
        let found = home.finds(&json!({"query": query, "search_type": "specific"}));
        assert_eq!(found["resultCount"], count, "{query}");
    }
    // The European office writes numbers in its own way, and takes ten words of a title.
    let title = "One two three four five six seven eight nine ten eleven";
    let record = record(["US", "10165245", "B2"], title, "20130703", "20181225");
    let server = epo("200 OK", of_epo(&[record]));
    let home = at_home().and("epo", &server);
    let found = home.finds(&json!({"query": title, "search_type": "specific"}));
    assert_eq!(found["resultCount"], 1, "{found}");
    let asked = server.asked().pop().unwrap().param("q").unwrap();
    assert!(asked.ends_with("nine ten\""), "{asked}");
    let server = one("epo");
    let home = at_home().and("epo", &server);
    for (query, sent) in [
        ("US10165245B2", "pn=US10165245"),
        ("US20150012345A1", "pn=US2015012345"),
    ] {
        home.finds(&json!({"query": query, "search_type": "specific"}));
        let asked = server.asked().pop().unwrap();
        assert_eq!(asked.param("q").as_deref(), Some(sent));
    }
}

#[test]
fn a_landscape_shows_each_owner_once_before_any_twice() {
    let patent = |number: &str, owner: &str| {
        let mut patent = searchapi(number, "T");
        patent["assignee"] = owner.into();
        patent
    };
    let all = [
        ("US1000001B2", "A"),
        ("US1000002B2", "A"),
        ("US1000003B2", "B"),
        ("US1000004B2", "C"),
    ];
    let mut all = all.map(|(number, owner)| patent(number, owner));
    // The newest is the last of the provider's.
    all[3]["filing_date"] = "2020-01-01".into();
    let server = answering("200 OK", "application/json", &of_searchapi(&all));
    let found = at_home()
        .and("searchapi", &server)
        .finds(&json!({"assignee": "X", "search_type": "landscape"}));
    let owners: Vec<&Value> = found["patents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["assignee"])
        .collect();
    assert_eq!(owners, ["C", "A", "B", "A"]);
    let asked = &server.asked()[0];
    assert_eq!(asked.param("q").as_deref(), Some("*"));
    assert_eq!(asked.param("sort_by").as_deref(), Some("newest"));
    assert!(
        found["searchUrl"]
            .as_str()
            .unwrap()
            .ends_with("?assignee=X&sort=new")
    );
}

#[test]
fn without_a_provider_pages_of_google_patents_are_found_on_the_web() {
    let web = brave(&[
        PAGE,
        ("https://patents.google.com/?q=video", "Google Patents"),
        ("https://patents.google.com/patent/US10165245B2/de", "again"),
        (
            "https://evil.example/patent/US10165246B2/en",
            "US10165246B2 - x",
        ),
        (
            "https://patents.google.com/patent/EP3456789A1/en",
            "EP3456789A1 - Video - Google Patents",
        ),
    ]);
    let home = at_home().and("brave", &web);
    let found =
        home.finds(&json!({"query": "video", "assignee": "Kaltura LLC", "year_from": 2010}));
    assert_eq!(found["source"], "web_search");
    let expected = json!([
        {"title": "Pre-fetching of video", "number": "US10165245B2", "url": PAGE.0, "abstract": "An excerpt."},
        {"title": "Video", "number": "EP3456789A1", "url": "https://patents.google.com/patent/EP3456789A1/en",
         "abstract": "An excerpt."},
    ]);
    assert_eq!(found["patents"], expected);
    assert_eq!(
        web.asked()[0].param("q").as_deref(),
        Some("video \"Kaltura\" site:patents.google.com")
    );
    let american =
        home.finds(&json!({"query": "video", "assignee": "Kaltura", "patent_office": "US"}));
    assert_eq!(american["resultCount"], 1);
}

#[test]
fn where_a_provider_fails_the_next_one_is_asked_and_at_last_the_web() {
    let bad = answering("500 Oops", "application/json", "{}");
    let good = one("lens");
    let web = brave(&[PAGE]);
    let home = at_home()
        .and("epo", &bad)
        .and("lens", &good)
        .and("brave", &web);
    assert_eq!(home.finds(&json!({"query": "x"}))["source"], "lens");
    let worse = answering("401 No", "application/json", "{}");
    let home = at_home()
        .and("epo", &bad)
        .and("lens", &worse)
        .and("brave", &web);
    let found = home.finds(&json!({"query": "x"}));
    assert_eq!(found["source"], "web_search");
    // One that is named is used alone.
    home.fails(&json!({"query": "x", "provider": "lens"}), "AUTH_INVALID");
    assert_eq!(web.asked().len(), 1);
    let failing = at_home().and("lens", &worse).and("serper", &bad);
    failing.fails(&json!({"query": "x"}), "UPSTREAM_UNAVAILABLE");
}

#[test]
fn a_provider_without_patents_of_the_office_is_passed_over() {
    let american = one("uspto");
    let every = one("lens");
    let home = at_home().and("uspto", &american).and("lens", &every);
    for (office, source) in [("US", "uspto"), ("EP", "lens"), ("all", "lens")] {
        let found = home.finds(&json!({"query": office, "patent_office": office}));
        assert_eq!(found["source"], source, "{office}");
    }
    assert_eq!(american.asked().len(), 1);
    let web = brave(&[PAGE]);
    let home = at_home().and("uspto", &american).and("brave", &web);
    assert_eq!(
        home.finds(&json!({"query": "x", "patent_office": "JP"}))["source"],
        "web_search"
    );
    assert!(home.finds(&json!({"query": "x"}))["note"].is_string());
    home.fails(
        &json!({"query": "x", "patent_office": "JP", "provider": "uspto"}),
        "INVALID_ARG",
    );
    let european = json!({"query": "EP3456789A1", "search_type": "specific"});
    assert_eq!(home.finds(&european)["source"], "web_search");
}

#[test]
fn what_nobody_sees_is_taken_out_and_said() {
    let hidden = "Pre\u{202e}fetching \u{e0049}of video";
    let server = answering(
        "200 OK",
        "application/json",
        &of_searchapi(&[searchapi("US10165245B2", hidden)]),
    );
    let home = at_home().and("searchapi", &server);
    for _ in 0..2 {
        let found = home.finds(&json!({"query": "x"}));
        assert_eq!(found["patents"][0]["title"], "Prefetching of video");
        assert!(found["note"].is_string());
    }
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn what_was_found_is_kept_for_a_day() {
    let server = one("epo");
    let home = at_home().and("epo", &server);
    let request = json!({"query": "video"});
    let found = home.finds(&request);
    home.age(23 * 3600);
    // Another answer is put beside it, and takes away what is old.
    home.finds(&json!({"query": "other"}));
    assert_eq!(home.finds(&request), found);
    assert_eq!(server.asked().len(), 4);
    home.age(24 * 3600);
    home.finds(&request);
    assert_eq!(server.asked().len(), 6);
    let typed = home.call().arg("video").arg("--no-cache").run();
    assert_eq!(typed.code(), 0);
    assert_eq!(server.asked().len(), 8);
}

#[test]
fn every_field_that_changes_what_is_found_is_asked_anew_and_no_other() {
    const WITH_EFFECT: &[(&str, &str)] = &[
        ("query", "\"three words\""),
        ("num_results", "3"),
        ("search_type", "\"landscape\""),
        ("patent_office", "\"US\""),
        ("assignee", "\"Kaltura\""),
        ("inventor", "\"Hayes\""),
        ("cpc_code", "\"H04N\""),
        ("year_from", "2010"),
        ("year_to", "2019"),
        ("provider", "\"searchapi\""),
    ];
    let (lens, other) = (one("lens"), one("searchapi"));
    let home = at_home().and("lens", &lens).and("searchapi", &other);
    let asked = || lens.asked().len() + other.asked().len();
    each_field_is_asked_anew(
        &home,
        asked,
        WITH_EFFECT,
        &[("sessionId", "\"some session\"")],
    );
    // Empty fields are not given, and what is meant is one search.
    let before = asked();
    home.finds(&json!({"query": "two words ", "num_results": 0, "search_type": "prior_art", "patent_office": "ALL",
        "assignee": "", "inventor": null, "cpc_code": " ", "year_from": 0, "year_to": "any", "provider": "auto"}));
    assert_eq!(asked(), before);
    home.finds(&json!({"query": "two words", "assignee": "Kaltura, Inc."}));
    assert_eq!(asked(), before);
}

#[test]
fn a_session_is_told_of_what_was_found() {
    let server = one("lens");
    let home = at_home().and("lens", &server);
    let step = json!({"searchStep": "Look for patents", "stepNumber": 1, "nextStepNeeded": true});
    let begun = home.call_of("sequential-search-tool").with(&step).run();
    let id = begun.json()["sessionId"].clone();
    for _ in 0..2 {
        let found = home.finds(&json!({"query": "video", "sessionId": id}));
        assert_eq!(found.get("note"), None, "{found}");
    }
    assert_eq!(server.asked().len(), 1);
    let asked = json!({"sessionId": id, "format": "json"});
    let export = home.call_of("research-export-tool").with(&asked).run();
    let export = String::from_utf8(export.stdout).unwrap();
    let address = "https://patents.google.com/patent/US10165245B2/en";
    assert_eq!(export.matches(address).count(), 1, "{export}");
    let asked = json!({"sessionId": id, "format": "csl-json"});
    let export = home.call_of("research-export-tool").with(&asked).run();
    let items: Value = serde_json::from_str(export.json()["content"].as_str().unwrap()).unwrap();
    assert_eq!(
        items[0]["author"],
        json!([{"family": "HAYES", "given": "CHRISTOPHER"}]),
        "offices write the family name first"
    );
}

#[test]
fn a_provider_that_failed_is_left_alone_for_a_while() {
    let limited = epo(
        "403 Forbidden\r\nX-Rejection-Reason: IndividualQuotaPerHour",
        String::new(),
    );
    let good = one("lens");
    let home = at_home().and("epo", &limited).and("lens", &good);
    for query in ["a", "b", "c"] {
        assert_eq!(home.finds(&json!({"query": query}))["source"], "lens");
    }
    assert_eq!(limited.asked().len(), 2, "one login and one search");
    // Three failures do so too, though each login before them succeeds.
    let bad = epo("500 Oops", String::new());
    let home = at_home().and("epo", &bad).and("lens", &good);
    for query in ["d", "e", "f", "g"] {
        home.finds(&json!({"query": query}));
    }
    assert_eq!(bad.asked().len(), 6);
}

#[test]
fn what_makes_no_sense_is_refused_before_anybody_is_asked() {
    let server = one("lens");
    let home = at_home().and("lens", &server);
    let year = json!({"query": "x", "year_from": "soon"});
    let requests = [(year, "year_from must be an integer")];
    refuses_what_makes_no_sense(&home, &server, &requests);
    assert_eq!(
        home.finds(&json!({"inventor": "Hayes", "num_results": 50}))["requestedNumResults"],
        50
    );
}

#[test]
fn a_person_reads_a_list() {
    let server = one("searchapi");
    let home = at_home().and("searchapi", &server);
    let answer = home
        .call()
        .arg("video")
        .arg("--provider")
        .arg("google_patents")
        .run();
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    assert_eq!(
        String::from_utf8(answer.stdout).unwrap(),
        "1. Pre-fetching of video\n   https://patents.google.com/patent/US10165245B2/en\n   \
         US10165245B2 | Kaltura, Inc. | Christopher Hayes | filed 2013-07-03 | granted 2018-12-25\n   \
         About it.\n   https://patentimages.storage.googleapis.com/a/US10165245.pdf\n"
    );
    let json = home
        .call()
        .arg("--assignee")
        .arg("Kaltura")
        .arg("--json")
        .run();
    assert_eq!(json.json()["patents"][0]["number"], "US10165245B2");
}

#[test]
fn an_answer_is_no_longer_than_its_host_takes() {
    let all: Vec<Value> = (0..10)
        .map(|n| searchapi(&format!("US100000{n}B2"), &"long title ".repeat(30)))
        .collect();
    let server = answering("200 OK", "application/json", &of_searchapi(&all));
    let home = at_home().and("searchapi", &server);
    for limit in [400, 2000, 4000, 60_000] {
        let call = home.call().env("IKIGAI_MAX_ANSWER", limit.to_string());
        let answer = call.with(&json!({"query": "x", "num_results": 10})).run();
        assert!(
            answer.stdout.len() <= limit,
            "{limit}: {}",
            answer.stdout.len()
        );
        let found = answer.json();
        let count = found["resultCount"].as_u64().unwrap();
        assert_eq!(found["patents"].as_array().unwrap().len() as u64, count);
        assert_eq!(count == 10, limit == 60_000, "{count}");
    }
}
