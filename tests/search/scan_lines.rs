//! Searching files for lines: whole lines with the right numbers, whatever the window, and no
//! file that could hold a search up.

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use iki_search::scan::{
    self, ContextLines, FileScanner, LineMatcher, LineSink, LinkPolicy, ScanError, ScanFlow,
};
use rustix::fs::{CWD, Mode, openat};

/// Matches the lines that hold a piece of text.
struct Holds(&'static [u8]);

impl LineMatcher for Holds {
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        memchr::memmem::find(&window[from..], self.0).map(|at| from + at)
    }
}

/// Matches every line, and points at its line feed.
struct Every;

impl LineMatcher for Every {
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        let end = memchr::memchr(b'\n', &window[from..]).map(|at| from + at);
        Some(end.unwrap_or(window.len() - 1))
    }
}

/// Matches beyond the window, where no line is.
struct Beyond;

impl LineMatcher for Beyond {
    fn find_line(&self, window: &[u8], _: usize) -> Option<usize> {
        Some(window.len() + 1)
    }
}

fn open(path: &CStr, links: LinkPolicy) -> Result<(OwnedFd, usize), ScanError> {
    let file = openat(CWD, path, scan::open_flags(links), Mode::empty());
    scan::check_regular(file, links)
}

type Lines = Vec<(u64, Vec<u8>)>;

fn scan(scanner: &mut FileScanner, path: &Path, matcher: &impl LineMatcher) -> Lines {
    let mut lines = Lines::new();
    try_scan(scanner, path, LinkPolicy::Follow, matcher, &mut lines).unwrap();
    lines
}

fn try_scan(
    scanner: &mut FileScanner,
    path: &Path,
    links: LinkPolicy,
    matcher: &impl LineMatcher,
    found: &mut Lines,
) -> Result<(), ScanError> {
    let (file, size) = open(&c(path), links)?;
    let mut scan = scanner.start(file, size);
    let flow = scan.run(matcher, &mut |number: u64, line: &[u8]| {
        found.push((number, line.to_vec()));
        ScanFlow::Continue
    });
    scanner.recycle(scan);
    flow.map(|flow| assert_eq!(flow, ScanFlow::Continue))
}

fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// The same, line by line.
fn naive(text: &[u8], piece: &[u8]) -> Lines {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    if text.is_empty() {
        return Lines::new();
    }
    let lines = body.split(|byte| *byte == b'\n').zip(1..);
    lines
        .filter(|(line, _)| memchr::memmem::find(line, piece).is_some())
        .map(|(line, number)| (number, line.to_vec()))
        .collect()
}

#[test]
fn line_feeds_are_counted_whether_the_last_line_is_found_or_not() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    for (text, feeds) in [("a\nb\nlast a", 2), ("a\nb\n", 2), ("a", 0), ("b\nb", 1)] {
        fs::write(&path, text).unwrap();
        for window in [1, 64] {
            let mut scanner = FileScanner::with_limits(window, 1 << 20);
            let (file, size) = open(&c(&path), LinkPolicy::Follow).unwrap();
            let mut scan = scanner.start(file, size);
            let flow = scan.run(&Holds(b"a"), &mut |_: u64, _: &[u8]| ScanFlow::Continue);
            assert_eq!(flow, Ok(ScanFlow::Continue));
            assert_eq!(scan.line_feeds(), feeds, "{text:?}");
        }
    }
}

#[test]
fn any_window_gives_what_reading_line_by_line_gives() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut below = move |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    let pieces: [&[u8]; 9] = [
        b"a", b"b", b"ab", b"\n", b"\n", b"\r\n", b"\0", b"\xff", b"\xc3",
    ];
    let mut matches = 0;
    for _ in 0..300 {
        let length = below(40);
        let text: Vec<u8> = (0..length)
            .flat_map(|_| pieces[usize::try_from(below(9)).unwrap()].to_vec())
            .collect();
        fs::write(&path, &text).unwrap();
        for window in [1, 2, 3, 5, 8, 13, 64] {
            let mut scanner = FileScanner::with_limits(window, 1 << 20);
            let expected = naive(&text, b"ab");
            matches += expected.len();
            let shown = text.escape_ascii().to_string();
            assert_eq!(
                scan(&mut scanner, &path, &Holds(b"ab")),
                expected,
                "{shown}, {window}"
            );
            let lines = naive(&text, b"");
            assert_eq!(
                scan(&mut scanner, &path, &Every),
                lines,
                "{shown}, {window}"
            );
            assert_eq!(
                scan(&mut scanner, &path, &Beyond),
                Lines::new(),
                "{shown}, {window}"
            );
        }
    }
    assert!(
        matches > 1000,
        "too few matches to mean anything: {matches}"
    );
}

/// Takes the lines that match and those around them, and pauses at each that matches.
#[derive(Default)]
struct Shown(Vec<(u64, Vec<u8>, bool)>);

impl LineSink for Shown {
    fn line(&mut self, number: u64, line: &[u8]) -> ScanFlow {
        self.0.push((number, line.to_vec(), true));
        ScanFlow::Pause
    }

    fn context(&mut self, number: u64, line: &[u8]) {
        self.0.push((number, line.to_vec(), false));
    }
}

#[test]
fn any_window_shows_the_same_lines_around_matches_once_and_in_order() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().join("f");
    for (at, lines) in [
        "a",
        "xaxxa",
        "aa",
        "xxxxaxxaxxxxxxaaxxx",
        "xxx",
        "xxxxxxxxa",
    ]
    .iter()
    .enumerate()
    {
        for end in ["", "\n"] {
            let text: Vec<String> = lines.chars().map(|c| format!("{c}{at}")).collect();
            fs::write(&path, text.join("\n") + end).unwrap();
            for (before, after) in [(0, 1), (1, 0), (2, 3), (1, 1), (100, 100), (3, 0)] {
                let matches: Vec<usize> = (0..text.len())
                    .filter(|at| text[*at].starts_with('a'))
                    .collect();
                let is_near = |at: usize| {
                    matches
                        .iter()
                        .any(|hit| at + before >= *hit && at <= hit + after)
                };
                let expected: Vec<_> = (0..text.len())
                    .filter(|at| is_near(*at))
                    .map(|at| {
                        (
                            at as u64 + 1,
                            text[at].clone().into_bytes(),
                            matches.contains(&at),
                        )
                    })
                    .collect();
                for window in [1, 2, 3, 5, 8, 13, 1 << 18] {
                    let mut scanner = FileScanner::with_limits(window, 1 << 20);
                    let (file, size) = open(&c(&path), LinkPolicy::Follow).unwrap();
                    let mut scan = scanner
                        .start(file, size)
                        .with_context(ContextLines { before, after });
                    let mut shown = Shown::default();
                    while scan.run(&Holds(b"a"), &mut shown) == Ok(ScanFlow::Pause) {}
                    assert_eq!(shown.0, expected, "{lines:?} {before} {after} in {window}");
                }
            }
        }
    }
}

#[test]
fn a_file_with_a_mark_has_the_same_lines_in_any_window() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().join("f");
    let text = "\nfirst a\r\n\nno\ncafé a 日本😀\n".repeat(3) + "last a";
    let units = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = [0xfeff].into_iter().chain(text.encode_utf16());
        units.flat_map(bytes).collect()
    };
    let lines = naive(text.as_bytes(), b"a");
    for content in [
        format!("\u{feff}{text}").into_bytes(),
        units(u16::to_le_bytes),
        units(u16::to_be_bytes),
    ] {
        fs::write(&path, &content).unwrap();
        for window in (1..40).chain([1 << 18]) {
            let mut scanner = FileScanner::with_limits(window, 1 << 20);
            assert_eq!(scan(&mut scanner, &path, &Holds(b"a")), lines, "{window}");
            // Its size unknown.
            let mut found = Lines::new();
            let mut scan = scanner.start(OwnedFd::from(File::open(&path).unwrap()), 0);
            let flow = scan.run(&Holds(b"a"), &mut |number: u64, line: &[u8]| {
                found.push((number, line.to_vec()));
                ScanFlow::Continue
            });
            assert_eq!(flow, Ok(ScanFlow::Continue));
            assert_eq!(found, lines, "{window}");
        }
    }
}

#[test]
fn an_endless_line_of_utf_16_is_given_up() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().join("f");
    fs::write(
        &path,
        [b"\xff\xfe".to_vec(), b"a\0".repeat(1 << 17)].concat(),
    )
    .unwrap();
    let mut scanner = FileScanner::with_limits(1 << 10, 1 << 16);
    let (matcher, mut found) = (Holds(b"a"), Lines::new());
    let given_up = try_scan(
        &mut scanner,
        &path,
        LinkPolicy::Follow,
        &matcher,
        &mut found,
    );
    assert!(
        matches!(given_up, Err(ScanError::LineTooLong)),
        "{given_up:?}"
    );
    fs::write(&path, "a\n").unwrap();
    assert_eq!(scan(&mut scanner, &path, &matcher), [(1, b"a".to_vec())]);
}

#[test]
fn an_empty_file_has_no_lines() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert_eq!(
        scan(&mut FileScanner::new(), file.path(), &Every),
        Lines::new()
    );
}

#[test]
fn lines_keep_their_carriage_returns_and_nuls() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"one\r\nt\0wo\nlast\0").unwrap();
    let expected = [
        (1, b"one\r".to_vec()),
        (2, b"t\0wo".to_vec()),
        (3, b"last\0".to_vec()),
    ];
    assert_eq!(scan(&mut FileScanner::new(), file.path(), &Every), expected);
}

#[test]
fn a_line_of_many_windows_is_returned_whole_and_the_buffer_serves_on() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let long = [
        vec![b'x'; 3_000_000],
        b"needle".to_vec(),
        vec![b'y'; 300_000],
    ]
    .concat();
    file.write_all(&[b"short\n", &*long, b"\nneedle\n", &*long].concat())
        .unwrap();
    let mut scanner = FileScanner::new();
    for _ in 0..2 {
        let expected = [
            (2, long.clone()),
            (3, b"needle".to_vec()),
            (4, long.clone()),
        ];
        assert_eq!(scan(&mut scanner, file.path(), &Holds(b"needle")), expected);
    }
}

#[test]
fn numbers_stay_right_over_many_windows() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for number in 1..=200_000 {
        let mark = if number % 40_000 == 0 {
            "needle"
        } else {
            "hay"
        };
        writeln!(file, "{mark} {number}").unwrap();
    }
    let lines = scan(&mut FileScanner::new(), file.path(), &Holds(b"needle"));
    let expected: Lines = (1..=5)
        .map(|k| (k * 40_000, format!("needle {}", k * 40_000).into_bytes()))
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn a_line_that_has_no_end_is_given_up() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 20).unwrap();
    let mut scanner = FileScanner::with_limits(1 << 10, 1 << 16);
    let mut lines = Lines::new();
    let result = try_scan(
        &mut scanner,
        file.path(),
        LinkPolicy::Follow,
        &Every,
        &mut lines,
    );
    assert!(matches!(result, Err(ScanError::LineTooLong)), "{result:?}");
    assert_eq!(lines, []);
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let link = directory.path().join("link");
    symlink("fifo", &link).unwrap();
    for path in [
        &*fifo,
        &link,
        directory.path(),
        Path::new("/dev/zero"),
        Path::new("/dev/null"),
    ] {
        let mut lines = Lines::new();
        let result = try_scan(
            &mut FileScanner::new(),
            path,
            LinkPolicy::Follow,
            &Every,
            &mut lines,
        );
        assert!(
            matches!(result, Err(ScanError::NotRegular)),
            "{}: {result:?}",
            path.display()
        );
    }
}

#[test]
fn a_link_is_followed_only_on_request() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("f"), "x\n").unwrap();
    let link = directory.path().join("link");
    symlink("f", &link).unwrap();
    assert_eq!(
        scan(&mut FileScanner::new(), &link, &Every),
        [(1, b"x".to_vec())]
    );
    let result = try_scan(
        &mut FileScanner::new(),
        &link,
        LinkPolicy::Refuse,
        &Every,
        &mut Lines::new(),
    );
    assert!(matches!(result, Err(ScanError::NotRegular)), "{result:?}");
}

#[test]
fn a_missing_file_is_unreadable_and_the_next_is_searched() {
    let directory = tempfile::tempdir().unwrap();
    let mut scanner = FileScanner::new();
    for (name, text) in [("a", "x\n"), ("b", "y\n"), ("c", "z\n")] {
        fs::write(directory.path().join(name), text).unwrap();
        assert_eq!(
            scan(&mut scanner, &directory.path().join(name), &Every).len(),
            1
        );
        let missing = directory.path().join("missing");
        let result = try_scan(
            &mut scanner,
            &missing,
            LinkPolicy::Refuse,
            &Every,
            &mut Lines::new(),
        );
        assert!(
            matches!(result, Err(ScanError::Unreadable(_))),
            "{result:?}"
        );
    }
}

#[test]
fn files_of_several_directories_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let mut scanner = FileScanner::new();
    for part in ["a", "a/b", "c"] {
        fs::create_dir(directory.path().join(part)).unwrap();
        for name in ["1", "2", "3"] {
            let path = directory.path().join(part).join(name);
            fs::write(&path, format!("{part} {name}")).unwrap();
            let line = format!("{part} {name}").into_bytes();
            assert_eq!(scan(&mut scanner, &path, &Every), [(1, line)]);
        }
    }
}

#[test]
fn a_file_that_says_it_is_empty_is_read_all_the_same() {
    let lines = scan(
        &mut FileScanner::with_limits(16, 1 << 20),
        Path::new("/proc/self/status"),
        &Holds(b"Pid:"),
    );
    assert!(
        lines.iter().any(|(_, line)| line.starts_with(b"PPid:")),
        "{lines:?}"
    );
}

#[test]
fn what_is_written_meanwhile_is_not_waited_for() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"x\n").unwrap();
    let mut output = File::options().append(true).open(file.path()).unwrap();
    let mut scanner = FileScanner::with_limits(2, 1 << 20);
    let (opened, size) = open(&c(file.path()), LinkPolicy::Follow).unwrap();
    let mut count = 0;
    let result = scanner
        .start(opened, size)
        .run(&Every, &mut |_: u64, line: &[u8]| {
            count += 1;
            output.write_all(&[line, b"\n"].concat()).unwrap();
            ScanFlow::Continue
        });
    assert_eq!((result, count), (Ok(ScanFlow::Continue), 1));
}

#[test]
fn a_search_that_pauses_goes_on_where_it_was() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let text = "1\n2\n3\nno\n".repeat(100);
    file.write_all(text.as_bytes()).unwrap();
    for (window, mark) in [(1, ""), (7, ""), (1 << 10, ""), (16, "\u{feff}")] {
        fs::write(file.path(), format!("{mark}{text}")).unwrap();
        let (opened, size) = open(&c(file.path()), LinkPolicy::Follow).unwrap();
        let mut scan = FileScanner::with_limits(window, 1 << 20).start(opened, size);
        let mut seen = Lines::new();
        let mut pauses = 0;
        let mut pause_at_every_other = |number: u64, line: &[u8]| {
            seen.push((number, line.to_vec()));
            if number.is_multiple_of(2) {
                ScanFlow::Pause
            } else {
                ScanFlow::Continue
            }
        };
        while scan.run(&Holds(b""), &mut pause_at_every_other).unwrap() == ScanFlow::Pause {
            pauses += 1;
        }
        assert_eq!(
            (seen, pauses),
            (naive(text.as_bytes(), b""), 200),
            "{window}"
        );
        assert_eq!(scan.line_feeds(), 400);
    }
}

#[test]
fn an_open_file_is_searched_from_where_it_stands() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"1\n2\n3\n").unwrap();
    file.seek(std::io::SeekFrom::Start(2)).unwrap();
    let mut lines = Lines::new();
    let mut scan = FileScanner::new().start(file.as_fd(), 0);
    let result = scan.run(&Every, &mut |number: u64, line: &[u8]| {
        lines.push((number, line.to_vec()));
        ScanFlow::Continue
    });
    assert_eq!(result, Ok(ScanFlow::Continue));
    assert_eq!(lines, [(1, b"2".to_vec()), (2, b"3".to_vec())]);
}

#[test]
fn a_name_alone_is_taken_from_the_working_directory() {
    let path: &CStr = c"Cargo.toml";
    let mut count = 0;
    for _ in 0..3 {
        let (file, size) = open(path, LinkPolicy::Refuse).unwrap();
        let result = FileScanner::new().start(file, size).run(
            &Holds(b"[package]"),
            &mut |_: u64, _: &[u8]| {
                count += 1;
                ScanFlow::Continue
            },
        );
        assert_eq!(result, Ok(ScanFlow::Continue));
    }
    assert_eq!(count, 3);
}
