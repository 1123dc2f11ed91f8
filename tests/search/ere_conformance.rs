//! What a pattern means and why it is refused, beside the C library's `regcomp`,
//! `regexec` and `regerror` in C.UTF-8. The cases are made here: patterns written
//! by hand for what is easy to get wrong, and patterns grown from a grammar, each
//! with subjects of the same alphabet.
//!
//! What differs on purpose is left out (a backslash in brackets, an escaped letter that the C
//! library does not know) or put to it in its own form (a lazy repetition without its last `?`).

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fmt::Write as _;
use std::mem::MaybeUninit;

use iki_search::ere::{PatternError, RegexMatcher};

/// Patterns that POSIX, or glibc where POSIX leaves the choice, gives a meaning
/// or refuses, and that are easy to read in another way.
const NASTY: &[&str] = &[
    "",
    "a",
    "()",
    "(|)",
    "|",
    "a|",
    "|a",
    "a||b",
    "(|a)",
    "(a|)",
    "((a)|b)*c",
    ")",
    "a)",
    "(a))",
    "())",
    "(",
    "(a",
    "a(b",
    "(()",
    "((a)",
    "([)",
    "*",
    "+",
    "?",
    "*a",
    "**a",
    "(*a)",
    "(*)",
    "(+a)",
    "(a|*b)",
    "a|*",
    "a|+b",
    "^*",
    "^+",
    "^?",
    "^{1}",
    "$*",
    "$?",
    r"\<*",
    r"\b+",
    r"\B?",
    r"(\b)*",
    "(^)*a",
    "(^|a)b",
    "(a|$)",
    "a^",
    "a^b",
    "$a",
    "^$",
    "^^",
    "$$",
    "^^a",
    "a$$",
    "(^a)",
    "(a$)",
    "(^a|b$)c?",
    "a**",
    "a*+",
    "a*?",
    "a+*",
    "a++",
    "a+?",
    "a?*",
    "a?+",
    "a??",
    "a{1}{2}",
    "a{2}?",
    "a{2}{3}",
    "a{2,}?",
    "(a+?)b",
    "^a+?$",
    "^a{2}?$",
    "a{,3}",
    "a{,}",
    "a{0}",
    "a{0}b",
    "a{0,0}",
    "a{0,1}",
    "a{1,2}{3}",
    "^a{2}{3}$",
    "a{01,002}",
    "a{2,1}",
    "a{1,x}",
    "a{1x}",
    "a{1",
    "a{1,",
    "a{1,2",
    "a{1a",
    "a{1,x",
    "a{1 }",
    "a{1, 2}",
    "a{,x}",
    "a{,",
    "a{1,2,3}",
    r"a{1\,2}",
    r"a{1\}",
    r"a{1\",
    "a{32767}",
    "a{32768}",
    "a{32768,}",
    "a{,32768}",
    "a{99999,1}",
    "a{9876543210}",
    "{1}",
    "({1})",
    "a|{1}",
    "{,2}",
    "}",
    "a}",
    "{1",
    r"\{1}",
    r"a\{1\}",
    "a{1}}",
    "(a){2}b",
    "(ab){1,2}c",
    "()*",
    "(){2}",
    "(){2,}a",
    "(a*)*",
    "(a*)+",
    "(a?){3}b",
    "[",
    "a[",
    "[^",
    "a[^",
    "[]",
    "[^]",
    "[a",
    "[a-",
    "[]a",
    "[]]",
    "[^]]",
    "[]-a]",
    "[^]-]",
    "[a]b]",
    "[[]",
    "[[a]",
    "[a[b]",
    r"[\]",
    r"[a\]",
    r"[\]]",
    r"[a\-z]",
    r"[\-z]",
    r"[\\]",
    r"[\^]",
    r"[\.]",
    r"[\a]",
    r"[\n]",
    r"[\t]",
    "[a-]",
    "[-a]",
    "[--a]",
    "[a--]",
    "[%--]",
    "[+--]",
    "[---]",
    "[--]",
    "[----]",
    "[a---z]",
    "[a-c--z]",
    "[a-b-c]",
    "[a-b-]",
    "[a-c-e]",
    "[1-3-5]",
    "[b-a]",
    "[z-a]+",
    "[^-]",
    "[^a-]",
    "[^--a]",
    "[.]",
    "[*]",
    "[+*?]",
    "[$]",
    "[^^]",
    "[a^]",
    "[(]",
    "[)|]",
    "[{]",
    "[&&]",
    "[a&&b]",
    "[a~~b]",
    "[a--b]",
    "[a||b]",
    "[ab]*[^ab]",
    "[[:alpha:]]",
    "[[:alpha:]",
    "[[:alpha:",
    "[[:alph:]]",
    "[[:ALPHA:]]",
    "[[::]]",
    "[[:",
    "[[:a]",
    "[[:al]:]]",
    "[:alpha:]",
    "[[:alpha:][:digit:]]",
    "[^[:alpha:]]",
    "[[:alpha:]-z]",
    "[[:alpha:]-]",
    "[a-[:alpha:]]",
    "[[:foo:]",
    "[[:01234567890123456789012345678901:]]",
    "[[:0123456789012345678901234567890:]]",
    "[[.a.]]",
    "[[.-.]]",
    "[[.a.]-c]",
    "[a-[.c.]]",
    "[[.].]]",
    "[[.].]",
    "[[...]]",
    "[[..]]",
    "[[.",
    "[[.a",
    "[[.a.",
    "[[.a.]",
    "[[.foo.]]",
    "[[.foo.]",
    "[[.hyphen.]]",
    "[[.foo.]-a]",
    "[a-[.foo.]]",
    "[[=a=]]",
    "[[=]=]]",
    "[[==]]",
    "[[===]]",
    "[[=foo=]]",
    "[[=foo=]",
    "[[=a=]-c]",
    "[a-[=c=]]",
    "[[=a",
    "[a-[:foo:]]",
    "[a[.b.]c]",
    "[[:<:]]a",
    "[[:>:]]",
    "[[:upper:]]",
    "[[:lower:]]",
    "[[:punct:]]",
    "[[:space:]]",
    "[[:blank:]]",
    "[[:cntrl:]]",
    "[[:graph:]]",
    "[[:print:]]",
    "[[:xdigit:]]",
    "[[:digit:]]",
    "[[:alnum:]]",
    "[^[:upper:]]",
    "[^[:lower:]]",
    "[^[:punct:]]",
    "[^[:space:]]",
    "[^[:print:]]",
    "[^[:graph:]]",
    "[^[:alnum:]]",
    "[^[:cntrl:]]",
    "[^[:digit:]]",
    "[^[:xdigit:]]",
    "[^[:blank:]]",
    r"\",
    r"a\",
    r"(\",
    r"\\",
    r"\.",
    r"\*",
    r"\(",
    r"\)",
    r"\[",
    r"\]",
    r"\|",
    r"\^",
    r"\$",
    r"\{",
    r"\}",
    r"\/",
    r"\-",
    r"\e",
    r"\a",
    r"\q",
    r"\Q",
    r"\x",
    r"\x5",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\w+",
    r"\W\w",
    r"\w*\W",
    r"\b",
    r"\B",
    r"\<",
    r"\>",
    r"\<a",
    r"a\>",
    r"\<a\>",
    r"\ba\b",
    r"\Ba",
    r"a\B",
    r"\Ba\B",
    r"\B\B",
    r"^\B$",
    r"^\b",
    r"\b$",
    r"\`a",
    r"a\'",
    r"\`\'",
    r"a\`",
    r"\<\>",
    r"\>\<",
    r"(^|\>)b",
    r"(\<|x)a",
    r"(a)\1",
    r"(a)\2",
    r"\1",
    r"\1(a)",
    r"(a\1)",
    r"(a)|\1",
    r"((a)|\2)",
    r"(a)(b|\1)",
    r"(a)|b\1",
    r"\(a\)\1",
    r"(a)\10",
    ".",
    "..",
    ".*",
    ".+",
    "^.$",
    "^..$",
    "^.{2}$",
    "^.{2,}$",
    "^.+.+$",
    "^.*.+.$",
    ".+a",
    "a.+",
    "^.*a",
    "a.*$",
    "^.*$",
    "^.*a.*$",
    "(.*)(.*)",
    "(.+)(.+)b",
    "^(.a)*$",
    "^(.*a|b)c",
    "^[^a]*$",
    "^[^a]+$",
    "é",
    "é+",
    "é*b",
    "^é{2}$",
    "[é]",
    "[^é]",
    "^[^a]$",
    "[aé]b",
    "[^aé]",
    "é|a",
    "(é|a)+b",
    "^.é$",
    "é$",
    "日本",
    ".本",
    r"\wé",
    r"é\b",
    r"\bé",
    r"\<é",
    r"日\>",
    "[日本]",
    "[^日]a",
    r"\w\.\w",
    "a.b",
    "a-b",
    "a b",
    "^ *a",
    "a *$",
    "[ \t]a",
    "#",
    "~",
    "&&",
    "a&b",
    "/\\*([^*]|\\*+[^*/])*\\*+/",
    "^(([^!]+!)?([^!]+)|.+!([^!]+!)([^!]+))$",
];

/// What patterns grow from: each is whole by itself, or is not on purpose.
const ATOMS: &[&str] = &[
    "a",
    "b",
    "c",
    "é",
    "_",
    " ",
    "-",
    "1",
    "A",
    ".",
    "^",
    "$",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[^a-c]",
    "[[:alpha:]]",
    "[[:space:]]",
    "[^[:alnum:]]",
    "[[:punct:]_]",
    "[]a]",
    "[a-]",
    r"[a\]",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\<",
    r"\>",
    r"\b",
    r"\B",
    r"\.",
    r"\\",
    ")",
    "}",
    "]",
    "(",
    "[",
    "ab",
    "ba",
    r"\`",
    r"\'",
    "",
    "()",
    "(|a)",
];
const SUFFIXES: &[&str] = &[
    "", "", "", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{,2}", "{2,}", "{0}", "*?",
    "+?", "{2}?", "?*", "{1", "{2,1}",
];
const ALPHABET: &[&str] = &[
    "a", "a", "b", "b", "c", "é", "_", " ", "-", "1", "A", ".", "]", ")", "\\", "日", "\t",
];

const SUBJECTS: &[&str] = &[
    "",
    "a",
    "b",
    "aa",
    "ab",
    "ba",
    "abc",
    "aaa",
    "aab",
    "aaaaaa",
    "bab",
    " a",
    "a ",
    "a b",
    "a-b",
    "a.b",
    "a_b",
    "(a)",
    "a)",
    ")",
    "]",
    "[",
    "-",
    "^",
    "$",
    "\\",
    "a\\",
    "z",
    "_",
    "*",
    "+",
    "{1}",
    "a{1}",
    "é",
    "éé",
    "aé",
    "éa",
    "é b",
    "日本",
    "日本語a",
    "\u{a0}",
    "\u{2003}",
    "\t",
    "\r",
    "\x01",
    "\x7f",
    "A",
    "Z9",
    "3",
    "٣",
    "ǅ",
    "ª",
    "©",
    "π",
    "Σ",
    "a!b!c",
    "/* a */",
    "/**/",
    "&",
    "~",
    "|",
    "a|b",
    "x1 y2",
    "foo bar",
    ":",
    "alpha",
    "e",
    "q",
    "x5",
    "n",
    "t",
    "\u{2028}",
    "…",
    "🦀",
    "\u{ad}",
    "ⅷ",
    "a10",
    "aa0",
    "b]",
    "a]b",
];

/// One pattern in the C library.
struct Theirs(libc::regex_t);

impl Theirs {
    fn compile(pattern: &str, flags: libc::c_int) -> Result<Self, String> {
        let pattern = CString::new(pattern).expect("no NUL in a pattern");
        let mut compiled = MaybeUninit::<libc::regex_t>::uninit();
        let flags = libc::REG_EXTENDED | libc::REG_NOSUB | flags;
        // SAFETY: both pointers are good; on failure the regex is only handed to
        // regerror, which POSIX allows.
        unsafe {
            let code = libc::regcomp(compiled.as_mut_ptr(), pattern.as_ptr(), flags);
            if code == 0 {
                return Ok(Self(compiled.assume_init()));
            }
            let mut text = [0u8; 128];
            libc::regerror(
                code,
                compiled.as_ptr(),
                text.as_mut_ptr().cast(),
                text.len(),
            );
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            Err(String::from_utf8_lossy(text).into_owned())
        }
    }

    fn matches(&self, subject: &str) -> bool {
        let subject = CString::new(subject).expect("no NUL in a subject");
        // SAFETY: the regex is compiled, the subject ends in a NUL, no matches
        // are asked for.
        unsafe {
            libc::regexec(
                &raw const self.0,
                subject.as_ptr(),
                0,
                std::ptr::null_mut(),
                0,
            ) == 0
        }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: compiled, and freed once.
        unsafe { libc::regfree(&raw mut self.0) }
    }
}

/// The next number of a fixed sequence (a linear congruence of Knuth's).
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

fn grow(sequence: &mut Sequence, out: &mut String, depth: usize) {
    for branch in 0..=sequence.below(8) / 6 {
        if branch > 0 {
            out.push('|');
        }
        for _ in 0..=sequence.below(3) {
            if depth < 3 && sequence.below(4) == 0 {
                out.push('(');
                grow(sequence, out, depth + 1);
                out.push(')');
            } else {
                out.push_str(sequence.of(ATOMS));
            }
            out.push_str(sequence.of(SUFFIXES));
        }
    }
}

/// The text of the bracket expression that `text` begins with, as POSIX delimits it.
fn brackets(text: &str) -> &str {
    let inside = text.strip_prefix("[^").or_else(|| text.strip_prefix('['));
    let mut rest = inside.unwrap_or_default();
    rest = rest.strip_prefix(']').unwrap_or(rest);
    loop {
        let Some(next) = rest.find([']', '[']) else {
            return text;
        };
        let class = [":", ".", "="]
            .iter()
            .find(|kind| rest[next + 1..].starts_with(**kind));
        match class {
            Some(kind) if rest[next..].starts_with('[') => {
                let name = &rest[next + 2..];
                match name.find(&format!("{kind}]")) {
                    Some(end) => rest = &name[end + 2..],
                    None => return text,
                }
            }
            _ if rest[next..].starts_with('[') => rest = &rest[next + 1..],
            _ => return &text[..=text.len() - rest.len() + next],
        }
    }
}

/// The pieces of a pattern: a backslash with what follows, a bracket expression, an interval, or
/// one character.
fn pieces(pattern: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let second = rest.chars().nth(1).map_or(0, char::len_utf8);
        let length = match first {
            '\\' => 1 + second,
            '[' => brackets(rest).len(),
            '{' if rest[1..].starts_with(|char: char| char.is_ascii_digit() || char == ',') => {
                rest.find('}').map_or(1, |end| end + 1)
            }
            first => first.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Whether the pattern has a form that means something else here, on purpose: a backslash in
/// brackets, a range beyond ASCII, or an escaped letter that the C library takes for itself.
fn differs_on_purpose(pattern: &str) -> bool {
    pieces(pattern).iter().any(|piece| {
        let mut chars = piece.chars();
        match (chars.next(), chars.next()) {
            (Some('['), _) => piece.contains('\\') || piece.contains("-é"),
            (Some('\\'), Some(letter)) => {
                letter.is_ascii_alphabetic() && !"wWsSbB".contains(letter)
            }
            _ => false,
        }
    })
}

/// The pattern as the C library has to be given it: `a+?` is `a+` here, and `(a+)?` there.
fn not_lazy(pattern: &str) -> String {
    let mut text = String::new();
    let mut repeated = false;
    for piece in pieces(pattern) {
        if repeated && piece == "?" {
            repeated = false;
            continue;
        }
        repeated = matches!(piece, "*" | "+" | "?") || (piece.starts_with('{') && piece.len() > 1);
        text.push_str(piece);
    }
    text
}

/// Whether the C library is no measure for what the pattern matches: it can lose
/// its way in back-references, and in a place that an interval repeats (it finds
/// `([^a]{,2}^[^a]){2}b` in `A日b`, where no second `^` can be).
fn glibc_errs(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let reference = bytes
        .windows(2)
        .any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
    let places = ["^", "$", r"\b", r"\B", r"\<", r"\>", r"\`", r"\'"];
    reference || (pattern.contains("){2") && places.iter().any(|place| pattern.contains(place)))
}

fn in_c_utf8() -> bool {
    let name = CString::new("C.UTF-8").expect("no NUL");
    // SAFETY: the name ends in a NUL; the tests of this file are one function.
    let set = unsafe { !libc::setlocale(libc::LC_ALL, name.as_ptr()).is_null() };
    if !set {
        println!("skipped: this machine has no locale C.UTF-8");
    }
    set
}

/// Compares one pattern on all subjects; says what differs.
fn compare(pattern: &str, fold: bool, subjects: &[String], report: &mut String) -> usize {
    if differs_on_purpose(pattern) {
        return 0;
    }
    let flags = if fold { libc::REG_ICASE } else { 0 };
    let theirs = Theirs::compile(&not_lazy(pattern), flags);
    let ours = RegexMatcher::compile(&if fold {
        format!("(?i){pattern}")
    } else {
        pattern.to_owned()
    });
    let (theirs, ours) = match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => (theirs, ours),
        (Err(theirs), Err(ours)) if theirs == ours.to_string() => return 1,
        // Both refuse it, and we say what to write instead.
        (Err(_), Err(PatternError::Unsupported(_))) => return 1,
        (theirs, ours) => {
            let _ = writeln!(
                report,
                "{pattern:?}: {:?} there, {:?} here",
                theirs.err(),
                ours.err()
            );
            return 1;
        }
    };
    if glibc_errs(pattern) {
        return 1;
    }
    for subject in subjects {
        let there = theirs.matches(subject);
        // The line between two others, of which the first one is passed over.
        let window = format!("\n{subject}\n\n");
        let found = ours.find_line(window.as_bytes(), 1);
        let here = found.is_some_and(|at| at <= 1 + subject.len());
        if there != here {
            let _ = writeln!(
                report,
                "{pattern:?} on {subject:?}: {there} there, {here} here"
            );
        }
    }
    subjects.len()
}

#[test]
fn patterns_mean_what_they_mean_to_the_c_library() {
    if !in_c_utf8() {
        return;
    }
    let mut sequence = Sequence(20_260_101);
    let mut report = String::new();
    let mut cases = 0;
    let subjects: Vec<String> = SUBJECTS.iter().map(|&subject| subject.to_owned()).collect();
    for pattern in NASTY {
        cases += compare(pattern, false, &subjects, &mut report);
    }
    let grown: BTreeSet<String> = (0..4_000)
        .map(|_| {
            let mut pattern = String::new();
            grow(&mut sequence, &mut pattern, 0);
            pattern
        })
        .collect();
    for pattern in &grown {
        let subjects: Vec<String> = (0..12)
            .map(|length| (0..length).map(|_| sequence.of(ALPHABET)).collect())
            .collect();
        cases += compare(pattern, false, &subjects, &mut report);
        cases += compare(pattern, true, &subjects, &mut report);
    }
    println!("{cases} cases");
    assert!(cases > 40_000);
    assert!(report.is_empty(), "{report}");
}
