//! Who has written a page: people, organisations, and nobody.

use super::*;

#[test]
fn many_authors_are_cut_where_each_style_cuts_them() {
    let authors = |count: usize| -> String {
        (0..count)
            .map(|number| {
                let letters: String = number
                    .to_string()
                    .chars()
                    .map(|c| char::from(c as u8 + 49))
                    .collect();
                meta("citation_author", &format!("F{letters}, Given"))
            })
            .collect()
    };
    let three = cited(PAGE, &authors(3), "T").formatted;
    assert!(
        three.apa.starts_with("Fa, G., Fb, G., & Fc, G. (n.d.). T."),
        "{}",
        three.apa
    );
    assert!(
        three.mla.starts_with("Fa, Given, et al. \"T.\""),
        "{}",
        three.mla
    );
    assert!(
        three
            .bibtex
            .contains("{Fa, Given and Fb, Given and Fc, Given}")
    );
    let many = cited(PAGE, &authors(100), "T");
    let apa = &many.formatted.apa;
    assert!(
        apa.contains("Fbi, G., . . . Fjj, G. (n.d.)") && !apa.contains("Fbj"),
        "{apa}"
    );
    assert!(many.formatted.bibtex.contains("Fej, Given and others}"));
    assert!(
        many.metadata.author.ends_with(", et al."),
        "{}",
        many.metadata.author
    );
}

#[test]
fn organisations_are_not_turned_around_nor_said_twice() {
    let html = r#"<script type=application/ld+json>{"@type":"Article","headline":"T",
        "author":{"@type":"Organization","name":"Health Council"},"datePublished":"2020",
        "publisher":{"@type":"Organization","name":"Health Council"}}</script>"#;
    let got = cited(PAGE, html, "");
    assert_eq!(
        got.formatted.apa,
        format!("Health Council. (2020). T. {PAGE}")
    );
    assert_eq!(
        got.formatted.mla,
        format!("\"T.\" Health Council, 2020, {PAGE}. Accessed 22 Nov. 2026.")
    );
    assert!(got.formatted.bibtex.contains("author = {{Health Council}}"));
}

#[test]
fn a_page_by_its_own_site_is_an_organisation_s() {
    let html = meta("author", "Yo Yo Mats") + &meta("og:site_name", "Yo Yo Mats");
    let got = cited(PAGE, &html, "T").formatted;
    assert!(
        got.apa.starts_with("Yo Yo Mats. (n.d.). T. Retrieved"),
        "{}",
        got.apa
    );
    assert!(got.bibtex.starts_with("@misc{yondt,"), "{}", got.bibtex);
}

#[test]
fn authors_come_from_json_ld_in_each_of_its_forms() {
    for (json, expected) in [
        (r#""author":"Jane Doe""#, "Jane Doe"),
        (r#""author":{"name":"Jane Doe"}"#, "Jane Doe"),
        (
            r#""author":[{"name":"Jane Doe"},"John Roe"]"#,
            "Jane Doe, John Roe",
        ),
        (
            r#""author":{"name":["Jane Doe","John Roe"]}"#,
            "Jane Doe, John Roe",
        ),
        (
            r#""author":{"givenName":"Jane","familyName":"Doe","name":"x"}"#,
            "Jane Doe",
        ),
        (r##""author":{"@id":"#j"}"##, "Jo Lee"),
        (
            r#""author":"https://example.org/jane","creator":"Jane Doe""#,
            "Jane Doe",
        ),
        (
            r#""author":{"@type":"Person","name":"Jane Doe, John Roe"}"#,
            "Jane Doe, John Roe",
        ),
        (
            r#""author":{"@type":"Person","name":"Jane Doe & John Roe"}"#,
            "Jane Doe, John Roe",
        ),
        (
            r#""author":{"@type":"Person","name":"By Jane Doe"}"#,
            "Jane Doe",
        ),
        (
            r#""author":{"@type":"Person","name":"Jane Doe, The Times"}"#,
            "Jane Doe",
        ),
        (
            r#""author":{"@type":"Person","name":"Jane Doe and John Roe"}"#,
            "Jane Doe, John Roe",
        ),
        (r#""author":null"#, ""),
        (r#""author":[[[["Jane Doe"]]]]"#, ""),
    ] {
        let html = format!(
            "<script type=application/ld+json>{{\"@graph\":[{{\"@type\":\"NewsArticle\",{json}}},\
             {{\"@type\":\"Person\",\"@id\":\"#j\",\"name\":\"Jo Lee\"}}]}}</script>"
        );
        assert_eq!(cited(PAGE, &html, "").metadata.author, expected, "{json}");
    }
}

#[test]
fn a_part_of_the_headline_is_no_author() {
    let author = |title: &str, byline: &str| {
        let html = meta("og:title", title) + &format!("<p class=byline>{byline}</p>");
        cited("https://example.org/a", &html, "").metadata.author
    };
    let title = "How Jane Doe built a kiln";
    assert_eq!(author(title, "How Jane Doe"), "");
    assert_eq!(author(title, "built a kiln"), "");
    assert_eq!(author(title, "Written By"), "");
    assert_eq!(author(title, "Jane Roe"), "Jane Roe");
    assert_eq!(author("A kiln by Jane Doe", "Jane Doe"), "Jane Doe");
    assert_eq!(author("A kiln | Jane Doe", "Jane Doe"), "Jane Doe");
    assert_eq!(author("A kiln", "A kilnmaker"), "A kilnmaker");
}

#[test]
fn an_address_is_no_author_and_shows_no_password() {
    let html = meta("article:author", "https://www.facebook.com/jane") + &meta("author", "Jo Lee");
    let got = cited("https://user:secret@example.org/a", &html, "T");
    assert_eq!(got.metadata.author, "Jo Lee");
    assert_eq!(got.url, "https://example.org/a");
    assert!(!serde_json::to_string(&got).unwrap().contains("secret"));
}
