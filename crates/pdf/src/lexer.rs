//! Splits content streams and character maps into operands and operators.
//!
//! Rules: ISO 32000-2, 7.2 (lexical conventions), 7.3 (objects), 7.8.2 (content streams), 8.9.7
//! (inline images). Errors are skipped, as viewers do.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};

/// Maximum nesting of arrays and dictionaries.
const MAX_DEPTH: usize = 16;

/// Limit of the operands in the arrays and dictionaries of one operand.
const MAX_LIST: usize = 300_000;

/// An operand of an operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PdfOperand<'a> {
    Number(f32),
    Name(Cow<'a, [u8]>),
    String(Cow<'a, [u8]>),
    Array(Vec<PdfOperand<'a>>),
    /// Keys and values in turn.
    Dict(Vec<PdfOperand<'a>>),
}

impl PdfOperand<'_> {
    pub(super) fn number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn string(&self) -> Option<&[u8]> {
        match self {
            Self::String(string) => Some(string),
            _ => None,
        }
    }

    /// Returns a value of a dictionary.
    pub(super) fn get(&self, key: &[u8]) -> Option<&Self> {
        let Self::Dict(entries) = self else {
            return None;
        };
        let index = entries
            .chunks_exact(2)
            .position(|entry| entry[0].name() == Some(key))?;
        entries.get(index * 2 + 1)
    }
}

/// An operand or an operator.
#[derive(Debug, PartialEq)]
pub(super) enum PdfToken<'a> {
    Operand(PdfOperand<'a>),
    Operator(&'a [u8]),
}

pub(super) struct PdfLexer<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Number of operands that the lists of an operand may still hold.
    left: usize,
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

pub(super) fn is_regular(byte: u8) -> bool {
    !is_blank(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

impl<'a> PdfLexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            offset: 0,
            left: 0,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let unread = &self.bytes[self.offset..];
                self.offset += memchr2(b'\n', b'\r', unread).unwrap_or(unread.len());
            } else if is_blank(byte) {
                self.offset += 1;
            } else {
                return;
            }
        }
    }

    /// Returns the next operand or operator.
    pub(super) fn next(&mut self) -> Option<PdfToken<'a>> {
        self.left = MAX_LIST;
        self.next_within(0)
    }

    fn next_within(&mut self, depth: usize) -> Option<PdfToken<'a>> {
        loop {
            self.skip_blanks();
            let start = self.offset;
            let byte = self.peek()?;
            self.offset += 1;
            let operand = match byte {
                b'(' => PdfOperand::String(self.read_literal()),
                b'/' => PdfOperand::Name(self.read_name()),
                b'<' if self.peek() == Some(b'<') => {
                    self.offset += 1;
                    PdfOperand::Dict(self.read_list(b'>', depth))
                }
                b'<' => PdfOperand::String(self.read_hexadecimal()),
                b'[' => PdfOperand::Array(self.read_list(b']', depth)),
                b'+' | b'-' | b'.' | b'0'..=b'9' => {
                    let end = self.regular_end();
                    if let Some(number) = parse_number(&self.bytes[start..end]) {
                        self.offset = end;
                        PdfOperand::Number(number)
                    } else {
                        self.offset = end;
                        continue;
                    }
                }
                byte if is_regular(byte) => {
                    self.offset = self.regular_end();
                    return Some(PdfToken::Operator(&self.bytes[start..self.offset]));
                }
                // A closing bracket without an opening one.
                _ => continue,
            };
            return Some(PdfToken::Operand(operand));
        }
    }

    fn regular_end(&self) -> usize {
        let unread = self.bytes.get(self.offset..).unwrap_or_default();
        let length = unread.iter().position(|byte| !is_regular(*byte));
        self.offset + length.unwrap_or(unread.len())
    }

    /// Reads an array or a dictionary up to its end.
    fn read_list(&mut self, close: u8, depth: usize) -> Vec<PdfOperand<'a>> {
        let mut list = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return list,
                Some(byte) if byte == close => {
                    self.offset += 1;
                    if close == b'>' && self.peek() == Some(b'>') {
                        self.offset += 1;
                    }
                    return list;
                }
                Some(_) if depth >= MAX_DEPTH => self.offset += 1,
                Some(_) => match self.next_within(depth + 1) {
                    Some(PdfToken::Operand(operand)) => {
                        if self.left > 0 {
                            self.left -= 1;
                            list.push(operand);
                        }
                    }
                    // Placeholder for a value that is not used here, which keeps keys and values in
                    // step.
                    Some(PdfToken::Operator(b"true" | b"false" | b"null")) => {
                        list.push(PdfOperand::Number(0.0));
                    }
                    Some(PdfToken::Operator(b"R")) => {
                        list.pop();
                    }
                    Some(PdfToken::Operator(_)) => {}
                    None => return list,
                },
            }
        }
    }

    fn read_name(&mut self) -> Cow<'a, [u8]> {
        let start = self.offset;
        self.offset = self.regular_end();
        let name = &self.bytes[start..self.offset];
        if !name.contains(&b'#') {
            return Cow::Borrowed(name);
        }
        let mut decoded = Vec::with_capacity(name.len());
        let mut unread = name;
        while let [byte, tail @ ..] = unread {
            unread = tail;
            if let (b'#', [high, low, tail @ ..]) = (*byte, tail)
                && let (Some(high), Some(low)) = (hex(*high), hex(*low))
            {
                decoded.push(high << 4 | low);
                unread = tail;
            } else {
                decoded.push(*byte);
            }
        }
        Cow::Owned(decoded)
    }

    fn read_hexadecimal(&mut self) -> Cow<'a, [u8]> {
        let mut decoded = Vec::new();
        let mut half = None;
        while let Some(byte) = self.peek() {
            self.offset += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = hex(byte) else {
                continue;
            };
            match half.take() {
                Some(high) => decoded.push(high << 4 | digit),
                None => half = Some(digit),
            }
        }
        decoded.extend(half.map(|high| high << 4));
        Cow::Owned(decoded)
    }

    fn read_literal(&mut self) -> Cow<'a, [u8]> {
        let unread = &self.bytes[self.offset..];
        if let Some(length) = memchr3(b'(', b')', b'\\', unread)
            && unread[length] == b')'
            && !unread[..length].contains(&b'\r')
        {
            self.offset += length + 1;
            return Cow::Borrowed(&unread[..length]);
        }
        let mut decoded = Vec::new();
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            self.offset += 1;
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                b'\\' => {
                    self.read_escape(&mut decoded);
                    continue;
                }
                b'\r' => {
                    self.offset += usize::from(self.peek() == Some(b'\n'));
                    decoded.push(b'\n');
                    continue;
                }
                _ => {}
            }
            decoded.push(byte);
        }
        Cow::Owned(decoded)
    }

    fn read_escape(&mut self, decoded: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            return;
        };
        self.offset += 1;
        decoded.push(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\n' => return,
            b'\r' => {
                self.offset += usize::from(self.peek() == Some(b'\n'));
                return;
            }
            b'0'..=b'7' => {
                let mut value = byte - b'0';
                for _ in 0..2 {
                    if let Some(digit @ b'0'..=b'7') = self.peek() {
                        self.offset += 1;
                        value = value.wrapping_mul(8).wrapping_add(digit - b'0');
                    }
                }
                value
            }
            other => other,
        });
    }

    /// Skips an inline image whose `BI` was read.
    pub(super) fn skip_image(&mut self) {
        loop {
            match self.next() {
                Some(PdfToken::Operator(b"ID")) => break,
                Some(PdfToken::Operator(b"EI")) | None => return,
                Some(_) => {}
            }
        }
        self.offset += 1;
        let data = self.bytes.get(self.offset..).unwrap_or_default();
        for mark in memchr::memmem::find_iter(data, b"EI") {
            let before = mark == 0 || is_blank(data[mark - 1]);
            let after = data.get(mark + 2).is_none_or(|byte| is_blank(*byte));
            let tail = &data[mark + 2..data.len().min(mark + 12)];
            if before
                && after
                && tail
                    .iter()
                    .all(|byte| matches!(byte, 9 | 10 | 13 | 32..127))
            {
                self.offset += mark + 2;
                return;
            }
        }
        self.offset = self.bytes.len();
    }
}

/// Parses a number, leniently about signs, as viewers do.
fn parse_number(bytes: &[u8]) -> Option<f32> {
    let (mut whole, mut scale, mut digits) = (0.0_f64, 0.0_f64, 0);
    let mut negative = false;
    for byte in bytes {
        match byte {
            b'-' if digits == 0 => negative = true,
            b'+' if digits == 0 => {}
            b'-' => break,
            b'.' if scale == 0.0 => scale = 1.0,
            b'0'..=b'9' => {
                digits += 1;
                whole = whole * 10.0 + f64::from(byte - b'0');
                scale *= 10.0;
            }
            _ => return None,
        }
    }
    if digits == 0 && scale == 0.0 {
        return None;
    }
    let value = if scale > 1.0 { whole / scale } else { whole } as f32;
    let value = if negative { -value } else { value };
    value.is_finite().then_some(value)
}
