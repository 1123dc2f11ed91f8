//! The tool `academic_search` with a work's number: the work itself, those that cite it and those
//! that it cites; filters, orders and pages.

use serde_json::{Value, json};

use super::papers::{ARXIV, CROSSREF, OPENALEX, PUBMED, SEMANTICSCHOLAR, titles, with};
use crate::common::messages::TextRow;
use crate::providers::answering;
use crate::server::{Asked, Server, reply};

const JSON: &str = "200 OK\r\nContent-Type: application/json";

/// The first record of a list.
fn first(list: &str, place: &str) -> Value {
    let list: Value = serde_json::from_str(list).unwrap();
    list.pointer(place).unwrap()[0].clone()
}

/// A server that answers each request with the body whose mark its target has; else with 404.
fn by_target(rows: Vec<(&'static str, String)>) -> Server {
    Server::start(move |asked, conn| {
        let target = asked.target.replace("%2F", "/").replace("%3A", ":");
        let row = rows.iter().find(|(mark, _)| target.contains(mark));
        match row {
            Some((_, body)) => conn.write_all(&reply(JSON, body)),
            None => conn.write_all(&reply("404 Not Found", "Resource not found.")),
        }
    })
}

fn param(asked: &Asked, name: &str) -> String {
    asked.param(name).unwrap_or_default()
}

#[test]
fn a_number_gives_the_work_that_has_it_alone() {
    let record = json!({"status": "ok", "message": first(CROSSREF, "/message/items")});
    let crossref = by_target(vec![("/api/10.1038/s41586-021-1", record.to_string())]);
    let arxiv = answering("200 OK", "application/atom+xml", ARXIV);
    let pubmed = by_target(vec![("esummary.fcgi", PUBMED.to_owned())]);
    let openalex = answering("200 OK", "application/json", "{}");
    for (query, provider, server, expected) in [
        (
            "10.1038/S41586-021-1",
            "crossref",
            &crossref,
            "Highly accurate prediction",
        ),
        (
            "https://doi.org/10.1038/s41586-021-1",
            "crossref",
            &crossref,
            "Highly accurate prediction",
        ),
        (
            "doi:10.1038/s41586-021-1",
            "crossref",
            &crossref,
            "Highly accurate prediction",
        ),
        (
            "arXiv:2101.00001v2",
            "arxiv",
            &arxiv,
            "Prediction where $x<y$ & more",
        ),
        (
            "https://arxiv.org/abs/2101.00001",
            "arxiv",
            &arxiv,
            "Prediction where $x<y$ & more",
        ),
        (
            "PMID:34265844",
            "pubmed",
            &pubmed,
            "Highly accurate prediction",
        ),
        (
            "https://pubmed.ncbi.nlm.nih.gov/34265844/",
            "pubmed",
            &pubmed,
            "Highly accurate prediction",
        ),
    ] {
        let home = with(&[(provider, server), ("openalex", &openalex)]);
        let found = home.finds(&json!({"query": query, "num_results": 9, "year_from": 2024}));
        assert_eq!(titles(&found), [expected], "{query}");
        assert_eq!(
            (&found["source"], &found["query"]),
            (&json!(provider), &json!(query))
        );
    }
    assert_eq!(openalex.asked().len(), 0);
    assert!(arxiv.asked()[0].target.contains("id_list=2101.00001"));
    assert_eq!(param(&pubmed.asked()[0], "id"), "34265844");
    // Digits alone are words.
    let search = answering("200 OK", "application/json", OPENALEX);
    let found = with(&[("openalex", &search)]).finds(&json!({"query": "34265844"}));
    assert_eq!(
        (found["source"].as_str(), found["resultCount"].as_u64()),
        (Some("openalex"), Some(2))
    );
}

#[test]
fn a_doi_that_crossref_lacks_is_asked_of_the_others_in_turn() {
    let nothing = by_target(vec![]);
    let record = json!({"data": {"id": "10.5281/zenodo.1", "attributes": {
        "doi": "10.5281/ZENODO.1", "titles": [{"title": "A data set"}], "publicationYear": 2020,
        "creators": [{"name": "Doe, Jane", "nameType": "Personal", "givenName": "Jane", "familyName": "Doe"},
            {"name": "The Group", "nameType": "Organizational"}],
        "publisher": "Zenodo", "types": {"resourceTypeGeneral": "Dataset"},
        "dates": [{"date": "2020-03-04", "dateType": "Issued"}],
        "descriptions": [{"description": "What it has.", "descriptionType": "Abstract"}]}}});
    let datacite = by_target(vec![("/10.5281/zenodo.1", record.to_string())]);
    let home = with(&[
        ("crossref", &nothing),
        ("openalex", &nothing),
        ("datacite", &datacite),
    ]);
    let found = home.finds(&json!({"query": "10.5281/zenodo.1"}));
    let paper = &found["papers"][0];
    assert_eq!(
        (&paper["title"], &paper["type"]),
        (&json!("A data set"), &json!("dataset")),
        "{found}"
    );
    assert_eq!(
        paper["authorList"][0],
        json!({"family": "Doe", "given": "Jane"})
    );
    assert_eq!(
        paper["authorList"][1],
        json!({"name": "The Group", "group": true})
    );
    assert_eq!(
        (&paper["publisher"], &paper["publishedDate"]),
        (&json!("Zenodo"), &json!("2020-03-04"))
    );
    let targets: Vec<String> = nothing
        .asked()
        .into_iter()
        .map(|asked| asked.target)
        .collect();
    assert_eq!(targets.len(), 2, "{targets:?}");
    // Nobody has it.
    for (code, name) in [(100, "no such DOI"), (1, "a DOI that nobody has")] {
        let doi = by_target(vec![(
            "/10.5555/x",
            json!({"responseCode": code}).to_string(),
        )]);
        let all = [
            ("crossref", &nothing),
            ("openalex", &nothing),
            ("datacite", &nothing),
            ("doi", &doi),
        ];
        let found = with(&all).finds(&json!({"query": "10.5555/x"}));
        assert_eq!(found["resultCount"], 0);
        let note = found["note"].as_str().unwrap();
        note.assert_row("academic_search", name);
    }
    // One that does not answer might have it.
    let limited = answering("429 Too Many Requests", "application/json", "{}");
    let all = [
        ("crossref", &nothing),
        ("openalex", &limited),
        ("datacite", &nothing),
    ];
    with(&all).fails(&json!({"query": "10.5555/x"}), "RATE_LIMIT");
}

#[test]
fn works_around_one_come_from_openalex() {
    for (field, filter) in [
        ("citations_of", "cites:W7"),
        ("references_of", "cited_by:W7"),
    ] {
        let openalex = by_target(vec![
            (
                "/api/doi:10.1000/1",
                json!({"id": "https://openalex.org/W7"}).to_string(),
            ),
            (
                "filter=",
                OPENALEX.replace("\"doi\":\"https", "\"type\":\"article\",\"doi\":\"https"),
            ),
        ]);
        let home = with(&[("openalex", &openalex)]);
        let found = home.finds(&json!({field: "https://doi.org/10.1000/1", "num_results": 2}));
        assert_eq!(
            titles(&found),
            ["Highly accurate prediction", "No DOI"],
            "{found}"
        );
        assert_eq!(
            (&found["source"], &found["totalResults"]),
            (&json!("openalex"), &json!(4711))
        );
        let asked = openalex.asked();
        assert_eq!(param(&asked[1], "filter"), filter);
        assert_eq!(asked[1].param("search"), None);
        home.finds(
            &json!({field: "10.1000/1", "query": "accurate prediction", "year_from": 2020,
            "author": "Jumper", "min_citations": 5, "type": "article", "num_results": 1}),
        );
        let asked = openalex.asked();
        let last = asked.last().unwrap();
        let filters = param(last, "filter");
        for part in [
            filter,
            "from_publication_date:2020-01-01",
            "raw_author_name.search:Jumper",
            "cited_by_count:>4",
            "type:article",
        ] {
            assert!(filters.contains(part), "{filters}");
        }
        assert_eq!(param(last, "search"), "accurate prediction");
    }
}

#[test]
fn semantic_scholar_takes_its_place_and_nothing_known_is_not_none() {
    let paper = first(SEMANTICSCHOLAR, "/data");
    let citing = json!({"offset": 0, "data": [{"citingPaper": paper}]}).to_string();
    let semantic = by_target(vec![("/api/DOI:10.1000/1/citations", citing)]);
    let limited = answering("429 Too Many Requests", "application/json", "{}");
    let home = with(&[("openalex", &limited), ("semanticscholar", &semantic)]);
    let found = home.finds(&json!({"citations_of": "10.1000/1"}));
    assert_eq!(titles(&found), ["Highly accurate prediction"], "{found}");
    assert_eq!(found["source"], "semanticscholar");
    assert!(found["note"].is_string());
    // What it cannot filter is filtered here, and said.
    let found =
        home.finds(&json!({"citations_of": "10.1000/1", "author": "Nobody", "query": "fold"}));
    assert_eq!(found["resultCount"], 0);
    // Both refuse.
    let home = with(&[("openalex", &limited), ("semanticscholar", &limited)]);
    home.fails(&json!({"references_of": "10.1000/1"}), "RATE_LIMIT");
    // One does not know the work, and the other keeps the list to itself.
    let nothing = by_target(vec![]);
    let withheld = by_target(vec![("/references", r#"{"data":null}"#.to_owned())]);
    let home = with(&[("openalex", &nothing), ("semanticscholar", &withheld)]);
    let found = home.finds(&json!({"references_of": "10.1000/1"}));
    assert_eq!(found["resultCount"], 0);
    assert!(found["note"].is_string());
}

#[test]
fn filters_and_pages_reach_each_provider_or_are_applied_here() {
    let everything = json!({"query": "x", "author": "Jane Doe", "venue": "Nature",
        "type": "article", "min_citations": 3, "sort_by": "citations", "page": 3, "num_results": 5});
    for (provider, body, expected) in [
        (
            "openalex",
            OPENALEX,
            vec![
                ("page", "3"),
                ("per_page", "5"),
                ("sort", "cited_by_count:desc"),
            ],
        ),
        (
            "crossref",
            CROSSREF,
            vec![
                ("offset", "10"),
                ("rows", "5"),
                ("query.author", "Jane Doe"),
                ("query.container-title", "Nature"),
                ("filter", "type:journal-article"),
                ("sort", "is-referenced-by-count"),
            ],
        ),
        (
            "semanticscholar",
            SEMANTICSCHOLAR,
            vec![("offset", "10"), ("limit", "5"), ("minCitationCount", "3")],
        ),
    ] {
        let server = answering("200 OK", "application/json", body);
        let home = with(&[(provider, &server)]);
        let mut request = everything.clone();
        request["provider"] = json!(provider);
        home.finds(&request);
        for (name, value) in expected {
            assert_eq!(param(&server.asked()[0], name), value, "{provider}: {name}");
        }
    }
    let server = answering("200 OK", "application/json", OPENALEX);
    let home = with(&[("openalex", &server)]);
    let found = home.finds(&json!({"query": "x", "venue": "nature"}));
    assert_eq!(titles(&found), ["Highly accurate prediction"]);
    let found = home.finds(&json!({"query": "x", "page": 2, "num_results": 2}));
    let note = found["note"].as_str().unwrap();
    note.assert_row("academic_search", "a page of papers that is not the last");
}
