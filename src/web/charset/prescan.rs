//! The character set that a document declares about itself, in `<meta>` or in its XML declaration.
//!
//! Follows WHATWG HTML, "prescan a byte stream to determine its encoding".

/// Returns the label declared in the first kilobyte, `head`.
pub fn declared(head: &[u8]) -> Option<Vec<u8>> {
    scan(head, false)
}

/// Returns the label declared anywhere in a document. Unlike in the first kilobyte, markup inside a
/// script, a style or a title is ignored, as any parser of the whole document would do.
pub fn declared_anywhere(document: &[u8]) -> Option<Vec<u8>> {
    scan(document, true)
}

/// Elements whose content is not markup.
const RAW: [&[u8]; 4] = [b"script", b"style", b"textarea", b"title"];

fn scan(head: &[u8], whole: bool) -> Option<Vec<u8>> {
    if head.starts_with(b"<?xml") {
        let end = find(head, b">")?;
        if let Some(label) = xml_encoding(&head[..end]) {
            return Some(label);
        }
    }
    let mut at = 0;
    while at < head.len() {
        let rest = &head[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a complete comment.
            at += 2 + find(&rest[2..], b"-->")? + 3;
        } else if is_tag(rest, b"<meta") {
            let mut attributes = TagAttributes { rest: &rest[5..] };
            if let Some(label) = meta(&mut attributes) {
                return Some(label);
            }
            at = head.len() - attributes.rest.len();
        } else if rest[0] == b'<'
            && rest
                .get(1)
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/')
        {
            let skip = rest
                .iter()
                .position(|b| b.is_ascii_whitespace() || *b == b'>')?;
            let mut attributes = TagAttributes {
                rest: &rest[skip..],
            };
            while attributes.next().is_some() {}
            at = head.len() - attributes.rest.len();
            let name = &rest[1..skip];
            if whole && RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw)) {
                at += end_of(name, attributes.rest)?;
            }
        } else if rest[0] == b'<' && matches!(rest.get(1), Some(b'!' | b'?')) {
            at += find(rest, b">")? + 1;
        } else {
            at += memchr::memchr(b'<', &rest[1..]).map_or(rest.len(), |next| next + 1);
        }
    }
    None
}

/// Returns the position of the end tag of element `name`.
fn end_of(name: &[u8], content: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', content).find(|at| {
        let tag = &content[at + 1..];
        tag.first() == Some(&b'/')
            && tag
                .get(1..=name.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
    })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

fn is_tag(rest: &[u8], name: &[u8]) -> bool {
    rest.get(..name.len())
        .is_some_and(|b| b.eq_ignore_ascii_case(name))
        && rest
            .get(name.len())
            .is_some_and(|b| b.is_ascii_whitespace() || *b == b'/')
}

/// Returns the label that one `<meta>` declares: in `charset`, or in `content` with
/// `http-equiv=content-type`.
fn meta(attributes: &mut TagAttributes<'_>) -> Option<Vec<u8>> {
    let (mut charset, mut content, mut pragma) = (None, None, false);
    for (name, value) in attributes.by_ref() {
        match name.as_slice() {
            b"charset" => charset = charset.or(Some(value)),
            b"content" => content = content.or_else(|| content_charset(&value)),
            b"http-equiv" => pragma |= value.eq_ignore_ascii_case(b"content-type"),
            _ => {}
        }
    }
    charset.or_else(|| content.filter(|_| pragma))
}

/// Returns the charset in a value such as `text/html; charset=utf-8`.
fn content_charset(value: &[u8]) -> Option<Vec<u8>> {
    let lower = value.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = from + find(lower.get(from..)?, b"charset")? + 7;
        let rest = value[at..].trim_ascii_start();
        if let Some(rest) = rest.strip_prefix(b"=") {
            let rest = rest.trim_ascii_start();
            if let quote @ (b'"' | b'\'') = rest.first()? {
                let end = rest[1..].iter().position(|b| b == quote)?;
                return Some(rest[1..=end].to_vec());
            }
            let end = rest
                .iter()
                .position(|b| b.is_ascii_whitespace() || *b == b';');
            return Some(rest[..end.unwrap_or(rest.len())].to_vec());
        }
        from = at;
    }
}

fn xml_encoding(declaration: &[u8]) -> Option<Vec<u8>> {
    let at = find(declaration, b"encoding")? + 8;
    let rest = declaration[at..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = rest.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let end = rest[1..].iter().position(|b| b == quote)?;
    Some(rest[1..=end].to_vec())
}

/// Iterator over a tag's attributes, names in lower case. It ends behind the tag.
struct TagAttributes<'a> {
    rest: &'a [u8],
}

impl TagAttributes<'_> {
    fn bump(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip(&mut self, what: impl Fn(u8) -> bool) {
        while self.rest.first().is_some_and(|b| what(*b)) {
            self.rest = &self.rest[1..];
        }
    }
}

impl Iterator for TagAttributes<'_> {
    type Item = (Vec<u8>, Vec<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|b| b.is_ascii_whitespace() || b == b'/');
        let mut name = Vec::new();
        loop {
            match self.rest.first()? {
                b'>' if name.is_empty() => {
                    self.bump();
                    return None;
                }
                b'=' if !name.is_empty() => break,
                b'>' | b'/' => return Some((name, Vec::new())),
                b if b.is_ascii_whitespace() => break,
                _ => name.push(self.bump()?.to_ascii_lowercase()),
            }
        }
        self.skip(|b| b.is_ascii_whitespace());
        if self.rest.first() != Some(&b'=') {
            return Some((name, Vec::new()));
        }
        self.bump();
        self.skip(|b| b.is_ascii_whitespace());
        let mut value = Vec::new();
        match *self.rest.first()? {
            quote @ (b'"' | b'\'') => {
                self.bump();
                loop {
                    match self.bump()? {
                        b if b == quote => return Some((name, value)),
                        b => value.push(b),
                    }
                }
            }
            b'>' => Some((name, value)),
            _ => {
                while self
                    .rest
                    .first()
                    .is_some_and(|b| !b.is_ascii_whitespace() && *b != b'>')
                {
                    value.push(self.bump()?);
                }
                Some((name, value))
            }
        }
    }
}
