//! Title, authors, site and date of a page, each from the first of its sources that has it.

use serde_json::{Map, Value};
use url::Url;

use crate::page::author::{self, AuthorKind, AuthorName, MAX_AUTHORS};
use crate::page::embedded::EmbeddedData;
use crate::page::json_ld;
use crate::partial_date::PartialDate;
use crate::search::html_text::title_text;
use crate::work::work_id::WorkId;
use crate::work::{Work, WorkKind, page_range};
use iki_base::wording::on_one_line;

/// Types of schema.org for works with an author, except those that are derived by name (`…Article`,
/// `…Posting`).
const WORKS: &str = "Report Book Chapter Review CriticReview Recipe HowTo Question Thesis Dataset \
                     SoftwareSourceCode APIReference VideoObject PodcastEpisode Course \
                     CreativeWork Legislation";

/// Types for pages, which say less about the author than those for the work in the page.
const PAGES: &str = "WebPage AboutPage ItemPage MedicalWebPage FAQPage ProfilePage CollectionPage";

/// Bibliographic sources of a page: its declarations and its URL.
pub struct CitationSources<'a> {
    url: &'a Url,
    embedded: &'a EmbeddedData,
    nodes: Vec<&'a Map<String, Value>>,
    /// Nodes that describe the page: the first work of its JSON-LD, then the first page.
    work: Vec<&'a Map<String, Value>>,
}

impl<'a> CitationSources<'a> {
    pub fn new(url: &'a Url, embedded: &'a EmbeddedData) -> Self {
        let nodes = embedded.nodes();
        let is_work = |node: &&&Map<String, Value>| {
            json_ld::types(node).any(|name| {
                name.ends_with("Article")
                    || name.ends_with("Posting")
                    || WORKS.split(' ').any(|one| one == name)
            })
        };
        let is_page = |node: &&&Map<String, Value>| json_ld::is_one_of(node, PAGES);
        let work = [nodes.iter().find(is_work), nodes.iter().find(is_page)];
        let work = work.into_iter().flatten().copied().collect();
        Self {
            url,
            embedded,
            nodes,
            work,
        }
    }

    fn meta(&self, names: &str) -> Option<String> {
        self.embedded.meta(names)
    }

    /// Returns the values that the page's JSON-LD has under these names, which have blanks between
    /// them.
    fn values(&self, names: &str) -> impl Iterator<Item = Option<&Value>> {
        let nodes = self.work.iter();
        nodes.flat_map(move |node| names.split(' ').map(|name| node.get(name)))
    }

    /// Returns a text that the page's JSON-LD has under one of these names.
    fn json_ld_text(&self, names: &str) -> Option<String> {
        self.values(names).find_map(json_ld::text)
    }

    /// Returns the title. `extracted` is the title of the extracted text.
    pub fn title(&self, extracted: &str) -> String {
        let stated = self
            .meta("citation_title")
            .or_else(|| self.json_ld_text("headline name title"));
        if let Some(title) = stated {
            return title_text(&title);
        }
        let of_text = || Some(on_one_line(extracted)).filter(|title| !title.is_empty());
        let own_title = || Some(self.embedded.title().to_owned()).filter(|title| !title.is_empty());
        let title = self
            .meta("og:title dc.title dcterms.title twitter:title parsely-title")
            .or_else(of_text)
            .or_else(own_title);
        match title {
            Some(title) => self.without_site(&title).to_owned(),
            None => self.title_of_address(),
        }
    }

    /// Removes the site's name from the end of a title, because the citation names the site
    /// separately.
    fn without_site<'t>(&self, title: &'t str) -> &'t str {
        let Some(site) = self.meta("og:site_name") else {
            return title;
        };
        for mark in ["|", "-", "\u{2013}", "\u{2014}", "\u{b7}", "::", "\u{bb}"] {
            let mark = format!(" {mark} ");
            if let Some((before, after)) = title.rsplit_once(&mark)
                && after.to_lowercase() == site.to_lowercase()
                && !before.trim().is_empty()
            {
                return before.trim_end();
            }
        }
        title
    }

    /// Returns the last part of the path as words, or else the host.
    fn title_of_address(&self) -> String {
        let last = self.url.path_segments().and_then(|parts| {
            let mut parts = parts.filter(|part| !part.is_empty());
            parts.next_back()
        });
        let bytes = percent_encoding::percent_decode_str(last.unwrap_or_default());
        let name = on_one_line(&bytes.decode_utf8_lossy());
        if name.chars().any(char::is_alphanumeric) {
            return name;
        }
        self.host()
    }

    fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    }

    /// Returns the kind of work and its place in its container, as far as the page declares them.
    pub fn declared(&self) -> Work {
        let mut work = declared_work(&|names| self.meta(names).unwrap_or_default());
        if work.kind != WorkKind::Page {
            return work;
        }
        let scholarly = self.scholarly_article();
        let journal = scholarly.and_then(|node| self.journal(node.get("isPartOf"), 0));
        if let (Some(journal), Some(node)) = (journal, scholarly) {
            let part = |name| part_text(node.get("isPartOf"), name, 0).unwrap_or_default();
            let field = |name| json_ld::text(node.get(name));
            work.kind = WorkKind::Article;
            work.container = journal;
            work.volume = part("volumeNumber");
            work.issue = part("issueNumber");
            work.pages = match field("pageStart") {
                Some(first) => page_range(first, &field("pageEnd").unwrap_or_default()),
                None => field("pagination").unwrap_or_default(),
            };
        } else if self
            .work
            .first()
            .is_some_and(|node| json_ld::is_one_of(node, "Dataset"))
        {
            work.kind = WorkKind::Dataset;
        }
        work
    }

    /// Returns the scholarly article in the JSON-LD.
    fn scholarly_article(&self) -> Option<&'a Map<String, Value>> {
        let mut works = self.work.iter().copied();
        works.find(|node| json_ld::types(node).any(|name| name.ends_with("ScholarlyArticle")))
    }

    /// Returns the journal that an article is part of: the outermost of issue, volume and journal.
    fn journal(&self, part: Option<&Value>, depth: usize) -> Option<String> {
        if depth == 4 {
            return None;
        }
        match part? {
            Value::Array(list) => list
                .iter()
                .take(4)
                .find_map(|one| self.journal(Some(one), depth + 1)),
            Value::Object(node) => self
                .journal(node.get("isPartOf"), depth + 1)
                .or_else(|| json_ld::name(part, &self.nodes)),
            _ => None,
        }
    }

    /// Returns the name of the site.
    pub fn site(&self) -> String {
        let publisher = |names: &str| {
            let mut values = self.values(names);
            values.find_map(|value| json_ld::name(value, &self.nodes))
        };
        publisher("publisher")
            .or_else(|| self.site_of_graph())
            .or_else(|| publisher("isPartOf"))
            .or_else(|| {
                self.meta(
                    "og:site_name application-name apple-mobile-web-app-title dc.publisher \
                     citation_publisher",
                )
            })
            .unwrap_or_else(|| self.host())
    }

    /// Returns the name of the `WebSite` in the JSON-LD.
    fn site_of_graph(&self) -> Option<String> {
        let site = self
            .nodes
            .iter()
            .find(|node| json_ld::is_one_of(node, "WebSite"))?;
        json_ld::text(site.get("name"))
    }

    /// Returns the authors in their order, each once.
    pub fn authors(&self) -> Vec<AuthorName> {
        let several = |name: &str, hint| -> Vec<AuthorName> {
            let all = self.embedded.metas(name).take(MAX_AUTHORS);
            all.flat_map(|text| author::all(&text, hint)).collect()
        };
        let mut authors = self.scholarly();
        if authors.is_empty() {
            authors = self.of_work();
        }
        let names = "article:author og:article:author author dc.creator dcterms.creator \
                     dc.contributor.author parsely-author sailthru.author byl";
        for name in names.split(' ') {
            if authors.is_empty() {
                authors = several(name, AuthorKind::None);
            }
        }
        if authors.is_empty() {
            let names = self.embedded.byline().iter();
            authors = names.flat_map(|text| author::of_byline(text)).collect();
            // The class of a byline may stand on a part of the headline.
            let title = self.title("").to_lowercase();
            authors.retain(|author| {
                let name = author.in_natural_order().to_lowercase();
                !(name.contains(' ') && is_part_of_title(&name, &title))
            });
        }
        let mut people: Vec<AuthorName> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for author in authors.into_iter().take(MAX_AUTHORS) {
            if seen.insert(author.in_natural_order().to_lowercase()) {
                people.push(author);
            }
        }
        people
    }

    /// Parses `citation_author`: one name each, or several separated by semicolons.
    fn scholarly(&self) -> Vec<AuthorName> {
        let mut authors = Vec::new();
        for name in ["citation_author", "citation_authors"] {
            for text in self.embedded.metas(name).take(MAX_AUTHORS) {
                let names = text.split(';').flat_map(author::parts_joined);
                authors.extend(names.filter_map(|name| AuthorName::parse(name, AuthorKind::None)));
            }
            if !authors.is_empty() {
                break;
            }
        }
        authors
    }

    /// Returns the authors in the JSON-LD.
    fn of_work(&self) -> Vec<AuthorName> {
        for value in self.values("author creator").flatten() {
            let mut authors = Vec::new();
            self.named(value, 0, &mut authors);
            if !authors.is_empty() {
                return authors;
            }
        }
        Vec::new()
    }

    fn named(&self, value: &Value, depth: usize, authors: &mut Vec<AuthorName>) {
        match value {
            Value::String(_) => {
                let text = json_ld::text(Some(value)).unwrap_or_default();
                authors.extend(author::all(&text, AuthorKind::None));
            }
            Value::Array(list) if depth < 2 => {
                for one in list.iter().take(MAX_AUTHORS) {
                    self.named(one, depth + 1, authors);
                }
            }
            Value::Object(node) => {
                let node = json_ld::resolved(node, &self.nodes);
                let hint = if json_ld::is_one_of(node, "Person") {
                    AuthorKind::Person
                } else if json_ld::types(node)
                    .any(|name| name.ends_with("Organization") || name == "Corporation")
                {
                    AuthorKind::Organisation
                } else {
                    AuthorKind::None
                };
                let family = json_ld::text(node.get("familyName"));
                let given = json_ld::text(node.get("givenName"));
                if let (Some(family), Some(given)) = (family, given) {
                    authors.extend(AuthorName::parse(
                        &format!("{family}, {given}"),
                        AuthorKind::Person,
                    ));
                } else if let Value::Array(names) = node.get("name").unwrap_or(&Value::Null) {
                    // Some sites give all authors as one person with many names.
                    let names = names.iter().take(MAX_AUTHORS);
                    let names = names.filter_map(|name| json_ld::text(Some(name)));
                    authors.extend(names.filter_map(|name| AuthorName::parse(&name, hint)));
                } else if let Some(name) = json_ld::text(node.get("name")) {
                    // Some sites give `Jane Doe and John Roe` as one person.
                    authors.extend(author::all(&name, hint));
                }
            }
            _ => {}
        }
    }

    /// Returns the date of publication, or else the date of the last change.
    pub fn date(&self) -> Option<PartialDate> {
        let date = |text: Option<String>| text.as_deref().and_then(PartialDate::parse);
        let first = |names: &str| {
            let mut all = names.split(' ').map(|name| date(self.meta(name)));
            all.find_map(|date| date)
        };
        let stated = |names: &str| {
            let mut all = names.split(' ').map(|name| date(self.json_ld_text(name)));
            all.find_map(|date| date)
        };
        first(
            "citation_publication_date citation_date citation_online_date citation_cover_date \
             citation_year",
        )
        .or_else(|| stated("datePublished uploadDate dateCreated"))
        .or_else(|| {
            first(
                "article:published_time og:article:published_time og:published_time og:pubdate \
                 datepublished date dc.date dc.date.issued dcterms.issued dcterms.created \
                 dc.date.created pubdate publishdate publish_date publish-date publication_date \
                 parsely-pub-date sailthru.date prism.publicationdate",
            )
        })
        .or_else(|| date(self.embedded.published().map(str::to_owned)))
        .or_else(|| PartialDate::in_address(self.url))
        .or_else(|| stated("dateModified"))
        .or_else(|| first("article:modified_time og:updated_time last-modified dcterms.modified"))
    }
}

/// Returns the work that `citation_*` or `prism.*` declare: its kind, and its place in its
/// container. `meta` gives the first of several declarations.
fn declared_work(meta: &dyn Fn(&str) -> String) -> Work {
    let containers = [
        ("citation_journal_title", WorkKind::Article),
        ("citation_conference_title", WorkKind::Proceedings),
        ("citation_dissertation_institution", WorkKind::Thesis),
        ("citation_technical_report_institution", WorkKind::Report),
        ("citation_inbook_title", WorkKind::Chapter),
        ("prism.publicationname", WorkKind::Article),
    ];
    let containers = containers
        .into_iter()
        .map(|(name, kind)| (meta(name), kind));
    let named = containers.into_iter().find(|(name, _)| !name.is_empty());
    let arxiv = match WorkId::parse(&format!("arXiv:{}", meta("citation_arxiv_id"))) {
        Some(WorkId::Arxiv(number)) => number,
        _ => String::new(),
    };
    let unnamed = match arxiv.as_str() {
        "" => (String::new(), WorkKind::Page),
        _ => ("arXiv".to_owned(), WorkKind::Preprint),
    };
    let (container, kind) = named.unwrap_or(unnamed);
    let first = meta("citation_firstpage prism.startingpage");
    let last = meta("citation_lastpage prism.endingpage");
    let publisher = match kind {
        WorkKind::Page | WorkKind::Thesis | WorkKind::Report => String::new(),
        _ => meta("citation_publisher"),
    };
    Work {
        kind,
        container,
        volume: meta("citation_volume prism.volume"),
        issue: meta("citation_issue prism.number"),
        pages: page_range(first, &last),
        publisher,
        isbn: meta("citation_isbn prism.isbn"),
        arxiv,
        ..Work::default()
    }
}

/// Returns a text of that which an article is part of: the issue, the volume, the journal.
fn part_text(part: Option<&Value>, name: &str, depth: usize) -> Option<String> {
    if depth == 4 {
        return None;
    }
    match part? {
        Value::Array(list) => {
            let mut parts = list.iter().take(4);
            parts.find_map(|one| part_text(Some(one), name, depth + 1))
        }
        Value::Object(node) => json_ld::text(node.get(name))
            .or_else(|| part_text(node.get("isPartOf"), name, depth + 1)),
        _ => None,
    }
}

/// True if a text of several words is within a longer part of a title, both in lower case, and
/// not as the name of its author.
fn is_part_of_title(text: &str, title: &str) -> bool {
    let marks = ["|", "\u{b7}", "\u{2013}", "\u{2014}", " - ", ": "];
    let mut parts = vec![title];
    for mark in marks {
        parts = parts
            .into_iter()
            .flat_map(|part| part.split(mark))
            .collect();
    }
    parts.iter().map(|part| part.trim()).any(|part| {
        let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        part != text
            && part.split_once(text).is_some_and(|(before, after)| {
                is_edge(before.chars().next_back())
                    && is_edge(after.chars().next())
                    && !before.trim_end().ends_with("by")
            })
    })
}
