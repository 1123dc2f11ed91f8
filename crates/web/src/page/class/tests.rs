//! Each value of each kind, and that a page's word makes nobody an authority.

use AuthorityTier::{High, Low, Medium};
use DomainCategory::{Academic, Financial, General, Legal, Medical, Technical};
use SourceType::{
    Blog, Forum, Government, NewsPublication, OfficialDocs, PeerReviewed, SocialMedia, Unknown,
    Wiki,
};

use super::*;

fn class(address: &str, html: &str) -> (SourceType, AuthorityTier, DomainCategory) {
    let url = Url::parse(address).unwrap();
    let class = classify(&url, Some(&EmbeddedData::read(html)));
    (class.source_type, class.authority, class.category)
}

fn is(kind: &str) -> String {
    format!("<script type=application/ld+json>{{\"@type\":\"{kind}\"}}</script>")
}

const NOBODY: &str = "https://example.org/x";

#[test]
fn each_kind_of_source_is_told_by_its_host() {
    for (address, expected) in [
        (
            "https://www.nature.com/articles/x",
            (PeerReviewed, High, Academic),
        ),
        ("https://www.mdpi.com/1", (PeerReviewed, Medium, Academic)),
        (
            "https://docs.python.org/3/",
            (OfficialDocs, High, Technical),
        ),
        ("https://www.gov.uk/vat", (Government, High, General)),
        ("https://www.sec.gov/edgar", (Government, High, Financial)),
        ("https://www.supremecourt.gov/", (Government, High, Legal)),
        ("https://www.cdc.gov/flu", (Government, High, Medical)),
        (
            "https://www.reuters.com/world",
            (NewsPublication, High, General),
        ),
        (
            "https://www.dailymail.co.uk/",
            (NewsPublication, Low, General),
        ),
        ("https://someone.substack.com/p/x", (Blog, Medium, General)),
        ("https://someone.wordpress.com/", (Blog, Low, General)),
        ("https://stackoverflow.com/q/1", (Forum, Medium, Technical)),
        ("https://de.wikipedia.org/wiki/X", (Wiki, Medium, General)),
        ("https://bsky.app/profile/x", (SocialMedia, Low, General)),
        ("https://www.ox.ac.uk/", (Unknown, High, Academic)),
        (NOBODY, (Unknown, Low, General)),
        ("https://example.org/?x=.edu", (Unknown, Low, General)),
        ("http://127.0.0.1:8000/nature.com", (Unknown, Low, General)),
    ] {
        assert_eq!(class(address, ""), expected, "{address}");
    }
    let url = Url::parse("https://www.nature.com/").unwrap();
    assert_eq!(classify(&url, None).source_type, PeerReviewed);
}

#[test]
fn each_kind_that_a_page_can_claim_is_told_by_its_types() {
    for (kind, expected) in [
        ("ScholarlyArticle", (PeerReviewed, Medium, Academic)),
        ("MedicalScholarlyArticle", (PeerReviewed, Medium, Medical)),
        (
            "https://schema.org/NewsArticle",
            (NewsPublication, Medium, General),
        ),
        ("OpinionNewsArticle", (NewsPublication, Medium, General)),
        ("BlogPosting", (Blog, Low, General)),
        ("DiscussionForumPosting", (Forum, Low, General)),
        ("QAPage", (Forum, Low, General)),
        ("SocialMediaPosting", (SocialMedia, Low, General)),
        ("TechArticle", (OfficialDocs, Medium, Technical)),
        ("MedicalWebPage", (Unknown, Low, Medical)),
        ("Legislation", (Unknown, Low, Legal)),
        ("FinancialProduct", (Unknown, Low, Financial)),
        ("SoftwareApplication", (Unknown, Low, Technical)),
        ("Article", (Unknown, Low, General)),
        ("WebPage", (Unknown, Low, General)),
        ("GovernmentOrganization", (Government, Medium, General)),
        ("GovernmentService", (Government, Medium, General)),
        ("NewsMediaOrganization", (NewsPublication, Medium, General)),
        ("Organization", (Unknown, Low, General)),
    ] {
        assert_eq!(class(NOBODY, &is(kind)), expected, "{kind}");
    }
    let graph = "<script type=application/ld+json>{\"@graph\":[{\"@type\":\"WebPage\"},{\"@type\":\
                 [\"Article\",\"NewsArticle\"]}]}</script>";
    assert_eq!(class(NOBODY, graph).0, NewsPublication);
    // The publisher says less than the work, and one within another node nothing.
    let graph = "<script type=application/ld+json>{\"@graph\":[{\"@type\":\"\
                 GovernmentOrganization\"},{\"@type\":\"BlogPosting\"}]}</script>";
    assert_eq!(class(NOBODY, graph).0, Blog);
    let within = "<script type=application/ld+json>{\"@type\":\"WebPage\",\"publisher\":{\"@type\"\
                  :\"GovernmentOrganization\"}}</script>";
    assert_eq!(class(NOBODY, within).0, Unknown);
    assert_eq!(
        class(
            "https://someone.wordpress.com/",
            &is("GovernmentOrganization")
        )
        .0,
        Blog
    );
}

#[test]
fn what_a_page_says_goes_before_its_host() {
    assert_eq!(
        class("https://www.nature.com/x", &is("NewsArticle")).0,
        NewsPublication
    );
    assert_eq!(
        class("https://www.nih.gov/x", &is("ScholarlyArticle")).0,
        PeerReviewed
    );
    assert_eq!(class("https://www.nih.gov/x", &is("WebPage")).0, Government);
    assert_eq!(class("https://www.bbc.com/x", &is("BlogPosting")).0, Blog);
}

#[test]
fn citation_elements_are_those_of_an_article_that_appeared() {
    let of = |names: &[(&str, &str)]| -> SourceType {
        let metas = names
            .iter()
            .map(|(name, content)| format!("<meta name=citation_{name} content='{content}'>"));
        let metas = metas.collect::<Vec<_>>().concat();
        class(NOBODY, &metas).0
    };
    for names in [
        &[("journal_title", "Journal of X")][..],
        &[("doi", "10.1000/x")],
        &[("conference_title", "Proceedings of X")],
        &[("title", "T"), ("author", "Doe, Jane")],
    ] {
        assert_eq!(of(names), PeerReviewed, "{names:?}");
    }
    for names in [
        &[("title", "T")][..],
        &[("journal_title", "bioRxiv"), ("doi", "10.1101/x")],
        &[("title", "T"), ("author", "A"), ("arxiv_id", "2401.00001")],
        &[
            ("title", "T"),
            ("author", "A"),
            ("dissertation_institution", "U"),
        ],
        &[
            ("title", "T"),
            ("author", "A"),
            ("technical_report_institution", "U"),
        ],
        &[("journal_title", "")],
    ] {
        assert_eq!(of(names), Unknown, "{names:?}");
    }
    // Title and author are what blogs have as well.
    let few = "<meta name=citation_title content=T><meta name=citation_author content=A>";
    assert_eq!(class(NOBODY, &(is("BlogPosting") + few)).0, Blog);
    assert_eq!(class(NOBODY, &(is("Article") + few)).0, PeerReviewed);
    let more = few.to_owned() + "<meta name=citation_journal_title content=J>";
    assert_eq!(class(NOBODY, &(is("BlogPosting") + &more)).0, PeerReviewed);
}

#[test]
fn nobody_is_an_authority_by_saying_so() {
    let all = [
        "ScholarlyArticle",
        "NewsArticle",
        "TechArticle",
        "GovernmentOrganization",
        "Legislation",
    ]
    .map(is)
    .concat();
    let metas = "<meta name=citation_journal_title content=Nature>\
        <meta name=citation_doi content=10.1038/x><meta property=og:site_name content=Nature>\
        <link rel=canonical href=https://www.nature.com/x>";
    for address in [
        NOBODY,
        "https://nature.com.example.org/",
        "https://example.org/nature.com/?x=.gov",
        "https://someone.github.io/",
        "http://127.0.0.1/",
    ] {
        assert_ne!(class(address, &(all.clone() + metas)).1, High, "{address}");
    }
}

#[test]
fn where_anybody_publishes_a_page_is_no_more_than_its_host() {
    let metas = "<meta name=citation_doi content=10.1101/x>";
    assert_eq!(
        class("https://www.biorxiv.org/x", metas),
        (Unknown, Medium, Academic)
    );
    assert_eq!(class("https://medium.com/x", &is("NewsArticle")).0, Blog);
    assert_eq!(
        class("https://www.reddit.com/x", &is("ScholarlyArticle")).0,
        Forum
    );
    assert_eq!(class("https://github.com/x", &is("TechArticle")).0, Unknown);
    assert_eq!(
        class("https://github.com/x", &is("DiscussionForumPosting")).0,
        Forum
    );
}

#[test]
fn the_values_are_the_specification_s_words() {
    let url = Url::parse("https://www.nature.com/").unwrap();
    let json = serde_json::to_string(&classify(&url, None)).unwrap();
    let expected =
        r#"{"sourceType":"peer_reviewed","authorityTier":"high","domainCategory":"academic"}"#;
    assert_eq!(json, expected);
    for (value, word) in [
        (PeerReviewed, "peer_reviewed"),
        (OfficialDocs, "official_docs"),
        (Government, "government"),
        (NewsPublication, "news_publication"),
        (Blog, "blog"),
        (Forum, "forum"),
        (Wiki, "wiki"),
        (SocialMedia, "social_media"),
        (Unknown, "unknown"),
    ] {
        assert_eq!(serde_json::to_value(value).unwrap(), word);
    }
}
