//! The tool `check_references`, against servers of the test's own that know some works, as Crossref
//! and others do.

use std::fmt::Write as _;

use crate::common::directory;
use crate::common::home::Home;
use crate::common::messages::TextRow;
use crate::server::{Asked, Server, reply};
use serde_json::{Value, json};

/// The providers that a check may ask.
const PROVIDERS: [&str; 8] = [
    "crossref",
    "openalex",
    "arxiv",
    "pubmed",
    "semanticscholar",
    "datacite",
    "doi",
    "wayback",
];

const SUBJECTS: [&str; 10] = [
    "Sea Urchins",
    "Gödel Numbers",
    "Alpine Glaciers",
    "Neural Networks",
    "Copper Alloys",
    "Medieval Ledgers",
    "Honey Bees",
    "Quantum Dots",
    "River Deltas",
    "Peer Review",
];

const VIEWS: [&str; 10] = [
    "The Decline of",
    "Measuring",
    "A Theory of",
    "Long-Term Effects on",
    "Mapping",
    "Robust Inference for",
    "On the Origin of",
    "A Survey of",
    "Cooperation among",
    "Noise in",
];

const FAMILIES: [(&str, &str); 12] = [
    ("Müller", "Hans"),
    ("García Márquez", "Gabriel"),
    ("O'Neil", "Cathy"),
    ("van der Berg", "Jan"),
    ("Łukasz", "Anna"),
    ("Smith", "John Robert"),
    ("Wang", "Xiaoming"),
    ("Ørsted", "Hanne"),
    ("Dupont", "Élise"),
    ("Rossi", "Marco"),
    ("Kowalska", "Maria"),
    ("Brown", "Patricia"),
];

const JOURNALS: [(&str, &str); 5] = [
    ("Journal of Applied Ecology", "J. Appl. Ecol."),
    ("Annals of Mathematical Statistics", "Ann. Math. Stat."),
    ("Physical Review Letters", "Phys. Rev. Lett."),
    ("Nature", "Nature"),
    (
        "Proceedings of the National Academy of Sciences",
        "Proc. Natl. Acad. Sci. U.S.A.",
    ),
];

/// A work of the test's own.
struct MadeWork {
    at: usize,
    title: String,
    subtitle: String,
    authors: Vec<(&'static str, &'static str)>,
    journal: (&'static str, &'static str),
    year: usize,
    first_page: usize,
}

impl MadeWork {
    fn new(at: usize) -> Self {
        let (view, subject) = (VIEWS[at / 10 % 10], SUBJECTS[at % 10]);
        let place = ["in the Baltic", "under Stress", "revisited"][at / 100 % 3];
        let author = |n: usize| FAMILIES[(at * 5 + n * 7) % 12];
        Self {
            at,
            title: format!("{view} {subject} {place}"),
            subtitle: if at.is_multiple_of(4) {
                "Evidence from Ten Years".to_owned()
            } else {
                String::new()
            },
            authors: (0..=at % 3).map(author).collect(),
            journal: JOURNALS[at % 5],
            year: 1980 + at % 43,
            first_page: 100 + at * 3,
        }
    }

    fn doi(&self) -> String {
        format!("10.5555/made.{}", self.at)
    }

    fn pages(&self) -> String {
        format!("{}-{}", self.first_page, self.first_page + 11)
    }

    fn crossref(&self) -> Value {
        let authors = self.authors.iter();
        let authors: Vec<Value> = authors
            .map(|(family, given)| json!({"family": family, "given": given}))
            .collect();
        let mut item = json!({
            "DOI": self.doi(), "URL": format!("https://doi.org/{}", self.doi()),
            "type": "journal-article", "title": [self.title], "author": authors,
            "container-title": [self.journal.0], "page": self.pages(), "volume": "7",
            "published": {"date-parts": [[self.year]]}, "is-referenced-by-count": 3,
        });
        if !self.subtitle.is_empty() {
            item["subtitle"] = json!([self.subtitle]);
        }
        if self.at.is_multiple_of(3) {
            item["published-online"] = json!({"date-parts": [[self.year - 1, 12, 1]]});
        }
        if self.at == 8 {
            item["title"] = json!([format!("RETRACTED: {}", self.title)]);
        }
        if self.at == 7 {
            item["updated-by"] = json!([{"type": "retraction", "DOI": "10.5555/notice"}]);
        }
        item
    }

    fn openalex(&self) -> Value {
        let authors = self.authors.iter();
        let authors: Vec<Value> = authors
            .map(|(family, given)| json!({"author": {"display_name": format!("{given} {family}")}}))
            .collect();
        json!({
            "id": format!("https://openalex.org/W{}", self.at), "doi": self.doi(), "type": "article",
            "display_name": self.title, "publication_year": self.year, "authorships": authors,
            "primary_location": {"source": {"display_name": self.journal.0, "type": "journal"}},
            "biblio": {"first_page": self.first_page.to_string()},
        })
    }

    /// A reference to it as GB/T 7714 and the Institute of Physics have them, and some Chinese
    /// authors, without a blank.
    fn in_other_styles(&self) -> [String; 3] {
        let names = |mark: &str, blank: &str| {
            let names = self.authors.iter().map(|(family, given)| {
                let words = given.split(' ').filter_map(|word| word.chars().next());
                format!(
                    "{family} {}",
                    words.map(String::from).collect::<Vec<_>>().join(blank)
                )
            });
            names.collect::<Vec<_>>().join(mark)
        };
        let Self { title, year, .. } = self;
        let (journal, short) = self.journal;
        let pages = self.pages();
        let physics = format!("{} {year} {title} {short} 7 {pages}", names(" and ", " "));
        let whole = format!(
            "{}. {title}[J]. {journal}, {year}, 7: {pages}.",
            names(", ", " ")
        );
        [
            whole
                .replace(". ", ".")
                .replace(", ", ",")
                .replace(": ", ":"),
            whole.to_uppercase().replace("[J]", "[J/OL]"),
            physics,
        ]
    }

    /// A reference to it, in the form and with the usual liberties of its number.
    fn reference(&self) -> String {
        let Self { at, year, .. } = *self;
        let whole_title = match (self.subtitle.as_str(), at % 8) {
            ("", _) | (_, 0) => self.title.clone(),
            (subtitle, _) => format!("{}: {subtitle}", self.title),
        };
        let journal = if at % 2 == 0 {
            self.journal.0
        } else {
            self.journal.1
        };
        let year = if at % 3 == 0 && at % 2 == 0 {
            year - 1
        } else {
            year
        };
        let initials = |given: &str| {
            let words = given.split(' ').filter_map(|word| word.chars().next());
            words.map(|c| format!("{c}.")).collect::<Vec<_>>().join(" ")
        };
        match at % 5 {
            0 => {
                let names = self
                    .authors
                    .iter()
                    .map(|(family, given)| format!("{family}, {given}"));
                let names = names.collect::<Vec<_>>().join(" and ");
                let tex = |text: &str| {
                    text.replace('ü', "{\\\"u}")
                        .replace('ö', "{\\\"o}")
                        .replace('Ø', "{\\O}")
                };
                format!(
                    "@article{{k{at}, author = {{{}}}, title = {{{{{}}}}}, journal = {{{journal}}}, \
                     year = {year}, pages = {{{}--{}}}{}}}",
                    tex(&names),
                    tex(&whole_title),
                    self.first_page,
                    self.first_page + 11,
                    if at % 2 == 0 {
                        format!(", doi = {{{}}}", self.doi())
                    } else {
                        String::new()
                    }
                )
            }
            1 => {
                let mut text = format!("TY  - JOUR\nTI  - {whole_title}\n");
                for (family, given) in &self.authors {
                    let _ = writeln!(text, "AU  - {family}, {}", initials(given));
                }
                let _ = write!(
                    text,
                    "JO  - {journal}\nPY  - {year}\nSP  - {}\nER  - ",
                    self.first_page
                );
                text
            }
            2 => {
                let names = self.authors.iter();
                let names: Vec<Value> = names
                    .map(|(family, given)| json!({"family": family, "given": given}))
                    .collect();
                json!({"type": "article-journal", "title": whole_title.to_uppercase(),
                    "author": names, "issued": {"date-parts": [[year]]},
                    "container-title": journal, "page": self.pages()})
                .to_string()
            }
            3 => {
                let names = self
                    .authors
                    .iter()
                    .map(|(family, given)| format!("{family}, {}", initials(given)));
                format!(
                    "{} ({year}). {whole_title}. {journal}, 7, {}.",
                    names.collect::<Vec<_>>().join(", "),
                    self.pages()
                )
            }
            _ => {
                let names = self
                    .authors
                    .iter()
                    .map(|(family, given)| format!("{} {family}", initials(given)));
                format!(
                    "{}, \u{201c}{whole_title},\u{201d} {journal}, vol. 7, pp. {}, {year}.",
                    names.collect::<Vec<_>>().join(", "),
                    self.pages().replace('-', "\u{2013}")
                )
            }
        }
    }

    /// A reference that is made up out of this work and others.
    fn invented(&self) -> String {
        let Self { at, .. } = *self;
        let strange = [("Quisling", "Vera"), ("Nobody", "Ivan")];
        let distorted = match at % 5 {
            // The title of one, and authors of another.
            0 | 3 => Self {
                authors: vec![strange[at % 2]],
                ..Self::new(at)
            },
            1 => Self {
                year: self.year + 4,
                ..Self::new(at)
            },
            // A title that nobody has written.
            2 => Self {
                title: format!("Toward {} without Tears", self.title),
                subtitle: String::new(),
                ..Self::new(at)
            },
            _ => Self {
                title: self
                    .title
                    .replace(" of ", " against ")
                    .replace(" on ", " beyond ")
                    + " Again",
                subtitle: String::new(),
                ..Self::new(at)
            },
        };
        if at % 5 == 0 && at % 2 == 0 {
            // All of one work, and the DOI of another.
            return Self::new(at)
                .reference()
                .replace(&self.doi(), &Self::new(at + 1).doi());
        }
        distorted.reference()
    }
}

const WORKS: usize = 300;

fn works() -> Vec<MadeWork> {
    (0..WORKS).map(MadeWork::new).collect()
}

/// How many of the words of a work's record a text has.
fn shared(work: &MadeWork, query: &str) -> usize {
    let query = query.to_lowercase();
    let names = work.authors.iter().map(|(family, _)| *family);
    let words = work.title.split(' ').chain(names).map(str::to_lowercase);
    words.filter(|word| query.contains(word.as_str())).count()
}

fn decoded(asked: &Asked) -> String {
    let path = asked.target.split('?').next().unwrap_or_default();
    percent_encoding(path)
}

fn percent_encoding(text: &str) -> String {
    let url = url::Url::parse(&format!("http://x/?q={}", text.replace('+', "%2B"))).unwrap();
    url.query_pairs()
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

const JSON: &str = "200 OK\r\nContent-Type: application/json\r\nX-Rate-Limit-Limit: 500\r\n\
    X-Rate-Limit-Interval: 1s\r\nX-Concurrency-Limit: 5";

fn crossref_server() -> Server {
    let works = works();
    Server::start(move |asked, conn| {
        let path = decoded(asked);
        if let Some(doi) = path.strip_prefix("/api/") {
            let Some(work) = works.iter().find(|work| work.doi() == doi) else {
                return conn.write_all(&reply("404 Not Found", "Resource not found."));
            };
            let body = json!({"status": "ok", "message": work.crossref()});
            return conn.write_all(&reply(JSON, body.to_string()));
        }
        let query = asked.param("query.bibliographic").unwrap_or_default();
        let mut all: Vec<&MadeWork> = works.iter().collect();
        all.sort_by_cached_key(|work| std::cmp::Reverse(shared(work, &query)));
        let items: Vec<Value> = all.iter().take(5).map(|work| work.crossref()).collect();
        let body = json!({"status": "ok", "message": {"total-results": 300, "items": items}});
        conn.write_all(&reply(JSON, body.to_string()))
    })
}

fn openalex_server() -> Server {
    let works = works();
    Server::start(move |asked, conn| {
        let path = decoded(asked);
        if let Some(id) = path.strip_prefix("/api/") {
            let is_its = |work: &&MadeWork| format!("doi:{}", work.doi()) == id;
            let Some(work) = works.iter().find(is_its) else {
                return conn.write_all(&reply("404 Not Found", "{}"));
            };
            return conn.write_all(&reply(JSON, work.openalex().to_string()));
        }
        let query = asked.param("search").unwrap_or_default().to_lowercase();
        let has_all = |work: &&MadeWork| {
            let title = work.title.to_lowercase();
            query.split_whitespace().all(|word| title.contains(word))
        };
        let found: Vec<Value> = works
            .iter()
            .filter(has_all)
            .map(MadeWork::openalex)
            .collect();
        let body = json!({"meta": {"count": found.len()}, "results": found});
        conn.write_all(&reply(JSON, body.to_string()))
    })
}

fn doi_server() -> Server {
    Server::start(|_, conn| {
        let body = r#"{"responseCode":100,"handle":"x"}"#;
        conn.write_all(&reply(
            "404 Not Found\r\nContent-Type: application/json",
            body,
        ))
    })
}

fn absent() -> Server {
    Server::bytes(reply("404 Not Found", "{}"))
}

/// A home from which references are checked, where no provider is reached but these.
pub(super) fn with(servers: &[(&str, &Server)]) -> Home {
    // What is asked of sites of the world, such as doi.org, ends here.
    let home = Home::of("check-references-tool").set("https_proxy", "http://127.0.0.1:1");
    let home = PROVIDERS
        .iter()
        .fold(home, |home, name| home.at(name, "http://127.0.0.1:1/api"));
    let servers = servers.iter();
    servers.fold(home, |home, (name, server)| {
        home.at(name, &server.url("/api"))
    })
}

#[track_caller]
pub(super) fn checks(home: &Home, text: &str) -> Value {
    home.finds(&json!({"text": text}))
}

pub(super) fn statuses(checked: &Value) -> Vec<&str> {
    let references = checked["references"].as_array().unwrap().iter();
    references
        .map(|one| one["status"].as_str().unwrap())
        .collect()
}

pub(super) fn fields(reference: &Value) -> Vec<&str> {
    let differences = reference["differences"].as_array().unwrap().iter();
    differences
        .map(|one| one["field"].as_str().unwrap())
        .collect()
}

struct AllServers {
    crossref: Server,
    openalex: Server,
    datacite: Server,
    doi: Server,
}

impl AllServers {
    fn start() -> Self {
        Self {
            crossref: crossref_server(),
            openalex: openalex_server(),
            datacite: absent(),
            doi: doi_server(),
        }
    }

    fn home(&self) -> Home {
        with(&[
            ("crossref", &self.crossref),
            ("openalex", &self.openalex),
            ("datacite", &self.datacite),
            ("doi", &self.doi),
        ])
    }
}

#[test]
fn real_references_are_found_and_invented_ones_are_not() {
    let servers = AllServers::start();
    let home = servers.home();
    let works = works();
    // Each form in calls of its own, fifty entries at a time.
    let check = |references: Vec<(usize, String)>| -> Vec<(usize, Value)> {
        let mut checked = Vec::new();
        for form in 0..5 {
            let of_form: Vec<&(usize, String)> =
                references.iter().filter(|(at, _)| at % 5 == form).collect();
            for part in of_form.chunks(50) {
                let texts: Vec<&str> = part.iter().map(|(_, text)| text.as_str()).collect();
                let text = match form {
                    2 => format!("[{}]", texts.join(",")),
                    _ => texts.join("\n\n"),
                };
                let answer = checks(&home, &text);
                let found = answer["references"].as_array().unwrap().clone();
                assert_eq!(found.len(), part.len(), "{text}");
                checked.extend(part.iter().map(|(at, _)| *at).zip(found));
            }
        }
        checked
    };
    let real = check(
        works[..200]
            .iter()
            .map(|work| (work.at, work.reference()))
            .collect(),
    );
    let missed: Vec<String> = real
        .iter()
        .filter(|(_, one)| one["status"] != "found")
        .map(|(at, one)| format!("{at} {one}"))
        .collect();
    println!("{} of 200 real references missed", missed.len());
    assert!(
        missed.len() <= 6,
        "{} of 200: {}",
        missed.len(),
        missed.join("\n")
    );
    let invented = check(
        works[200..]
            .iter()
            .map(|work| (work.at, work.invented()))
            .collect(),
    );
    let passed: Vec<String> = invented
        .iter()
        .filter(|(_, one)| one["status"] == "found")
        .map(|(at, one)| format!("{at} {one}"))
        .collect();
    println!("{} of 100 invented references passed", passed.len());
    assert!(
        passed.len() <= 2,
        "{} of 100: {}",
        passed.len(),
        passed.join("\n")
    );
    let unchecked = invented
        .iter()
        .chain(&real)
        .filter(|(_, one)| one["status"] == "unchecked");
    assert_eq!(unchecked.count(), 0);
}

#[test]
fn references_in_styles_without_marks_are_found_and_invented_ones_are_not() {
    let servers = AllServers::start();
    let home = servers.home();
    let works = works();
    let check = |texts: Vec<String>| -> Vec<Value> {
        let parts = texts.chunks(50);
        let answers = parts.map(|part| checks(&home, &part.join("\n\n")));
        let all = answers.flat_map(|answer| answer["references"].as_array().unwrap().clone());
        let all: Vec<Value> = all.collect();
        assert_eq!(all.len(), texts.len());
        all
    };
    let rows = |all: Vec<Value>, is_wrong: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let wrong = all.iter().filter(|one| is_wrong(one));
        wrong.map(Value::to_string).collect()
    };
    let real = works[..50].iter().flat_map(MadeWork::in_other_styles);
    let missed = rows(check(real.collect()), &|one| one["status"] != "found");
    println!("{} of 150 real references missed", missed.len());
    assert!(
        missed.len() <= 4,
        "{} of 150: {}",
        missed.len(),
        missed.join("\n")
    );
    let invented = works[200..250].iter().flat_map(|work| {
        let strange = MadeWork {
            authors: vec![("Quisling", "Vera")],
            ..MadeWork::new(work.at)
        };
        let title = MadeWork {
            title: format!("{} without Tears", work.title),
            ..MadeWork::new(work.at)
        };
        strange
            .in_other_styles()
            .into_iter()
            .chain(title.in_other_styles())
    });
    let passed = rows(check(invented.collect()), &|one| one["status"] == "found");
    println!("{} of 300 invented references passed", passed.len());
    assert!(
        passed.len() <= 4,
        "{} of 300: {}",
        passed.len(),
        passed.join("\n")
    );
}

#[test]
fn a_number_that_is_nobodys_or_another_works_is_a_difference() {
    let servers = AllServers::start();
    let unknown = r#"{"result":{"uids":["123456","7"],
        "123456":{"uid":"123456","error":"cannot get document summary"},
        "7":{"uid":"7","title":"On something else.","pubdate":"1990",
            "authors":[{"name":"Stranger A","authtype":"Author"}]}}}"#;
    let pubmed = Server::bytes(reply(JSON, unknown));
    let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom"><totalResults>0</totalResults></feed>"#;
    let atom = "200 OK\r\nContent-Type: application/atom+xml";
    let arxiv = Server::bytes(reply(atom, feed));
    let work = MadeWork::new(13);
    let of_doi = MadeWork::new(10).reference();
    let of_doi = of_doi.trim_end_matches('}');
    for (text, expected) in [
        (format!("{} PMID: 123456", work.reference()), "pmid"),
        (format!("{} arXiv:2101.00001", work.reference()), "arxiv"),
        (format!("{of_doi}}}, pmid = {{123456}}}}"), "pmid"),
        (format!("{of_doi}}}, pmid = {{7}}}}"), "pmid"),
    ] {
        let home = with(&[
            ("crossref", &servers.crossref),
            ("openalex", &servers.openalex),
            ("semanticscholar", &servers.datacite),
            ("datacite", &servers.datacite),
            ("doi", &servers.doi),
            ("pubmed", &pubmed),
            ("arxiv", &arxiv),
        ]);
        let one = &checks(&home, &text)["references"][0];
        assert_eq!(one["status"], "differs", "{one}");
        assert_eq!(fields(one), [expected], "{one}");
    }
}

#[test]
fn what_differs_is_named_with_both_readings() {
    let servers = AllServers::start();
    let work = MadeWork::new(10);
    let text = work.reference().replace("1990", "1995");
    let checked = checks(&servers.home(), &text);
    let one = &checked["references"][0];
    assert_eq!(one["status"], "differs", "{one}");
    assert_eq!(fields(one), ["year"], "{one}");
    let difference = &one["differences"][0];
    assert_eq!(
        (&difference["given"], &difference["source"]),
        (&json!("1995"), &json!("crossref"))
    );
    assert_eq!(difference["found"], "1990");
    assert_eq!(one["work"]["doi"], work.doi());
    assert_eq!(one["work"].get("abstract"), None);
    assert_eq!(
        checked["summary"],
        json!({"total": 1, "checked": 1, "found": 0, "differs": 1,
        "not_found": 0, "unchecked": 0})
    );
    assert_eq!(checked["trust"], "untrusted-external-content");
    // A DOI that nobody has registered, for a work that exists.
    let text = work.reference().replace(&work.doi(), "10.5555/nowhere");
    let checked = checks(&servers.home(), &text);
    let one = &checked["references"][0];
    assert_eq!(
        (&one["status"], fields(one)),
        (&json!("differs"), vec!["doi"]),
        "{one}"
    );
    // The DOI of another work.
    let text = work
        .reference()
        .replace(&work.doi(), &MadeWork::new(31).doi());
    let one = &checks(&servers.home(), &text)["references"][0];
    assert_eq!(one["status"], "differs");
    assert!(fields(one).contains(&"title"), "{one}");
}

#[test]
fn a_retraction_and_a_dead_link_are_said() {
    let servers = AllServers::start();
    let pages = Server::start(|asked, conn| {
        let status = if asked.target.contains("gone") {
            "404 Not Found"
        } else {
            "403 Forbidden"
        };
        conn.write_all(&reply(status, ""))
    });
    // Addresses of this machine, which a bibliography may not have asked.
    let text = format!(
        "@article{{a, title={{{}}}, url={{{}}}}}",
        MadeWork::new(7).title,
        pages.url("/gone")
    );
    let one = &checks(&servers.home(), &text)["references"][0];
    assert_eq!(one["retractionStatus"]["retracted"], true, "{one}");
    assert_eq!(
        (&one["status"], &one["link"]),
        (&json!("found"), &json!("unchecked")),
        "{one}"
    );
    assert_eq!(pages.asked().len(), 0);
    // A publisher's mark is no part of the title.
    for text in [
        MadeWork::new(8).reference(),
        MadeWork::new(8).in_other_styles()[2].clone(),
    ] {
        let one = &checks(&servers.home(), &text)["references"][0];
        assert_eq!(one["retractionStatus"]["retracted"], true, "{one}");
        assert_eq!(one["status"], "found", "{one}");
    }
}

#[test]
fn a_provider_that_refuses_makes_the_rest_unchecked_and_never_not_found() {
    let crossref = Server::bytes(reply("429 Too Many Requests\r\nRetry-After: 20", "{}"));
    let openalex = openalex_server();
    let home = with(&[("crossref", &crossref), ("openalex", &openalex)]);
    let nobody = "Doe, J. (2001). A title that nobody has written in any book. Journal, 3.";
    let known = MadeWork::new(13).reference();
    let checked = checks(&home, &format!("{nobody}\n\n{known}"));
    assert_eq!(statuses(&checked), ["unchecked", "found"], "{checked}");
    assert_eq!(checked["nextOffset"], 1);
    let note = checked["note"].as_str().unwrap();
    note.assert_row("academic_search", "a reference that could not be checked");
    assert_eq!(crossref.asked().len(), 1, "it is not asked again");
}

#[test]
fn fifty_are_checked_a_call_and_the_next_offset_is_named() {
    let servers = AllServers::start();
    let home = servers.home();
    let all: Vec<String> = (0..12)
        .map(|at| MadeWork::new(at * 5).reference())
        .collect();
    let many = all.join("\n").repeat(5);
    let answer = home.ask(&json!({"text": many})).json();
    assert_eq!(answer["references"].as_array().unwrap().len(), 50);
    assert_eq!(
        (&answer["nextOffset"], &answer["summary"]["total"]),
        (&json!(51), &json!(60))
    );
    let before = servers.crossref.asked().len();
    let answer = home.ask(&json!({"text": many, "offset": 51})).json();
    assert_eq!(answer["references"].as_array().unwrap().len(), 10);
    assert_eq!(answer.get("nextOffset"), None);
    assert_eq!(
        servers.crossref.asked().len(),
        before,
        "what was checked is kept"
    );
    let answer = home.ask(&json!({"text": many, "offset": 61}));
    assert_eq!(
        (answer.json()["error_code"].clone(), answer.code()),
        (json!("INVALID_ARG"), 1)
    );
}

#[test]
fn requests_that_make_no_sense_are_refused_in_words() {
    let home = with(&[]);
    for (request, name) in [
        (json!({}), "no text"),
        (json!({"text": " \n "}), "no text"),
        (json!({"text": "x", "file_path": "y"}), "a text and a file"),
        (
            json!({"file_path": "/nowhere/at/all.bib"}),
            "a file that is not there",
        ),
        (
            json!({"text": "@comment{nothing}"}),
            "a text without references",
        ),
        (json!({"text": "refs.bib"}), "a name in place of a text"),
    ] {
        let answer = home.ask(&request);
        let json = answer.json();
        assert_eq!(
            (json["success"].as_bool(), answer.code()),
            (Some(false), 1),
            "{json}"
        );
        json["error"]
            .as_str()
            .unwrap()
            .assert_row("academic_search", name);
    }
    // What says neither title nor number cannot be looked for.
    let checked = checks(&home, "@misc{a, year={2001}}");
    assert_eq!(statuses(&checked), ["unchecked"]);
    assert_eq!(checked.get("nextOffset"), None);
}

#[test]
fn only_the_references_of_a_document_are_sent() {
    let servers = AllServers::start();
    let home = servers.home();
    let work = MadeWork::new(13);
    let file = home.path().join("paper.md");
    let text = format!(
        "# A secret plan\n\nNobody may know.\n\n## References\n\n1. {}\n",
        work.reference()
    );
    std::fs::write(&file, text).unwrap();
    let checked = home.ask(&json!({"file_path": file})).json();
    assert_eq!(statuses(&checked), ["found"], "{checked}");
    for asked in servers
        .crossref
        .asked()
        .iter()
        .chain(&servers.openalex.asked())
    {
        assert!(!asked.target.contains("secret") && !asked.target.contains("Nobody"));
    }
    std::fs::write(&file, "No heading here.").unwrap();
    let answer = home.ask(&json!({"file_path": file}));
    assert_eq!(answer.json()["error_code"], "INVALID_ARG");
    let pipe = home.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(
        home.ask(&json!({"file_path": pipe})).json()["error_code"],
        "READ_FAILED"
    );
    // A confined call reads no further than its directories.
    let inside = directory();
    let bib = inside.path().join("a.bib");
    std::fs::write(&bib, work.reference()).unwrap();
    std::os::unix::fs::symlink(&file, inside.path().join("link.md")).unwrap();
    let confined = home.set("IKIGAI_ROOTS", &inside.path().to_string_lossy());
    let answer = confined.ask(&json!({"file_path": file}));
    assert_eq!(
        answer.json()["error_code"],
        "PERMISSION_DENIED",
        "{}",
        answer.json()
    );
    let answer = confined.ask(&json!({"file_path": inside.path().join("link.md")}));
    assert_eq!(
        answer.json()["error_code"],
        "PERMISSION_DENIED",
        "{}",
        answer.json()
    );
}

#[test]
fn people_get_a_line_for_each_that_was_found() {
    let servers = AllServers::start();
    let home = servers.home();
    let (found, differs) = (MadeWork::new(7), MadeWork::new(10));
    let text = [
        format!("@article{{a, title={{{}}}}}", found.title),
        differs.reference().replace("1990", "1995"),
        "@article{c, title={A title that nobody has ever written}, author={Doe, J.}, year=2001}"
            .to_owned(),
    ];
    let answer = home.call().arg("--text").arg(text.join("\n")).run();
    let out = String::from_utf8(answer.stdout).unwrap();
    for line in [
        "found: ".to_owned() + found.authors[0].1,
        "RETRACTED".to_owned(),
        "year: given \"1995\", crossref has \"1990\"".to_owned(),
        "not known to crossref and openalex".to_owned(),
    ] {
        assert!(out.contains(&line), "{line} in {out}");
    }
}
