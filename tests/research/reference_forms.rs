//! The containers that `check_references` compares, and the lists that it reads: of `EndNote`
//! and `PubMed`, in tables, and on one line.

use super::references::{checks, fields, statuses, with};
use crate::common::home::Home;
use crate::server::{Server, reply};
use serde_json::{Value, json};

/// Works as Crossref has them: a paper of a conference, one in another's proceedings, a chapter and
/// two articles.
fn works() -> Value {
    let people = |names: &[&str]| -> Vec<Value> {
        let names = names.iter().map(|name| name.split_once(", ").unwrap());
        names
            .map(|(family, given)| json!({"family": family, "given": given}))
            .collect()
    };
    let work = |doi: &str, kind: &str, title: &str, names: &[&str], containers: &[&str]| {
        json!({"DOI": doi, "type": kind, "title": [title], "author": people(names),
            "container-title": containers})
    };
    let with = |mut work: Value, year: u16, pages: &str| {
        work["published"] = json!({"date-parts": [[year]]});
        work["page"] = json!(pages);
        work
    };
    json!([
        with(
            work(
                "10.5555/resnet",
                "proceedings-article",
                "Deep Residual Learning for Image Recognition",
                &["He, Kaiming", "Zhang, Xiangyu"],
                &["2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"],
            ),
            2016,
            "770-778"
        ),
        with(
            work(
                "10.5555/optuna",
                "proceedings-article",
                "Optuna: A Next-generation Hyperparameter Optimization Framework",
                &["Akiba, Takuya", "Sano, Shotaro"],
                &[
                    "Proceedings of the 25th ACM SIGKDD International Conference on Knowledge \
                   Discovery & Data Mining"
                ],
            ),
            2019,
            "2623-2631"
        ),
        with(
            work(
                "10.5555/garbage",
                "book-chapter",
                "Garbage collection without locks",
                &["de la Vega, José María"],
                &[
                    "Euro-Par 2007 Parallel Processing",
                    "Lecture Notes in Computer Science"
                ],
            ),
            2007,
            "261-270"
        ),
        with(
            work(
                "10.5555/fold",
                "journal-article",
                "Highly accurate protein structure prediction with AlphaFold",
                &["Jumper, John", "Evans, Richard"],
                &["Nature"],
            ),
            2021,
            "583-589"
        ),
        with(
            work(
                "10.5555/memory",
                "journal-article",
                "Long Short-Term Memory",
                &["Hochreiter, Sepp", "Schmidhuber, Jürgen"],
                &["Neural Computation"],
            ),
            1997,
            "1735-1780"
        ),
    ])
}

/// Crossref with these works, all of which answer each search.
fn crossref() -> Server {
    Server::start(|asked, conn| {
        let works = works();
        let all = works.as_array().unwrap();
        let path = asked.target.split('?').next().unwrap_or_default();
        let doi = path
            .strip_prefix("/api/")
            .map(|doi| doi.replace("%2F", "/"));
        let message = match doi {
            None => json!({"total-results": all.len(), "items": all}),
            Some(doi) => match all.iter().find(|work| work["DOI"] == doi) {
                None => return conn.write_all(&reply("404 Not Found", "Resource not found.")),
                Some(work) => work.clone(),
            },
        };
        let body = json!({"status": "ok", "message": message}).to_string();
        let head = "200 OK\r\nContent-Type: application/json";
        conn.write_all(&reply(head, body))
    })
}

/// Checks each text in a call of its own, and lists what is not as it should be.
fn wrong(texts: &[String], is_right: impl Fn(&Value) -> bool) -> Vec<String> {
    let (crossref, nobody) = (crossref(), nobody());
    let home = home(&crossref, &nobody);
    let mut wrong = Vec::new();
    for text in texts {
        let checked = checks(&home, text);
        let all = checked["references"].as_array().unwrap();
        if all.len() != 1 || !is_right(&all[0]) {
            wrong.push(format!("{text}: {}", checked["references"]));
        }
    }
    wrong
}

const RESNET: &str = "title={Deep Residual Learning for Image Recognition}, \
    author={He, Kaiming and Zhang, Xiangyu}, year={2016}";
const OPTUNA: &str = "title={Optuna: A Next-generation Hyperparameter Optimization Framework}, \
    author={Akiba, Takuya and Sano, Shotaro}, year={2019}";
const GARBAGE: &str = "title={Garbage collection without locks}, \
    author={de la Vega, José María}, year={2007}";
const FOLD: &str = "title={Highly accurate protein structure prediction with AlphaFold}, \
    author={Jumper, John and Evans, Richard}, year={2021}";

/// The same three works in sentences, up to their containers.
const RESNET_TEXT: &str = "He K, Zhang X. Deep Residual Learning for Image Recognition.";
const GARBAGE_TEXT: &str = "de la Vega JM. Garbage collection without locks.";
const FOLD_TEXT: &str = "Jumper J, Evans R. Highly accurate protein structure prediction with \
    AlphaFold.";

#[test]
fn a_paper_or_chapter_in_anothers_container_differs() {
    let booktitle = |kind: &str, fields: &str, name: &str| {
        format!("@{kind}{{a, {fields}, booktitle={{{name}}}}}")
    };
    let journal = |fields: &str, name: &str| format!("@article{{a, {fields}, journal={{{name}}}}}");
    let texts = [
        booktitle("inproceedings", RESNET, "Advances in Neural Information Processing Systems"),
        booktitle("inproceedings", RESNET, "NeurIPS"),
        booktitle("inproceedings", RESNET, "ICML"),
        booktitle("inproceedings", RESNET, "ICCV"),
        booktitle("inproceedings", RESNET, "Proc. 33rd Int. Conf. Machine Learning"),
        booktitle("inproceedings", RESNET, "Proceedings of the Royal Society"),
        booktitle("inproceedings", OPTUNA, "Proceedings of CHI '19"),
        booktitle("inproceedings", FOLD, "CVPR"),
        booktitle("incollection", GARBAGE, "The Oxford Handbook of Ethics"),
        journal(RESNET, "Nature Genetics"),
        journal(GARBAGE, "The Lancet"),
        "TY  - CONF\nAU  - He, Kaiming\nAU  - Zhang, Xiangyu\nTI  - Deep Residual Learning for \
         Image Recognition\nT2  - Proceedings of the Royal Society\nPY  - 2016\nER  - "
            .to_owned(),
        json!([{"type": "paper-conference", "title": "Deep Residual Learning for Image Recognition",
            "author": [{"family": "He", "given": "K."}, {"family": "Zhang", "given": "X."}],
            "issued": {"date-parts": [[2016]]}, "container-title": "NeurIPS"}])
        .to_string(),
        format!("{RESNET_TEXT} NeurIPS 2016."),
        format!("{RESNET_TEXT} Nature Genetics 2016."),
        format!("{RESNET_TEXT} In: Advances in Neural Information Processing Systems, 2016."),
        "K. He and X. Zhang, \u{201c}Deep residual learning for image recognition,\u{201d} in Proc. \
         ICML, 2016, pp. 770\u{2013}778."
            .to_owned(),
        format!("{GARBAGE_TEXT} In: The Oxford Handbook of Ethics, 2007, pp. 261-270."),
        format!("{FOLD_TEXT} Science 2021;596:583-589."),
        format!("{FOLD_TEXT} The Lancet, 596, 2021."),
        format!("{RESNET_TEXT} In: NeurIPS. Curran; 2016. p. 770-8."),
    ];
    let wrong = wrong(&texts, |one| {
        one["status"] == "differs" && fields(one) == ["container"]
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_container_is_known_under_its_other_names() {
    let booktitle =
        |fields: &str, name: &str| format!("@inproceedings{{a, {fields}, booktitle={{{name}}}}}");
    let texts = [
        booktitle(RESNET, "CVPR"),
        booktitle(RESNET, "IEEE CVPR"),
        booktitle(RESNET, "CVPR'16"),
        booktitle(RESNET, "Proc. IEEE Conf. Comput. Vis. Pattern Recognit."),
        booktitle(RESNET, "Proceedings of the IEEE conference on computer vision and pattern recognition"),
        booktitle(RESNET, "2016 {IEEE} Conference on Computer Vision and Pattern Recognition, {CVPR} 2016, Las Vegas, NV, USA"),
        booktitle(OPTUNA, "KDD"),
        booktitle(OPTUNA, "SIGKDD"),
        booktitle(OPTUNA, "KDD '19: The 25th ACM SIGKDD Conference"),
        booktitle(OPTUNA, "Proc. 25th ACM Int. Conf. Knowl. Discovery Data Mining"),
        booktitle(GARBAGE, "Lecture Notes in Computer Science"),
        booktitle(GARBAGE, "LNCS"),
        booktitle(GARBAGE, "Euro-Par"),
        booktitle(GARBAGE, "European Conference on Parallel Processing"),
        booktitle(FOLD, "Nature"),
        format!("@inproceedings{{a, {RESNET}, booktitle={{arXiv}}}}"),
        format!("@misc{{a, {RESNET}, howpublished={{somewhere}}}}"),
        format!("{RESNET_TEXT} CVPR 2016."),
        format!("{RESNET_TEXT} In: CVPR. IEEE; 2016. p. 770-8."),
        format!("{RESNET_TEXT} IEEE, 2016."),
        format!("{RESNET_TEXT} arXiv 2015."),
        "He, K., & Zhang, X. (2016). Deep residual learning for image recognition. In Proceedings of \
         the IEEE conference on computer vision and pattern recognition (pp. 770\u{2013}778)."
            .to_owned(),
        "K. He, X. Zhang, Deep residual learning for image recognition, June 2016.".to_owned(),
        "Akiba T, Sano S. Optuna: a next-generation hyperparameter optimization framework. In: KDD \
         '19. ACM; 2019:2623-31."
            .to_owned(),
        format!("{GARBAGE_TEXT} In: Kermarrec AM (ed) Euro-Par 2007 Parallel Processing. LNCS, vol 4641. Springer, pp 261-270"),
        format!("{GARBAGE_TEXT} Springer 2007."),
        format!("{FOLD_TEXT} Nature. 2021;596(7873):583-589."),
        format!("{FOLD_TEXT} Nature, vol. 596, pp. 583-589, 2021."),
        format!("{FOLD_TEXT} Published online 15 July 2021."),
    ];
    let wrong = wrong(&texts, |one| one["status"] == "found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn records_of_endnote_and_pubmed_and_rows_of_tables_are_entries() {
    let endnote = "%0 Journal Article\n%A Hochreiter, Sepp\n%A Schmidhuber, Jürgen\n%T Long \
        Short-Term Memory\n%J Neural Computation\n%D 1997\n%P 1735-1780\n";
    let other = "%0 Conference Proceedings\n%A Jumper, J.\n%T An imaginary paper on unicorns\n\
        %B Nowhere\n%D 2021\n";
    let pubmed = "PMID- 9377276\nOWN - NLM\nDP  - 1997 Nov 15\nTI  - Long Short-Term\n      \
        Memory.\nPG  - 1735-80\nFAU - Hochreiter, Sepp\nAU  - Hochreiter S\nFAU - Schmidhuber, J\n\
        AU  - Schmidhuber J\nTA  - Neural Comput\nJT  - Neural computation\n\
        AID - 10.5555/memory [doi]\n";
    let unknown = "PMID- 1\nTI  - An imaginary paper on unicorns.\nAU  - Jumper J\n\
        DP  - 2021\nTA  - Nowhere\n";
    let table = "| # | Reference |\n|---|:--|\n| 1 | Hochreiter, S. (1997). Long Short-Term Memory. \
        Neural Computation. |\n| 2 | Jumper, J. (2021). An imaginary paper on unicorns. Nature 1. |";
    let columns = "| Author | Title | Year |\n| --- | --- | --- |\n| Hochreiter, S. | Long \
        Short-Term Memory | 1997 |\n| Jumper, J. | An imaginary paper on unicorns | 2021 |";
    let (crossref, nobody) = (crossref(), nobody());
    let home = home(&crossref, &nobody);
    for text in [
        format!("{endnote}\n{other}"),
        format!("{endnote}{other}"),
        endnote.replace("%0 Journal Article\n", "") + "\n" + &other.replace("%0 Conf", "%9 Conf"),
        format!(
            "{}\r\n{}",
            endnote.replace('\n', "\r\n"),
            other.replace('\n', "\r\n")
        ),
        table.to_owned(),
        columns.to_owned(),
        format!("## References\n\n{table}\n"),
    ] {
        let checked = checks(&home, &text);
        assert_eq!(
            statuses(&checked),
            ["found", "not_found"],
            "{text}: {checked}"
        );
        let entry = checked["references"][1]["entry"].as_str().unwrap();
        assert!(
            entry.contains("imaginary") && !entry.contains('|'),
            "{entry}"
        );
    }
    // A number that PubMed does not have is a difference.
    for text in [
        format!("{pubmed}\n{unknown}"),
        format!("\n{pubmed}{unknown}"),
    ] {
        let checked = checks(&home, &text);
        let all = &checked["references"];
        assert_eq!(all.as_array().map(Vec::len), Some(2), "{checked}");
        assert_eq!(fields(&all[0]), ["pmid"], "{checked}");
        assert_eq!(all[1]["status"], "not_found", "{checked}");
    }
}

#[test]
fn references_joined_by_a_blank_are_parted_behind_their_years() {
    let (crossref, nobody) = (crossref(), nobody());
    let home = home(&crossref, &nobody);
    for text in [
        "Hochreiter S. Long Short-Term Memory. Neural Computation 1997. Jumper J. An imaginary \
         paper on unicorns. Nature 2021.",
        "Hochreiter S, Schmidhuber J. Long Short-Term Memory. Neural Comput. 1997 Nov \
         15;9(8):1735-80. Jumper J, Evans R. An imaginary paper on unicorns. Nature. 2021;1:2-3.",
        "Hochreiter S. Long Short-Term Memory. Neural Comput. 1997;9(8):1735-80. doi: \
         10.5555/memory. Jumper JB. An imaginary paper on unicorns. Nature. 2021;1:2-3.",
    ] {
        let checked = checks(&home, text);
        assert_eq!(
            statuses(&checked),
            ["found", "not_found"],
            "{text}: {checked}"
        );
    }
    for text in [
        "Hochreiter S. Long Short-Term Memory. In: Doe J, editor. Neural Computation 1997.",
        "Hochreiter S. Long Short-Term Memory. Neural Computation 1997. Erratum in: Doe J. 1998.",
    ] {
        assert_eq!(statuses(&checks(&home, text)).len(), 1, "{text}");
    }
}

/// A person's home, in which Crossref has the works, and nobody else has any.
fn home(crossref: &Server, nobody: &Server) -> Home {
    let others = ["openalex", "semanticscholar", "datacite", "doi", "pubmed"];
    let mut servers = vec![("crossref", crossref)];
    servers.extend(others.map(|name| (name, nobody)));
    with(&servers)
}

/// A provider that has nothing.
fn nobody() -> Server {
    Server::start(|asked, conn| {
        if asked.param("search").or(asked.param("id")).is_none() {
            return conn.write_all(&reply("404 Not Found", "{}"));
        }
        let body = r#"{"meta":{"count":0},"results":[],"result":{"uids":[]}}"#;
        conn.write_all(&reply("200 OK\r\nContent-Type: application/json", body))
    })
}
