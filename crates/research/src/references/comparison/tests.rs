use super::super::bibliography::Bibliography;
use super::*;

fn work() -> KnownWork {
    let person = |family: &str, given: &str| NamedPerson {
        family: family.to_owned(),
        given: given.to_owned(),
    };
    KnownWork {
        title: "Highly accurate protein structure prediction: with AlphaFold".to_owned(),
        authors: vec![person("Jumper", "John"), person("Hassabis", "Demis")],
        years: vec![2021],
        containers: vec!["Nature".to_owned()],
        pages: "583-589".to_owned(),
        kind: WorkKind::Article,
        ..KnownWork::default()
    }
}

fn fields(text: &str) -> Vec<String> {
    let entry = Bibliography::read(text).entries.remove(0);
    let compared = Comparison::compare(&entry, &work());
    compared
        .differences
        .into_iter()
        .map(|one| one.field)
        .collect()
}

fn bibtex(title: &str, author: &str, year: &str, journal: &str, pages: &str) -> String {
    format!(
        "@article{{a, title = {{{title}}}, author = {{{author}}}, year = {{{year}}},journal = \
         {{{journal}}}, pages = {{{pages}}}}}"
    )
}

#[test]
fn an_entry_that_says_the_same_in_other_words_does_not_differ() {
    let title = "Highly Accurate {P}rotein Structure Prediction";
    for text in [
        bibtex(
            title,
            "Jumper, John and Hassabis, Demis",
            "2021",
            "Nature",
            "583--589",
        ),
        bibtex(title, "J. Jumper and others", "2021", "Nature", "583-9"),
        bibtex(
            title,
            "Jumper, J. and Hassabis, D.",
            "2020",
            "arXiv preprint",
            "",
        ),
        bibtex(title, "", "", "", ""),
        format!(
            "@misc{{a, title={{{title}}}, author={{Jumper, J. and Hassabis, D.}}, year=2020, \
             howpublished={{arXiv}}}}"
        ),
        "Jumper, J. & Hassabis, D. (2020). Highly accurate protein structure prediction. arXiv \
         preprint."
            .to_owned(),
        "Jumper J, Hassabis D. Highly accurate protein structure prediction with AlphaFold. \
         Nature. 2021;596:583-9. doi:10.1000/1999-2000"
            .to_owned(),
        "J. Jumper: Highly accurate protein structure prediction - with Alpha Fold. 2021"
            .to_owned(),
        "Jumper, John, and Demis Hassabis (2021) \u{201c}Highly accurate protein structure \
         prediction\u{201d}, Nature 596"
            .to_owned(),
    ] {
        assert_eq!(fields(&text), [""; 0], "{text}");
    }
}

#[test]
fn each_part_that_differs_is_named() {
    let title = "Highly accurate protein structure prediction";
    let both = "Jumper, John and Hassabis, Demis";
    for (text, expected) in [
        (
            bibtex(
                "Highly accurate protein folding",
                both,
                "2021",
                "Nature",
                "",
            ),
            vec!["title"],
        ),
        (
            bibtex(title, "Doe, Jane and Hassabis, Demis", "2021", "Nature", ""),
            vec!["authors"],
        ),
        (
            bibtex(title, "Jumper, John", "2021", "Nature", ""),
            vec!["authors"],
        ),
        (
            bibtex(title, "Jumper, John and Doe, Jane", "2021", "Nature", ""),
            vec!["authors"],
        ),
        (bibtex(title, both, "2019", "Nature", ""), vec!["year"]),
        (
            bibtex(title, both, "2021", "Science", ""),
            vec!["container"],
        ),
        (bibtex(title, both, "2021", "Nature", "1-9"), vec!["pages"]),
        (
            "Jumper J. Highly accurate protein structure prediction. Nature. 2019.".to_owned(),
            vec!["year"],
        ),
        (
            "Doe J. Highly accurate protein structure prediction. Nature. 2021.".to_owned(),
            vec!["authors"],
        ),
        (
            "Jumper J. Highly accurate protein structure prediction for all. 2021.".to_owned(),
            vec!["title"],
        ),
        (
            "Jumper J. Highly accurate protein structure prediction: a doubtful tale. 2021."
                .to_owned(),
            vec!["title"],
        ),
        (
            "Jumper J. Not so highly accurate protein structure prediction. 2021.".to_owned(),
            vec!["title"],
        ),
    ] {
        assert_eq!(fields(&text), expected, "{text}");
    }
}

#[test]
fn an_identifier_alone_says_nothing_that_could_differ() {
    let work = KnownWork {
        title: "A title of it".to_owned(),
        years: vec![2020],
        ..KnownWork::default()
    };
    for text in [
        "10.1000/a1",
        "@misc{a, doi = {10.1000/a1}}",
        "TY  - JOUR\nDO  - 10.1000/a1\nER  - \n",
        r#"[{"id":"a","type":"article-journal","DOI":"10.1000/a1"}]"#,
    ] {
        let entry = Bibliography::read(text).entries.remove(0);
        assert!(entry.is_bare, "{text}");
        assert_eq!(Comparison::compare(&entry, &work).differences, [], "{text}");
    }
    let entry = Bibliography::read("@misc{a, doi = {10.1000/a1}, year = 2019}")
        .entries
        .remove(0);
    assert_ne!(Comparison::compare(&entry, &work).differences, []);
}

#[test]
fn a_reference_of_another_style_is_the_same() {
    let person = |family: &str, given: &str| NamedPerson {
        family: family.to_owned(),
        given: given.to_owned(),
    };
    let salt = KnownWork {
        title: "A Theory of Rock Salt".to_owned(),
        authors: vec![person("Hochreiter", "Sepp"), person("Lee", "Ann")],
        years: vec![1997],
        containers: vec!["Neural Computation".to_owned()],
        pages: "1735-1780".to_owned(),
        kind: WorkKind::Article,
        ..KnownWork::default()
    };
    let chinese = KnownWork {
        title: "深度学习研究综述".to_owned(),
        authors: vec![person("张", "三"), person("李", "四")],
        years: vec![2017],
        containers: vec!["计算机学报".to_owned()],
        pages: "1229-1251".to_owned(),
        kind: WorkKind::Article,
        ..KnownWork::default()
    };
    let compared = |text: &str, work: &KnownWork| {
        let entry = Bibliography::read(text).entries.remove(0);
        assert!(entry.can_be_found(), "{text}");
        Comparison::compare(&entry, work)
    };
    for (text, work) in [
        (
            "HOCHREITER S, LEE A. A theory of rock salt[J]. Neural computation, 1997, 9(8): \
             1735-1780.",
            &salt,
        ),
        (
            "Hochreiter S, Lee A. A theory of rock salt[J/OL].Neural Comput,1997,9(8):1735-1780.",
            &salt,
        ),
        (
            "Hochreiter S,Lee A.A theory of rock salt.Neural Computation,1997,9(8):1735-1780.",
            &salt,
        ),
        (
            "Hochreiter S and Lee A 1997 A theory of rock salt Neural Comput. 9 1735–80",
            &salt,
        ),
        (
            "Hochreiter S, Lee A A theory of rock salt Neural Computation 9 1997",
            &salt,
        ),
        (
            "张三, 李四. 深度学习研究综述[J]. 计算机学报, 2017, 40(6): 1229-1251.",
            &chinese,
        ),
        (
            "张三，李四．深度学习研究综述［Ｊ］．计算机学报，２０１７，40（6）：1229－1251．",
            &chinese,
        ),
        (
            "张三、李四:《深度学习研究综述》,《计算机学报》2017年第6期。",
            &chinese,
        ),
        (
            "张三, 李四. 深度学习研究综述. 计算机学报, 2017, 40(6): 1229-1251.",
            &chinese,
        ),
        (
            "@article{z, title={深度学习研究综述}, author={张三 and 李四}, journal={计算机学报}, \
             year=2017}",
            &chinese,
        ),
    ] {
        let one = compared(text, work);
        assert_eq!(
            (one.differences, one.is_doubtful),
            (vec![], false),
            "{text}"
        );
    }
    for text in [
        // The title goes on.
        "Hochreiter S and Lee A 1997 A theory of rock salt neural computation of all 9 1735–80",
        "Hochreiter S, Lee A. A theory of rock salt[J]ars. Neural Computation, 1997.",
    ] {
        assert!(!compared(text, &salt).same_title, "{text}");
    }
    for text in [
        "Hochreiter, S., & Doe, J. (1997). A theory of rock salt. Neural Computation, 9(8).",
        "Hochreiter S, Lee A. A theory of rock salt: a review of all. Neural Computation, 1997.",
        "@article{a, title={A Theory of Rock Salt: A Review of All}, author={Hochreiter, S. and \
         Lee, A.}}",
    ] {
        let one = compared(text, &salt);
        assert_eq!((one.differences, one.is_doubtful), (vec![], true), "{text}");
    }
    let text = "Hochreiter, S., & Lee, A. (1997). A theory of rock salt. Nature, 9(8), 1735–1780.";
    let one = &compared(text, &salt).differences[0];
    assert_eq!(
        (one.field.as_str(), one.given.as_str()),
        ("container", "Nature")
    );
}
