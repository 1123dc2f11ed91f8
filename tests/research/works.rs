//! Works on their way from a provider through a session to the trail and the exports, and what of
//! that reference managers read.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::sessions::{EXPORT, asked, begin, session};
use crate::common::skip;
use crate::providers::answering;
use crate::reading::{Home, text};
use crate::server::{Server, reply};

/// Works as Crossref has them, of kinds that are cited differently.
fn works() -> Value {
    json!({"status": "ok", "message": {"total-results": 6, "items": [
        {"DOI": "10.1000/ARTICLE", "type": "journal-article", "title": ["Of heat & cold"],
         "container-title": ["Journal of Heat"], "volume": "12", "issue": "3", "page": "45-67",
         "publisher": "House of Heat", "issued": {"date-parts": [[2020, 3, 5]]},
         "author": [{"given": "Gabriel", "family": "García Márquez"}, {"family": "Suryadi"},
          {"name": "The Heat Trial Consortium of Ours"},
          {"given": "John", "family": "Smith", "suffix": "Jr."}],
         "is-referenced-by-count": 17,
         "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/"}]},
        {"DOI": "10.1000/retracted", "type": "journal-article", "title": ["Of ether"],
         "container-title": ["Journal of Ether"], "volume": "1", "page": "e17",
         "issued": {"date-parts": [[2019, 1]]}, "author": [{"given": "E.", "family": "Vil"}],
         "updated-by": [{"type": "retraction", "DOI": "10.1000/notice", "source": "publisher",
          "updated": {"date-parts": [[2022, 2, 6]]}}]},
        {"DOI": "10.1000/chapter", "type": "book-chapter", "title": ["A chapter"],
         "container-title": ["Lecture Notes in Heat", "Heat 2021"], "page": "1-20",
         "publisher": "Springer", "issued": {"date-parts": [[2021]]},
         "author": [{"given": "Ann", "family": "Lee"}],
         "editor": [{"given": "Ed", "family": "Itor"}]},
        {"DOI": "10.1000/paper", "type": "proceedings-article", "title": ["A paper"],
         "container-title": ["Proceedings of Heat"], "publisher": "IEEE", "page": "7-9",
         "issued": {"date-parts": [[2022, 6]]}, "author": [{"given": "Ann", "family": "Lee"}]},
        {"DOI": "10.1000/thesis", "type": "dissertation", "title": ["A thesis"],
         "institution": [{"name": "University of Heat"}], "publisher": "Library of Heat",
         "issued": {"date-parts": [[2018]]}, "author": [{"given": "Bo", "family": "Ox"}]},
        {"DOI": "10.1000/preprint", "type": "posted-content", "subtype": "preprint",
         "title": ["A preprint of $H_2O$"], "institution": [{"name": "bioRxiv"}],
         "publisher": "Cold Spring Harbor Laboratory", "issued": {"date-parts": [[2023, 4, 1]]},
         "author": [{"given": "Cy", "family": "Pher"}]},
    ]}})
}

/// A session with these works in it.
fn session_of_works() -> (Home, String) {
    let server = answering("200 OK", "application/json", &works().to_string());
    let home = Home::new().set("IKIGAI_CROSSREF_URL", &server.url("/works"));
    let id = begin(&home);
    let request =
        json!({"query": "heat", "provider": "crossref", "num_results": 10, "sessionId": id});
    let found = asked(&home, "academic-search-tool", &request);
    assert_eq!(found["resultCount"], 6, "{found}");
    (home, id)
}

fn export(home: &Home, id: &str, format: &str) -> String {
    let answer = asked(home, EXPORT, &json!({"sessionId": id, "format": format}));
    text(&answer, "content").to_owned()
}

#[test]
fn the_trail_says_what_a_work_is_and_which_has_been_retracted() {
    let (home, id) = session_of_works();
    let kept = session(&home, &id);
    let article = &kept["sources"][0];
    assert_eq!(
        article["author"],
        "Gabriel García Márquez, Suryadi, The Heat Trial Consortium of Ours, John Smith Jr."
    );
    assert_eq!(
        article["authorList"][0],
        json!({"family": "García Márquez", "given": "Gabriel"})
    );
    for (name, value) in [
        ("type", json!("article")),
        ("journal", json!("Journal of Heat")),
        ("volume", json!("12")),
        ("issue", json!("3")),
        ("pages", json!("45-67")),
        ("publisher", json!("House of Heat")),
        ("date", json!("2020-03-05")),
        ("openAccess", json!(true)),
        ("citationCount", json!(17)),
    ] {
        assert_eq!(article[name], value, "{name}");
    }
    assert_eq!(kept["sources"][1]["retractionStatus"]["retracted"], true);
    let shown = home.call_of(super::sessions::GET).arg(&id).run();
    let shown = String::from_utf8(shown.stdout).unwrap();
    for said in [
        "Journal of Heat 12(3), 45-67. 2020-03-05. doi:10.1000/article (open access; cited by 17;",
        "[RETRACTED: Of ether]",
        "RETRACTED, 2022-02-06, 10.1000/notice; found at step 1)",
        "(chapter; found at step 1)",
    ] {
        assert!(shown.contains(said), "{said} in {shown}");
    }
    let coverage = &kept["coverage"];
    assert_eq!(coverage["uniqueDomains"], 6, "{coverage}");
    assert_eq!(coverage["sourceTypes"]["peer_reviewed"], 4, "{coverage}");
}

#[test]
fn every_form_calls_a_retracted_work_so() {
    let (home, id) = session_of_works();
    for format in ["markdown", "bibtex", "ris", "csl-json"] {
        let content = export(&home, &id, format);
        let marked = content.matches("RETRACTED: Of ether").count();
        assert_eq!(marked, 1, "{format}: {content}");
        assert!(
            content.contains("RETRACTED, 2022-02-06"),
            "{format}: {content}"
        );
    }
    let whole: Value = serde_json::from_str(&export(&home, &id, "json")).unwrap();
    assert_eq!(
        whole["sources"][1]["retractionStatus"]["kind"],
        "retraction"
    );
}

/// What a session keeps of the only work in this answer of `provider`.
fn kept_of(
    provider: &str,
    kind: &'static str,
    body: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Value {
    let server = Server::start(move |asked, conn| {
        let head = format!("200 OK\r\nContent-Type: {kind}");
        conn.write_all(&reply(&head, body(&asked.target)))
    });
    let variable = format!("IKIGAI_{}_URL", provider.to_uppercase());
    let home = Home::new().set(&variable, &server.url("/api"));
    let id = begin(&home);
    let request = json!({"query": "heat", "provider": provider, "sessionId": id});
    asked(&home, "academic-search-tool", &request);
    session(&home, &id)["sources"][0].clone()
}

#[test]
fn each_provider_s_record_is_kept_whole() {
    let openalex = json!({"meta": {"count": 1}, "results": [{"id": "https://openalex.org/W1",
        "display_name": "A paper", "type": "article", "publication_date": "2020-03-05",
        "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/17",
         "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/42"},
        "authorships": [{"author": {"display_name": "Gijsbertus T. J van der Horst"}}],
        "biblio": {"volume": "1", "issue": "2", "first_page": "3", "last_page": "9"},
        "primary_location": {"landing_page_url": "https://example.com/1",
         "source": {"display_name": "Proceedings of Heat", "type": "conference",
          "host_organization_name": "House"}},
        "cited_by_count": 4}]})
    .to_string();
    let summary = json!({"result": {"uids": ["17"], "17": {"uid": "17", "pubdate": "2020 Mar 5",
        "sortpubdate": "2020/03/05 00:00", "title": "A chapter.", "booktitle": "A book",
        "publishername": "House", "pages": "123-9", "pubtype": [], "volume": "1",
        "authors": [{"name": "Smith JA Jr", "authtype": "Author"},
         {"name": "Itor E", "authtype": "Editor"},
         {"name": "The Heat Group", "authtype": "CollectiveName"}],
        "articleids": [{"idtype": "pmc", "value": "PMC42"}]}}})
    .to_string();
    let numbers = json!({"esearchresult": {"count": "1", "idlist": ["17"]}}).to_string();
    let arxiv = "<feed xmlns='http://www.w3.org/2005/Atom'><entry>\
        <id>http://arxiv.org/abs/hep-th/9901001v3</id><title>A preprint</title>\
        <published>2020-03-05T00:00:00Z</published><author><name>Ada Lovelace</name></author>\
        <arxiv:journal_ref xmlns:arxiv='x'>Proc. Heat, pp. 6-9</arxiv:journal_ref></entry></feed>";
    let scholar = json!({"total": 1, "data": [{"paperId": "a", "title": "An article",
        "url": "https://www.semanticscholar.org/paper/a", "publicationTypes": ["JournalArticle"],
        "externalIds": {"PubMed": "17", "PubMedCentral": "42", "ArXiv": "2101.00001"},
        "journal": {"name": "Heat", "volume": "1", "pages": "\n 21 - 29 \n"},
        "publicationDate": "2020-03-05", "authors": [{"name": "Suryadi"}]}]})
    .to_string();
    let is_search = |target: &str| target.contains("esearch");
    let found = [
        kept_of("openalex", "application/json", move |_| openalex.clone()),
        kept_of("pubmed", "application/json", move |target| {
            if is_search(target) {
                numbers.clone()
            } else {
                summary.clone()
            }
        }),
        kept_of("arxiv", "application/atom+xml", move |_| arxiv.to_owned()),
        kept_of("semanticscholar", "application/json", move |_| {
            scholar.clone()
        }),
    ];
    let expected = [
        json!({"type": "proceedings", "journal": "Proceedings of Heat", "volume": "1",
            "issue": "2", "pages": "3-9", "publisher": "House", "pmid": "17", "pmcid": "PMC42",
            "citationCount": 4, "authorList": [{"name": "Gijsbertus T. J van der Horst"}]}),
        json!({"type": "chapter", "journal": "A book", "volume": "1", "pages": "123-129",
            "publisher": "House", "pmid": "17", "pmcid": "PMC42", "openAccess": true,
            "authorList": [{"family": "Smith", "given": "J. A.", "suffix": "Jr"},
             {"name": "The Heat Group", "group": true}],
            "editors": [{"family": "Itor", "given": "E."}]}),
        json!({"type": "preprint", "journal": "arXiv", "arxiv": "hep-th/9901001",
            "publishedAs": "Proc. Heat, pp. 6-9", "openAccess": true,
            "authorList": [{"name": "Ada Lovelace"}]}),
        json!({"type": "article", "journal": "Heat", "volume": "1", "pages": "21-29",
            "pmid": "17", "pmcid": "PMC42", "arxiv": "2101.00001",
            "authorList": [{"name": "Suryadi"}]}),
    ];
    for (kept, expected) in found.iter().zip(&expected) {
        assert_eq!(kept["date"], "2020-03-05", "{kept}");
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&kept[name], value, "{name} of {kept}");
        }
    }
}

/// `text` through pandoc with these arguments; `None` where there is none.
pub fn through_pandoc(args: &[&str], text: &str) -> Option<String> {
    let child = Command::new("pandoc")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip("there is no pandoc here");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}: {text}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn pandoc_reads_each_work_as_what_it_is_and_cites_it_whole() {
    let (home, id) = session_of_works();
    let own = export(&home, &id, "csl-json");
    let own: Vec<Value> = serde_json::from_str(&own).unwrap();
    let bibtex = export(&home, &id, "bibtex");
    for form in ["bibtex", "biblatex"] {
        let args = ["--from", form, "--to", "csljson"];
        let Some(read) = through_pandoc(&args, &bibtex) else {
            return;
        };
        let read: Vec<Value> = serde_json::from_str(&read).unwrap();
        assert_eq!(read.len(), own.len());
        for item in &own {
            let other = read.iter().find(|other| other["id"] == item["id"]).unwrap();
            if item["type"] != "article" {
                assert_eq!(other["type"], item["type"], "{form}");
            }
            for name in [
                "title",
                "container-title",
                "collection-title",
                "volume",
                "issue",
                "page",
                "publisher",
                "issued",
                "DOI",
                "note",
            ] {
                let plain = |item: &Value| match &item[name] {
                    Value::String(text) => text.replace(['\u{2013}', '$'], "-").replace("--", "-"),
                    other => other.to_string(),
                };
                let is_its_name = name == "title" && item["type"] == "article";
                if !(item[name].is_null() || is_its_name) {
                    assert_eq!(plain(other), plain(item), "{form} {name}: {other}");
                }
            }
            let family = |item: &Value| item["author"][0]["family"].clone();
            assert_eq!(family(other), family(item), "{form}");
            assert_eq!(
                other["author"].as_array().unwrap().len(),
                item["author"].as_array().unwrap().len()
            );
        }
    }
    let place = crate::common::directory();
    let file = place.path().join("own.json");
    std::fs::write(&file, Value::from(own).to_string()).unwrap();
    let bibliography = format!("--bibliography={}", file.display());
    let args = ["--citeproc", &bibliography, "--to", "plain", "--wrap=none"];
    let cited = through_pandoc(&args, "---\nnocite: '@*'\n---\n").unwrap();
    // Styles write titles with capitals.
    let cited = cited.to_lowercase();
    for said in [
        "journal of heat 12 (3): 45–67",
        "garcía márquez, gabriel",
        "retracted: of ether",
    ] {
        assert!(cited.contains(said), "{said} in {cited}");
    }
    assert!(!cited.contains("ahead of print"), "{cited}");
}
