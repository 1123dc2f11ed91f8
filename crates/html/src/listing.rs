//! Listings of code made of other elements than `pre`: a table of lines, as code hosts show files
//! and diffs, or a box of lines.
//!
//! Rules: the classes and attributes of GitHub, GitLab, Gitea, Gitiles, gitweb, cgit, Doxygen,
//! Trac, Crayon, `SyntaxHighlighter` and `CodeMirror`.

use html2md::{Handle, NodeData};

use super::dom::{self, ElementKind};
use super::{preformatted, table};

/// Classes of a cell that holds a line of code.
const LINE_CLASSES: &str = "blob-code lines-code line_content FileContents-lineContents";

/// Classes of a box of boxes, whose whole text is code.
const BOX_CLASSES: &str =
    "fragment react-code-lines crayon-pre patch syntaxhighlighter CodeMirror-code cm-content";

/// The class of a table of lines, each after its number in a cell of heads.
const TRAC_CLASS: &str = "code";

/// Attributes with the sign of a line of a diff.
const SIGN_ATTRIBUTES: &str = "data-code-marker data-type-marker";

/// True for the lower-case name of an attribute with the sign of a line.
pub(super) fn is_sign(name: &str) -> bool {
    dom::lists(SIGN_ATTRIBUTES, name)
}

/// True if an element with this lower-case name and this class is, or holds, lines of code.
pub(super) fn is_listing(tag: &str, class: &str) -> bool {
    let has = |words: &str| {
        let mut classes = class.split_ascii_whitespace();
        classes.any(|word| dom::lists(words, word))
    };
    match tag {
        "td" => has(LINE_CLASSES),
        "div" => class == "pre" || has(BOX_CLASSES),
        "table" => matches!(class, "diff" | TRAC_CLASS),
        _ => false,
    }
}

/// True if `node` is, or holds, lines of code.
pub(super) fn is_marked(node: &Handle) -> bool {
    dom::attribute(node, "class").is_some_and(|class| is_listing(dom::name(node), &class))
}

/// Returns the code of the listing that begins with `node`, its language and the number of its
/// siblings after `node` in `behind` that belong to it.
pub(super) fn read(node: &Handle, behind: &[Handle]) -> Option<(String, &'static str, usize)> {
    if dom::kind(node) == Some(ElementKind::Table) && (!is_marked(node) || is_of_trac(node)) {
        return lines_of(node).map(|(code, language)| (code, language, 0));
    }
    if !matches!(dom::name(node), "div" | "table") || !is_marked(node) {
        return None;
    }
    let class = dom::attribute(node, "class");
    let is_pre = class.as_deref() == Some("pre");
    let is_box = |node: &Handle| matches!(dom::name(node), "div" | "table");
    let is_line =
        |node: &Handle| dom::attribute(node, "class").is_some_and(|class| class == "line");
    let children = node.children.borrow();
    let fits = children
        .iter()
        .all(|node| dom::is_blank(node) || is_box(node))
        && (class.as_deref() != Some("fragment") || children.iter().any(is_line));
    if dom::name(node) == "div" && !is_pre && !fits {
        return None;
    }
    let more = |node: &Handle| is_pre && dom::attribute(node, "class") == class;
    let mut code = line_of(node);
    let mut taken = 0;
    for (index, next) in behind.iter().enumerate() {
        if more(next) {
            code = code + "\n" + &line_of(next);
            taken = index + 1;
        } else if !dom::is_blank(next) {
            break;
        }
    }
    let language = if code.starts_with("diff --git ") {
        "diff"
    } else {
        ""
    };
    Some((code, language, taken))
}

/// Returns the text of one line of code, or of a box of lines.
fn line_of(node: &Handle) -> String {
    // Line ends around the element with the code only lay out the source.
    let outer = |node: &&Handle| match &node.data {
        NodeData::Text { contents } => !dom::is_blank(node) || !contents.borrow().contains('\n'),
        _ => dom::kind(node).is_some_and(|kind| kind != ElementKind::Boxed),
    };
    let children = node.children.borrow();
    let inner: Vec<&Handle> = children.iter().filter(outer).collect();
    let text = match inner[..] {
        [only] if dom::kind(only).is_some() => preformatted::text_of(only),
        _ => preformatted::text_of(node),
    };
    let text = text.replace('\u{a0}', " ");
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let start = text[..blank]
        .rfind('\n')
        .map_or(0, |line_feed| line_feed + 1);
    text[start..].to_owned()
}

fn is_of_trac(node: &Handle) -> bool {
    dom::attribute(node, "class").as_deref() == Some(TRAC_CLASS)
}

/// Returns the code of a table each of whose rows is a line of it.
fn lines_of(node: &Handle) -> Option<(String, &'static str)> {
    let (mut code, mut signed) = (String::new(), false);
    let of_trac = is_of_trac(node);
    for row in table::rows(node) {
        let cells = row.children.borrow();
        let has = |name: &str| cells.iter().any(|cell| dom::name(cell) == name);
        let is_numbered = of_trac && has("th");
        let is_line = |cell: &Handle| is_marked(cell) || is_numbered && dom::name(cell) == "td";
        if is_numbered && !has("td") {
            continue;
        }
        if !cells.iter().any(is_line) {
            return None;
        }
        let (mut sign, mut previous) = (None, None);
        for cell in cells.iter() {
            sign = sign_in(cell).or(sign);
            if !is_line(cell) {
                continue;
            }
            let line = line_of(cell);
            let own_sign = sign
                .take()
                .or_else(|| sign_by_class(cell, &line))
                .unwrap_or_default();
            signed |= matches!(&*own_sign, "+" | "-");
            let line = format!("{own_sign}{line}");
            if previous.as_ref() != Some(&line) {
                code.push_str(&line);
                code.push('\n');
            }
            previous = Some(line);
        }
    }
    (!code.is_empty()).then_some((code, if signed { "diff" } else { "" }))
}

/// Returns the sign that an attribute within a cell of a diff names.
fn sign_in(cell: &Handle) -> Option<String> {
    dom::nodes_within(cell, |_| true).find_map(|node| {
        dom::with_attributes(&node, |name, value| {
            let sign = if value.is_empty() { " " } else { value };
            is_sign(name).then(|| sign.to_owned())
        })
    })
}

/// Returns the sign that the class of a cell of a diff means, unless its line begins with it.
fn sign_by_class(cell: &Handle, line: &str) -> Option<String> {
    let class = dom::attribute(cell, "class")?;
    let says = |words: [&str; 2]| class.split([' ', '-']).any(|word| words.contains(&word));
    let sign = match () {
        () if says(["deletion", "old"]) => "-",
        () if says(["addition", "new"]) => "+",
        () => return None,
    };
    (!line.starts_with(sign)).then(|| sign.to_owned())
}
