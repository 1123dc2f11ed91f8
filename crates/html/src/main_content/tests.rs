//! Pages as generators of documentation write them, each beside its main content as Markdown. A
//! last line in braces counts what is left out and may belong to the content.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use url::Url;

use crate::{MainContentCertainty, convert_main_until};
use iki_markdown::document::OmittedBlocks;

/// Returns the pages of `tests`, in the order of their names.
fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main_content/tests");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_page = |file: &PathBuf| file.extension().is_some_and(|name| name == "html");
    let mut pages: Vec<PathBuf> = files.filter(is_page).collect();
    pages.sort();
    pages
}

/// Returns the main content of a page, and a line about what is left out.
fn main_content(page: &Path) -> String {
    let page = fs::read_to_string(page).unwrap();
    let base = Url::parse("https://example.com/a/b").unwrap();
    let (document, certainty) = convert_main_until(&page, &base, false, None);
    let OmittedBlocks {
        headings,
        items,
        paragraphs,
        fields,
    } = document.omitted;
    format!(
        "{}\n\n{{{certainty:?}, {headings} headings, {items} items, {paragraphs} paragraphs, \
         {fields} fields}}\n",
        document.markdown.trim_end()
    )
}

#[test]
fn pages_of_documentation_keep_what_is_their_own() {
    let pages = pages();
    assert!(pages.len() >= 16, "{pages:?}");
    for page in pages {
        let expected = page.with_extension("md");
        let markdown = main_content(&page);
        if std::env::var_os("UPDATE_PAGES").is_some() {
            fs::write(&expected, &markdown).unwrap();
        }
        let expected = fs::read_to_string(expected).unwrap_or_default();
        assert_eq!(markdown, expected, "{}", page.display());
    }
}

#[test]
fn signatures_outside_of_the_container_make_the_choice_unsure() {
    let mut links = String::new();
    for number in 0..100 {
        write!(links, "<li><a href={number}.html>Store{number}</a>").unwrap();
    }
    let page = format!(
        "<!doctype html><title>Store - Quay</title><div class=sidebar><h1><a \
         href=/>Quay</a></h1><div class=types-list><ul>{links}</ul></div></div><div \
         class=main-content><h1>class Store</h1><h2>Instance Method Detail</h2><div \
         class=entry-detail><div class=signature>def <b>open?</b> : Bool</div></div></div>"
    );
    let base = Url::parse("https://example.com/a/b").unwrap();
    let (document, certainty) = convert_main_until(&page, &base, false, None);
    assert!(
        document.markdown.contains("open?") || certainty == MainContentCertainty::Partial,
        "{}",
        document.markdown
    );
}
