//! Names in byte order.
//!
//! Half a million comparisons of text would mean as many walks through memory. So a group of names
//! is sorted by the eight bytes after what they share, as numbers, and then each group that is
//! still equal by the next eight.

/// Memory for a name ran out, or the text is longer than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfMemory;

/// The place of a name in a text that holds many, each followed by a NUL.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameSpan<T> {
    /// The eight bytes by which it is being sorted, the first being the highest.
    key: u64,
    start: u32,
    end: u32,
    /// Further facts about it. Of equal names the one with the lesser facts comes first.
    pub what: T,
}

impl<T> NameSpan<T> {
    /// The name in `text` that consists of these pieces, appended to it.
    pub fn push(text: &mut Vec<u8>, pieces: [&[u8]; 2], what: T) -> Result<Self, OutOfMemory> {
        let start = text.len();
        let length = pieces.iter().map(|piece| piece.len()).sum::<usize>() + 1;
        text.try_reserve(length).map_err(|_| OutOfMemory)?;
        for piece in pieces {
            append_short(text, piece);
        }
        text.push(0);
        Ok(Self {
            key: 0,
            start: u32::try_from(start).map_err(|_| OutOfMemory)?,
            end: u32::try_from(text.len()).map_err(|_| OutOfMemory)?,
            what,
        })
    }

    /// This name with other facts about it.
    pub fn with<U>(&self, what: U) -> NameSpan<U> {
        NameSpan {
            key: self.key,
            start: self.start,
            end: self.end,
            what,
        }
    }

    /// The name in `text`, with its NUL.
    pub fn text_in<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        self.behind(text, 0)
    }

    fn behind<'a>(&self, text: &'a [u8], depth: usize) -> &'a [u8] {
        &text[self.start as usize + depth..self.end as usize]
    }

    fn length(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Appends a short piece. Names are so short that musl's `memcpy` takes longer to begin than this
/// takes in all.
fn append_short(text: &mut Vec<u8>, mut piece: &[u8]) {
    while let Some((eight, tail)) = piece.split_first_chunk::<8>() {
        text.extend_from_slice(eight);
        piece = tail;
    }
    for byte in piece {
        text.push(*byte);
    }
}

/// Brings `spans` of `text` into byte order.
pub(super) fn sort<T: Ord>(text: &[u8], spans: &mut [NameSpan<T>]) {
    let mut groups = vec![(0, spans.len(), 0)];
    while let Some((first, end, depth)) = groups.pop() {
        let group = &mut spans[first..end];
        let depth = depth + common_length(text, group, depth);
        for span in &mut *group {
            span.key = sort_key(span.behind(text, depth));
        }
        group.sort_unstable_by_key(|span| span.key);
        let mut start = first;
        for equal in group.chunk_by_mut(|a, b| a.key == b.key) {
            // The NUL at the end is part of the key, so names that end within it differ.
            if equal.len() > 1 && equal[0].length() > depth + 8 {
                groups.push((start, start + equal.len(), depth + 8));
            } else if equal.len() > 1 {
                equal.sort_unstable_by(|one, other| one.what.cmp(&other.what));
            }
            start += equal.len();
        }
    }
}

/// Counts the bytes that all of `group` have in common after the first `depth`.
fn common_length<T>(text: &[u8], group: &[NameSpan<T>], depth: usize) -> usize {
    let Some((first, others)) = group.split_first() else {
        return 0;
    };
    let first = first.behind(text, depth);
    others.iter().fold(first.len(), |shared, span| {
        first[..shared]
            .iter()
            .zip(span.behind(text, depth))
            .take_while(|(a, b)| a == b)
            .count()
    })
}

/// The first eight bytes as a number that sorts as they do.
fn sort_key(text: &[u8]) -> u64 {
    if let Some(eight) = text.first_chunk() {
        return u64::from_be_bytes(*eight);
    }
    let mut eight = [0; 8];
    eight[..text.len()].copy_from_slice(text);
    u64::from_be_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(names: &[&str]) -> Vec<String> {
        let (mut text, mut spans) = (Vec::new(), Vec::new());
        for name in names {
            let span = NameSpan::push(&mut text, [name.as_bytes(), b""], spans.len());
            spans.push(span.unwrap());
        }
        sort(&text, &mut spans);
        let name =
            |span: &NameSpan<usize>| String::from_utf8(span.text_in(&text).to_vec()).unwrap();
        spans
            .iter()
            .map(|span| name(span).trim_end_matches('\0').to_owned())
            .collect()
    }

    #[test]
    fn the_order_is_that_of_the_bytes_of_the_whole_path() {
        let given = [
            "d/a/x",
            "d/a-b",
            "d/a",
            "d/é",
            "d/Z",
            "d/a.c",
            "d/aaaaaaaaab",
            "d/aaaaaaaaaa",
        ];
        let mut expected: Vec<String> = given.iter().map(ToString::to_string).collect();
        expected.sort();
        assert_eq!(sorted(&given), expected);
    }

    #[test]
    fn one_name_that_begins_another_comes_first() {
        assert_eq!(sorted(&["ab", "a", "abc", ""]), ["", "a", "ab", "abc"]);
    }

    #[test]
    fn equal_names_are_in_the_order_of_what_they_are() {
        let mut text = Vec::new();
        let mut spans =
            [2, 0, 1].map(|what| NameSpan::push(&mut text, [b"same name", b"/"], what).unwrap());
        sort(&text, &mut spans);
        assert_eq!(spans.map(|span| span.what), [0, 1, 2]);
    }

    #[test]
    fn no_names_are_no_names() {
        assert!(sorted(&[]).is_empty());
    }
}
