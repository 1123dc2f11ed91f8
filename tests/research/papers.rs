//! The tool `academic_search`, called as a host and as a person call it, against servers of the
//! test's own that answer as the providers of papers do.

use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::common::home::Home;

use crate::providers::{SECRET, answering, good};
use crate::server::{Asked, Server, reply};
use crate::staged;
use serde_json::{Value, json};

/// The providers, in the order in which they are asked.
const PROVIDERS: [&str; 5] = ["openalex", "crossref", "pubmed", "arxiv", "semanticscholar"];

pub(super) const OPENALEX: &str = r#"{"meta":{"count":4711,"page":1,"per_page":10},"results":[
    {"id":"https://openalex.org/W1","doi":"https://doi.org/10.1038/S41586-021-1",
     "display_name":"Highly <i>accurate</i> prediction","publication_year":2021,
     "publication_date":"2021-07-15","ids":{"openalex":"https://openalex.org/W1","pmid":"https://pubmed.ncbi.nlm.nih.gov/34265844"},
     "authorships":[{"author_position":"first","author":{"display_name":"John Jumper"}},
      {"author":{"display_name":"Demis Hassabis"}}],
     "primary_location":{"landing_page_url":"https://doi.org/10.1038/s41586-021-1",
      "source":{"id":"https://openalex.org/S137773608","display_name":"Nature"}},
     "best_oa_location":{"pdf_url":"https://www.nature.com/articles/1.pdf"},
     "open_access":{"is_oa":true,"oa_status":"hybrid"},"cited_by_count":23000,"is_retracted":true,
     "abstract_inverted_index":{"are":[1],"Proteins":[0],"essential":[2],"to":[3],"life.":[4]}},
    {"id":"https://openalex.org/W2","doi":null,"display_name":"No DOI","publication_year":2019,
     "publication_date":"2019-01-01","ids":{},"authorships":[],
     "primary_location":{"landing_page_url":"http://example.com/2","source":null},
     "locations":[{"source":{"id":"https://openalex.org/S4306400194"}}],
     "open_access":{"is_oa":false},"cited_by_count":0,"is_retracted":false,"abstract_inverted_index":null},
    {"id":"https://openalex.org/W3","display_name":null}]}"#;

pub(super) const CROSSREF: &str = r#"{"status":"ok","message-type":"work-list","message":{"total-results":99,"items":[
    {"DOI":"10.1038/S41586-021-1","URL":"https://doi.org/10.1038/s41586-021-1",
     "title":["Highly accurate prediction"],"container-title":["Nature"],
     "author":[{"given":"John","family":"Jumper","sequence":"first"},{"name":"A Consortium"}],
     "published":{"date-parts":[[2021,7,15]]},"is-referenced-by-count":20000,
     "abstract":"<jats:title>Abstract</jats:title><jats:p>Proteins H<jats:sub>2</jats:sub>O &amp; more.</jats:p>",
     "license":[{"URL":"https://creativecommons.org/licenses/by/4.0"}],
     "link":[{"URL":"https://www.nature.com/1.pdf","content-type":"application/pdf"}],
     "updated-by":[{"type":"retraction","DOI":"10.1038/notice","source":"publisher",
      "updated":{"date-parts":[[2022,2,6]]}}]},
    {"DOI":"10.1007/2","title":["Behind a wall"],"author":[],"issued":{"date-parts":[[2015]]},
     "link":[{"URL":"https://x.example/2.pdf","content-type":"application/pdf"}]},
    {"DOI":"10.5555/3","title":[]}]}}"#;

pub(super) const PUBMED_IDS: &str = r#"{"header":{"type":"esearch","version":"0.3"},"esearchresult":{"count":"321",
    "retmax":"2","retstart":"0","idlist":["34265844","2"],"translationset":[]}}"#;

const PUBMED_ABSTRACTS: &str = r#"<?xml version="1.0" ?>
<PubmedArticleSet><PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">34265844</PMID>
  <Article><ArticleTitle>Highly accurate prediction.</ArticleTitle><Abstract>
   <AbstractText Label="AIM">Proteins are H<sub>2</sub>O.</AbstractText>
   <AbstractText Label="RESULTS">They fold.</AbstractText></Abstract></Article>
  <CommentsCorrectionsList><CommentsCorrections><PMID>99</PMID></CommentsCorrections></CommentsCorrectionsList>
 </MedlineCitation></PubmedArticle></PubmedArticleSet>"#;

pub(super) const PUBMED: &str = r#"{"header":{"type":"esummary","version":"0.3"},"result":{"uids":["34265844","2"],
    "34265844":{"uid":"34265844","pubdate":"2021 Aug","sortpubdate":"2021/08/01 00:00","source":"Nature",
     "authors":[{"name":"Jumper JM","authtype":"Author"},{"name":"A Consortium","authtype":"CollectiveName"}],
     "title":"Highly accurate prediction.","fulljournalname":"Nature",
     "pubtype":["Journal Article","Retracted Publication"],"elocationid":"doi: 10.1038/s41586-021-1",
     "articleids":[{"idtype":"pubmed","value":"34265844"},{"idtype":"pmc","value":"PMC8371605"},
      {"idtype":"doi","value":"10.1038/s41586-021-1"}]},
    "2":{"uid":"2","error":"cannot get document summary"}}}"#;

pub(super) const ARXIV: &str = r#"<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query: search_query=all:x</title>
  <opensearch:totalResults>12</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2101.00001v2</id>
    <title>Prediction where $x&lt;y$
      &amp; more</title>
    <updated>2022-01-01T00:00:00Z</updated>
    <link href="https://arxiv.org/abs/2101.00001v2" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/2101.00001v2" rel="related" type="application/pdf" title="pdf"/>
    <summary>  We predict.
    </summary>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <published>2021-01-02T03:04:05Z</published>
    <arxiv:comment>9 pages</arxiv:comment>
    <author><name>Ada Lovelace</name><arxiv:affiliation>Nowhere</arxiv:affiliation></author>
    <author><name>Grace Hopper</name></author>
    <arxiv:doi>10.1109/X.2021.1</arxiv:doi>
    <arxiv:journal_ref>J. Work 3 (2021)</arxiv:journal_ref>
  </entry>
</feed>"#;

pub(super) const SEMANTICSCHOLAR: &str = r#"{"total":77,"offset":0,"next":2,"data":[
    {"paperId":"a1","externalIds":{"DOI":"10.1038/s41586-021-1","PubMed":"34265844","ArXiv":"2101.00001"},
     "url":"https://www.semanticscholar.org/paper/a1","title":"Highly accurate prediction",
     "abstract":"Proteins are essential.","venue":"Nature","journal":{"name":"Nature","volume":"596"},
     "year":2021,"publicationDate":"2021-07-15","citationCount":20000,"influentialCitationCount":2000,
     "isOpenAccess":true,"openAccessPdf":{"url":"https://www.nature.com/a.pdf","status":"HYBRID"},
     "tldr":{"model":"tldr@v2.0.0","text":"It works."},
     "authors":[{"authorId":"1","name":"J. Jumper"}]},
    {"paperId":"b2","externalIds":null,"url":"https://www.semanticscholar.org/paper/b2","title":"Newer",
     "abstract":null,"venue":"","journal":null,"year":2023,"publicationDate":null,"citationCount":1,
     "influentialCitationCount":0,"isOpenAccess":false,"openAccessPdf":null,"tldr":null,"authors":[]}]}"#;

/// A recorded answer of `provider` to this request.
fn recorded(provider: &str, asked: &Asked) -> (&'static str, &'static str) {
    let json = "application/json";
    match provider {
        "openalex" => (json, OPENALEX),
        "crossref" => (json, CROSSREF),
        "pubmed" if asked.target.contains("/esearch.fcgi") => (json, PUBMED_IDS),
        "pubmed" if asked.target.contains("/efetch.fcgi") => ("text/xml", PUBMED_ABSTRACTS),
        "pubmed" => (json, PUBMED),
        "arxiv" => ("application/atom+xml", ARXIV),
        _ => (json, SEMANTICSCHOLAR),
    }
}

/// An answer without papers.
fn empty(provider: &str) -> &'static str {
    match provider {
        "openalex" => r#"{"meta":{"count":0},"results":[]}"#,
        "crossref" => r#"{"status":"ok","message":{"total-results":0,"items":[]}}"#,
        "pubmed" => {
            r#"{"esearchresult":{"count":"0","idlist":[],"errorlist":{"phrasesnotfound":["x"]}}}"#
        }
        "arxiv" => {
            r#"<feed xmlns="http://www.w3.org/2005/Atom"><title/><totalResults>0</totalResults></feed>"#
        }
        _ => r#"{"total": 0, "offset": 0}"#,
    }
}

fn server_of(provider: &'static str) -> Server {
    Server::start(move |asked, conn| {
        let (kind, body) = recorded(provider, asked);
        let head = format!("200 OK\r\nContent-Type: {kind}");
        conn.write_all(&reply(&head, body))
    })
}

/// A home from which papers are searched, where no provider is reached.
fn alone() -> Home {
    let home = Home::of("academic-search-tool").set("SEARCH_PROVIDER", "none");
    let names = PROVIDERS.iter().chain(&["unpaywall", "datacite", "doi"]);
    names.fold(home, |home, name| home.at(name, "http://127.0.0.1:1/api"))
}

/// The same, in which each of these is served at its server.
pub(super) fn with(servers: &[(&str, &Server)]) -> Home {
    let servers = servers.iter();
    servers.fold(alone(), |home, (name, server)| {
        home.at(name, &server.url("/api"))
    })
}

pub(super) fn titles(found: &Value) -> Vec<&str> {
    let papers = found["papers"].as_array().unwrap().iter();
    papers
        .map(|paper| paper["title"].as_str().unwrap())
        .collect()
}

fn of(provider: &str) -> Value {
    json!({"query": "protein prediction", "provider": provider})
}

#[test]
fn every_provider_is_read_into_the_same_fields() {
    let doi = "10.1038/s41586-021-1";
    let url = "https://doi.org/10.1038/s41586-021-1";
    let title = "Highly accurate prediction";
    for (provider, total, titles_found, first) in [
        (
            "openalex",
            4711,
            vec![title, "No DOI"],
            json!({
                "title": title, "url": url, "source": "openalex", "doi": doi,
                "authors": ["John Jumper", "Demis Hassabis"], "journal": "Nature", "year": 2021,
                "abstract": "Proteins are essential to life.", "citationCount": 23000,
                "openAccess": true, "pdfUrl": "https://www.nature.com/articles/1.pdf",
                "retractionStatus": {"retracted": true, "kind": "retraction"},
            }),
        ),
        (
            "crossref",
            99,
            vec![title, "Behind a wall"],
            json!({
                "title": title, "url": url, "source": "crossref", "doi": doi,
                "authors": ["John Jumper", "A Consortium"], "journal": "Nature", "year": 2021,
                "abstract": "Proteins H2O & more.", "citationCount": 20000, "openAccess": true,
                "pdfUrl": "https://www.nature.com/1.pdf",
                "retractionStatus": {"retracted": true, "kind": "retraction",
                    "date": "2022-02-06", "noticeDoi": "10.1038/notice", "source": "publisher"},
            }),
        ),
        (
            "pubmed",
            321,
            vec![title],
            json!({
                "title": title, "url": url, "source": "pubmed", "doi": doi,
                "authors": ["J. M. Jumper", "A Consortium"], "journal": "Nature", "year": 2021,
                "authorList": [{"family": "Jumper", "given": "J. M."},
                    {"name": "A Consortium", "group": true}],
                "abstract": "AIM: Proteins are H2O. RESULTS: They fold.", "type": "article",
                "openAccess": true,
                "pdfUrl": "https://pmc.ncbi.nlm.nih.gov/articles/PMC8371605/pdf/",
                "retractionStatus": {"retracted": true, "kind": "retraction"},
            }),
        ),
        (
            "arxiv",
            12,
            vec!["Prediction where $x<y$ & more"],
            json!({
                "title": "Prediction where $x<y$ & more",
                "url": "https://doi.org/10.1109/x.2021.1", "source": "arxiv",
                "doi": "10.1109/x.2021.1", "authors": ["Ada Lovelace", "Grace Hopper"],
                "journal": "J. Work 3 (2021)", "year": 2021, "abstract": "We predict.",
                "openAccess": true, "pdfUrl": "https://arxiv.org/pdf/2101.00001v2",
            }),
        ),
        (
            "semanticscholar",
            77,
            vec![title, "Newer"],
            json!({
                "title": title, "url": url, "source": "semanticscholar", "doi": doi,
                "authors": ["J. Jumper"], "journal": "Nature", "year": 2021,
                "abstract": "Proteins are essential.", "citationCount": 20000, "openAccess": true,
                "pdfUrl": "https://www.nature.com/a.pdf", "tldr": "It works.",
                "isInfluential": true,
            }),
        ),
    ] {
        let server = server_of(provider);
        let found = with(&[(provider, &server)]).finds(&of(provider));
        for (name, value) in first.as_object().unwrap() {
            assert_eq!(&found["papers"][0][name], value, "{provider}: {name}");
        }
        assert_eq!(titles(&found), titles_found, "{provider}");
        assert_eq!(found["totalResults"], total, "{provider}");
        assert_eq!(found["resultCount"], titles_found.len(), "{provider}");
        assert_eq!(found["source"], provider);
        assert_eq!(found["query"], "protein prediction");
        assert_eq!(found["trust"], "untrusted-external-content");
        assert_eq!((found.get("hints"), found.get("note")), (None, None));
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of them are a table")]
fn every_provider_is_asked_in_its_own_words() {
    let everything = |provider: &str| {
        json!({"query": "two words", "provider": provider, "num_results": 4, "year_from": 2020,
            "year_to": 2024, "sort_by": "date", "open_access": true, "source": "nature"})
    };
    for (provider, path, expected) in [
        (
            "openalex",
            "/api?",
            vec![
                ("search", "two words"),
                ("per_page", "22"),
                (
                    "filter",
                    "from_publication_date:2020-01-01,to_publication_date:2024-12-31,\
                     open_access.is_oa:true,doi_starts_with:10.1038",
                ),
                ("sort", "publication_date:desc"),
                ("api_key", SECRET),
            ],
        ),
        (
            "crossref",
            "/api?",
            vec![
                ("query", "two words"),
                ("rows", "22"),
                (
                    "filter",
                    "from-pub-date:2020,until-pub-date:2024,prefix:10.1038",
                ),
                ("sort", "published"),
                ("order", "desc"),
                ("mailto", SECRET),
            ],
        ),
        (
            "pubmed",
            "/api/esearch.fcgi?",
            vec![
                ("db", "pubmed"),
                ("term", "(two words) AND pubmed pmc[sb]"),
                ("retmode", "json"),
                ("sort", "pub_date"),
                ("datetype", "pdat"),
                ("mindate", "2020"),
                ("maxdate", "2024"),
                ("api_key", SECRET),
            ],
        ),
        (
            "arxiv",
            "/api?",
            vec![
                (
                    "search_query",
                    "all:two AND all:words AND submittedDate:[202001010000 TO 202412312359]",
                ),
                ("sortBy", "submittedDate"),
                ("sortOrder", "descending"),
            ],
        ),
        (
            "semanticscholar",
            "/api?",
            vec![
                ("query", "two words"),
                ("year", "2020-2024"),
                ("openAccessPdf", ""),
            ],
        ),
    ] {
        let server = server_of(provider);
        let home = with(&[(provider, &server)])
            .set("OPENALEX_API_KEY", SECRET)
            .set("PUBMED_API_KEY", SECRET)
            .set("CROSSREF_EMAIL", SECRET)
            .set("SEMANTIC_SCHOLAR_API_KEY", SECRET);
        home.finds(&everything(provider));
        let asked = server.asked();
        assert!(asked[0].target.starts_with(path), "{}", asked[0].target);
        for (name, value) in expected {
            assert_eq!(
                asked[0].param(name).as_deref(),
                Some(value),
                "{provider}: {name}"
            );
        }
        if provider == "semanticscholar" {
            assert_eq!(asked[0].header("x-api-key"), Some(SECRET));
        }
        if provider == "pubmed" {
            assert!(asked[1].target.starts_with("/api/esummary.fcgi?"));
            assert_eq!(asked[1].param("id").as_deref(), Some("34265844,2"));
        }
        // What is not asked for is not sent, but both dates of PubMed go together.
        let server = server_of(provider);
        let home = with(&[(provider, &server)]);
        home.finds(&json!({"query": "two words", "provider": provider, "year_to": 2022}));
        let asked = &server.asked()[0];
        for name in ["api_key", "mailto", "openAccessPdf", "order"] {
            assert_eq!(asked.param(name), None, "{provider}: {name}");
        }
        if provider == "pubmed" {
            assert_eq!(asked.param("mindate").as_deref(), Some("1000"));
        }
    }
}

#[test]
fn semantic_scholar_is_asked_for_the_parts_of_a_compound() {
    let server = server_of("semanticscholar");
    let home = with(&[("semanticscholar", &server)]);
    let request = json!({"query": "state-of-the-art vision", "provider": "semanticscholar"});
    assert_eq!(home.finds(&request)["query"], "state-of-the-art vision");
    let query = server.asked()[0].param("query");
    assert_eq!(query.as_deref(), Some("state of the art vision"));
}

#[test]
fn nothing_found_is_an_answer_with_hints() {
    for provider in PROVIDERS {
        let kind = recorded(provider, &Asked::default()).0;
        let server = answering("200 OK", kind, empty(provider));
        let home = with(&[(provider, &server)]);
        let mut request = of(provider);
        let found = home.finds(&request);
        assert_eq!(found["papers"], json!([]), "{provider}");
        assert_eq!(
            (&found["resultCount"], &found["totalResults"]),
            (&json!(0), &json!(0))
        );
        assert_eq!(found["hints"]["reason"], "no_match", "{provider}");
        request["year_from"] = json!(2020);
        request["pdf_only"] = json!(true);
        let found = home.finds(&request);
        let hints = &found["hints"];
        assert_eq!(hints["reason"], "filters_too_restrictive");
        assert_eq!(
            hints["filtersApplied"],
            json!({"pdf_only": "true", "year_from": "2020"})
        );
        let actions = hints["suggestedActions"].as_array().unwrap();
        assert!(actions.len() <= 3 && actions.iter().any(|one| one["parameter"] == "provider"));
        assert!(
            actions.iter().all(|one| one["value"] != provider),
            "{hints}"
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of them are a table")]
fn a_failure_says_what_it_is_and_who_else_could_be_asked() {
    let json = "application/json";
    for (provider, status, body, code, wait) in [
        (
            "openalex",
            "401 Unauthorized",
            r#"{"error":"x","message":"Invalid API key s3cret+key/="}"#,
            "AUTH_INVALID",
            None,
        ),
        (
            "openalex",
            "403 Forbidden",
            r#"{"message":"slow down"}"#,
            "RATE_LIMIT",
            Some(60),
        ),
        (
            "openalex",
            "429 Too Many Requests",
            r#"{"message":"Daily limit exceeded"}"#,
            "RATE_LIMIT",
            Some(3600),
        ),
        (
            "openalex",
            "400 Bad Request",
            r#"{"error":"Invalid filter"}"#,
            "API_ERROR",
            None,
        ),
        (
            "crossref",
            "403 Forbidden",
            "blocked",
            "UPSTREAM_UNAVAILABLE",
            Some(60),
        ),
        (
            "crossref",
            "429 Too Many Requests\r\nRetry-After: 7",
            "",
            "RATE_LIMIT",
            Some(7),
        ),
        (
            "crossref",
            "503 Service Unavailable",
            "",
            "UPSTREAM_UNAVAILABLE",
            Some(60),
        ),
        (
            "pubmed",
            "400 Bad Request",
            r#"{"error":"API key invalid","api-key":"s3cret+key/="}"#,
            "AUTH_INVALID",
            None,
        ),
        (
            "pubmed",
            "429 Too Many Requests",
            r#"{"error":"API rate limit exceeded","api-key":"s3cret+key/="}"#,
            "RATE_LIMIT",
            Some(60),
        ),
        (
            "pubmed",
            "200 OK",
            r#"{"esearchresult":{"ERROR":"Search Backend failed: s3cret+key/="}}"#,
            "UPSTREAM_UNAVAILABLE",
            Some(60),
        ),
        (
            "arxiv",
            "503 Service Unavailable",
            "",
            "UPSTREAM_UNAVAILABLE",
            Some(60),
        ),
        (
            "arxiv",
            "200 OK",
            "<feed><entry><id>http://arxiv.org/api/errors#bad</id><title>Error</title><summary>incorrect id</summary></entry></feed>",
            "API_ERROR",
            None,
        ),
        (
            "semanticscholar",
            "403 Forbidden",
            r#"{"message":"Forbidden"}"#,
            "AUTH_INVALID",
            None,
        ),
        (
            "semanticscholar",
            "429 Too Many Requests",
            r#"{"message":"Too Many Requests. s3cret+key/="}"#,
            "RATE_LIMIT",
            Some(60),
        ),
    ] {
        let server = answering(status, json, body);
        let home = with(&[(provider, &server)])
            .set("OPENALEX_API_KEY", SECRET)
            .set("PUBMED_API_KEY", SECRET)
            .set("SEMANTIC_SCHOLAR_API_KEY", SECRET);
        let failure = home.fails(&of(provider), code);
        assert_eq!(
            failure["retryAfterSeconds"].as_u64(),
            wait,
            "{provider} {status}: {failure}"
        );
        assert_eq!(failure["retryable"], wait.is_some(), "{failure}");
        assert_eq!(failure["provider"], provider);
        let others: Vec<&str> = PROVIDERS
            .into_iter()
            .filter(|one| *one != provider)
            .collect();
        assert_eq!(failure["alternatives"], json!(others), "{failure}");
    }
    let home = alone();
    assert_eq!(
        home.fails(&of("arxiv"), "NETWORK_ERROR")["retryAfterSeconds"],
        5
    );
}

#[test]
fn what_is_not_understood_is_never_nothing_found() {
    for provider in PROVIDERS {
        let (kind, whole) = recorded(provider, &Asked::default());
        let (other, cut) = ("API_ERROR", "UPSTREAM_UNAVAILABLE");
        for (body, code) in [
            ("<html><body>Please log in</body></html>", other),
            ("{}", other),
            ("", cut),
            (&whole[..whole.len() - 20], cut),
            (&whole[..whole.len() / 2], cut),
        ] {
            let server = answering("200 OK", kind, body);
            let home = with(&[(provider, &server)]);
            home.fails(&of(provider), code);
        }
    }
    // The second request of PubMed fails in ways of its own.
    for body in [
        r#"{"esummaryresult":["Invalid uid 0 at position 0"]}"#,
        r#"{"result":{"uids":["1"],"1":{"uid":"1","error":"cannot get document summary"}}}"#,
    ] {
        let server = Server::start(move |asked, conn| {
            let first = asked.target.contains("esearch");
            let body = if first { PUBMED_IDS } else { body };
            conn.write_all(&reply("200 OK\r\nContent-Type: application/json", body))
        });
        let home = with(&[("pubmed", &server)]);
        home.fails(&of("pubmed"), "UPSTREAM_UNAVAILABLE");
    }
}

#[test]
fn a_list_that_nobody_asked_for_costs_no_memory() {
    const MANY: usize = 300_000;
    let works = vec!["{}"; MANY].join(",");
    // With a title alone nothing is shown of a work, but the answer can be read.
    let titled = r#"{"display_name":"T"}"#;
    let openalex = format!(r#"{{"meta":{{"count":1}},"results":[{titled},{works}]}}"#);
    let titled = "<entry><title>T</title></entry>";
    let arxiv = format!("<feed>{titled}{}</feed>", "<entry/>".repeat(MANY));
    let test = "a_list_that_nobody_asked_for_costs_no_memory";
    staged::alone(test, &[], |_| {
        for (provider, kind, body) in [
            ("openalex", "application/json", &openalex),
            ("arxiv", "application/atom+xml", &arxiv),
        ] {
            let server = answering("200 OK", kind, body);
            let home = with(&[(provider, &server)]);
            let request = home.path().join("request");
            std::fs::write(&request, of(provider).to_string()).unwrap();
            let (answer, peak) = home.call().run_measured(&request, true);
            assert_eq!(answer.json()["resultCount"], 0, "{provider}");
            assert!(peak < 100 * 1024, "{provider}: {peak} KiB");
        }
    });
}

#[test]
fn what_nobody_sees_is_taken_out_and_no_key_comes_back() {
    let body = json!({"meta": {"count": 1}, "results": [{
        "display_name": format!("A\u{202e}B &#8238;{SECRET}"), "id": "https://openalex.org/W1",
        "publication_year": 2020,
        "authorships": [{"author": {"display_name": "Eve\u{e0041}"}}],
        "best_oa_location": {"pdf_url": "javascript:alert(1)"},
    }]});
    let server = answering("200 OK", "application/json", &body.to_string());
    let home = with(&[("openalex", &server)]).set("OPENALEX_API_KEY", SECRET);
    for _ in 0..2 {
        let found = home.finds(&of("openalex"));
        let paper = &found["papers"][0];
        assert!(
            paper["title"].as_str().unwrap().starts_with("AB "),
            "{paper}"
        );
        assert_eq!(paper["authors"], json!(["Eve"]));
        assert_eq!(paper.get("pdfUrl"), None);
        assert_eq!(
            found["note"],
            "3 unseen characters (bidirectional overrides, tag character) were taken out of the papers."
        );
    }
    assert_eq!(
        server.asked().len(),
        1,
        "the second answer is from the cache"
    );
}

#[test]
fn the_next_provider_fills_up_and_one_paper_comes_once_with_the_fields_of_both() {
    let scarce = r#"{"meta":{"count":2},"results":[
        {"display_name":"Highly accurate prediction","doi":"https://doi.org/10.1038/S41586-021-1",
         "publication_year":2021,"cited_by_count":5},
        {"display_name":"Behind a Wall!","id":"https://openalex.org/W9","publication_year":2015}]}"#;
    let openalex = answering("200 OK", "application/json", scarce);
    let crossref = server_of("crossref");
    let arxiv = server_of("arxiv");
    let semantic = server_of("semanticscholar");
    let home = with(&[
        ("openalex", &openalex),
        ("crossref", &crossref),
        ("arxiv", &arxiv),
        ("semanticscholar", &semantic),
    ]);
    let found = home.finds(&json!({"query": "x", "num_results": 2}));
    assert_eq!(found["source"], "openalex");
    assert_eq!(crossref.asked().len(), 0, "there were enough");
    let found = home.finds(&json!({"query": "x", "num_results": 4}));
    assert_eq!(
        titles(&found),
        [
            "Highly accurate prediction",
            "Behind a Wall!",
            "Prediction where $x<y$ & more",
            "Newer"
        ]
    );
    assert_eq!(
        found["source"],
        "openalex, crossref, arxiv, semanticscholar"
    );
    assert_eq!(found["totalResults"], 4, "two are fewer than there are");
    let [first, second, ..] = found["papers"].as_array().unwrap().as_slice() else {
        panic!("{found}")
    };
    assert_eq!(
        (&first["citationCount"], &first["source"]),
        (&json!(5), &json!("openalex"))
    );
    assert_eq!(first["journal"], "Nature");
    assert_eq!(first["tldr"], "It works.");
    assert_eq!(first["retractionStatus"]["noticeDoi"], "10.1038/notice");
    // The same title and year, and one of them has a DOI.
    assert_eq!(second["doi"], "10.1007/2");
    assert_eq!(second["url"], "https://doi.org/10.1007/2");
    // Named, a provider is asked alone.
    let found = home.finds(&json!({"query": "x", "num_results": 9, "provider": "openalex"}));
    assert_eq!(found["resultCount"], 2);
}

#[test]
fn works_of_others_with_the_same_title_stay_two() {
    let work = |doi: &str, author: &str| {
        json!({"display_name": "Editorial", "publication_year": 2020, "doi": doi,
            "authorships": [{"author": {"display_name": author}}]})
    };
    let body = json!({"meta": {"count": 4}, "results": [
        work("10.1000/1", "Jane Doe"), work("10.1000/2", "John Roe"), work("10.1000/3", "J. Doe"),
        work("10.1000/1", "Someone Else"),
    ]});
    let server = answering("200 OK", "application/json", &body.to_string());
    let found = with(&[("openalex", &server)]).finds(&of("openalex"));
    assert_eq!(found["resultCount"], 2);
    assert_eq!(found["papers"][1]["doi"], "10.1000/2");
}

#[test]
fn filters_and_order_hold_where_a_provider_has_none() {
    let one = |provider: &'static str, more: Value| {
        let server = server_of(provider);
        let mut request = of(provider);
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        let found = with(&[(provider, &server)]).finds(&request);
        titles(&found)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let title = "Highly accurate prediction";
    for (provider, more, expected) in [
        ("semanticscholar", json!({"source": "nature"}), vec![title]),
        ("semanticscholar", json!({"source": "arxiv"}), vec![title]),
        ("semanticscholar", json!({"source": "pubmed"}), vec![title]),
        ("semanticscholar", json!({"source": "ieee"}), vec![]),
        ("semanticscholar", json!({"year_from": 2022}), vec!["Newer"]),
        (
            "semanticscholar",
            json!({"sort_by": "date"}),
            vec!["Newer", title],
        ),
        ("semanticscholar", json!({"open_access": true}), vec![title]),
        ("crossref", json!({"open_access": true}), vec![title]),
        ("crossref", json!({"pdf_only": true}), vec![title]),
        (
            "crossref",
            json!({"source": "springer"}),
            vec!["Behind a wall"],
        ),
        ("crossref", json!({"source": "arxiv"}), vec![]),
        ("crossref", json!({"year_to": 2020}), vec!["Behind a wall"]),
        ("openalex", json!({"source": "arxiv"}), vec!["No DOI"]),
        ("openalex", json!({"source": "pubmed"}), vec![title]),
        (
            "arxiv",
            json!({"source": "ieee"}),
            vec!["Prediction where $x<y$ & more"],
        ),
        ("pubmed", json!({"source": "springer"}), vec![]),
    ] {
        assert_eq!(one(provider, more.clone()), expected, "{provider} {more}");
    }
}

#[test]
fn a_source_that_has_a_provider_is_asked_there_first() {
    for source in ["arxiv", "pubmed"] {
        let own = server_of(source);
        let openalex = server_of("openalex");
        let home = with(&[(source, &own), ("openalex", &openalex)]);
        let found = home.finds(&json!({"query": "x", "source": source, "num_results": 1}));
        assert_eq!(found["source"], source);
        assert_eq!(openalex.asked().len(), 0);
    }
    let pubmed = server_of("pubmed");
    let home = with(&[("pubmed", &pubmed)]);
    home.fails(&json!({"query": "x"}), "NETWORK_ERROR");
    assert_eq!(pubmed.asked().len(), 0, "it is for biomedical sources");
}

#[test]
fn free_files_are_looked_up_before_papers_without_one_are_dropped() {
    let unpaywall = Server::start(|asked, conn| {
        let (status, body) = match asked.target.as_str() {
            target if target.contains("/10.1007/2?") => (
                "200 OK",
                r#"{"is_oa":true,"best_oa_location":{"url_for_pdf":"https://repo.example/2.pdf"}}"#,
            ),
            _ => ("404 Not Found", r#"{"error":true,"message":"not found"}"#),
        };
        let head = format!("{status}\r\nContent-Type: application/json");
        conn.write_all(&reply(&head, body))
    });
    let crossref = server_of("crossref");
    let home = with(&[("crossref", &crossref), ("unpaywall", &unpaywall)]);
    let request = json!({"query": "x", "provider": "crossref", "pdf_only": true});
    let found = home.finds(&request);
    assert_eq!(
        found["resultCount"], 1,
        "nobody was asked without an address of mail"
    );
    assert_eq!(unpaywall.asked().len(), 0);
    let home = home.set("UNPAYWALL_EMAIL", "me@example.com");
    let found = home.finds(&request);
    assert_eq!(
        titles(&found),
        ["Highly accurate prediction", "Behind a wall"]
    );
    assert_eq!(found["papers"][1]["pdfUrl"], "https://repo.example/2.pdf");
    assert_eq!(found["papers"][1]["openAccess"], true);
    let asked = unpaywall.asked();
    assert_eq!(asked.len(), 1, "one has a file already");
    assert_eq!(asked[0].param("email").as_deref(), Some("me@example.com"));
    // At most five, and none of their failures is one of the search.
    let works: Vec<Value> = (0..9)
        .map(|n| json!({"DOI": format!("10.1000/{n}"), "title": [format!("T{n}")]}))
        .collect();
    let body = json!({"message": {"items": works, "total-results": 9}}).to_string();
    let crossref = answering("200 OK", "application/json", &body);
    let broken = answering("500 Internal Server Error", "text/plain", "no");
    for unpaywall in [&unpaywall, &broken] {
        let before = unpaywall.asked().len();
        let home = with(&[("crossref", &crossref), ("unpaywall", unpaywall)])
            .set("UNPAYWALL_EMAIL", "me@example.com");
        let found = home.finds(&json!({"query": "x", "provider": "crossref", "num_results": 9}));
        assert_eq!(found["resultCount"], 9);
        assert_eq!(unpaywall.asked().len() - before, 5);
    }
}

#[test]
fn an_answer_is_kept_for_an_hour_and_a_session_is_no_other_search() {
    let server = server_of("openalex");
    let home = with(&[("openalex", &server)]);
    let request = json!({"query": "x", "num_results": 2});
    let first = home.finds(&request);
    assert_eq!(home.finds(&request), first);
    assert_eq!(
        home.finds(&json!({"query": " x ", "num_results": "2", "source": "all",
        "pdf_only": false, "year_from": 0, "sort_by": "relevance"})),
        first
    );
    assert_eq!(server.asked().len(), 1);
    home.finds(&json!({"query": "x", "num_results": 1}));
    home.finds(&json!({"query": "x", "num_results": 2, "year_from": 1999}));
    assert_eq!(server.asked().len(), 3);
    let home = home.set("IKIGAI_NO_CACHE", "1");
    home.finds(&request);
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn a_provider_that_failed_is_said_and_left_alone_for_a_while() {
    let openalex = answering("429 Too Many Requests", "application/json", "{}");
    let crossref = server_of("crossref");
    let home = with(&[("openalex", &openalex), ("crossref", &crossref)]);
    let found = home.finds(&json!({"query": "x", "num_results": 2}));
    assert_eq!(found["source"], "crossref");
    assert!(found["note"].is_string());
    home.finds(&json!({"query": "y", "num_results": 2}));
    assert_eq!((openalex.asked().len(), crossref.asked().len()), (1, 2));
    // One that is named is asked all the same.
    home.fails(&json!({"query": "y", "provider": "openalex"}), "RATE_LIMIT");
    assert_eq!(openalex.asked().len(), 2);
    // Too few papers after a failure are not kept.
    for _ in 0..2 {
        let found = home.finds(&json!({"query": "z", "provider": "crossref"}));
        assert_eq!(found["resultCount"], 2);
        home.finds(&json!({"query": "z"}));
    }
    assert_eq!(crossref.asked().len(), 2 + 1 + 2);
}

#[test]
fn without_any_of_them_the_web_is_searched_on_scholarly_hosts_and_that_is_said() {
    let results = json!({"web": {"results": [
        {"title": "A preprint", "url": "https://arxiv.org/pdf/2101.00001.pdf", "description": "d",
         "page_age": "2021-01-02T00:00:00"},
        {"title": "An article", "url": "https://www.nature.com/articles/s41586-021-1", "description": ""},
        {"title": "A blog", "url": "https://blog.example/1", "description": ""},
    ]}});
    let brave = answering("200 OK", "application/json", &results.to_string());
    let home = alone()
        .at("brave", &brave.url("/search"))
        .set("BRAVE_API_KEY", SECRET)
        .set("SEARCH_PROVIDER", "brave");
    let found = home.finds(&json!({"query": "x"}));
    assert_eq!(found["source"], "web_search");
    assert_eq!(titles(&found), ["A preprint", "An article"]);
    assert_eq!(
        found["papers"][0]["pdfUrl"],
        "https://arxiv.org/pdf/2101.00001.pdf"
    );
    assert_eq!(found["papers"][0]["year"], 2021);
    let queries: Vec<String> = brave
        .asked()
        .iter()
        .filter_map(|asked| asked.param("q"))
        .collect();
    assert!(
        queries.iter().all(|query| query.contains("site:")),
        "{queries:?}"
    );
    // Filters hold there too.
    let found = home.finds(&json!({"query": "x", "year_from": 2022}));
    assert_eq!(found["resultCount"], 0);
    assert_eq!(
        found["hints"]["filtersApplied"],
        json!({"year_from": "2022"})
    );
    home.fails(&of("crossref"), "NETWORK_ERROR");
    // Nobody at all.
    alone().fails(&json!({"query": "x"}), "NETWORK_ERROR");
    assert_eq!(good("brave").provider, "brave");
}

#[test]
fn what_is_found_is_in_the_session_that_is_named_from_the_cache_too() {
    let server = server_of("openalex");
    let home = with(&[("openalex", &server)]);
    let asked = |name: &str, request: Value| home.call_of(name).with(&request).run().json();
    let step = json!({"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": true});
    let id = asked("sequential-search-tool", step)["sessionId"].clone();
    let request = json!({"query": "x", "num_results": 2, "sessionId": id});
    assert_eq!(home.finds(&request), home.finds(&request));
    assert_eq!(server.asked().len(), 1);
    let session = asked("get-research-session-tool", json!({"sessionId": id}));
    let sources = session["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2, "{session}");
    assert_eq!(sources[0]["doi"], "10.1038/s41586-021-1");
    assert_eq!(sources[0]["author"], "John Jumper, Demis Hassabis");
    assert_eq!(
        (&sources[0]["date"], &sources[0]["step"]),
        (&json!("2021-07-15"), &json!(1))
    );
    let export = |format: &str| {
        let request = json!({"sessionId": id, "format": format});
        asked("research-export-tool", request)["content"].to_string()
    };
    let bibtex = export("bibtex");
    assert!(bibtex.contains("@article{jumper2021"), "{bibtex}");
    assert!(bibtex.contains("journal = {Nature}"), "{bibtex}");
    let csl = export("csl-json");
    assert!(csl.contains("article-journal"), "{csl}");
}

#[test]
fn arxiv_is_asked_once_in_three_seconds_whoever_asks() {
    let times = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = times.clone();
    let server = Server::start(move |_, conn| {
        seen.lock().unwrap().push(Instant::now());
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: application/atom+xml",
            ARXIV,
        ))
    });
    let home = with(&[("arxiv", &server)]);
    let start = |query: &str| {
        let request = json!({"query": query, "provider": "arxiv"});
        home.call().with(&request).start()
    };
    let mut running = [start("one"), start("two")];
    for child in &mut running {
        let mut out = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        child.wait().unwrap();
        assert!(out.contains("\"resultCount\":1"), "{out}");
    }
    let times = times.lock().unwrap();
    assert_eq!(times.len(), 2);
    assert!(times[1] - times[0] >= Duration::from_secs(3));
}

#[test]
fn people_get_a_list() {
    let server = server_of("openalex");
    let home = with(&[("openalex", &server)]);
    let answer = home
        .call()
        .arg("protein prediction")
        .arg("--num-results")
        .arg("2")
        .run();
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    for line in [
        "Highly accurate prediction",
        "John Jumper, Demis Hassabis; 2021; Nature; cited by 23000; open access; openalex",
        "RETRACTED",
        "https://doi.org/10.1038/s41586-021-1",
        "PDF: https://www.nature.com/articles/1.pdf",
        "Proteins are essential to life.",
    ] {
        assert!(text.contains(line), "{line} in {text} {}", answer.stderr);
    }
    assert_eq!(answer.code(), 0);
    let answer = home.call().arg("x").arg("--json").run();
    assert_eq!(answer.json()["papers"][0]["year"], 2021);
}
