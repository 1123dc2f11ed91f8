//! Code: the language of a block, and the links within a span.
//!
//! Rules: HTML Living Standard, `code` (`class="language-…"`), and the classes that common
//! highlighters write.

use html2md::{Handle, NodeData};

use super::dom::{self, ElementKind};
use iki_markdown::model::{DocumentModel, NodeContent, TextSlice};

/// Returns the links in the `code` element `node`, one for each address, if there is code around
/// them; `None` if it contains no links, only links, or blocks.
pub(super) fn links_within(node: &Handle) -> Option<Vec<Handle>> {
    let mut links: Vec<(String, Handle)> = Vec::new();
    let mut around = false;
    let mut open: Vec<(Handle, bool)> = vec![(node.clone(), false)];
    while let Some((node, in_link)) = open.pop() {
        if let NodeData::Text { contents } = &node.data {
            around |= !in_link && !contents.borrow().trim().is_empty();
        }
        for child in node.children.borrow().iter() {
            let href = match dom::kind(child) {
                Some(ElementKind::Dropped) => continue,
                Some(_) if dom::is_hidden(child) => continue,
                Some(ElementKind::Link) => dom::attribute(child, "href"),
                None
                | Some(
                    ElementKind::Inline
                    | ElementKind::Emphasis
                    | ElementKind::Strong
                    | ElementKind::Deleted
                    | ElementKind::Raised
                    | ElementKind::Code
                    | ElementKind::Break,
                ) => None,
                Some(_) => return None,
            };
            open.push((child.clone(), in_link || href.is_some()));
            if let Some(href) = href
                && links.len() < 2
                && links.iter().all(|(known, _)| *known != href)
            {
                links.push((href, child.clone()));
            }
        }
    }
    let links: Vec<_> = links.into_iter().map(|(_, link)| link).collect();
    (around && !links.is_empty()).then_some(links)
}

/// Names in the place of a language's.
const NO_LANGUAGE: &str = "none default plain plaintext nohighlight notranslate";

/// Returns the language that an attribute of `pre`, `code` or an element around them names.
pub(super) fn language(name: &str, value: &str) -> Option<String> {
    let candidate = match name {
        "data-lang" | "data-language" | "data-enlighter-language" | "lang" | "language" => {
            value.trim()
        }
        // Confluence writes `brush: java; gutter: false` in its own attribute.
        "class" | "data-syntaxhighlighter-params" => class_language(value)?,
        _ => return None,
    };
    let candidate = candidate.trim_end_matches(';');
    let sound = !candidate.is_empty()
        && candidate.len() <= 32
        && candidate
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '#' | '_' | '.'));
    let names_none = dom::lists(NO_LANGUAGE, candidate);
    (sound && !names_none).then(|| candidate.to_ascii_lowercase())
}

/// Returns the language that an attribute of an element around `pre` names. Its classes count only
/// if they mark a language.
pub(super) fn language_around(name: &str, value: &str) -> Option<String> {
    let says = |word: &str| {
        LANGUAGE_PREFIXES
            .split(' ')
            .any(|prefix| word.starts_with(prefix))
            || matches!(word, "sourceCode" | "highlight" | "syntaxhighlighter")
    };
    match name {
        "data-lang" | "data-language" => language(name, value),
        "class" if value.split_ascii_whitespace().any(says) => language(name, value),
        _ => None,
    }
}

/// Names of languages and what fences call them.
const LANGUAGE_ALIASES: [(&str, &str); 8] = [
    ("javascript", "js"),
    ("typescript", "ts"),
    ("python", "py"),
    ("yaml", "yml"),
    ("shell", "sh"),
    ("shell", "bash"),
    ("c++", "cpp"),
    ("c#", "csharp"),
];

/// Maximum number of texts of a label.
const MAX_LABEL_TEXTS: usize = 3;

/// Removes paragraphs that only name the language of the code next to them.
pub(super) fn remove_labels(model: &mut DocumentModel) {
    let nodes = model.nodes();
    // The paragraph at `at` with its texts, if that is a label.
    let label = |index: usize, language: &str| {
        let block = nodes
            .get(index)
            .filter(|node| node.content == NodeContent::Paragraph)?;
        let whole = index..block.end as usize;
        let mut label = String::new();
        for node in nodes
            .get(index + 1..whole.end)
            .filter(|texts| texts.len() <= MAX_LABEL_TEXTS)?
        {
            let NodeContent::Text(text) = node.content else {
                return None;
            };
            label.push_str(model.text(text));
        }
        let label = label.trim().to_ascii_lowercase();
        (label == language || LANGUAGE_ALIASES.contains(&(label.as_str(), language)))
            .then_some(whole)
    };
    let mut gone = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut closed = 0;
    for (index, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|end| *end as usize <= index) {
            open.pop();
            closed = index;
        }
        let holds_more = open.last().is_none_or(|end| *end as usize > index + 1);
        match node.content {
            NodeContent::CodeBlock { language, .. } if language != TextSlice::default() => {
                let language = model.text(language);
                let before =
                    (index.saturating_sub(MAX_LABEL_TEXTS + 1)..index).filter(|_| closed < index);
                let before = before.filter_map(|from| label(from, language));
                gone.extend(before.filter(|whole| whole.end == index).flatten());
                gone.extend(
                    label(index + 1, language)
                        .filter(|_| holds_more)
                        .into_iter()
                        .flatten(),
                );
            }
            NodeContent::Paragraph => {}
            _ if node.end as usize > index + 1 => open.push(node.end),
            _ => {}
        }
    }
    gone.sort_unstable();
    gone.dedup();
    model.prune(&gone);
}

/// Beginnings of classes that name a language, the longest of one kind first.
const LANGUAGE_PREFIXES: &str = "language- lang- highlight-source- highlight-text- highlight-";

fn class_language(class: &str) -> Option<&str> {
    for prefix in LANGUAGE_PREFIXES.split(' ') {
        let named = class
            .split_ascii_whitespace()
            .find_map(|word| word.strip_prefix(prefix));
        if named.is_some() {
            return named;
        }
    }
    let mut words = class.split_ascii_whitespace();
    if let Some(known) = words.clone().find(|word| is_known(word)) {
        return Some(known);
    }
    loop {
        let named = match words.next()? {
            "brush:" | "sourceCode" => words.next(),
            word => word
                .strip_prefix("brush:")
                .or_else(|| word.strip_prefix("src-")),
        };
        if named.is_some() {
            return named;
        }
    }
}

/// Classes that are a language's name even where nothing else says so.
const LANGUAGE_CLASSES: &[&str] = &[
    "bash", "c", "cpp", "csharp", "css", "diff", "elixir", "erlang", "go", "golang", "graphql",
    "haskell", "html", "ini", "java", "js", "json", "jsx", "kotlin", "latex", "lisp", "lua",
    "makefile", "markdown", "matlab", "objc", "ocaml", "perl", "php", "python", "python3", "r",
    "ruby", "rust", "scala", "scheme", "sh", "shell", "sql", "swift", "toml", "ts", "tsx", "vim",
    "xml", "yaml", "zig",
];

fn is_known(word: &str) -> bool {
    LANGUAGE_CLASSES.contains(&word) || LANGUAGE_ALIASES.iter().any(|(name, _)| *name == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_read_as_common_highlighters_write_it() {
        for (class, wanted) in [
            ("language-rust", "rust"),
            ("hljs lang-C++", "c++"),
            ("highlight highlight-source-shell", "shell"),
            ("highlight-python3 notranslate", "python3"),
            ("brush: js; toolbar: false", "js"),
            ("brush:php", "php"),
            ("sourceCode haskell", "haskell"),
            ("src src-emacs-lisp", "emacs-lisp"),
            ("rust rust-example-rendered", "rust"),
            ("prettyprint lang-html", "html"),
            ("hljs python", "python"),
        ] {
            assert_eq!(language("class", class).as_deref(), Some(wanted), "{class}");
        }
        assert_eq!(language("data-lang", "go").as_deref(), Some("go"));
    }

    #[test]
    fn what_names_no_language_gives_none() {
        for class in [
            "",
            "highlight",
            "code-block",
            "highlight-default",
            "language-a`b",
        ] {
            assert_eq!(language("class", class), None, "{class}");
        }
    }
}
