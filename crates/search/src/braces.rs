//! Braces in a wildcard pattern: `**/*.{ts,tsx}` stands for two patterns.
//!
//! They are read as bash reads them (its manual, "Brace Expansion"), before anything else in the
//! pattern: a pair with a comma between its braces is one alternative after the other, pairs may
//! stand in one another, an alternative may be empty, `\` takes the meaning from the character
//! after it, and a brace without its fellow or without a comma stands for itself. Sequences
//! (`{1..3}`) are no alternatives here, and `$` means nothing.

/// Maximum number of alternatives that a pattern may stand for.
pub const MAX_ALTERNATIVES: usize = 1024;

/// Maximum number of bytes of all its alternatives together.
const MAX_ALTERNATIVES_BYTES: usize = 512 << 10;

/// Maximum number of steps for reading a pattern: braces that are never closed cost time that
/// grows with the square of their number.
const MAX_READING_STEPS: usize = 1 << 26;

/// A pattern that stands for more than [`MAX_ALTERNATIVES`], or for more text than can be handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAlternatives;

/// Returns the patterns that `pattern` stands for, in the order in which they are written; empty,
/// if it has no braces that stand for alternatives. Equal alternatives are all returned, and one
/// that is all empty is left out.
///
/// # Errors
/// There are too many of them.
pub fn alternatives(pattern: &[u8]) -> Result<Vec<Vec<u8>>, TooManyAlternatives> {
    if !may_have_braces(pattern) {
        return Ok(Vec::new());
    }
    let mut steps = MAX_READING_STEPS;
    let parts = BraceParts::read(pattern, &mut steps)?;
    if parts.count() > MAX_ALTERNATIVES {
        return Err(TooManyAlternatives);
    }
    if parts.count() == 1 {
        return Ok(Vec::new());
    }
    let mut all = parts.write_out()?;
    all.retain(|alternative| !alternative.is_empty());
    Ok(all)
}

/// True if it is worthwhile to look for braces.
fn may_have_braces(pattern: &[u8]) -> bool {
    memchr::memchr(b'{', pattern)
        .is_some_and(|brace| memchr::memchr(b',', &pattern[brace..]).is_some())
}

/// A pattern as text and choices, one after the other.
#[derive(Debug, Default)]
struct BraceParts<'a>(Vec<BracePart<'a>>);

#[derive(Debug)]
enum BracePart<'a> {
    Text(&'a [u8]),
    /// One of these.
    Choice(Vec<BraceParts<'a>>),
}

impl<'a> BraceParts<'a> {
    /// Reads `pattern`. What is nested deeper than there may be alternatives has too many of them,
    /// since each pair of braces adds one.
    fn read(pattern: &'a [u8], steps: &mut usize) -> Result<Self, TooManyAlternatives> {
        Self::read_nested(pattern, steps, MAX_ALTERNATIVES)
    }

    fn read_nested(
        mut pattern: &'a [u8],
        steps: &mut usize,
        deeper: usize,
    ) -> Result<Self, TooManyAlternatives> {
        let deeper = deeper.checked_sub(1).ok_or(TooManyAlternatives)?;
        let mut parts = Vec::new();
        while let Some((start, end)) = first_pair(pattern, steps)? {
            parts.push(BracePart::Text(&pattern[..start]));
            let mut choice = Vec::new();
            for alternative in split_at_commas(&pattern[start + 1..end]) {
                choice.push(Self::read_nested(alternative, steps, deeper)?);
            }
            parts.push(BracePart::Choice(choice));
            pattern = &pattern[end + 1..];
        }
        parts.push(BracePart::Text(pattern));
        Ok(Self(parts))
    }

    /// Counts the patterns that these stand for.
    fn count(&self) -> usize {
        let of_part = |part: &BracePart<'_>| match part {
            BracePart::Text(_) => 1,
            BracePart::Choice(choice) => choice
                .iter()
                .fold(0_usize, |sum, parts| sum.saturating_add(parts.count())),
        };
        self.0.iter().fold(1_usize, |product, part| {
            product.saturating_mul(of_part(part))
        })
    }

    /// Writes those patterns out.
    fn write_out(&self) -> Result<Vec<Vec<u8>>, TooManyAlternatives> {
        let mut all = vec![Vec::new()];
        for part in &self.0 {
            let mut ends = Vec::new();
            match part {
                BracePart::Text(text) => ends.push(text.to_vec()),
                BracePart::Choice(choice) => {
                    for parts in choice {
                        ends.append(&mut parts.write_out()?);
                    }
                }
            }
            let length = |all: &[Vec<u8>]| all.iter().map(Vec::len).sum::<usize>();
            if length(&all) * ends.len() + length(&ends) * all.len() > MAX_ALTERNATIVES_BYTES {
                return Err(TooManyAlternatives);
            }
            let both = all
                .iter()
                .flat_map(|one| ends.iter().map(|end| [&one[..], end].concat()));
            all = both.collect();
        }
        Ok(all)
    }
}

/// Finds the offsets at which the first braces that stand for alternatives open and close.
fn first_pair(
    pattern: &[u8],
    steps: &mut usize,
) -> Result<Option<(usize, usize)>, TooManyAlternatives> {
    let mut offset = 0;
    while let Some(&byte) = pattern.get(offset) {
        match byte {
            b'\\' => offset += 1,
            // As bash has it, for the sake of `find -exec`: a pair of empty braces that begins a
            // word opens nothing.
            b'{' if offset == 0 && pattern.get(1) == Some(&b'}') => {}
            b'{' => {
                let behind = &pattern[offset + 1..];
                let end = end_of_pair(behind);
                let taken = end.unwrap_or(behind.len()) + 1;
                *steps = steps.checked_sub(taken).ok_or(TooManyAlternatives)?;
                if let Some(end) = end {
                    return Ok(Some((offset, offset + 1 + end)));
                }
            }
            _ => {}
        }
        offset += 1;
    }
    Ok(None)
}

/// Finds the offset of the brace that closes the one before `text`, if there is a comma between.
/// One that would close it before the comma is ordinary text.
fn end_of_pair(text: &[u8]) -> Option<usize> {
    let (mut level, mut comma) = (0_usize, false);
    let mut offset = 0;
    while let Some(&byte) = text.get(offset) {
        match byte {
            b'\\' => offset += 1,
            b'{' => level += 1,
            b'}' if level > 0 => level -= 1,
            b'}' if comma => return Some(offset),
            b',' if level == 0 => comma = true,
            _ => {}
        }
        offset += 1;
    }
    None
}

/// Splits `text` at the commas that are in no further braces.
fn split_at_commas(text: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut level, mut start, mut offset) = (0_usize, 0, 0);
    while let Some(&byte) = text.get(offset) {
        match byte {
            b'\\' => offset += 1,
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b',' if level == 0 => {
                parts.push(&text[start..offset]);
                start = offset + 1;
            }
            _ => {}
        }
        offset += 1;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests;
