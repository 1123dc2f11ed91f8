//! Braces and their alternatives: a fixed table, and the shell's own expansion where there is bash.

use std::process::Command;

use proptest::prelude::*;

use super::*;
use iki_base::cpu_clock::CpuInstant;

/// Returns the patterns that `pattern` stands for; itself, if it has no alternatives.
fn expanded(pattern: &str) -> Vec<String> {
    let all = alternatives(pattern.as_bytes()).unwrap();
    if all.is_empty() {
        return vec![pattern.to_owned()];
    }
    let text = |one| String::from_utf8(one).unwrap();
    all.into_iter().map(text).collect()
}

#[test]
fn braces_stand_for_what_they_stand_for_in_a_shell() {
    for (pattern, expected) in [
        ("**/*.{ts,tsx}", &["**/*.ts", "**/*.tsx"][..]),
        ("{src,tests}/*", &["src/*", "tests/*"]),
        ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
        ("x{a,{b,c}d,}y", &["xay", "xbdy", "xcdy", "xy"]),
        ("{,src/}*.c", &["*.c", "src/*.c"]),
        ("{,}x", &["x", "x"]),
        ("{a,b/c}/d", &["a/d", "b/c/d"]),
        (r"\{a,b\}", &[r"\{a,b\}"]),
        (r"{a\,b,c}", &[r"a\,b", "c"]),
        (r"{a,b\}", &[r"{a,b\}"]),
        (r"{a,\}b}", &["a", r"\}b"]),
        ("{}", &["{}"]),
        ("{a}", &["{a}"]),
        ("{a", &["{a"]),
        ("a}", &["a}"]),
        ("a,b", &["a,b"]),
        ("{a,b", &["{a,b"]),
        ("{1..3}", &["{1..3}"]),
        ("{a,{b,c}", &["{a,b", "{a,c"]),
        ("{{a,b}", &["{a", "{b"]),
        ("{a,b}}", &["a}", "b}"]),
        ("{{a},b}", &["{a}", "b"]),
        ("{a{b}c,d}", &["a{b}c", "d"]),
        ("{a}b,c}", &["a}b", "c"]),
        ("{},a}", &["{},a}"]),
        ("x{},a}", &["x}", "xa"]),
        ("[{a,b}]", &["[a]", "[b]"]),
        ("{a,b}c{d,e", &["ac{d,e", "bc{d,e"]),
        ("{é,ü}", &["é", "ü"]),
        ("", &[""]),
    ] {
        assert_eq!(expanded(pattern), expected, "{pattern}");
    }
}

#[test]
fn there_is_a_limit_to_what_a_pattern_may_stand_for() {
    let count = |pattern: &str| alternatives(pattern.as_bytes()).map(|all| all.len());
    assert_eq!(count(&"{a,b}".repeat(10)), Ok(1024));
    assert_eq!(
        count(&("{a,b}".repeat(10) + "{a,b}")),
        Err(TooManyAlternatives)
    );
    let list = |length: usize| format!("{{{}}}", vec!["a"; length].join(","));
    assert_eq!(count(&list(1024)), Ok(1024));
    assert_eq!(count(&list(1025)), Err(TooManyAlternatives));
    assert_eq!(
        count(&format!("{}{}", list(1024), "x".repeat(4000))),
        Err(TooManyAlternatives)
    );
}

#[test]
fn patterns_made_to_be_costly_are_not() {
    let began = CpuInstant::now();
    for pattern in [
        "{a,b}".repeat(1600),
        "{a,".repeat(9000) + &"}".repeat(9000),
        "{a,".repeat(3000),
        "{".repeat(9000),
        "{".repeat(9000) + "a,b}",
        "{,".repeat(4000) + &"}".repeat(4000),
        format!("{{{}}}", "{a,".repeat(4000)),
        "{".repeat(100_000) + ",",
        format!("{{{}}}", ",".repeat(8000)),
        format!("{{{}}}", "x{},a}".repeat(1300)),
    ] {
        let _ = alternatives(pattern.as_bytes());
    }
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}

/// Returns the words that bash makes of these, which are not empty; `None` without bash.
fn by_bash(words: &[String]) -> Option<Vec<Vec<String>>> {
    let mut script = String::from("set -f;");
    for word in words {
        script.extend(["printf '%s\\n' ", word, "; printf '\\n'\n"]);
    }
    let output = Command::new("bash").arg("-c").arg(script).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let mut groups = Vec::new();
    let mut group = Vec::new();
    for line in text.lines() {
        if line.is_empty() {
            groups.push(std::mem::take(&mut group));
        } else {
            group.push(line.to_owned());
        }
    }
    Some(groups)
}

/// `text` without the backslashes that escape something, as the shell leaves it.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

#[test]
fn bash_expands_the_same() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % bound).unwrap()
    };
    let pieces = [
        "{", "{", "}", "}", ",", ",", "a", "b", "/", r"\{", r"\}", r"\,", "é", "{}",
    ];
    let mut words = Vec::new();
    while words.len() < 3000 {
        let length = 2 + below(10);
        let word: String = (0..length).map(|_| pieces[below(14)]).collect();
        // An empty word is dropped by the shell, and all of them are one here.
        words.push(format!("x{word}y"));
        words.push(format!("{word}y"));
    }
    let Some(groups) = by_bash(&words) else {
        // The table above is the fixed one for such machines.
        return;
    };
    assert_eq!(groups.len(), words.len());
    let mut several = 0;
    for (word, group) in words.iter().zip(groups) {
        let expansion: Vec<String> = expanded(word).iter().map(|one| unescaped(one)).collect();
        several += usize::from(expansion.len() > 1);
        assert_eq!(expansion, group, "{word}");
    }
    assert!(several > 200, "{several}");
}

proptest! {
    #[test]
    fn each_alternative_is_what_choosing_leaves_of_the_pattern(
        pattern in r"[ab{},\\/*]{0,40}"
    ) {
        if let Ok(all) = alternatives(pattern.as_bytes()) {
            prop_assert!(all.len() <= MAX_ALTERNATIVES);
            for one in all {
                prop_assert!(one.len() < pattern.len());
            }
        }
    }
}
