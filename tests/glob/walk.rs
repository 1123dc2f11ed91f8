//! Walking: `**`, the directory given apart from the pattern, what cannot be read, what is deep.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::common;
use iki_search::glob_pattern::{GlobPattern, WildcardError};
use iki_search::paths::{EntryKind, OmittedPaths, PathList};
use iki_search::walk::{GlobError, PathVisitor, WalkEntry, WalkScope};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// A tree with the given files; a name that ends in a slash is a directory.
fn tree(names: &[&str]) -> tempfile::TempDir {
    let root = common::public_directory();
    for name in names {
        let path = root.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }
    root
}

/// What `pattern` names below the directory `path`, in byte order.
pub fn expand(path: &Path, pattern: &[u8]) -> Result<PathList, GlobError> {
    GlobPattern::parse(pattern)?.paths(path, None)
}

/// Keeps nothing of what is found.
struct Forgetful;

impl PathVisitor for Forgetful {
    type Output = ();
    type Rest = Infallible;
    const COST: usize = 1;

    fn visit(&mut self, _: &mut WalkEntry<'_>, (): &mut ()) -> Option<Infallible> {
        None
    }

    fn is_enough(&self, (): &()) -> bool {
        false
    }

    fn size((): &()) -> usize {
        0
    }
}

/// What `pattern` finds in `root`, without the name of `root`.
fn found(root: &Path, pattern: &str) -> Vec<String> {
    let paths = expand(root, pattern.as_bytes()).unwrap();
    let below = |path: &[u8]| {
        let path = path.strip_prefix(root.as_os_str().as_bytes()).unwrap();
        let path = path.strip_prefix(b"/").unwrap();
        path.escape_ascii().to_string()
    };
    paths.iter().map(|found| below(found.path())).collect()
}

#[test]
fn two_stars_match_any_number_of_directories() {
    let root = tree(&[
        "f.c",
        "a/f.c",
        "a/b/f.c",
        "a/b/c/f.c",
        "a/b/c/f.h",
        "z/src/x/f.c",
    ]);
    let all = ["a/b/c/f.c", "a/b/f.c", "a/f.c", "f.c", "z/src/x/f.c"];
    assert_eq!(found(root.path(), "**/*.c"), all);
    assert_eq!(found(root.path(), "**/**/f.c"), all);
    assert_eq!(
        found(root.path(), "a/**/f.c"),
        ["a/b/c/f.c", "a/b/f.c", "a/f.c"]
    );
    assert_eq!(
        found(root.path(), "a/**/b/**/f.c"),
        ["a/b/c/f.c", "a/b/f.c"]
    );
    assert_eq!(found(root.path(), "**/src/**/*.c"), ["z/src/x/f.c"]);
    assert_eq!(found(root.path(), "*/**/c/*"), ["a/b/c/f.c", "a/b/c/f.h"]);
    assert_eq!(found(root.path(), "**/nothing"), [""; 0]);
}

#[test]
fn nothing_is_listed_twice() {
    let root = tree(&["a/a/a/f", "a/a/f"]);
    assert_eq!(found(root.path(), "**/a/**/f"), ["a/a/a/f", "a/a/f"]);
    assert_eq!(
        found(root.path(), "**/*/**/a/**/*"),
        ["a/a/a", "a/a/a/f", "a/a/f"]
    );
}

#[test]
fn two_stars_at_the_end_are_everything_beneath() {
    let root = tree(&["a/f", "a/b/f", "a/.hid", "g"]);
    assert_eq!(found(root.path(), "**"), ["a", "a/b", "a/b/f", "a/f", "g"]);
    assert_eq!(found(root.path(), "a/**"), ["a/b", "a/b/f", "a/f"]);
    assert_eq!(found(root.path(), "**/"), ["a/", "a/b/"]);
}

#[test]
fn two_stars_within_a_component_are_one() {
    let root = tree(&["ab.c", "a/b.c"]);
    assert_eq!(found(root.path(), "a**b.c"), ["ab.c"]);
    assert_eq!(found(root.path(), "***"), ["a", "ab.c"]);
}

#[test]
fn two_stars_never_enter_hidden_directories() {
    let root = tree(&[".git/f", ".git/a/f", "a/.hid/f", "a/f", ".f"]);
    assert_eq!(found(root.path(), "**/f"), ["a/f"]);
    assert_eq!(found(root.path(), ".git/**/f"), [".git/a/f", ".git/f"]);
    assert_eq!(found(root.path(), "**/.hid/f"), ["a/.hid/f"]);
    assert_eq!(found(root.path(), "**/.f"), [".f"]);
}

#[test]
fn a_directory_link_is_not_followed_into_a_loop() {
    let root = tree(&["a/f", "b/"]);
    symlink("..", root.path().join("a/up")).unwrap();
    symlink("../a", root.path().join("b/a")).unwrap();
    assert_eq!(found(root.path(), "**/f"), ["a/f"]);
    assert_eq!(found(root.path(), "**"), ["a", "a/f", "a/up", "b", "b/a"]);
    // One component is one step, through a link as well.
    assert_eq!(found(root.path(), "*/*/f"), ["b/a/f"]);
    assert_eq!(found(root.path(), "a/up/**/f"), ["a/up/a/f"]);
    assert_eq!(found(root.path(), "*/a/**"), ["b/a/f", "b/a/up"]);
}

#[test]
fn the_order_is_that_of_the_bytes_of_the_whole_path() {
    let root = tree(&["a/x", "a-b", "a.c", "aa", "B", "a/é"]);
    let order = ["B", "a", "a-b", "a.c", "a/x", "a/\\xc3\\xa9", "aa"];
    assert_eq!(found(root.path(), "**"), order);
}

#[test]
fn names_that_are_no_text_are_found() {
    let root = tree(&["a/"]);
    for name in [&b"a/\xff.c"[..], b"\xc3.c", b"n\nl.c"] {
        fs::write(root.path().join(OsStr::from_bytes(name)), "").unwrap();
    }
    assert_eq!(
        found(root.path(), "**/*.c"),
        ["a/\\xff.c", "n\\nl.c", "\\xc3.c"]
    );
    assert_eq!(found(root.path(), "?.c"), ["\\xc3.c"]);
}

#[test]
fn the_directory_given_is_no_pattern() {
    let root = tree(&["[a]*/f", "a/f", "b\\/f"]);
    assert_eq!(found(&root.path().join("[a]*"), "*"), ["f"]);
    assert_eq!(found(&root.path().join("b\\"), "f"), ["f"]);
    assert_eq!(found(&root.path().join("?"), "*"), [""; 0]);
}

#[test]
fn the_directory_given_is_joined_with_one_slash() {
    let root = tree(&["f"]);
    let slashed = [root.path().as_os_str().as_bytes(), b"/"].concat();
    let paths = expand(Path::new(OsStr::from_bytes(&slashed)), b"*").unwrap();
    let expected = [&*slashed, b"f"].concat();
    assert_eq!(
        paths.iter().map(|found| found.path()).collect::<Vec<_>>(),
        [&*expected]
    );
    assert_eq!(
        expand(Path::new("/"), b"etc/passwd")
            .unwrap()
            .iter()
            .next()
            .unwrap()
            .path(),
        b"/etc/passwd"
    );
    assert_eq!(
        expand(Path::new("."), b"Cargo.t*")
            .unwrap()
            .iter()
            .next()
            .unwrap()
            .path(),
        b"./Cargo.toml"
    );
    assert_eq!(
        expand(Path::new(""), b"Cargo.t*")
            .unwrap()
            .iter()
            .next()
            .unwrap()
            .path(),
        b"Cargo.toml"
    );
}

#[test]
fn an_absolute_pattern_ignores_the_directory_given() {
    let paths = expand(Path::new("/nowhere"), b"/et[c]/passwd").unwrap();
    assert_eq!(
        paths.iter().map(|found| found.path()).collect::<Vec<_>>(),
        [b"/etc/passwd"]
    );
}

#[test]
fn the_directory_alone_is_what_no_pattern_names() {
    let root = tree(&["f"]);
    assert_eq!(found(root.path(), ""), [""]);
    assert_eq!(expand(Path::new(""), b"").unwrap().iter().len(), 0);
    assert_eq!(expand(&root.path().join("f"), b"").unwrap().iter().len(), 0);
}

#[test]
fn a_slash_at_the_end_asks_for_directories() {
    let root = tree(&["d/e/", "d/f", "f"]);
    symlink("d", root.path().join("link")).unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    assert_eq!(found(root.path(), "*/"), ["d/", "link/"]);
    assert_eq!(found(root.path(), "*/*/"), ["d/e/", "link/e/"]);
    assert_eq!(found(root.path(), "*/f/"), [""; 0]);
    assert_eq!(found(root.path(), "dangling/"), [""; 0]);
    assert_eq!(found(root.path(), "dangling"), ["dangling"]);
}

#[test]
fn each_path_comes_with_its_own_type() {
    let root = tree(&["d/", "f"]);
    symlink("f", root.path().join("l")).unwrap();
    for pattern in ["*", "[d]", "d", "f", "l", "*/"] {
        for found in expand(root.path(), pattern.as_bytes()).unwrap().iter() {
            let expected = match found.path().trim_ascii_end() {
                path if path.ends_with(b"d") || path.ends_with(b"d/") => EntryKind::Directory,
                path if path.ends_with(b"f") => EntryKind::Regular,
                _ => EntryKind::Symlink,
            };
            assert_eq!(found.kind(), expected, "{pattern}: {:?}", found.path());
        }
    }
}

#[test]
fn a_nul_or_great_length_makes_a_pattern_invalid() {
    assert_eq!(
        expand(Path::new(""), b"a\0b").unwrap_err(),
        GlobError::InvalidPattern(WildcardError::Nul)
    );
    let long = "a".repeat(100_000);
    assert_eq!(
        expand(Path::new(""), long.as_bytes()).unwrap_err(),
        GlobError::InvalidPattern(WildcardError::TooLong)
    );
    assert_eq!(expand(Path::new("a\0b"), b"*").unwrap().iter().len(), 0);
}

#[test]
fn a_directory_that_is_missing_or_none_has_no_paths() {
    let root = tree(&["f"]);
    for directory in ["missing", "f", "f/x"] {
        assert_eq!(
            expand(&root.path().join(directory), b"*")
                .unwrap()
                .iter()
                .len(),
            0,
            "{directory}"
        );
    }
    assert_eq!(
        expand(Path::new(&"x/".repeat(4000)), b"*")
            .unwrap()
            .iter()
            .len(),
        0
    );
}

/// Runs `check` as a user who is not allowed everything: of this thread alone, if this is root.
fn as_somebody(check: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if rustix::process::geteuid().is_root() {
                // SAFETY: the call takes a number; it changes the rights of this thread alone.
                unsafe { libc::setfsuid(65534) };
            }
            check();
        });
        thread.join().unwrap();
    });
}

#[test]
fn a_given_directory_that_cannot_be_read_is_an_error() {
    let root = tree(&["secret/f"]);
    let secret = root.path().join("secret");
    fs::set_permissions(&secret, Permissions::from_mode(0o311)).unwrap();
    as_somebody(|| {
        let refused = GlobError::ReadError(Errno::ACCESS);
        assert_eq!(expand(&secret, b"*").unwrap_err(), refused);
        assert_eq!(expand(&secret, b"**/f").unwrap_err(), refused);
        // Nothing has to be read for a name.
        assert_eq!(found(&secret, "f"), ["f"]);
    });
    fs::set_permissions(&secret, Permissions::from_mode(0o755)).unwrap();
    symlink("loop", root.path().join("loop")).unwrap();
    assert_eq!(
        expand(&root.path().join("loop"), b"*").unwrap_err(),
        GlobError::ReadError(Errno::LOOP)
    );
}

#[test]
fn a_directory_on_the_way_that_cannot_be_read_is_passed_over() {
    let root = tree(&["a/f", "secret/f", "secret/d/f", "z/f"]);
    let secret = root.path().join("secret");
    fs::set_permissions(&secret, Permissions::from_mode(0o311)).unwrap();
    as_somebody(|| {
        assert_eq!(found(root.path(), "*/*"), ["a/f", "z/f"]);
        assert_eq!(found(root.path(), "secret/*"), [""; 0]);
        assert_eq!(found(root.path(), "*/f"), ["a/f", "secret/f", "z/f"]);
        assert_eq!(found(root.path(), "**/f"), ["a/f", "secret/f", "z/f"]);
        assert_eq!(found(root.path(), "**/d/*"), ["secret/d/f"]);
    });
    fs::set_permissions(&secret, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_tree_deeper_than_the_longest_path_is_walked_to_its_end() {
    let root = tree(&[]);
    let name = "d".repeat(200);
    let mut at: OwnedFd = openat(CWD, root.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..60 {
        mkdirat(&at, &*name, Mode::RWXU).unwrap();
        at = openat(&at, &*name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    openat(&at, "end.c", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
    let paths = expand(root.path(), b"**/*.c").unwrap();
    let below = format!("{}/end.c", format!("/{name}").repeat(60));
    let expected = [root.path().as_os_str().as_bytes(), below.as_bytes()];
    assert_eq!(
        paths.iter().map(|found| found.path()).collect::<Vec<_>>(),
        [expected.concat()]
    );
    assert_eq!(found(root.path(), "**/d*").len(), 60);
    assert_eq!(found(root.path(), "**/end.c").len(), 1);
}

#[test]
fn a_chain_of_directories_is_left_where_its_paths_become_useless() {
    let root = tree(&[]);
    let mut at: OwnedFd = openat(CWD, root.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "d".repeat(99);
    for _ in 0..300 {
        mkdirat(&at, &*name, Mode::RWXU).unwrap();
        at = openat(&at, &*name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let paths = expand(root.path(), b"**").unwrap();
    assert!(
        (160..170).contains(&paths.iter().len()),
        "{}",
        paths.iter().len()
    );
}

#[test]
fn a_pattern_of_many_components_ends() {
    let root = tree(&["a/a/a/a/f"]);
    assert_eq!(found(root.path(), &"**/a/".repeat(1000)), [""; 0]);
    assert_eq!(
        found(root.path(), &format!("{}f", "**/".repeat(1000))),
        ["a/a/a/a/f"]
    );
    assert_eq!(found(root.path(), &"[\\]".repeat(2_500)), [""; 0]);
    let name = "a".repeat(250);
    fs::write(root.path().join(&name), "").unwrap();
    assert_eq!(
        found(root.path(), &format!("{}b", "*a?".repeat(80))),
        [""; 0]
    );
}

#[test]
fn ways_up_and_down_again_end() {
    // So deep that no way up leads out of the tree.
    let top = "x/".repeat(8);
    let names: Vec<String> = (0..400)
        .map(|n| format!("{top}d{}/e{n}/f", n % 20))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let root = tree(&names);
    let top = root.path().join(top);
    let path = top.join("d1");
    let began = std::time::Instant::now();
    for pattern in [
        "**/../**/../**/../**/../**/../e1/f",
        "**/.*/**/.*/**/.*/**/.*/**/.*/e1/f",
        "*/../*/../*/../*/../*/../*/../e1/f",
    ] {
        let paths = expand(&path, pattern.as_bytes()).unwrap();
        assert!(paths.iter().len() > 0, "{pattern}");
        assert_eq!(
            paths.left_out(),
            Some(OmittedPaths::OtherNames),
            "{pattern}"
        );
        let mut names: Vec<&[u8]> = paths.iter().map(|found| found.path()).collect();
        let file = fs::metadata(path.join("e1/f")).unwrap().ino();
        // As they come, there are many; some of them are looked at.
        for name in names.iter().step_by(97) {
            let name = Path::new(OsStr::from_bytes(name));
            assert_eq!(
                fs::metadata(name).unwrap().ino(),
                file,
                "{}",
                name.display()
            );
        }
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{pattern}");
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn links_to_what_lies_above_multiply_no_more_than_dots() {
    let root = tree(&["f"]);
    for n in 0..60 {
        let directory = root.path().join(format!("d{n}"));
        fs::create_dir(&directory).unwrap();
        symlink("..", directory.join("up")).unwrap();
    }
    let pattern = format!("{}f", "**/up/".repeat(8));
    let paths = expand(root.path(), pattern.as_bytes()).unwrap();
    assert_eq!(paths.left_out(), Some(OmittedPaths::OtherNames));
    assert!(paths.iter().len() > 0);
}

#[test]
fn a_few_ways_up_are_all_followed() {
    // Beside the root, which is hidden, there is nothing that somebody else has made.
    let above = tree(&[".root/a/f", ".root/b/f", ".root/f"]);
    let root = above.path().join(".root");
    let root = root.as_path();
    let all = ["a/../f", "b/../f"];
    assert_eq!(found(root, "**/../f"), all);
    assert_eq!(found(root, "*/../f"), all);
    let twice = found(root, "**/../**/f");
    let rests = ["a/f", "b/f", "f"];
    let expected: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|up| rests.map(|rest| format!("{up}/../{rest}")))
        .collect();
    assert_eq!(twice, expected);
    let paths = expand(root, b"**/../**/f").unwrap();
    assert_eq!(paths.left_out(), None);
}

#[test]
fn braces_are_walked_as_one_pattern_and_each_path_comes_once() {
    let root = tree(&[
        "a.c",
        "a.h",
        "src/a.c",
        "src/a.h",
        "src/b/a.ts",
        "src/b/a.tsx",
        "x/y/z",
        "{a,b}",
        "{n}",
        ".hid/a.c",
        "d/",
    ]);
    for (pattern, expected) in [
        ("*.{c,h}", &["a.c", "a.h"][..]),
        ("**/*.{ts,tsx}", &["src/b/a.ts", "src/b/a.tsx"]),
        (
            "{src,x}/**",
            &[
                "src/a.c",
                "src/a.h",
                "src/b",
                "src/b/a.ts",
                "src/b/a.tsx",
                "x/y",
                "x/y/z",
            ],
        ),
        ("{a.c,*.c,?.c,a.[c],a.c}", &["a.c"]),
        (
            "{src/a.c,s*/a.c,*/a.c,**/a.c,src/{a,b}.c}",
            &["a.c", "src/a.c"],
        ),
        ("{s*,src}/a.c", &["src/a.c"]),
        ("{*/b,src/b,*/[b]}/{a.ts,*.ts}", &["src/b/a.ts"]),
        ("{,src/}*.c", &["a.c", "src/a.c"]),
        ("{.hid,src}/a.c", &[".hid/a.c", "src/a.c"]),
        // Both are written differently, and named differently.
        ("{d,d/}", &["d", "d/"]),
        ("{d/,d}", &["d", "d/"]),
        ("{*/,d}", &["d", "d/", "src/", "x/"]),
        ("{src,x/}//{a.c,y}", &["src/a.c", "x/y"]),
        ("{a,b}", &["{a,b}"]),
        ("{[a],b},?", &[]),
        (r"\{a,b\}", &["{a,b}"]),
        ("{n}", &["{n}"]),
        ("{src,x}/{a,y}{.c,/z}", &["src/a.c", "x/y/z"]),
        ("{x,x/y,x/y/z}", &["x", "x/y", "x/y/z"]),
        ("{x,x/*,x/y/*}", &["x", "x/y", "x/y/z"]),
        ("{q,r}/*", &[]),
        ("{}", &[]),
    ] {
        assert_eq!(found(root.path(), pattern), expected, "{pattern}");
    }
}

#[test]
fn braces_may_name_absolute_paths_too() {
    let root = tree(&["f", "g"]);
    let top = root.path().to_str().unwrap();
    let find = |path: &str, pattern: &str| -> Vec<String> {
        let paths = expand(Path::new(path), pattern.as_bytes()).unwrap();
        let text = |path: &[u8]| String::from_utf8(path.to_vec()).unwrap();
        paths.iter().map(|found| text(found.path())).collect()
    };
    let all = [format!("{top}/f"), format!("{top}/g")];
    assert_eq!(find(top, &format!("{{{top}/f,g}}")), all);
    assert_eq!(find("/nowhere", &format!("{{{top}/f,{top}/*,g}}")), all);
    // One path that is reached from both sides is one.
    assert_eq!(find("/", &format!("{{{}/f,{top}/*}}", &top[1..])), all);
    assert_eq!(find("", "{/,/}"), ["/"]);
}

#[test]
fn a_directory_that_cannot_be_read_is_searched_for_names_in_braces() {
    let root = tree(&["secret/f", "secret/g", "secret/h"]);
    let secret = root.path().join("secret");
    fs::set_permissions(&secret, Permissions::from_mode(0o311)).unwrap();
    as_somebody(|| {
        assert_eq!(found(&secret, "{f,g,i}"), ["f", "g"]);
        assert_eq!(
            found(root.path(), "secret/{f,g,i}"),
            ["secret/f", "secret/g"]
        );
        assert_eq!(found(root.path(), "{s,}*/{f,*}"), ["secret/f"]);
    });
    fs::set_permissions(&secret, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_thousand_alternatives_end_in_time() {
    let names: Vec<String> = (0..1000).map(|n| format!("d{}/e{n}/f", n % 10)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let root = tree(&names);
    let began = std::time::Instant::now();
    for d in 0..10 {
        symlink(".", root.path().join(format!("d{d}/up"))).unwrap();
        symlink(".", root.path().join(format!("d{d}/upp"))).unwrap();
    }
    let list: Vec<String> = (0..1024).map(|n| format!("*{n}*e{n}")).collect();
    for pattern in [
        format!("**/{{{}}}", list.join(",")),
        "*/{up,upp}/".repeat(10) + "f",
        "*/*/../../".repeat(4) + &"{*,?*}".repeat(10),
        "{**,*}/".repeat(10) + "g",
        "{a,*}{b,?}/".repeat(5) + "g",
    ] {
        let until = std::time::Instant::now() + std::time::Duration::from_millis(500);
        let pattern = GlobPattern::parse(pattern.as_bytes()).unwrap();
        let walk = pattern
            .walk(&WalkScope::default(), root.path(), Some(until))
            .unwrap();
        let _ = walk.visit(
            || 2,
            || Forgetful,
            |(): &mut ()| ControlFlow::<()>::Continue(()),
        );
    }
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
    for pattern in ["{a,b}".repeat(11), "{a,".repeat(2000) + &"}".repeat(2000)] {
        let error = expand(root.path(), pattern.as_bytes()).unwrap_err();
        assert_eq!(error, GlobError::InvalidPattern(WildcardError::TooMany));
    }
}

#[test]
fn directories_on_the_way_that_cannot_be_listed_are_counted() {
    let root = tree(&["a/f", "s1/f", "t/s2/f"]);
    let closed = ["s1", "t/s2"].map(|name| root.path().join(name));
    for directory in &closed {
        fs::set_permissions(directory, Permissions::from_mode(0o000)).unwrap();
    }
    symlink("nowhere", root.path().join("dangling")).unwrap();
    symlink("loop", root.path().join("loop")).unwrap();
    as_somebody(|| {
        let paths = expand(root.path(), b"**/*").unwrap();
        assert_eq!(paths.walked.unlisted.count, 2);
        let (_, why) = paths.walked.unlisted.first.as_ref().unwrap();
        assert_eq!(*why, Errno::ACCESS);
        assert_eq!(
            expand(root.path(), b"*/*").unwrap().walked.unlisted.count,
            1
        );
        assert_eq!(
            expand(root.path(), b"a/*").unwrap().walked.unlisted.count,
            0
        );
    });
    for directory in &closed {
        fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_walk_whose_time_is_over_ends_with_what_it_has_found() {
    let names: Vec<String> = (0..200).map(|n| format!("d{n}/f")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let root = tree(&names);
    let pattern = GlobPattern::parse(b"**/f").unwrap();
    let now = Some(std::time::Instant::now());
    let paths = pattern.paths(root.path(), now).unwrap();
    assert_eq!(
        (paths.iter().len(), paths.left_out()),
        (0, Some(OmittedPaths::NotReached))
    );
    let paths = pattern.paths(root.path(), None).unwrap();
    assert_eq!((paths.iter().len(), paths.left_out()), (200, None));
}
