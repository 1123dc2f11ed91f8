//! What a conversion keeps of real pages: their words, headings, code, cells and items, found in
//! the page and again in the HTML that its Markdown renders to.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use markup5ever_rcdom::{Handle, NodeData};

use crate::same;

/// `count` pages of those below `dir`, spread evenly.
pub fn sample(dir: &str, count: usize) -> Vec<PathBuf> {
    let mut all = Vec::new();
    walk(Path::new(dir), &mut all);
    all.sort();
    let step = (all.len() / count.max(1)).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

fn walk(dir: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            walk(&path, all);
        } else if path.extension().is_some_and(|e| e == "html")
            && kind.is_ok_and(|kind| kind.is_file())
            && entry.metadata().is_ok_and(|meta| meta.len() > 2000)
        {
            all.push(path);
        }
    }
}

/// What a piece of HTML holds, each kind as a bag of strings.
#[derive(Default)]
struct Content {
    words: HashMap<String, i64>,
    headings: HashMap<String, i64>,
    blocks: HashMap<String, i64>,
    codes: HashMap<String, i64>,
    languages: HashMap<String, i64>,
    cells: HashMap<String, i64>,
    items: HashMap<String, i64>,
    nav: HashMap<String, i64>,
    relative: usize,
    links: usize,
}

fn attr(node: &Handle, wanted: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attrs = attrs.borrow();
    attrs
        .iter()
        .find(|attr| &*attr.name.local == wanted)
        .map(|attr| attr.value.to_string())
}

fn name(node: &Handle) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

fn unseen(node: &Handle) -> bool {
    matches!(
        name(node),
        "script" | "style" | "head" | "template" | "noscript" | "nav" | "iframe" | "title" | "desc"
    ) || attr(node, "hidden").is_some()
        || attr(node, "aria-hidden").as_deref() == Some("true")
        || attr(node, "style").is_some_and(|style| style.replace(' ', "").contains("display:none"))
}

const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr", "big",
];

fn text(node: &Handle, out: &mut String) {
    match &node.data {
        NodeData::Text { contents } => out.push_str(&contents.borrow()),
        NodeData::Element { name, .. } => {
            if unseen(node) {
                return;
            }
            let apart = !INLINE.contains(&&*name.local);
            if apart {
                out.push(' ');
            }
            for child in node.children.borrow().iter() {
                text(child, out);
            }
            if apart {
                out.push(' ');
            }
        }
        _ => {
            for child in node.children.borrow().iter() {
                text(child, out);
            }
        }
    }
}

fn squeezed(node: &Handle) -> String {
    let mut all = String::new();
    text(node, &mut all);
    all.split_whitespace().collect()
}

fn verbatim(node: &Handle, out: &mut String) {
    match &node.data {
        NodeData::Text { contents } => out.push_str(&contents.borrow()),
        NodeData::Element { name, .. } if &*name.local == "br" => out.push('\n'),
        _ => {
            for child in node.children.borrow().iter() {
                verbatim(child, out);
            }
        }
    }
}

fn count(bag: &mut HashMap<String, i64>, key: String) {
    if !key.is_empty() {
        *bag.entry(key).or_default() += 1;
    }
}

/// Whether a table holds data: two columns or a header, and nothing in its cells but lines.
fn holds_data(table: &Handle) -> bool {
    let (mut cells, mut blocks, mut widest, mut header) = (0, 0, 0, false);
    let mut open = vec![table.clone()];
    while let Some(node) = open.pop() {
        match name(&node) {
            "tr" => {
                let row = node
                    .children
                    .borrow()
                    .iter()
                    .filter(|cell| matches!(name(cell), "td" | "th"))
                    .count();
                widest = widest.max(row);
            }
            "td" => cells += 1,
            "th" => {
                cells += 1;
                header = true;
            }
            "table" if !std::rc::Rc::ptr_eq(&node, table) => blocks += 1,
            "ul" | "ol" | "dl" | "pre" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "hr" => blocks += 1,
            _ => {}
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    cells > 0 && blocks == 0 && (widest > 1 || header)
}

fn gather(node: &Handle, content: &mut Content, data: bool, pre: bool) {
    if let NodeData::Element { .. } = &node.data {
        if name(node) == "nav" {
            let mut words = String::new();
            for child in node.children.borrow().iter() {
                text(child, &mut words);
            }
            for word in words.split_whitespace() {
                count(&mut content.nav, word.to_owned());
            }
        }
        if unseen(node) {
            return;
        }
    }
    let (mut data, mut pre) = (data, pre);
    match name(node) {
        "table" => data = holds_data(node),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !data => {
            let heading = squeezed(node);
            if !heading.is_empty() {
                count(&mut content.headings, format!("{}{heading}", name(node)));
            }
        }
        "pre" if !pre => {
            pre = true;
            let mut code = String::new();
            verbatim(node, &mut code);
            let code = code.strip_suffix('\n').unwrap_or(&code).to_owned();
            if !code.trim().is_empty() {
                count(&mut content.blocks, code);
            }
            let inner = node.children.borrow().iter().find_map(|child| {
                let class = attr(child, "class")?;
                class
                    .strip_prefix("language-")?
                    .split([' ', ','])
                    .next()
                    .map(str::to_owned)
            });
            let own = attr(node, "class")
                .filter(|class| class.starts_with("rust"))
                .map(|_| "rust");
            if let Some(language) = inner.as_deref().or(own) {
                count(&mut content.languages, language.to_lowercase());
            }
        }
        "code" | "tt" | "kbd" | "samp" if !pre => count(&mut content.codes, squeezed(node)),
        "td" | "th" if data => count(&mut content.cells, squeezed(node)),
        "li" => count(&mut content.items, squeezed(node)),
        "a" => {
            if let Some(href) = attr(node, "href") {
                content.links += 1;
                content.relative += usize::from(url::Url::parse(&href).is_err());
            }
        }
        _ => {}
    }
    for child in node.children.borrow().iter() {
        gather(child, content, data, pre);
    }
}

fn content(html: &str) -> Content {
    let dom = same::parse(html);
    let mut content = Content::default();
    gather(&dom.document, &mut content, false, false);
    let mut words = String::new();
    text(&dom.document, &mut words);
    for word in words.split_whitespace() {
        count(&mut content.words, word.to_owned());
    }
    content
}

#[derive(Default, Clone, Copy)]
struct Rate(i64, i64);

impl Rate {
    fn add(&mut self, wanted: &HashMap<String, i64>, got: &HashMap<String, i64>) {
        for (key, times) in wanted {
            self.0 += (*times).min(got.get(key).copied().unwrap_or(0));
            self.1 += times;
        }
    }

    fn percent(self) -> f64 {
        if self.1 == 0 {
            100.0
        } else {
            100.0 * self.0 as f64 / self.1 as f64
        }
    }
}

/// Measures one engine on the pages.
pub fn measure(
    engine: &str,
    convert: fn(&str) -> String,
    back: fn(&str) -> String,
    pages: &[PathBuf],
    show: bool,
) {
    let mut rates = [Rate::default(); 7];
    let (mut joined, mut total, mut relative, mut links) = (0, 0, 0, 0);
    let mut leaked = Rate::default();
    for path in pages {
        let html = String::from_utf8_lossy(&fs::read(path).expect("a page")).into_owned();
        let wanted = content(&html);
        let got = content(&back(&convert(&html)));
        for (rate, (wanted, got)) in rates.iter_mut().zip([
            (&wanted.words, &got.words),
            (&wanted.headings, &got.headings),
            (&wanted.blocks, &got.blocks),
            (&wanted.codes, &got.codes),
            (&wanted.languages, &got.languages),
            (&wanted.cells, &got.cells),
            (&wanted.items, &got.items),
        ]) {
            let before = rate.1 - rate.0;
            rate.add(wanted, got);
            if show && rate.1 - rate.0 > before {
                for (key, times) in wanted {
                    if got.get(key).copied().unwrap_or(0) < *times {
                        println!("{}: {key:?} lost", path.display());
                    }
                }
            }
        }
        for (word, times) in &got.words {
            total += times;
            if word != ":" && !wanted.words.contains_key(word) && !html.contains(word) {
                joined += times;
                if show {
                    println!("{}: {word:?} joined", path.display());
                }
            }
        }
        relative += got.relative;
        links += got.links;
        for word in wanted
            .nav
            .keys()
            .filter(|word| !wanted.words.contains_key(*word))
        {
            leaked.0 += i64::from(got.words.contains_key(word));
            leaked.1 += 1;
        }
    }
    println!(
        "{engine}: words {:.2} %, words run together {:.1} of 10,000, headings {:.1} %, code blocks \
         {:.1} %, inline code {:.1} %, language {:.1} %, cells {:.1} %, items {:.1} %, \
         relative links {:.1} %, nav {:.1} %",
        rates[0].percent(),
        10_000.0 * joined as f64 / total.max(1) as f64,
        rates[1].percent(),
        rates[2].percent(),
        rates[3].percent(),
        rates[4].percent(),
        rates[5].percent(),
        rates[6].percent(),
        100.0 * relative as f64 / links.max(1) as f64,
        if leaked.1 == 0 { 0.0 } else { leaked.percent() },
    );
}

/// CPU seconds and peak memory of converting every page, `rounds` times over.
pub fn speed(engine: &str, convert: fn(&str) -> String, pages: &[PathBuf], rounds: usize) {
    let pages: Vec<String> = pages
        .iter()
        .map(|path| String::from_utf8_lossy(&fs::read(path).expect("a page")).into_owned())
        .collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    let before = peak();
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = cpu();
            let mut length = 0;
            for page in &pages {
                length += std::hint::black_box(convert(page)).len();
            }
            std::hint::black_box(length);
            cpu() - start
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let time = times[times.len() / 2];
    println!(
        "{engine}: {:.1} MB in {time:.2} s of CPU time, {:.1} MB/s, {:.1} MB above the pages",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / time,
        (peak() - before) as f64 / 1e3,
    );
}

fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e9
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix(" kB")?
                .parse()
                .ok()
        })
        .unwrap_or(0)
}
