//! Text that React streams late, moved to where the page's own script would put it.
//!
//! Rules: `ReactDOMServer` of React 18 and 19, as Next.js and others use it. Content that is not
//! ready leaves `<!--$?--><template id="B:0"></template>`, a placeholder and `<!--/$-->`; it comes
//! later as `<div hidden id="S:0">…</div>` with a script that calls `$RC("B:0","S:0")` (`$RR` if it
//! waits for styles). A part of such content leaves `<template id="P:1"></template>` and comes with
//! `$RS("S:1","P:1")`.
//!
//! The page is put together as text, before any parser reads it, so that a table row lands in its
//! table. Each late piece is used once, so that the page does not become longer and cycles end.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::{memchr, memmem, memrchr};

use super::prefilter::tag;

/// Maximum length of an id, in bytes.
const MAX_ID: usize = 64;

/// Maximum nesting of late pieces.
const MAX_DEPTH: usize = 256;

/// Byte range of the page.
type PageRange = std::ops::Range<usize>;

/// A piece of content that comes late.
struct StreamedPiece {
    /// Range of its element.
    whole: PageRange,
    /// Range of its contents.
    inner: PageRange,
    used: bool,
}

/// A slot for a late piece, with its placeholder.
struct StreamSlot<'a> {
    whole: PageRange,
    id: &'a str,
}

/// Returns the page with its late pieces in their slots.
pub(super) fn assemble(page: &str) -> Cow<'_, str> {
    if memmem::find(page.as_bytes(), b"id=\"S:").is_none() {
        return Cow::Borrowed(page);
    }
    let wanted = find_slot_pieces(page);
    let (mut pieces, places) = find_pieces(page);
    if pieces.is_empty() || places.is_empty() {
        return Cow::Borrowed(page);
    }
    let pairs: Vec<(PageRange, Option<usize>)> = {
        let by_id: HashMap<&str, usize> = pieces
            .iter()
            .enumerate()
            .map(|(at, (id, _))| (*id, at))
            .collect();
        places
            .iter()
            .map(|place| {
                let piece = match wanted.get(place.id) {
                    Some(piece) => by_id.get(piece),
                    // Without a script, equal numbers pair them.
                    None => place
                        .id
                        .rsplit_once("B:")
                        .or_else(|| place.id.rsplit_once("P:"))
                        .and_then(|(before, number)| by_id.get(&*format!("{before}S:{number}"))),
                };
                (place.whole.clone(), piece.copied())
            })
            .collect()
    };
    let mut out = String::with_capacity(page.len());
    write_assembled(page, &mut pieces, &pairs, &mut out);
    Cow::Owned(out)
}

/// Writes the page: the contents of each piece replace its slot, and its element is left out.
fn write_assembled(
    page: &str,
    pieces: &mut [(&str, StreamedPiece)],
    pairs: &[(PageRange, Option<usize>)],
    out: &mut String,
) {
    let mut skips: Vec<(PageRange, Option<usize>)> = pairs
        .iter()
        .filter(|(_, piece)| piece.is_some())
        .cloned()
        .collect();
    let placed: Vec<usize> = skips.iter().filter_map(|(_, piece)| *piece).collect();
    if skips.len() < pairs.len() {
        // If slots stay empty, pieces that no script names are for them, and stay in place.
        let mut asked = vec![false; pieces.len()];
        for piece in &placed {
            asked[*piece] = true;
        }
        let left = pieces.iter().zip(asked).enumerate();
        let left = left.filter(|(_, (_, asked))| !asked);
        skips.extend(left.map(|(at, ((_, late), _))| (late.whole.clone(), Some(at))));
    }
    skips.extend(
        placed
            .into_iter()
            .map(|piece| (pieces[piece].1.whole.clone(), None)),
    );
    skips.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    skips.dedup_by_key(|(range, _)| range.start);
    // Ranges still to be written, innermost last.
    let mut open: Vec<PageRange> = Vec::new();
    open.push(0..page.len());
    while let Some(PageRange { start, end }) = open.pop() {
        let next = skips.partition_point(|(range, _)| range.start < start);
        let Some((range, piece)) = skips
            .get(next)
            .filter(|(range, _)| range.start < end && range.end <= end)
        else {
            out.push_str(&page[start..end]);
            continue;
        };
        out.push_str(&page[start..range.start]);
        open.push(range.end..end);
        if let Some(piece) = *piece {
            let late = &mut pieces[piece].1;
            if !std::mem::replace(&mut late.used, true) && open.len() < MAX_DEPTH {
                open.push(late.inner.clone());
            }
        }
    }
}

/// Returns the id of the piece for each slot, as the scripts pair them.
fn find_slot_pieces(page: &str) -> HashMap<&str, &str> {
    let mut wanted = HashMap::new();
    for at in memmem::find_iter(page.as_bytes(), b"$R") {
        let Some(call) = page.get(at + 2..) else {
            continue;
        };
        let turned = match call.as_bytes() {
            [b'C' | b'R', b'(', ..] => false,
            [b'S', b'(', ..] => true,
            _ => continue,
        };
        let mut rest = &call[2..];
        let mut argument = || {
            let text = rest.strip_prefix('"')?;
            let end = memchr(b'"', &text.as_bytes()[..text.len().min(MAX_ID + 1)])?;
            rest = text[end + 1..].strip_prefix(',').unwrap_or_default();
            Some(&text[..end])
        };
        if let (Some(first), Some(second)) = (argument(), argument()) {
            let (place, piece) = if turned {
                (second, first)
            } else {
                (first, second)
            };
            wanted.entry(place).or_insert(piece);
        }
    }
    wanted
}

/// Returns the late pieces of a page by their ids, and their slots.
fn find_pieces(page: &str) -> (Vec<(&str, StreamedPiece)>, Vec<StreamSlot<'_>>) {
    let bytes = page.as_bytes();
    let mut pieces = Vec::new();
    let mut places = Vec::new();
    // The boundary comments are read once, and only if a slot needs them.
    let mut ends: Option<HashMap<usize, usize>> = None;
    let mut at = 0;
    while let Some(length) = memmem::find(&bytes[at..], b" id=\"") {
        let here = at + length;
        at = here + 5;
        let value = &bytes[at..(at + MAX_ID + 1).min(bytes.len())];
        let Some(length) = memchr(b'"', value) else {
            continue;
        };
        let id = &page[at..at + length];
        if !(id.contains("S:") || id.contains("B:") || id.contains("P:")) {
            continue;
        }
        let from = here.saturating_sub(MAX_ID);
        let Some(open) = memrchr(b'<', &bytes[from..here]).map(|open| from + open) else {
            continue;
        };
        // Rows and cells come in a hidden table, drawings with a style.
        let mut hidden = page[..open].ends_with("<table hidden>");
        let Some(tag) = tag::read(page, open + 1, |name, _| {
            hidden |= matches!(name, "hidden" | "style");
        }) else {
            break;
        };
        at = at.max(tag.end);
        if tag.name == "template" {
            let Some(end) = page[tag.end..].strip_prefix("</template>") else {
                continue;
            };
            let end = page.len() - end.len();
            // A boundary ends with its own comment and includes its placeholder.
            let end = if id.contains("B:") {
                let ends = ends.get_or_insert_with(|| find_boundary_ends(page));
                match ends.get(&end) {
                    Some(end) => *end,
                    None => end,
                }
            } else {
                end
            };
            places.push(StreamSlot {
                whole: open..end,
                id,
            });
        } else if hidden && id.contains("S:") {
            pieces.push((id, open, tag));
        }
    }
    let starts: Vec<(usize, &str)> = pieces
        .iter()
        .map(|(_, open, tag)| (*open, tag.name))
        .collect();
    let ends = find_element_ends(page, &starts);
    let pieces = pieces
        .iter()
        .zip(ends)
        .filter_map(|((id, open, tag), end)| {
            let (inner, end) = end?;
            let late = StreamedPiece {
                whole: *open..end,
                inner: tag.end..inner,
                used: false,
            };
            Some((*id, late))
        })
        .collect();
    (pieces, places)
}

/// Returns the ends of the boundaries by the ends of their templates.
fn find_boundary_ends(page: &str) -> HashMap<usize, usize> {
    let bytes = page.as_bytes();
    let mut open: Vec<usize> = Vec::new();
    let mut ends = HashMap::new();
    for at in memmem::find_iter(bytes, b"<!--") {
        let rest = &bytes[at + 4..];
        if rest.starts_with(b"/$-->") {
            if let Some(start) = open.pop()
                && let Some(template) = find_template_end(page, start)
            {
                ends.insert(template, at);
            }
        } else if [&b"$-->"[..], b"$?-->", b"$!-->", b"$~-->"]
            .iter()
            .any(|start| rest.starts_with(start))
        {
            open.push(at);
        }
    }
    ends
}

/// Returns the end of the template that directly follows the comment `<!--$?-->` at `at`.
fn find_template_end(page: &str, at: usize) -> Option<usize> {
    let after = at + memmem::find(&page.as_bytes()[at..], b"-->")? + 3;
    page[after..].strip_prefix("<template ")?;
    let near = &page.as_bytes()[after..];
    let near = &near[..near.len().min(4 * MAX_ID)];
    Some(after + memmem::find(near, b"</template>")? + "</template>".len())
}

/// Returns the end of the contents and of the element for each start tag, given by its offset and
/// name in the order of the page. Each name takes one pass over the page.
fn find_element_ends(page: &str, starts: &[(usize, &str)]) -> Vec<Option<(usize, usize)>> {
    let bytes = page.as_bytes();
    let mut found = vec![None; starts.len()];
    let mut names: Vec<&str> = starts.iter().map(|(_, name)| *name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().take(8) {
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut next = starts
            .iter()
            .enumerate()
            .filter(|(_, (_, other))| *other == name)
            .peekable();
        let first = next.peek().map_or(0, |(_, (open, _))| *open);
        let mut at = first;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let here = at + length;
            at = here + 1;
            match bytes.get(at) {
                Some(b'/') if tag::is_named(page, at + 1, name) => {
                    at = tag::past(page, at, b'>');
                    match open.pop() {
                        Some(Some(index)) => found[index] = Some((here, at)),
                        Some(None) => {}
                        None => continue,
                    }
                    if open.is_empty() && next.peek().is_none() {
                        break;
                    }
                }
                Some(b'!') if bytes[at..].starts_with(b"!--") => {
                    at = tag::comment_end(page, at + 3);
                }
                Some(byte) if byte.is_ascii_alphabetic() => {
                    let Some(tag) = tag::read(page, at, |_, _| {}) else {
                        break;
                    };
                    at = tag.end;
                    if tag.name.eq_ignore_ascii_case(name) {
                        // Text that only looks like a tag, in an attribute or a comment, is
                        // skipped.
                        while next.next_if(|(_, (open, _))| *open < here).is_some() {}
                        let index = next.next_if(|(_, (open, _))| *open == here);
                        if index.is_some() || !open.is_empty() {
                            open.push(index.map(|(index, _)| index));
                        }
                    } else if let Some(raw) = ["script", "style"]
                        .into_iter()
                        .find(|raw| tag.name.eq_ignore_ascii_case(raw))
                    {
                        at = tag::raw_end(page, at, raw).1;
                    }
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_text_stands_where_its_template_stood() {
        for (page, wanted) in [
            (
                r#"a<!--$?--><template id="B:0"></template><p>wait</p><!--/$-->b<div hidden id="S:0"><p>c<div>d</div></div>e<script>$RC("B:0","S:0")</script>"#,
                r#"a<!--$?--><p>c<div>d</div><!--/$-->be<script>$RC("B:0","S:0")</script>"#,
            ),
            (
                r#"<!--$?--><template id="B:1"></template><!--/$--><div hidden id="S:3">a<template id="P:4"></template>b</div><script>$RC("B:1","S:3")</script><div hidden id="S:4">c</div><script>$RS("S:4","P:4")</script>"#,
                r#"<!--$?-->acb<!--/$--><script>$RC("B:1","S:3")</script><script>$RS("S:4","P:4")</script>"#,
            ),
            (
                r#"<!--$?--><template id="B:0"></template>w<!--$-->x<!--/$--><!--/$--><div hidden id="S:0">a<!--$?--><template id="B:1"></template>w<!--/$--></div><div hidden id="S:1">b</div>"#,
                "<!--$?-->a<!--$?-->b<!--/$--><!--/$-->",
            ),
            (
                r#"<table><tbody><!--$?--><template id="B:0"></template><!--/$--></tbody></table><table hidden><tbody id="S:0"><tr><td>x</tbody></table>"#,
                "<table><tbody><!--$?--><tr><td>x<!--/$--></tbody></table><table hidden></table>",
            ),
            // Text that looks like an end tag in an attribute or a comment does not end it.
            (
                r#"a<template id="B:0"></template>b<div hidden id="S:0" title=</div><p title="</div>">c<!-- </div> -->d</div>e"#,
                r#"a<p title="</div>">c<!-- </div> -->dbe"#,
            ),
            // Nor does text that looks like a piece in an attribute hide those behind it.
            (
                r#"<div title='<div hidden id="S:1">'></div><template id="B:0"></template><div hidden id="S:0">c</div>"#,
                r#"<div title='<div hidden id="S:1">'></div>c"#,
            ),
            // Without a script that pairs them.
            (
                r#"a<template id="P:2"></template>b<div hidden id="S:2">c</div>"#,
                "acb",
            ),
            (
                r#"a<template id="B:0"></template>b<div hidden id="S:1f">c</div>d"#,
                r#"a<template id="B:0"></template>bcd"#,
            ),
        ] {
            assert_eq!(assemble(page), wanted);
        }
    }

    #[test]
    fn a_page_that_only_looks_like_it_stays_as_it_is() {
        for page in [
            r#"<p id="S:0">a</p>"#,
            r#"<div hidden id="S:0">a</div>"#,
            r#"<div hidden id="S:0">a<script>$RC("B:0","S:0")</script>"#,
            r#"<template id="B:0"></template><div hidden id="S:0">a"#,
            r#"<script>$RC("B:0</script>"#,
        ] {
            assert_eq!(assemble(page), page);
        }
    }

    #[test]
    fn no_page_becomes_longer_by_it_however_its_pieces_are_nested() {
        let circle = r#"<!--$?--><template id="B:0"></template><!--/$--><div hidden id="S:0"><!--$?--><template id="B:1"></template><!--/$--></div><div hidden id="S:1">x<!--$?--><template id="B:0"></template><!--/$--></div>"#;
        assert!(assemble(circle).len() <= circle.len());
        let many = r#"<template id="B:0"></template><div hidden id="S:0">"#.repeat(20_000);
        assert!(assemble(&many).len() <= many.len());
        let numbered = (0..5000).fold(String::new(), |page, n| {
            page + &format!(
                r#"<div hidden id="S:{n}">w<!--$?--><template id="B:{}"></template><!--/$--></div><script>$RC("B:{n}","S:{n}")</script>"#,
                n + 1
            )
        });
        let page = format!(r#"<!--$?--><template id="B:0"></template><!--/$-->{numbered}"#);
        assert!(assemble(&page).len() <= page.len());
    }
}
