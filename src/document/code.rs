//! Code: how long a fence must be, which language a block is in, and which links are part of it.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans" and "Fenced code blocks"; HTML Living Standard,
//! `code` (`class="language-…"`), and the classes that common highlighters write.

use html2md::{Handle, NodeData};

use super::dom::{self, Kind};

/// The number of backticks around a code span: one that no run inside has.
pub(super) fn span_fence(code: &str) -> usize {
    let mut seen = 0_u64;
    let mut run = 0;
    for byte in code.bytes().chain([b' ']) {
        if byte == b'`' {
            run += 1;
        } else {
            if (1..64).contains(&run) {
                seen |= 1 << run;
            }
            run = 0;
        }
    }
    (1..64)
        .find(|length| seen & (1 << length) == 0)
        .unwrap_or(64)
}

/// The fence of a block: backticks, or tildes where those are shorter, more than any line of
/// the code begins with.
pub(super) fn block_fence(code: &str) -> (char, usize) {
    let (mut ticks, mut tildes) = (2, 2);
    for line in code.lines() {
        let line = line.trim_start();
        let run = |mark: u8| line.bytes().take_while(|byte| *byte == mark).count();
        match line.as_bytes().first() {
            Some(b'`') => ticks = ticks.max(run(b'`')),
            Some(b'~') => tildes = tildes.max(run(b'~')),
            _ => {}
        }
    }
    if ticks > tildes + 8 {
        ('~', tildes + 1)
    } else {
        ('`', ticks + 1)
    }
}

/// The links in the `code` element `node`, one for each address, if there is code around them: `None` where there are
/// no links, nothing but links, or blocks.
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
                Some(Kind::Dropped) => continue,
                Some(_) if dom::is_hidden(child) => continue,
                Some(Kind::Link) => dom::attribute(child, "href"),
                None
                | Some(
                    Kind::Inline
                    | Kind::Emphasis
                    | Kind::Strong
                    | Kind::Deleted
                    | Kind::Code
                    | Kind::Break,
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

/// The language that an attribute of `pre`, `code` or an element around them names.
pub(super) fn language(name: &str, value: &str) -> Option<String> {
    let found = match name {
        "data-lang" | "data-language" | "lang" | "language" => value.trim(),
        "class" => class_language(value)?,
        _ => return None,
    };
    let found = found.trim_end_matches(';');
    let sound = !found.is_empty()
        && found.len() <= 32
        && found
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '#' | '_' | '.'));
    let nothing = [
        "none",
        "default",
        "plain",
        "plaintext",
        "nohighlight",
        "notranslate",
    ];
    (sound && !nothing.contains(&found)).then(|| found.to_ascii_lowercase())
}

/// The language that an attribute of an element around `pre` names. Its classes count only
/// where they say that they are about a language.
pub(super) fn language_around(name: &str, value: &str) -> Option<String> {
    let says =
        |word: &str| PREFIXES.iter().any(|prefix| word.starts_with(prefix)) || word == "sourceCode";
    match name {
        "data-lang" | "data-language" => language(name, value),
        "class" if value.split_ascii_whitespace().any(says) => language(name, value),
        _ => None,
    }
}

const PREFIXES: [&str; 5] = [
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-text-",
    "highlight-",
];

fn class_language(class: &str) -> Option<&str> {
    for prefix in PREFIXES {
        let named = class
            .split_ascii_whitespace()
            .find_map(|word| word.strip_prefix(prefix));
        if named.is_some() {
            return named;
        }
    }
    let mut words = class.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "hljs" | "sourceCode" | "prettyprint" | "highlight" | "code" | "chroma" | "brush:"
            | "src" | "programlisting" => {
                if let Some(next) = words.clone().find(|next| KNOWN.contains(next)) {
                    return Some(next);
                }
                if matches!(word, "brush:" | "sourceCode") {
                    return words.next();
                }
            }
            _ => {
                if let Some(named) = word
                    .strip_prefix("brush:")
                    .or_else(|| word.strip_prefix("src-"))
                {
                    return Some(named);
                }
            }
        }
    }
    class
        .split_ascii_whitespace()
        .find(|word| KNOWN.contains(word))
}

/// Classes that are a language's name even where nothing else says so.
const KNOWN: &[&str] = &[
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "go",
    "golang",
    "graphql",
    "haskell",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "makefile",
    "markdown",
    "matlab",
    "objc",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "python3",
    "r",
    "ruby",
    "rust",
    "scala",
    "scheme",
    "sh",
    "shell",
    "sql",
    "swift",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "vim",
    "xml",
    "yaml",
    "zig",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_fenced_by_a_run_that_it_does_not_hold() {
        assert_eq!(span_fence("a"), 1);
        assert_eq!(span_fence("a`b"), 2);
        assert_eq!(span_fence("a``b"), 1);
        assert_eq!(span_fence("`a``b"), 3);
    }

    #[test]
    fn a_block_is_fenced_longer_than_the_fences_it_holds() {
        assert_eq!(block_fence("a"), ('`', 3));
        assert_eq!(block_fence("```\na\n```"), ('`', 4));
        assert_eq!(block_fence("  `````\n"), ('`', 6));
        assert_eq!(block_fence("a ````` b"), ('`', 3));
        assert_eq!(block_fence(&"`".repeat(1000)), ('~', 3));
    }

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
