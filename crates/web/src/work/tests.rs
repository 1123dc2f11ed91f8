//! What is kept of a work, and one work out of two records.

use serde_json::{Value, json};

use super::*;

fn round_trip(value: Value) -> Work {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_work_is_kept_whole() {
    let work = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        authors: vec![
            WorkAuthor::person("Garc\u{ed}a M\u{e1}rquez", "Gabriel", ""),
            WorkAuthor::unsplit("Suryadi"),
            WorkAuthor::group("The Trust Consortium of Ours"),
        ],
        kind: WorkKind::Chapter,
        date: PartialDate::parse("2020-03-05"),
        retraction: Some(RetractionStatus::retracted()),
        ..Work::default()
    };
    let stored = serde_json::to_value(&work).unwrap();
    assert_eq!(stored["type"], "chapter");
    assert_eq!(stored["date"], "2020-03-05");
    assert_eq!(
        stored["authorList"],
        json!([
            {"family": "Garc\u{ed}a M\u{e1}rquez", "given": "Gabriel"},
            {"name": "Suryadi"},
            {"name": "The Trust Consortium of Ours", "group": true},
        ])
    );
    assert_eq!(round_trip(stored), work);
}

#[test]
fn a_session_of_a_former_version_names_authors_in_one_text() {
    let work = round_trip(json!({
        "url": "https://example.com/", "author": "Jane Doe, John Roe", "date": "2020",
        "journal": "Nature", "type": "a kind that nobody knows",
    }));
    assert_eq!(
        work.authors,
        [
            WorkAuthor::person("Doe", "Jane", ""),
            WorkAuthor::person("Roe", "John", "")
        ]
    );
    assert_eq!((work.year(), work.kind), (Some(2020), WorkKind::Unknown));
    assert_eq!(work.container, "Nature");
    assert_eq!(
        round_trip(json!({"date": "soon", "author": ""})),
        Work::default()
    );
}

#[test]
fn a_name_is_split_alone_unless_the_provider_has_split_it() {
    for (author, inverted) in [
        (
            WorkAuthor::unsplit("Gijsbertus T. J van der Horst"),
            "van der Horst, Gijsbertus T. J",
        ),
        (WorkAuthor::unsplit("Suryadi"), "Suryadi"),
        (WorkAuthor::unsplit("Smith, Jr., John"), "Smith, John, Jr."),
        (WorkAuthor::person("El Kasty", "A", ""), "El Kasty, A"),
        (WorkAuthor::person("Jumper", "JM", "Jr"), "Jumper, JM, Jr"),
        (WorkAuthor::person("SMITH", "ANN", ""), "SMITH, ANN"),
        (
            WorkAuthor::unsplit("ATLAS Collaboration"),
            "ATLAS Collaboration",
        ),
        (WorkAuthor::unsplit("김 철수"), "김 철수"),
        (
            WorkAuthor::group(&"The Consortium of ".repeat(20)),
            "The Consortium of ".repeat(20).trim(),
        ),
        (
            WorkAuthor::unsplit("Alzheimer's Disease Research Consortium of Ours"),
            "Alzheimer's Disease Research Consortium of Ours",
        ),
    ] {
        assert_eq!(author.split().unwrap().inverted(), inverted);
    }
}

#[test]
fn a_name_that_is_written_in_its_own_order_is_shown_in_it() {
    let natural_name = |family, given| WorkAuthor::person(family, given, "").in_natural_order();
    assert_eq!(natural_name("山田", "太郎"), "山田 太郎");
    assert_eq!(natural_name("Yamada", "Taro"), "Taro Yamada");
}

#[test]
fn the_article_counts_where_its_preprint_is_known_too() {
    let preprint = Work {
        url: "https://arxiv.org/abs/2101.00001".to_owned(),
        kind: WorkKind::Preprint,
        container: "arXiv".to_owned(),
        arxiv: "2101.00001".to_owned(),
        date: PartialDate::parse("2020-12-31"),
        ..Work::default()
    };
    let article = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        kind: WorkKind::Article,
        container: "Nature".to_owned(),
        volume: "5".to_owned(),
        doi: "10.1000/1".to_owned(),
        date: PartialDate::parse("2021-02"),
        ..Work::default()
    };
    let expected = Work {
        arxiv: "2101.00001".to_owned(),
        ..article.clone()
    };
    for (mut first, second) in [(preprint.clone(), article.clone()), (article, preprint)] {
        first.absorb(second);
        assert_eq!(first, expected);
    }
}

#[test]
fn the_article_counts_where_its_page_is_known_too() {
    let page = Work {
        url: "https://example.org/1".to_owned(),
        kind: WorkKind::Page,
        container: "The Site".to_owned(),
        doi: "10.1000/1".to_owned(),
        ..Work::default()
    };
    let article = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        kind: WorkKind::Article,
        container: "Nature".to_owned(),
        doi: "10.1000/1".to_owned(),
        ..Work::default()
    };
    let without_journal = Work {
        container: String::new(),
        ..article.clone()
    };
    for (mut first, second, container) in [
        (page.clone(), article.clone(), "Nature"),
        (article, page.clone(), "Nature"),
        (without_journal, page, ""),
    ] {
        first.absorb(second);
        assert_eq!(
            (first.kind, first.container.as_str()),
            (WorkKind::Article, container)
        );
    }
}

#[test]
fn kinds_have_the_names_that_providers_give_them() {
    for (name, kind) in [
        ("journal-article", WorkKind::Article),
        ("JournalArticle", WorkKind::Article),
        ("posted-content", WorkKind::Preprint),
        ("book-chapter", WorkKind::Chapter),
        ("proceedings-article", WorkKind::Proceedings),
        ("Conference", WorkKind::Proceedings),
        ("edited-book", WorkKind::Book),
        ("dissertation", WorkKind::Thesis),
        ("dataset", WorkKind::Dataset),
        ("Software", WorkKind::Software),
        ("report", WorkKind::Report),
        ("component", WorkKind::Unknown),
        ("", WorkKind::Unknown),
    ] {
        assert_eq!(WorkKind::of_name(name), kind, "{name}");
    }
    let both = ["JournalArticle", "Conference"];
    assert_eq!(WorkKind::of_names(both.into_iter()), WorkKind::Proceedings);
}

#[test]
fn a_suffix_in_a_family_name_is_one() {
    for (person, inverted) in [
        (
            WorkAuthor::person("Smith, Jr.", "John", ""),
            "Smith, John, Jr.",
        ),
        (
            WorkAuthor::person("Smith", "John", "III"),
            "Smith, John, III",
        ),
        (WorkAuthor::person("Garcia, MD", "Ana", ""), "Garcia, Ana"),
        (
            WorkAuthor::person("Smith, Jones", "B.", ""),
            "Smith, Jones, B.",
        ),
    ] {
        assert_eq!(person.split().unwrap().inverted(), inverted);
    }
}
