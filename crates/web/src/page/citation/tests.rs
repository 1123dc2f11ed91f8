//! Citations as the handbooks of the three styles show them.

use super::*;

mod authors;

fn cited(address: &str, html: &str, title: &str) -> Citation {
    let url = Url::parse(address).unwrap();
    let accessed = PartialDate::parse("2026-11-22").unwrap();
    Citation::for_page(&url, Some(&EmbeddedData::read(html)), title, accessed)
}

fn meta(name: &str, content: &str) -> String {
    format!("<meta name=\"{name}\" content=\"{content}\">")
}

const PAGE: &str = "https://www.example.org/news/a";

#[test]
fn a_page_is_cited_in_three_styles() {
    let html = "<meta property=og:site_name content='The Site'><meta property=og:title \
                content='All about \"birds\" &amp; 50% of bees'><meta name=author content='Jane \
                Q. Doe'><meta property=article:published_time content=2024-05-17T23:00:00-08:00>";
    let got = cited(PAGE, html, "ignored | The Site");
    assert_eq!(got.url, PAGE);
    assert_eq!(got.accessed_date, "2026-11-22");
    assert_eq!(
        got.metadata,
        CitationMetadata {
            title: "All about \"birds\" & 50% of bees".to_owned(),
            author: "Jane Q. Doe".to_owned(),
            site: "The Site".to_owned(),
            date: "2024-05-17".to_owned(),
        }
    );
    assert_eq!(
        got.formatted.apa,
        "Doe, J. Q. (2024, May 17). All about \"birds\" & 50% of bees. The Site. \
         https://www.example.org/news/a"
    );
    assert_eq!(
        got.formatted.mla,
        "Doe, Jane Q. \"All about 'birds' & 50% of bees.\" The Site, 17 May 2024, \
         https://www.example.org/news/a. Accessed 22 Nov. 2026."
    );
    assert_eq!(
        got.formatted.bibtex,
        "@misc{doe2024all,\n  author = {Doe, Jane Q.},\n  \
         title = {{All about \"birds\" \\& 50\\% of bees}},\n  howpublished = {The Site},\n  \
         year = {2024},\n  month = may,\n  day = {17},\n  \
         url = {https://www.example.org/news/a},\n  urldate = {2026-11-22}\n}"
    );
}

#[test]
fn an_article_is_cited_with_its_journal() {
    let html = [
        ("citation_title", "On the Origin of Things?"),
        ("citation_author", "Doe, Jane"),
        ("citation_author", "Roe, Jean-Paul M."),
        ("citation_journal_title", "Journal of Things"),
        ("citation_publication_date", "2021/03/09"),
        ("citation_volume", "12"),
        ("citation_issue", "3"),
        ("citation_firstpage", "45"),
        ("citation_lastpage", "67"),
        ("citation_doi", "10.1234/ABC_5"),
        ("og:title", "no"),
    ]
    .map(|(name, content)| meta(name, content))
    .concat();
    let got = cited(PAGE, &html, "");
    assert_eq!(got.metadata.author, "Jane Doe, Jean-Paul M. Roe");
    assert_eq!(got.metadata.site, "Journal of Things");
    assert_eq!(
        got.formatted.apa,
        "Doe, J., & Roe, J.-P. M. (2021). On the Origin of Things? Journal of Things, 12(3), \
         45\u{2013}67. https://doi.org/10.1234/abc_5"
    );
    assert_eq!(
        got.formatted.mla,
        "Doe, Jane, and Jean-Paul M. Roe. \"On the Origin of Things?\" Journal of Things, vol. 12, \
         no. 3, Mar. 2021, pp. 45-67, https://doi.org/10.1234/abc_5. Accessed 22 Nov. 2026."
    );
    assert_eq!(
        got.formatted.bibtex,
        "@article{doe2021origin,\n  author = {Doe, Jane and Roe, Jean-Paul M.},\n  \
         title = {{On the Origin of Things?}},\n  journal = {Journal of Things},\n  \
         volume = {12},\n  number = {3},\n  pages = {45--67},\n  year = {2021},\n  month = mar,\n  \
         day = {9},\n  doi = {10.1234/abc_5},\n  url = {https://www.example.org/news/a},\n  \
         urldate = {2026-11-22}\n}"
    );
}

#[test]
fn what_is_not_known_is_left_out_as_the_styles_say() {
    let got = cited(PAGE, "", "A Title");
    assert_eq!(got.metadata.author, "");
    assert_eq!(got.metadata.date, "");
    assert_eq!(got.metadata.site, "example.org");
    assert_eq!(
        got.formatted.apa,
        "A Title. (n.d.). example.org. Retrieved November 22, 2026, from \
         https://www.example.org/news/a"
    );
    assert_eq!(
        got.formatted.mla,
        "\"A Title.\" example.org, https://www.example.org/news/a. Accessed 22 Nov. 2026."
    );
    let bibtex = &got.formatted.bibtex;
    assert!(
        bibtex.starts_with("@misc{examplendtitle,\n  title = {{A Title}}"),
        "{bibtex}"
    );
    assert!(
        !bibtex.contains("year")
            && !bibtex.contains("author")
            && bibtex.contains("\n  key = {A Title},\n"),
        "{bibtex}"
    );
    let nothing = cited("https://www.example.org/", "", "");
    assert_eq!(nothing.metadata.title, "example.org");
    let path = cited("https://example.org/a/some%20page%20%C3%A9.html", "", "");
    assert_eq!(path.metadata.title, "some page \u{e9}.html");
}

#[test]
fn the_name_of_the_site_is_no_part_of_the_title() {
    let title = |title: &str, site: &str| {
        let html = meta("og:title", title) + &meta("og:site_name", site);
        cited(PAGE, &html, "").metadata.title
    };
    assert_eq!(title("Birds | The Site", "the site"), "Birds");
    assert_eq!(
        title("Birds \u{2013} bees - The Site", "The Site"),
        "Birds \u{2013} bees"
    );
    assert_eq!(title("The Site", "The Site"), "The Site");
    assert_eq!(title("Birds | Bees", "The Site"), "Birds | Bees");
    let scholarly = meta("citation_title", "On J - J") + &meta("og:site_name", "J");
    assert_eq!(cited(PAGE, &scholarly, "").metadata.title, "On J - J");
}

#[test]
fn each_fact_comes_from_the_first_source_that_has_it() {
    let json = r#"<script type=application/ld+json>{"@type":"Article","headline":"JSON",
        "author":"Json Author","datePublished":"2002-02-02","publisher":{"name":"Json Site"}}
        </script>"#;
    let graph = meta("og:title", "OG")
        + &meta("og:site_name", "Og Site")
        + &meta("article:author", "Og Author")
        + &meta("article:published_time", "2003-03-03");
    let plain = meta("dc.title", "Meta")
        + &meta("application-name", "Meta Site")
        + &meta("author", "Meta Author")
        + &meta("date", "2004-04-04");
    let visible_html =
        "<h1>x</h1><p class=byline>By Shown Author</p><time datetime=2005-05-05></time>";
    let scholarly = meta("citation_title", "Cited")
        + &meta("citation_journal_title", "Cited Site")
        + &meta("citation_author", "Author, Cited")
        + &meta("citation_date", "2001-01-01");
    let address = "https://example.org/2006/06/06/x";
    let all = [&scholarly, json, &graph, &plain, visible_html];
    let expected = [
        ("Cited", "Cited Author", "Cited Site", "2001-01-01"),
        ("JSON", "Json Author", "Json Site", "2002-02-02"),
        ("OG", "Og Author", "Og Site", "2003-03-03"),
        ("Meta", "Meta Author", "Meta Site", "2004-04-04"),
        ("Found", "Shown Author", "example.org", "2005-05-05"),
        ("Found", "", "example.org", "2006-06-06"),
    ];
    for (from, (title, author, site, date)) in expected.into_iter().enumerate() {
        let got = cited(address, &all[from..].concat(), "Found").metadata;
        let got = (&*got.title, &*got.author, &*got.site, &*got.date);
        assert_eq!(got, (title, author, site, date));
    }
}

#[test]
fn a_revised_preprint_has_the_date_of_its_first_version() {
    let html = [
        ("citation_title", "Attention Is All You Need"),
        ("citation_author", "Doe, J. and Roe, R."),
        ("citation_date", "2017/06/12"),
        ("citation_online_date", "2023/08/02"),
        ("citation_arxiv_id", "1706.03762"),
    ]
    .map(|(name, content)| meta(name, content))
    .concat();
    let got = cited("https://arxiv.org/abs/1706.03762", &html, "");
    assert_eq!(got.metadata.date, "2017-06-12");
    assert_eq!(got.metadata.author, "J. Doe, R. Roe");
    assert_eq!(
        (got.work.arxiv.as_str(), got.work.kind),
        ("1706.03762", WorkKind::Preprint)
    );
    let bibtex = &got.formatted.bibtex;
    assert!(bibtex.contains("eprint = {1706.03762}"), "{bibtex}");
    assert!(got.formatted.apa.contains("(2017"), "{}", got.formatted.apa);
}

#[test]
fn nothing_of_a_page_breaks_out_of_its_entry() {
    let html = meta("author", "Ev}il and {Jane_ ~Doe^")
        + &meta("og:title", "a } b, url = {x} \\input{/etc/passwd} $ #1");
    let got = cited("https://example.org/?q={x}\\y%20z", &html, "");
    let bibtex = &got.formatted.bibtex;
    let mut depth = 0_i32;
    // Those that are escaped count for BibTeX.
    for (offset, c) in bibtex.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        let has_ended = offset > 0 && depth == 0 && c == '}';
        assert_eq!(has_ended, offset + 1 == bibtex.len(), "{bibtex}");
    }
    assert_eq!(depth, 0, "{bibtex}");
    let expected = "a ) b, url = (x) \\textbackslash{}input(/etc/passwd) \\$ \\#1";
    assert!(bibtex.contains(expected), "{bibtex}");
    assert!(
        bibtex.contains("url = {https://example.org/?q=%7Bx%7D%5Cy%20z}"),
        "{bibtex}"
    );
}

#[test]
fn the_key_is_of_letters_and_digits() {
    let key = |author: &str, title: &str| {
        let bibtex = cited(
            "https://example.org/2024/05/x",
            &meta("author", author),
            title,
        )
        .formatted
        .bibtex;
        let start = bibtex.strip_prefix("@misc{").unwrap();
        start.split(',').next().unwrap().to_owned()
    };
    assert_eq!(
        key(
            "Ren\u{e9} M\u{fc}ller-L\u{fc}denscheidt",
            "The \u{dc}ber-Title"
        ),
        "mullerludenscheidt2024uber"
    );
    assert_eq!(
        key("\u{5c71}\u{7530}\u{592a}\u{90ce}", "\u{6771}\u{4eac}"),
        "example2024page"
    );
    assert_eq!(key("", "The of and"), "example2024page");
}

#[test]
fn a_document_is_cited_by_its_own_metadata() {
    let url = Url::parse("https://example.org/report.pdf").unwrap();
    let accessed = PartialDate::parse("2026-11-22").unwrap();
    let got = Citation::of_document(
        &url,
        "A Report",
        Some("Jane Doe; John Roe"),
        Some("2023-06"),
        accessed,
    );
    assert_eq!(
        got.formatted.apa,
        "Doe, J., & Roe, J. (2023, June). A Report. example.org. https://example.org/report.pdf"
    );
    let bare = Citation::of_document(&url, "", None, None, accessed);
    assert_eq!(bare.metadata.title, "report.pdf");
}

#[test]
fn a_citation_is_serialised_under_the_specification_s_names() {
    let json = serde_json::to_value(cited(PAGE, "", "T")).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["url", "accessedDate", "metadata", "formatted"]);
    let keys: Vec<&String> = json["metadata"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["title", "site"]);
    let all = meta("author", "Jane Doe") + &meta("date", "2024");
    let all = serde_json::to_value(cited(PAGE, &all, "T")).unwrap();
    let keys: Vec<&String> = all["metadata"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["title", "author", "site", "date"]);
    let keys: Vec<&String> = json["formatted"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["apa", "mla", "bibtex"]);
}

#[test]
fn titles_and_names_of_json_ld_and_of_journals_are_text() {
    let html = "<script type=application/ld+json>{\"@type\":\"BlogPosting\",\"headline\":\"Don&#\
                8217;t panic &amp; carry \
                on\",\"author\":{\"@type\":\"Person\",\"name\":\"Zo&euml; \
                O&#039;Brien\"}}</script>";
    let got = cited(PAGE, html, "");
    assert_eq!(got.metadata.title, "Don\u{2019}t panic & carry on");
    assert_eq!(got.metadata.author, "Zo\u{eb} O'Brien");
    let names = html.replace(
        "{\"@type\":\"Person\",\"name\":\"Zo&euml; O&#039;Brien\"}",
        "\"Zo&euml; O&#039;Brien\"",
    );
    assert_eq!(cited(PAGE, &names, "").metadata.author, "Zo\u{eb} O'Brien");
    let title = "Loss of &lt;i&gt;BRCA1&lt;/i&gt; in H&lt;sub&gt;2&lt;/sub&gt;O";
    let got = cited(PAGE, &meta("citation_title", title), "");
    assert_eq!(got.metadata.title, "Loss of BRCA1 in H2O");
}

#[test]
fn a_data_set_is_cited_by_its_doi() {
    let json = |identifier: &str| {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"Dataset\",\"name\":\"Heat\",\"\
             publisher\":{{\"@type\":\"Organization\",\"name\":\"Dryad\"}},\"identifier\":\
             {identifier}}}</script>"
        )
    };
    for html in [
        json("\"https://doi.org/10.5061/DRYAD.1\""),
        json("[\"10.5061/dryad.1\"]"),
        json("{\"@type\":\"PropertyValue\",\"value\":\"doi:10.5061/dryad.1\"}"),
    ] {
        let got = cited(PAGE, &html, "");
        assert_eq!(got.work.doi, "10.5061/dryad.1", "{html}");
        assert_eq!(got.work.kind, WorkKind::Dataset);
        assert!(
            got.formatted
                .apa
                .ends_with("https://doi.org/10.5061/dryad.1")
        );
        assert!(got.formatted.bibtex.contains("type = {dataset}"));
        assert!(got.formatted.bibtex.contains("doi = {10.5061/dryad.1}"));
    }
    let declared = meta("DC.identifier", "doi:10.5061/dryad.1");
    let got = cited(PAGE, &declared, "Heat");
    assert_eq!(
        (got.work.doi.as_str(), got.work.kind),
        ("10.5061/dryad.1", WorkKind::Page)
    );
    let sici = meta(
        "citation_doi",
        "10.1175/1520-0485(1985)015&lt;1043:AOTSCO&gt;2.0.CO;2",
    );
    let got = cited(PAGE, &sici, "Salt");
    assert!(
        got.formatted
            .apa
            .ends_with("https://doi.org/10.1175/1520-0485(1985)015%3C1043:aotsco%3E2.0.co;2"),
        "{}",
        got.formatted.apa
    );
}

#[test]
fn the_work_of_a_citation_has_all_that_the_page_declares() {
    let html = [
        ("prism.publicationName", "Heat"),
        ("prism.doi", "doi:10.1000/1"),
        ("prism.volume", "5"),
        ("prism.number", "2"),
        ("prism.startingPage", "7"),
        ("citation_author", "Doe, Jane"),
        ("citation_author", "CMS Collaboration"),
    ]
    .map(|(name, content)| meta(name, content))
    .concat();
    let work = cited(PAGE, &html, "It").work;
    assert_eq!(work.kind, WorkKind::Article);
    let place = [
        &work.container,
        &work.volume,
        &work.issue,
        &work.pages,
        &work.doi,
    ];
    assert_eq!(place, ["Heat", "5", "2", "7", "10.1000/1"]);
    assert_eq!(
        work.authors,
        [
            WorkAuthor::person("Doe", "Jane", ""),
            WorkAuthor::group("CMS Collaboration")
        ]
    );
}

#[test]
fn an_article_is_part_of_an_issue_in_a_volume_of_a_journal() {
    let html = r#"<script type="application/ld+json">{"@type": "ScholarlyArticle", "name": "It",
        "author": {"@type": "Person", "givenName": "R.-P.", "familyName": "Roe"},
        "datePublished": "2020", "pageStart": "1", "pageEnd": 9, "isPartOf":
        {"@type": "PublicationIssue", "issueNumber": "3", "isPartOf": {"volumeNumber": 7,
        "@type": "PublicationVolume", "isPartOf": {"@type": "Periodical", "name": "A Journal"}}}}
        </script>"#;
    assert_eq!(
        cited(PAGE, html, "").formatted.apa,
        "Roe, R.-P. (2020). It. A Journal, 7(3), 1\u{2013}9. https://www.example.org/news/a"
    );
}
