//! Pages within files: the chapters of books, the bodies of mail, the outputs of notebooks.

use std::time::Instant;

use url::Url;

use crate::office::blocks::BlockWriter;
use iki_html::{PageSyntax, StageDeadlines};

/// Base address of a file's parts; nothing could be fetched from it.
pub(crate) const BASE: &str = "epub:///";

/// Reads a page of a file, the part `name`, and adds its content; returns its title.
pub(crate) fn append_page(
    page: &str,
    name: &str,
    syntax: PageSyntax,
    end: Option<Instant>,
    blocks: &mut BlockWriter,
) -> String {
    let Some(base) = Url::parse(BASE).ok().and_then(|base| base.join(name).ok()) else {
        return String::new();
    };
    blocks.end();
    let ends = StageDeadlines {
        parse: end,
        walk: end,
    };
    let content = iki_html::read(page, &base, syntax, ends);
    blocks.is_cut |= content.cuts.memory;
    blocks.is_late |= content.cuts.time;
    blocks.builder.append(&content.model, |absolute, spelling| {
        let inside = absolute.starts_with("epub:");
        // Only places within the text can be followed, because other parts are not at any address.
        let lower = spelling.to_ascii_lowercase();
        let ends = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"];
        let short = match spelling.split_once('#') {
            Some((_, place)) => format!("#{place}"),
            None if ends.iter().any(|end| lower.ends_with(end)) => {
                spelling.rsplit('/').next().unwrap_or_default().to_owned()
            }
            None => spelling.to_owned(),
        };
        inside.then_some(short)
    });
    content.model.title
}
