//! Whether two pieces of HTML mean the same: parsed, whitespace collapsed as CSS has it,
//! attributes that count in a fixed order, addresses made absolute.

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use url::Url;

pub const BASE: &str = "https://example.com/";

pub fn parse(html: &str) -> RcDom {
    parse_document(RcDom::default(), ParseOpts::default()).one(html)
}

/// One spelling for all pieces of HTML that mean the same.
pub fn normal(html: &str) -> String {
    let dom = parse(html);
    let base = Url::parse(BASE).expect("a constant");
    let mut out = String::new();
    write(&dom.document, &base, false, &mut out);
    out.trim().to_owned()
}

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "br",
];

fn trim_end(out: &mut String) {
    let length = out.trim_end_matches([' ', '\n']).len();
    out.truncate(length);
}

fn write(node: &Handle, base: &Url, pre: bool, out: &mut String) {
    match &node.data {
        NodeData::Text { contents } => {
            let text = contents.borrow();
            if pre {
                out.push_str(&escape(&text));
            } else {
                for c in text.chars() {
                    if c.is_ascii_whitespace() {
                        if !out.ends_with([' ', '\n']) {
                            out.push(' ');
                        }
                    } else {
                        out.push_str(&escape(c.encode_utf8(&mut [0; 4])));
                    }
                }
            }
            return;
        }
        NodeData::Element { name, attrs, .. } => {
            let tag: &str = match &*name.local {
                "b" => "strong",
                "i" => "em",
                "s" | "strike" => "del",
                other => other,
            };
            if tag == "head" {
                return;
            }
            let block = BLOCKS.contains(&tag);
            // A paragraph is what the text of a block is in anyway, but not in a list: there
            // it tells a loose list from a tight one.
            if block && !pre {
                trim_end(out);
                out.push('\n');
            }
            out.push('<');
            out.push_str(tag);
            let mut kept: Vec<String> = Vec::new();
            for attr in attrs.borrow().iter() {
                let value = &*attr.value;
                match (tag, &*attr.name.local) {
                    ("a", "href") | ("img", "src") => {
                        let absolute = base
                            .join(value)
                            .map_or_else(|_| value.to_owned(), String::from);
                        kept.push(format!("{}={absolute:?}", &attr.name.local));
                    }
                    ("a" | "img", "title") | ("img", "alt") => {
                        if !value.is_empty() {
                            let value: Vec<&str> = value.split_ascii_whitespace().collect();
                            kept.push(format!("{}={:?}", &attr.name.local, value.join(" ")));
                        }
                    }
                    ("ol", "start") if value != "1" => kept.push(format!("start={value:?}")),
                    ("th" | "td", "align") => kept.push(format!("align={value:?}")),
                    ("code", "class") => {
                        if let Some(language) = value.strip_prefix("language-") {
                            kept.push(format!("class={:?}", language.to_lowercase()));
                        }
                    }
                    ("input", "checked") => kept.push("checked".to_owned()),
                    _ => {}
                }
            }
            kept.sort();
            for attr in kept {
                out.push(' ');
                out.push_str(&attr);
            }
            out.push('>');
            if block && tag != "pre" && !pre {
                out.push('\n');
            }
            for child in node.children.borrow().iter() {
                write(child, base, pre || tag == "pre", out);
            }
            if !matches!(tag, "br" | "hr" | "img" | "input") {
                if block && tag != "pre" && !pre {
                    trim_end(out);
                }
                out.push_str("</");
                out.push_str(tag);
                out.push('>');
            }
            if block && !pre {
                out.push('\n');
            }
            return;
        }
        _ => {}
    }
    for child in node.children.borrow().iter() {
        write(child, base, pre, out);
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
