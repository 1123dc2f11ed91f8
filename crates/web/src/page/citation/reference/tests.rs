//! Works as reference managers get them.

use super::*;
use crate::page::retraction::RetractionStatus;

#[test]
fn a_patent_is_exported_as_one() {
    let patent = Work {
        url: "https://patents.google.com/patent/US10165245B2/en".to_owned(),
        title: "Pre-fetching video content".to_owned(),
        publisher: "Acme".to_owned(),
        ..Work::default()
    };
    let all = Reference::all([(&patent, "2026-01-02")].into_iter());
    let [patent] = all.as_slice() else {
        panic!("{}", all.len())
    };
    let bibtex = patent.bibtex();
    assert!(bibtex.starts_with("@patent{"), "{bibtex}");
    assert!(bibtex.contains("number = {US10165245B2}"), "{bibtex}");
    assert!(bibtex.contains("holder = {Acme}"), "{bibtex}");
    let ris = patent.ris();
    assert!(ris.starts_with("TY  - PAT\n"), "{ris}");
    assert!(ris.contains("IS  - US10165245B2\n"), "{ris}");
    let csl = patent.csl();
    assert_eq!(
        (&csl["type"], &csl["number"]),
        (&"patent".into(), &"US10165245B2".into())
    );
}

fn exported(work: &Work) -> (String, String, serde_json::Value) {
    let all = Reference::all([(work, "2026-01-02")].into_iter());
    (all[0].bibtex(), all[0].ris(), all[0].csl())
}

#[test]
fn a_work_is_exported_with_all_that_is_known_of_it() {
    let work = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        title: "A Title".to_owned(),
        authors: vec![
            WorkAuthor::person("Garc\u{ed}a M\u{e1}rquez", "Gabriel", ""),
            WorkAuthor::unsplit("Suryadi"),
            WorkAuthor::group("The Trust Consortium of Ours"),
            WorkAuthor::person("Smith", "JA", "Jr"),
        ],
        kind: WorkKind::Article,
        container: "Nature".to_owned(),
        volume: "596".to_owned(),
        issue: "7873".to_owned(),
        pages: "583-589".to_owned(),
        publisher: "House".to_owned(),
        date: PartialDate::parse("2021-07-15"),
        doi: "10.1000/1".to_owned(),
        arxiv: "2101.00001".to_owned(),
        pmid: "34265844".to_owned(),
        pmcid: "PMC8371605".to_owned(),
        pdf_url: "https://example.org/1.pdf".to_owned(),
        retraction: Some(RetractionStatus {
            date: Some("2022-02-06".to_owned()),
            ..RetractionStatus::retracted()
        }),
        ..Work::default()
    };
    let (bibtex, ris, csl) = exported(&work);
    for line in [
        "@article{garciamarquez2021title",
        "author = {Garc\u{ed}a M\u{e1}rquez, Gabriel and {Suryadi} and {The Trust Consortium of \
         Ours} and Smith, Jr, JA}",
        "title = {{RETRACTED: A Title}}",
        "journal = {Nature}",
        "publisher = {House}",
        "volume = {596}",
        "number = {7873}",
        "pages = {583--589}",
        "year = {2021}",
        "month = jul",
        "day = {15}",
        "doi = {10.1000/1}",
        "eprint = {2101.00001}",
        "archiveprefix = {arXiv}",
        "pmid = {34265844}",
        "urldate = {2026-01-02}",
        "note = {RETRACTED, 2022-02-06}",
    ] {
        assert!(bibtex.contains(line), "{line} in {bibtex}");
    }
    for line in [
        "TY  - JOUR",
        "AU  - Garc\u{ed}a M\u{e1}rquez, Gabriel",
        "AU  - Suryadi",
        "AU  - The Trust Consortium of Ours",
        "AU  - Smith, JA, Jr",
        "TI  - RETRACTED: A Title",
        "PY  - 2021",
        "DA  - 2021/07/15",
        "T2  - Nature",
        "VL  - 596",
        "IS  - 7873",
        "SP  - 583",
        "EP  - 589",
        "PB  - House",
        "DO  - 10.1000/1",
        "AN  - 34265844",
        "C2  - PMC8371605",
        "L1  - https://example.org/1.pdf",
        "Y2  - 2026/01/02",
        "N1  - RETRACTED, 2022-02-06",
    ] {
        assert!(ris.lines().any(|one| one == line), "{line} in {ris}");
    }
    for (name, value) in [
        ("type", json!("article-journal")),
        ("title", json!("RETRACTED: A Title")),
        ("container-title", json!("Nature")),
        ("volume", json!("596")),
        ("issue", json!("7873")),
        ("page", json!("583-589")),
        ("publisher", json!("House")),
        ("issued", json!({"date-parts": [[2021, 7, 15]]})),
        ("DOI", json!("10.1000/1")),
        ("PMID", json!("34265844")),
        ("PMCID", json!("PMC8371605")),
        ("note", json!("RETRACTED, 2022-02-06")),
    ] {
        assert_eq!(csl[name], value, "{name}");
    }
    assert_eq!(csl["author"][1], json!({"literal": "Suryadi"}));
    assert_eq!(csl["author"][3]["suffix"], "Jr");
}

#[test]
fn a_book_has_its_edition_and_its_isbn_and_a_program_its_version() {
    for (kind, edition) in [
        (WorkKind::Book, "edition"),
        (WorkKind::Chapter, "edition"),
        (WorkKind::Software, "version"),
        (WorkKind::Dataset, "version"),
    ] {
        let work = Work {
            url: "https://doi.org/10.1000/1".to_owned(),
            title: "T".to_owned(),
            kind,
            edition: "3".to_owned(),
            isbn: "9780262033848".to_owned(),
            ..Work::default()
        };
        let (bibtex, ris, csl) = exported(&work);
        for line in [
            &format!("  {edition} = {{3}},"),
            "  isbn = {9780262033848},",
        ] {
            assert!(bibtex.lines().any(|one| one == line), "{line} in {bibtex}");
        }
        for line in ["ET  - 3", "SN  - 9780262033848"] {
            assert!(ris.lines().any(|one| one == line), "{line} in {ris}");
        }
        assert_eq!(
            (&csl[edition], &csl["ISBN"]),
            (&json!("3"), &json!("9780262033848"))
        );
    }
}

#[test]
fn each_kind_has_its_name_in_each_form() {
    for (kind, bibtex, ris, csl) in [
        (WorkKind::Article, "@article{", "JOUR", "article-journal"),
        (WorkKind::Preprint, "@misc{", "UNPB", "article"),
        (WorkKind::Chapter, "@incollection{", "CHAP", "chapter"),
        (WorkKind::Book, "@book{", "BOOK", "book"),
        (
            WorkKind::Proceedings,
            "@inproceedings{",
            "CONF",
            "paper-conference",
        ),
        (WorkKind::Thesis, "@phdthesis{", "THES", "thesis"),
        (WorkKind::Dataset, "@misc{", "DATA", "dataset"),
        (WorkKind::Software, "@misc{", "COMP", "software"),
        (WorkKind::Report, "@techreport{", "RPRT", "report"),
        (WorkKind::Page, "@misc{", "ELEC", "webpage"),
        (WorkKind::Unknown, "@misc{", "GEN", "document"),
    ] {
        let work = Work {
            url: "https://doi.org/10.1000/1".to_owned(),
            title: "T".to_owned(),
            doi: "10.1000/1".to_owned(),
            kind,
            publisher: "House".to_owned(),
            ..Work::default()
        };
        let exported = exported(&work);
        assert!(exported.0.starts_with(bibtex), "{}", exported.0);
        assert!(
            exported.1.starts_with(&format!("TY  - {ris}\n")),
            "{}",
            exported.1
        );
        assert_eq!(exported.2["type"], csl);
        let publisher = match kind {
            WorkKind::Thesis => "school = {House}",
            WorkKind::Report => "institution = {House}",
            WorkKind::Preprint => "howpublished = {House}",
            _ => "publisher = {House}",
        };
        assert!(exported.0.contains(publisher), "{}", exported.0);
        let is_data = exported.0.contains(&format!("type = {{{}}}", kind.name()));
        let expected = matches!(kind, WorkKind::Dataset | WorkKind::Software);
        assert_eq!(is_data, expected, "{}", exported.0);
    }
    // What a session of a former version has kept.
    let former = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        container: "Nature".to_owned(),
        ..Work::default()
    };
    assert!(exported(&former).0.starts_with("@article{"));
}

#[test]
fn a_formula_in_a_title_is_left_to_tex_and_a_price_is_not() {
    let title = |title: &str| {
        let work = Work {
            url: "https://example.org/".to_owned(),
            title: title.to_owned(),
            ..Work::default()
        };
        let (bibtex, ..) = exported(&work);
        let (_, remainder) = bibtex.split_once("title = {{").unwrap();
        remainder.split_once("}},\n").unwrap().0.to_owned()
    };
    for (text, expected) in [
        (
            "Decays $H \\rightarrow b\\bar{b}$ & $x_1$",
            "Decays $H \\rightarrow b\\bar{b}$ \\& $x_1$",
        ),
        ("From $5 to $10", "From \\$5 to \\$10"),
        ("A $5-$10 plan", "A \\$5-\\$10 plan"),
        ("Half of $x", "Half of \\$x"),
        (
            "An open $\\bar{b$ one",
            "An open \\$\\textbackslash{}bar(b\\$ one",
        ),
        ("$a % b$", "\\$a \\% b\\$"),
        ("$$", "\\$\\$"),
    ] {
        assert_eq!(title(text), expected, "{text}");
    }
}

#[test]
fn pages_and_names_with_commas_stay_whole() {
    let work = Work {
        url: "https://doi.org/10.1000/1".to_owned(),
        title: "T".to_owned(),
        authors: vec![WorkAuthor::person("Smith, Jones", "B.", "")],
        kind: WorkKind::Article,
        pages: "e12-e15, 20".to_owned(),
        ..Work::default()
    };
    let (bibtex, ris, csl) = exported(&work);
    assert!(bibtex.contains("author = {{Smith, Jones}, B.}"), "{bibtex}");
    assert!(
        ris.contains("SP  - e12-e15, 20\n") && !ris.contains("EP  -"),
        "{ris}"
    );
    assert_eq!(csl["page"], "e12-e15, 20");
}
