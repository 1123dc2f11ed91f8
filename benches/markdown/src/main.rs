//! How well and how fast pages become Markdown, beside other converters. See `run.sh`.

mod pages;
mod same;

use std::fs;

use serde_json::Value;

type Convert = fn(&str) -> String;

const ENGINES: &[(&str, Convert)] = &[
    ("ikigai-tools", ikigai),
    ("htmd", |html| htmd::convert(html).unwrap_or_default()),
    ("mdka", |html| mdka::html_to_markdown(html)),
];

fn ikigai(html: &str) -> String {
    let base = url::Url::parse(same::BASE).expect("a constant");
    iki_document::convert(html, &base).markdown
}

fn back(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.render.r#unsafe = true;
    comrak::markdown_to_html(markdown, &options)
}

/// Number, section and HTML of every example.
fn examples(path: &str) -> Vec<(String, String, String)> {
    let text = fs::read_to_string(path).expect("a file of examples");
    let json: Value = serde_json::from_str(&text).expect("examples as JSON");
    let list = json.as_array().expect("an array of examples");
    list.iter()
        .map(|example| {
            let field = |names: &[&str]| {
                names
                    .iter()
                    .find_map(|name| example.get(name))
                    .map(|value| {
                        value
                            .as_str()
                            .map_or_else(|| value.to_string(), str::to_owned)
                    })
                    .unwrap_or_default()
            };
            (
                field(&["n", "number", "example"]),
                field(&["section"]),
                field(&["html"]),
            )
        })
        .collect()
}

/// Scores the engines built in, and those whose conversions were written to files:
/// `name=conversions.json`.
fn score(path: &str, others: &[&str], show: bool) {
    let examples = examples(path);
    for (engine, convert) in ENGINES {
        let all: Vec<String> = examples.iter().map(|(_, _, html)| convert(html)).collect();
        rate(engine, &examples, &all, show && *engine == "ikigai-tools");
    }
    for other in others {
        let (engine, file) = other.split_once('=').expect("name=file");
        let text = fs::read_to_string(file).expect("a file of conversions");
        let all: Vec<String> = serde_json::from_str(&text).expect("conversions as JSON");
        rate(engine, &examples, &all, false);
    }
}

fn rate(engine: &str, examples: &[(String, String, String)], all: &[String], show: bool) {
    let mut sections: Vec<(&str, usize, usize)> = Vec::new();
    for ((number, section, html), markdown) in examples.iter().zip(all) {
        let equal = same::normal(html) == same::normal(&back(markdown));
        if sections.last().is_none_or(|last| last.0 != section) {
            sections.push((section, 0, 0));
        }
        let last = sections.last_mut().expect("just pushed");
        last.1 += usize::from(equal);
        last.2 += 1;
        if show && !equal {
            println!(
                "--- {section} {number}\n{html}\n=>\n{markdown}\n<=\n{}\n",
                back(markdown)
            );
        }
    }
    let raw = |name: &str| name == "HTML blocks" || name == "Raw HTML";
    let sum = |all: bool| {
        sections
            .iter()
            .filter(|section| all || !raw(section.0))
            .fold((0, 0), |sum, section| {
                (sum.0 + section.1, sum.1 + section.2)
            })
    };
    let ((equal, count), (without, others)) = (sum(true), sum(false));
    println!(
        "{engine}: {equal} of {count}; {without} of {others} outside the sections on raw HTML"
    );
    for (section, equal, count) in sections {
        if equal < count {
            println!("    {section}: {equal} of {count}");
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["score", path, others @ ..] => score(path, others, false),
        ["failures", path] => score(path, &[], true),
        [command @ ("pages" | "lost"), dir, count, engine] => {
            let sample = pages::sample(dir, count.parse().expect("a number"));
            for (name, convert) in ENGINES {
                if *engine == "all" || engine == name {
                    pages::measure(name, *convert, back, &sample, *command == "lost");
                }
            }
        }
        ["speed", dir, count, engine] => {
            let sample = pages::sample(dir, count.parse().expect("a number"));
            for (name, convert) in ENGINES {
                if engine == name {
                    pages::speed(name, *convert, &sample, 5);
                }
            }
        }
        ["convert"] => {
            let html = std::io::read_to_string(std::io::stdin()).expect("HTML");
            print!("{}", ikigai(&html));
        }
        _ => eprintln!("usage: see run.sh"),
    }
}
