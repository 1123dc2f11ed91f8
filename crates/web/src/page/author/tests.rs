//! Names as pages write them.

use super::*;

fn inverted(text: &str) -> Vec<String> {
    all(text, AuthorKind::None)
        .iter()
        .map(AuthorName::inverted)
        .collect()
}

#[test]
fn names_are_turned_around_where_they_are_persons() {
    for (text, expected) in [
        ("Jane Doe", &["Doe, Jane"][..]),
        ("Doe, Jane", &["Doe, Jane"]),
        ("By Jane Q. Doe", &["Doe, Jane Q."]),
        ("Byron Katie", &["Katie, Byron"]),
        ("Von Neumann, John", &["Von Neumann, John"]),
        ("Ludwig van Beethoven", &["van Beethoven, Ludwig"]),
        ("Maria de la Cruz", &["de la Cruz, Maria"]),
        ("Gerard 't Hooft", &["'t Hooft, Gerard"]),
        ("Bas van \u{2019}t Hoff", &["van \u{2019}t Hoff, Bas"]),
        ("Martin Luther King Jr.", &["King, Martin Luther, Jr."]),
        ("King, Martin Luther, Jr.", &["King, Martin Luther, Jr."]),
        ("Jane Doe, MD, PhD", &["Doe, Jane"]),
        ("Dr. Jane Doe M.P.H., R.D.", &["Doe, Jane"]),
        ("Jane Doe, CFP\u{ae}", &["Doe, Jane"]),
        ("Ma, Jack", &["Ma, Jack"]),
        ("Yo Yo Ma", &["Ma, Yo Yo"]),
        ("Doe, MA", &["Doe, MA"]),
        (
            "Garc\u{ed}a L\u{f3}pez, JM",
            &["Garc\u{ed}a L\u{f3}pez, JM"],
        ),
        ("Aristotle", &["Aristotle"]),
        (
            "\u{5c71}\u{7530}\u{592a}\u{90ce}",
            &["\u{5c71}\u{7530}\u{592a}\u{90ce}"],
        ),
        ("World Health Organization", &["World Health Organization"]),
        ("ATLAS Collaboration", &["ATLAS Collaboration"]),
        ("The CMS Collaboration", &["The CMS Collaboration"]),
        (
            "LIGO Scientific Collaboration",
            &["LIGO Scientific Collaboration"],
        ),
        ("Google Research", &["Google Research"]),
        ("RECOVERY Group", &["RECOVERY Group"]),
        ("Trial Investigators", &["Trial Investigators"]),
        ("山田 太郎", &["山田 太郎"]),
        ("김 철수", &["김 철수"]),
        ("山田, 太郎", &["山田, 太郎"]),
        ("Wei 李", &["李, Wei"]),
        ("The Editors", &["The Editors"]),
        ("José Ortega y Gasset", &["Ortega y Gasset, José"]),
        ("Juan de Borbón y Borbón", &["de Borbón y Borbón, Juan"]),
        ("Francesc Pi i Margall", &["Pi i Margall, Francesc"]),
        ("Acme, Inc.", &["Acme, Inc."]),
        ("NASA", &["NASA"]),
        ("user1234", &["user1234"]),
        ("u/some_body", &["u/some_body"]),
    ] {
        assert_eq!(inverted(text), expected, "{text}");
    }
}

#[test]
fn a_text_may_name_several() {
    for (text, expected) in [
        ("Jane Doe and John Roe", &["Doe, Jane", "Roe, John"][..]),
        ("Jane Doe & John Roe", &["Doe, Jane", "Roe, John"]),
        ("Doe, Jane; Roe, John", &["Doe, Jane", "Roe, John"]),
        ("Doe, J. and Roe, R.", &["Doe, J.", "Roe, R."]),
        (
            "Juana Doe Ruiz y Juan Roe",
            &["Ruiz, Juana Doe", "Roe, Juan"],
        ),
        ("Jane Doe et John Roe", &["Doe, Jane", "Roe, John"]),
        ("Otto von und zu Berg", &["von und zu Berg, Otto"]),
        ("Jane Doe | The Times", &["Doe, Jane"]),
        (
            "Jane Doe | John Roe, Max Moe and Ann Poe",
            &["Doe, Jane", "Roe, John", "Moe, Max", "Poe, Ann"],
        ),
        ("Jane Doe, Staff Writer", &["Doe, Jane"]),
        (
            "Jane Doe, John Roe, Staff Writers",
            &["Doe, Jane", "Roe, John"],
        ),
        ("By Jane Doe, Senior Reporter", &["Doe, Jane"]),
        ("李明、王芳", &["李明", "王芳"]),
        ("Doe, Jane and Roe, John", &["Doe, Jane", "Roe, John"]),
        (
            "Jane Doe, John Roe, and Ann B. Lee",
            &["Doe, Jane", "Roe, John", "Lee, Ann B."],
        ),
        ("Jane Doe, John Roe", &["Doe, Jane", "Roe, John"]),
        ("Smith & Sons Ltd", &["Smith & Sons Ltd"]),
        (
            "Department of Health and Care",
            &["Department of Health and Care"],
        ),
    ] {
        assert_eq!(inverted(text), expected, "{text}");
    }
}

#[test]
fn a_byline_names_persons_and_goes_on() {
    for (text, expected) in [
        ("By Jane Doe", &["Doe, Jane"][..]),
        (
            "Written by: Jane Doe and John Roe",
            &["Doe, Jane", "Roe, John"],
        ),
        ("Jane Doe July 10, 2023", &["Doe, Jane"]),
        ("Jane Doe, July 10, 2023", &["Doe, Jane"]),
        ("Jane Doe on Mar 06, 2010", &["Doe, Jane"]),
        ("Jane Doe 10 July 2023", &["Doe, Jane"]),
        ("Jane Doe | Staff Writer", &["Doe, Jane"]),
        ("Jane Doe \u{b7} 5 min read", &["Doe, Jane"]),
        ("Post by jane \u{bb} Mon May 14", &["jane"]),
        ("J. Doe 509 1 gold badge", &["Doe, J."]),
        ("Updated March 11, 2026", &[]),
        ("View more posts", &[]),
        ("Sat 12 May", &[]),
        ("Sun, May 12", &[]),
        ("Authored by: Jane Doe", &["Doe, Jane"]),
        ("", &[]),
    ] {
        let names: Vec<String> = of_byline(text).iter().map(AuthorName::inverted).collect();
        assert_eq!(names, expected, "{text}");
    }
}

#[test]
fn what_is_no_name_names_nobody() {
    for text in [
        "",
        " , ",
        "https://www.facebook.com/jane",
        "/authors/jane",
        "jane@example.org",
        "undefined",
        "Written By",
        "Written By:",
        "Authors",
        "The Author",
        "262588213843476",
        "page.head.extra.author",
        "\u{202e}\u{200b}",
    ] {
        assert_eq!(inverted(text), [""; 0], "{text}");
    }
    assert_eq!(inverted(&"x ".repeat(500)), [""; 0]);
}

#[test]
fn what_the_page_says_of_an_author_counts() {
    let one = |name, hint| AuthorName::parse(name, hint).unwrap().inverted();
    assert_eq!(one("Jane Doe", AuthorKind::Organisation), "Jane Doe");
    assert_eq!(one("Kim News", AuthorKind::Person), "News, Kim");
}

#[test]
fn the_natural_order_of_a_name_is_that_of_its_language() {
    let one = |name| {
        AuthorName::parse(name, AuthorKind::Person)
            .unwrap()
            .in_natural_order()
    };
    assert_eq!(one("Doe, Jane"), "Jane Doe");
    assert_eq!(one("山田, 太郎"), "山田 太郎");
    assert_eq!(one("山田 太郎"), "山田 太郎");
}
