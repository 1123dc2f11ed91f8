//! Wildcards against the C library's own `glob(3)` and `fnmatch(3)`, over names and patterns that
//! are meant to be difficult. `**` is not compared: there it is an ordinary `*`; nor are braces
//! with a comma, which mean nothing there.
#![cfg(target_env = "gnu")]

use std::ffi::{CString, OsStr, c_char, c_int};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::walk::expand;
use iki_search::wildcard::PatternComponent;

unsafe extern "C" {
    fn fnmatch(pattern: *const c_char, name: *const c_char, flags: c_int) -> c_int;
}

/// What `fnmatch` calls `FNM_PERIOD`: a leading dot has to be written.
const PERIOD: c_int = 1 << 2;

/// Sets this thread's locale to one whose characters are UTF-8; false if the machine has none.
fn utf8_locale() -> bool {
    // SAFETY: the name is a C string; the locale is never freed, so it outlives its use.
    unsafe {
        let locale = libc::newlocale(libc::LC_ALL_MASK, c"C.UTF-8".as_ptr(), std::ptr::null_mut());
        !locale.is_null() && !libc::uselocale(locale).is_null()
    }
}

/// The paths that the C library finds.
fn by_libc(pattern: &[u8]) -> Vec<Vec<u8>> {
    let pattern = CString::new(pattern).unwrap();
    // SAFETY: `glob64` fills in the zeroed structure, whose strings are copied before it is freed.
    unsafe {
        let mut result: libc::glob64_t = std::mem::zeroed();
        let code = libc::glob64(pattern.as_ptr(), 0, None, &raw mut result);
        let mut paths = Vec::new();
        if code == 0 {
            for at in 0..result.gl_pathc {
                let path = std::ffi::CStr::from_ptr(*result.gl_pathv.add(at));
                paths.push(path.to_bytes().to_vec());
            }
        }
        libc::globfree64(&raw mut result);
        paths.sort();
        paths
    }
}

fn by_us(path: &Path, pattern: &[u8]) -> Vec<Vec<u8>> {
    expand(path, pattern)
        .unwrap()
        .iter()
        .map(|found| found.path().to_vec())
        .collect()
}

fn libc_matches(pattern: &[u8], name: &[u8]) -> bool {
    // With the flag glibc takes the dot in " ." for a leading one where the pattern begins "*?".
    let flags = if name.starts_with(b".") { PERIOD } else { 0 };
    let (pattern, name) = (CString::new(pattern).unwrap(), CString::new(name).unwrap());
    // SAFETY: both are C strings that live through the call.
    unsafe { fnmatch(pattern.as_ptr(), name.as_ptr(), flags) == 0 }
}

fn we_match(component: &PatternComponent, name: &[u8]) -> bool {
    match component {
        PatternComponent::Name(only) => only == name,
        PatternComponent::Wild(wild) => wild.matches(name),
        PatternComponent::Deep => !name.starts_with(b"."),
    }
}

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn text(&mut self, pieces: &[&[u8]], most: usize) -> Vec<u8> {
        (0..self.below(most + 1))
            .flat_map(|_| pieces[self.below(pieces.len())].to_vec())
            .collect()
    }
}

/// What names are made of. Latin letters only: with others glibc 2.36 gets its ranges wrong.
fn name_pieces() -> Vec<&'static [u8]> {
    let pieces = b"a b c z A Z 0 9 . - ] [ ! ^ \\ * ? : \xc3\xa9 \xc3\xbc \xff \xc3";
    pieces
        .split(|byte| *byte == b' ')
        .chain([&b" "[..], b"\n"])
        .collect()
}

/// What patterns are made of besides.
const PATTERN_PIECES: &[u8] = b"* * ? ? [ [ [! [^ ] ] - \\ [a-c] [!a] [^a-z] []a] []-_] [--0] \
    [z-a] [!-$] [\\]] [[:alpha:]] [![:digit:]] [[:space:][:punct:]] [[:upper:]b] [a[:nope:]b] \
    [!a[:nope:]] [[.a.]-c] [[.-.]] [[.hyphen.]] [[=a=]b] [[:alpha] [a-\\]] [\xc3\xa9] \
    [\xc3\xa0-\xc3\xa9]";

#[test]
fn one_component_matches_as_fnmatch_does() {
    assert!(utf8_locale());
    let names = name_pieces();
    let pieces = PATTERN_PIECES
        .split(|byte| *byte == b' ')
        .chain(name_pieces());
    let pieces: Vec<&[u8]> = pieces.collect();
    let mut random = Random(0x1e37_79b9_7f4a_7c15);
    let mut matches = 0;
    for _ in 0..4_000 {
        let pattern = random.text(&pieces, 5);
        if pattern.is_empty() || pattern == b"**" {
            continue;
        }
        let component = PatternComponent::parse(&pattern);
        for _ in 0..100 {
            let name = random.text(&names, 3);
            if name.is_empty() {
                continue;
            }
            let expected = libc_matches(&pattern, &name);
            matches += usize::from(expected);
            assert_eq!(
                we_match(&component, &name),
                expected,
                "pattern {:?}, name {:?}",
                pattern.escape_ascii().to_string(),
                name.escape_ascii().to_string()
            );
        }
    }
    assert!(
        matches > 5_000,
        "too few matches to mean anything: {matches}"
    );
}

/// A tree of names that are meant to be difficult.
fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &[u8]| root.path().join(OsStr::from_bytes(name));
    let directories: [&[u8]; 12] = [
        b"a", b"a/b", b"a/.hid", b"ab", b"ab/a", b".hid", b".hid/a", b"sp ace", b"[a]", b"e\xff",
        b"a\\", b"-",
    ];
    for directory in directories {
        fs::create_dir(at(directory)).unwrap();
    }
    let files: [&[u8]; 30] = [
        b"f",
        b"f.c",
        b".f.c",
        b"F.C",
        b"f-1.c",
        b"f1.c",
        b"a/f.c",
        b"a/b/f.c",
        b"a/.hid/f.c",
        b"a/.f.c",
        b"ab/f.c",
        b"ab/a/f",
        b".hid/f.c",
        b".hid/a/f.c",
        b"sp ace/f.c",
        b"[a]/f.c",
        b"e\xff/f.c",
        b"a\\/f.c",
        b"x[y",
        b"x]y",
        b"x*y",
        b"x?y",
        b"x\\y",
        b"x\ny",
        b"x y",
        b"\xc3\xa9.c",
        b"\xc3.c",
        b"~",
        b"{f,g}.c",
        b"-/f.c",
    ];
    for file in files {
        fs::write(at(file), "").unwrap();
    }
    for (target, link) in [
        ("a", "la"),
        ("nowhere", "ln"),
        ("loop", "loop"),
        (".", "ldot"),
        ("f", "lf"),
    ] {
        symlink(target, at(link.as_bytes())).unwrap();
    }
    root
}

/// Whole patterns; a line feed and bytes that are no text are in the names that they match.
const PATTERNS: &str = r"
* .* ?* */ .*/ */* */*/ .*/* */.* *.c .*.c f*.c f?.c f[0-9].c f[!0-9]*.c [[:alpha:]].[cC] [F-f].c
?.c ??.c \*.c x[[]y x[]]y x[*]y x\*y x\?y x\[y x[\]]y x[y x]y x[y* x\y x[\]y x?y x[[:space:]]y
x* [x]* [^a-z]* [!a-z]* []-a]* [a]/*  \[a]/* [[]a]/* [[]a]/f.c a/f.c a//f.c a///f.c .//a/*.c a//*/f.c
*//f.c */*//f.c a/ a// la la/ la/* ln loop ldot/ ldot/ldot/f.c ldot/*/f.c l*/f.c l* ln/x loop/x f/x f/. f/*
. .. ./ ../ ./* ./.* ../*/f.c */. */.. */../f */../*.c a/./f.c a/../f */b/../f.c *\/f.c a\/f.c a\/*.c
\a/\f.c a/\* a\ *\ a\ a\/ a\/* e*/* e?/f.c e[!a]/f.c *e/* ~ ~* \{f,g}.c {f,g\}.c {f* {f}* sp*/f.c
sp\ ace/* nothing nothing/* */nothing */nothing/* -/* [-]/* -* [a-c]/[a-f].c [[:lower:]]/*.c [[:nope:]]*
[[.a.]]/* [[=a=]]b/* *[ [* ] [] [!] [] ]* *] a[/]b a[/f.c *** a*** **.c f**c ?**/f.c .hid/* .h*/*/f.c .?* ..* .[!.]*
";

#[test]
fn whole_patterns_find_what_glob_finds() {
    assert!(utf8_locale());
    let tree = tree();
    let prefix = [tree.path().as_os_str().as_bytes(), b"/"].concat();
    let mut found = 0;
    for pattern in PATTERNS
        .split([' ', '\n'])
        .filter(|pattern| !pattern.is_empty())
    {
        let whole = [&prefix, pattern.as_bytes()].concat();
        let expected = by_libc(&whole);
        found += expected.len();
        let show = |paths: &[Vec<u8>]| {
            paths
                .iter()
                .map(|path| path.escape_ascii().to_string())
                .collect::<Vec<_>>()
        };
        let (split, joined) = (
            by_us(tree.path(), pattern.as_bytes()),
            by_us(Path::new(""), &whole),
        );
        assert_eq!(
            show(&split),
            show(&expected),
            "pattern {pattern} in a directory"
        );
        assert_eq!(show(&joined), show(&expected), "absolute pattern {pattern}");
    }
    assert!(found > 500, "too few paths to mean anything: {found}");
}

#[test]
fn patterns_made_by_chance_find_what_glob_finds() {
    assert!(utf8_locale());
    let tree = tree();
    let prefix = [tree.path().as_os_str().as_bytes(), b"/"].concat();
    let pieces: Vec<&[u8]> =
        b"* * ? [a-f] [!a] [ ] \\ a b f . .c / / // . .. x l ~ - e y \xff \xc3\xa9"
            .split(|byte| *byte == b' ')
            .collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut found = 0;
    for _ in 0..1_500 {
        let pattern = random.text(&pieces, 6);
        let before_slash = pattern.trim_ascii_end();
        // A slash at the end has its own rule here; glibc lists `f` for `*/f/` and `ln` for `ln/`.
        if pattern.is_empty()
            || before_slash.ends_with(b"/")
            || pattern.starts_with(b"/")
            || pattern
                .split(|byte| *byte == b'/')
                .any(|component| component == b"**")
        {
            continue;
        }
        let expected = by_libc(&[&prefix[..], &pattern].concat());
        found += expected.len();
        assert_eq!(
            by_us(tree.path(), &pattern),
            expected,
            "pattern {:?}",
            pattern.escape_ascii().to_string()
        );
    }
    assert!(found > 700, "too few paths to mean anything: {found}");
}
