//! A pattern matches the lines that `regcomp(3)` and `regexec(3)` of the C library match in the
//! locale C.UTF-8; and any pattern finds in a window the lines that it finds one by one.

use std::ffi::CString;
use std::mem::MaybeUninit;

use iki_search::ere::RegexMatcher;

use crate::take::Take;
use crate::wildcard::in_utf_8;

/// What stands for one character, or for none. What POSIX leaves undefined is not among them: there
/// the two differ on purpose; nor are back-references, in which the C library loses its way.
const ATOMS: &[&str] = &[
    "a",
    "b",
    "c",
    "x",
    "0",
    "1",
    "-",
    "_",
    " ",
    "\u{e9}",
    "\u{c9}",
    "\u{65e5}",
    ".",
    "\\.",
    "\\*",
    "\\\\",
    "\\[",
    "[abc]",
    "[^a]",
    "[a-c]",
    "[[:alpha:]]",
    "[[:digit:][:space:]]",
    "[^[:upper:]]",
    "[]a]",
    "[^]a]",
    "[a-]",
    "[.]",
    "[*]",
    "[[.a.]]",
    "[[=a=]]",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "ab",
    "a",
    "\\+",
    "\\{",
    "\\|",
];

/// Places between characters.
const PLACES: &[&str] = &["^", "$", "\\b", "\\B", "\\<", "\\>"];

const SUFFIXES: &[&str] = &[
    "", "", "", "", "*", "+", "?", "{0}", "{1}", "{2}", "{0,2}", "{1,}", "{,2}", "{2,3}",
];

const LETTERS: &[&str] = &[
    "a", "b", "c", "x", "A", "B", "0", "1", "-", "_", " ", "\u{e9}", "\u{c9}", "\u{65e5}", ".",
    "*", "\\", "[", "]", "ab", "aa", "+", "{", "|", "\t",
];

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    if take.flag() {
        like_libc(take);
    } else {
        one_by_one(take);
    }
}

/// A pattern that is being written.
struct Pattern {
    text: String,
    /// Whether it has places.
    places: bool,
    /// How many groups with a place in them are repeated.
    repeated: usize,
    /// How many groups are repeated a number of times.
    intervals: usize,
}

impl Pattern {
    /// Writes more of it; returns how many places there are in that.
    fn grow(&mut self, take: &mut Take<'_>, depth: usize) -> usize {
        let mut count = 0;
        for branch in 0..=take.below(10) / 7 {
            if branch > 0 {
                self.text.push('|');
            }
            for _ in 0..=take.below(4) {
                match take.below(8) {
                    0 | 1 if depth < 3 => {
                        self.text.push('(');
                        let within = self.grow(take, depth + 1);
                        self.text.push(')');
                        count += within;
                        self.repeat(take.of(SUFFIXES), within);
                    }
                    2 if self.places => {
                        self.text.push_str(take.of(PLACES));
                        count += 1;
                    }
                    _ => {
                        self.text.push_str(take.of(ATOMS));
                        self.text.push_str(take.of(SUFFIXES));
                    }
                }
            }
        }
        count
    }

    /// Repeats a group with so many places in it, unless the C library errs there, as it does with
    /// places and intervals, or takes for ever, as it does with more than a few places, and with
    /// intervals in intervals in intervals.
    fn repeat(&mut self, suffix: &str, within: usize) {
        let interval = suffix.starts_with('{');
        let errs = interval && (self.places || self.intervals == 2);
        if !errs && (within == 0 || (within == 1 && self.repeated < 3)) {
            self.text.push_str(suffix);
            self.repeated += within;
            self.intervals += usize::from(interval);
        }
    }
}

fn like_libc(mut take: Take<'_>) {
    in_utf_8();
    let (fold, places) = (take.flag(), take.flag());
    let mut pattern = Pattern {
        text: String::new(),
        places,
        repeated: 0,
        intervals: 0,
    };
    pattern.grow(&mut take, 0);
    let pattern = pattern.text;
    if pattern.len() > 96 {
        return;
    }
    let flags = if fold { libc::REG_ICASE } else { 0 };
    let flag = if fold { "(?i)" } else { "" };
    let theirs = Theirs::compile(&pattern, flags);
    let ours = RegexMatcher::compile(&format!("{flag}{pattern}"));
    let (theirs, ours) = match (theirs, ours) {
        (Some(theirs), Ok(ours)) => (theirs, ours),
        (None, Err(_)) => return,
        (theirs, ours) => panic!(
            "{pattern:?}: taken there {}, here {:?}",
            theirs.is_some(),
            ours.err()
        ),
    };
    for _ in 0..=take.below(8) {
        let subject: String = (0..take.below(9)).map(|_| take.of(LETTERS)).collect();
        // The line between two others, of which the first one is passed over.
        let window = format!("\n{subject}\n\n");
        let found = ours.find(window.as_bytes(), 1);
        let here = found.is_some_and(|at| at <= 1 + subject.len());
        let there = theirs.matches(&subject);
        assert_eq!(
            here, there,
            "{pattern:?} on {subject:?}, case ignored: {fold}"
        );
    }
}

fn one_by_one(mut take: Take<'_>) {
    let pattern = take.bytes(64);
    let window = take.rest();
    let Ok(pattern) = str::from_utf8(pattern) else {
        return;
    };
    let matcher = match RegexMatcher::compile(pattern) {
        Ok(matcher) => matcher,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let twin = matcher.another();
    let mut start = 0;
    let mut wanted = Vec::new();
    for line in window.split_inclusive(|byte| *byte == b'\n') {
        if twin.find_line(line, 0).is_some() {
            wanted.push(start);
        }
        start += line.len();
    }
    let (mut found, mut from) = (Vec::new(), 0);
    while from < window.len()
        && let Some(at) = matcher.find_line(window, from)
    {
        assert!((from..=window.len()).contains(&at));
        let before = window[from..at].iter().rposition(|byte| *byte == b'\n');
        let begin = before.map_or(from, |feed| from + feed + 1);
        // Behind the last line feed there is no line.
        if begin >= window.len() {
            break;
        }
        found.push(begin);
        let end = window[at..].iter().position(|byte| *byte == b'\n');
        from = end.map_or(window.len(), |feed| at + feed + 1);
    }
    // Before bytes that continue no character the library looks past them for what a place stands
    // behind, and past a line's start.
    let places = ["\\b", "\\B", "\\<", "\\>"];
    let looks = places.into_iter().any(|place| pattern.contains(place));
    let undefined = looks && str::from_utf8(window).is_err();
    if matcher.gave_up() == 0 && twin.gave_up() == 0 && !undefined {
        assert_eq!(
            found,
            wanted,
            "{pattern:?} in {:?}",
            window.escape_ascii().to_string()
        );
    }
}

/// One pattern in the C library.
struct Theirs(libc::regex_t);

impl Theirs {
    fn compile(pattern: &str, flags: libc::c_int) -> Option<Self> {
        let pattern = CString::new(pattern).unwrap();
        let mut compiled = MaybeUninit::<libc::regex_t>::uninit();
        let flags = libc::REG_EXTENDED | libc::REG_NOSUB | flags;
        // SAFETY: both pointers are good, and what was not compiled is not used.
        unsafe {
            let code = libc::regcomp(compiled.as_mut_ptr(), pattern.as_ptr(), flags);
            (code == 0).then(|| Self(compiled.assume_init()))
        }
    }

    fn matches(&self, subject: &str) -> bool {
        let subject = CString::new(subject).unwrap();
        let none = std::ptr::null_mut();
        // SAFETY: the regex is compiled, the subject ends in a NUL, no matches are asked for.
        unsafe { libc::regexec(&raw const self.0, subject.as_ptr(), 0, none, 0) == 0 }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: compiled, and freed once.
        unsafe { libc::regfree(&raw mut self.0) }
    }
}
