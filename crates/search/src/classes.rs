//! The character classes of C.UTF-8, for wildcards and for regular expressions alike.
//!
//! Their members are those of the GNU C library: `classes/generate.py` asks it about every
//! character and writes `classes/*.bin`.

/// The character classes of C.UTF-8, and the one that `\w` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharClass {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Word,
}

/// The first and the last character of a range.
pub(super) type CharRange = (char, char);

impl CharClass {
    /// The class of this name, as it is written between `[:` and `:]`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "alnum" => Self::Alnum,
            "alpha" => Self::Alpha,
            "blank" => Self::Blank,
            "cntrl" => Self::Cntrl,
            "digit" => Self::Digit,
            "graph" => Self::Graph,
            "lower" => Self::Lower,
            "print" => Self::Print,
            "punct" => Self::Punct,
            "space" => Self::Space,
            "upper" => Self::Upper,
            "xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// Its characters; the ranges of some classes are in no order.
    pub fn ranges(self) -> Vec<CharRange> {
        let both = |one: Self, other: Self| [one.ranges(), other.ranges()].concat();
        match self {
            Self::Alpha => decoded(include_bytes!("classes/alpha.bin")),
            Self::Blank => decoded(include_bytes!("classes/blank.bin")),
            Self::Cntrl => decoded(include_bytes!("classes/cntrl.bin")),
            Self::Digit => decoded(include_bytes!("classes/digit.bin")),
            Self::Graph => decoded(include_bytes!("classes/graph.bin")),
            Self::Lower => decoded(include_bytes!("classes/lower.bin")),
            Self::Space => decoded(include_bytes!("classes/space.bin")),
            Self::Upper => decoded(include_bytes!("classes/upper.bin")),
            Self::Xdigit => decoded(include_bytes!("classes/xdigit.bin")),
            Self::Alnum => both(Self::Alpha, Self::Digit),
            Self::Word => [Self::Alnum.ranges(), vec![('_', '_')]].concat(),
            Self::Print => {
                let blanks = without(Self::Space.ranges(), &Self::Cntrl.ranges());
                [Self::Graph.ranges(), blanks].concat()
            }
            Self::Punct => {
                let mut alnum = Self::Alnum.ranges();
                alnum.sort_unstable();
                without(Self::Graph.ranges(), &alnum)
            }
        }
    }
}

/// The ranges that `generate.py` has encoded.
fn decoded(bytes: &[u8]) -> Vec<CharRange> {
    let mut numbers = bytes
        .split_inclusive(|byte| byte & 0x80 == 0)
        .map(|number| {
            let bits = number.iter().rev();
            bits.fold(0, |number, byte| number << 7 | u32::from(byte & 0x7f))
        });
    let mut ranges = Vec::with_capacity(bytes.len() / 2);
    let mut end = 0;
    while let (Some(distance), Some(length)) = (numbers.next(), numbers.next()) {
        let first = end + distance;
        end = first + length;
        ranges.extend(char::from_u32(first).zip(char::from_u32(end)));
    }
    ranges
}

/// `ranges` without the characters of `others`; both are in order.
fn without(ranges: Vec<CharRange>, others: &[CharRange]) -> Vec<CharRange> {
    let mut left = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        let (mut first, last) = (u32::from(first), u32::from(last));
        let from = others.partition_point(|(_, end)| u32::from(*end) < first);
        for &(low, high) in &others[from..] {
            let (low, high) = (u32::from(low), u32::from(high));
            if low > last {
                break;
            }
            if low > first {
                left.extend(char::from_u32(first).zip(char::from_u32(low - 1)));
            }
            first = high + 1;
        }
        if first <= last {
            left.extend(char::from_u32(first).zip(char::from_u32(last)));
        }
    }
    left
}

#[cfg(test)]
#[path = "classes/like_libc_tests.rs"]
mod like_libc_tests;
