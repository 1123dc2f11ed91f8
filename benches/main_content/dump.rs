//! Writes what the model of the main content is trained with.
//!
//! `cargo bench --bench main_content_dump -- PAGES OUT`: PAGES has a JSON object a line, with `id`,
//! `path` (a page in UTF-8) and `url`. OUT.jsonl gets `{"features": [names], "scores": how many of
//! them, at the end, come from the table of words}` and then a line a page, OUT.f32 the rows,
//! little-endian, of all pages one after another (`row` says which is a page's first).

use std::fs::{self, File};
use std::io::{BufWriter, Write};

use iki_document::{convert, convert_main_until, study_main};
use serde_json::{Value, json};
use url::Url;

/// The names of the features, in the order of a row.
const FEATURES: &str = include_str!("features.txt");

/// Number of features at the end of a row that come from the table of words.
const WORD_SCORES: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|x| x != "--bench")
        .collect();
    let [pages, out] = &given[..] else {
        // `cargo test --all-targets` runs every bench, without a word.
        println!("usage: cargo bench --bench main_content_dump -- PAGES OUT");
        return Ok(());
    };
    let mut lines = BufWriter::new(File::create(format!("{out}.jsonl"))?);
    let mut rows = BufWriter::new(File::create(format!("{out}.f32"))?);
    let features: Vec<&str> = FEATURES.split_whitespace().collect();
    let names = json!({ "features": features, "scores": WORD_SCORES });
    writeln!(lines, "{names}")?;
    let mut row = 0;
    for line in fs::read_to_string(pages)?.lines() {
        let asked: Value = serde_json::from_str(line)?;
        let text = |name: &str| asked[name].as_str().unwrap_or_default();
        let page = String::from_utf8_lossy(&fs::read(text("path"))?).into_owned();
        let base = Url::parse(text("url")).or_else(|_| Url::parse("https://example.com/"))?;
        let study = study_main(&page, &base);
        let (document, certainty) = convert_main_until(&page, &base, false, None);
        for values in &study.rows {
            for value in values {
                rows.write_all(&value.to_le_bytes())?;
            }
        }
        let line = json!({
            "id": asked["id"],
            "title": study.title,
            "row": row,
            "blocks": study.blocks,
            "elements": study.elements,
            "p": study.chances,
            "chosen": study.chosen,
            "expected": study.expected,
            "certainty": format!("{certainty:?}"),
            "md": document.markdown,
            "whole": convert(&page, &base).markdown,
        });
        writeln!(lines, "{line}")?;
        row += study.rows.len();
    }
    Ok(())
}
