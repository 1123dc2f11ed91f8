//! Splits RTF into groups, control words and text.
//!
//! Rules: Rich Text Format 1.9.1, conventions of an RTF reader.

/// Limit of a control word, in bytes.
const MAX_WORD: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RtfToken<'a> {
    Open,
    Close,
    /// A control word with its number, if it has one.
    Word(&'a str, Option<i32>),
    /// A control word of one sign.
    Symbol(u8),
    /// A byte of text.
    Byte(u8),
}

/// Reads tokens from `offset` up to the end of `bytes`.
#[derive(Clone, Copy)]
pub(super) struct RtfTokens<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) offset: usize,
}

impl<'a> RtfTokens<'a> {
    pub(super) fn next(&mut self) -> Option<RtfToken<'a>> {
        loop {
            let byte = *self.bytes.get(self.offset)?;
            self.offset += 1;
            return Some(match byte {
                b'{' => RtfToken::Open,
                b'}' => RtfToken::Close,
                b'\r' | b'\n' | 0 => continue,
                b'\\' => self.control()?,
                byte => RtfToken::Byte(byte),
            });
        }
    }

    fn control(&mut self) -> Option<RtfToken<'a>> {
        let unread = self.bytes.get(self.offset..)?;
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
        let letters = unread.iter().take(MAX_WORD).take_while(is_letter).count();
        if letters == 0 {
            let symbol = *unread.first()?;
            self.offset += 1;
            if symbol == b'\'' {
                let digits = unread
                    .get(1..3)
                    .and_then(|digits| std::str::from_utf8(digits).ok());
                let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                self.offset += if code.is_some() { 2 } else { 0 };
                return Some(RtfToken::Byte(code.unwrap_or(b'?')));
            }
            return Some(RtfToken::Symbol(symbol));
        }
        let word = std::str::from_utf8(&unread[..letters]).ok()?;
        let mut end = letters + usize::from(unread.get(letters) == Some(&b'-'));
        end += unread[end..]
            .iter()
            .take(11)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = std::str::from_utf8(&unread[letters..end]).ok();
        let number = number.and_then(|number| number.parse().ok());
        if number.is_none() {
            end = letters;
        }
        // A blank ends a word and belongs to it.
        end += usize::from(unread.get(end) == Some(&b' '));
        self.offset += end;
        if word == "bin" {
            let length = number.and_then(|length: i32| usize::try_from(length).ok());
            self.offset = self.offset.saturating_add(length.unwrap_or(0));
        }
        Some(RtfToken::Word(word, number))
    }

    /// Skips the rest of the group that is open, and returns where it ends.
    pub(super) fn skip_group(&mut self) -> usize {
        let mut depth = 0_usize;
        loop {
            let end = self.offset;
            match self.next() {
                None => return end.min(self.bytes.len()),
                Some(RtfToken::Open) => depth += 1,
                Some(RtfToken::Close) if depth == 0 => {
                    // The end is read as such.
                    self.offset = end;
                    return end;
                }
                Some(RtfToken::Close) => depth -= 1,
                _ => {}
            }
        }
    }
}
