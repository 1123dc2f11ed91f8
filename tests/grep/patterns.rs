//! grep: patterns as models write them, each on lines of the kind that they search, with the lines
//! that it must find. What is said of a refused pattern and of one that finds nothing is in
//! `tests/messages/grep.txt`.

use super::lines::{numbers, search, with_file};
use serde_json::json;

/// What is searched, line 1 first.
const LINES: &[&str] = &[
    "import os, sys",
    "from typing import List, Optional",
    "\tdef __init__(self, name: str) -> None:",
    "    def get(self, key, default=None):",
    "        return self.data[key]",
    "\treturn arr[0]",
    "class Foo(Bar):",
    "export default class App extends React.Component {",
    "export const useThing = () => {",
    "  const [state, setState] = useState(null);",
    "async function load(url) {",
    "function  main() {",
    "  if (err != nil) {",
    "func (s *Server) Handle(w http.ResponseWriter, r *http.Request) error {",
    "\tfmt.Println(\"hello, world\")",
    "#include <stdio.h>",
    "#define MAX_SIZE 100",
    "int main(void) { return 0; }",
    r#"  printf("%d\n", x);"#,
    "// TODO: fix this",
    "# FIXME(bob): later",
    "/* HACK */",
    "  $this->name = $name;",
    r#"echo "${HOME}/bin""#,
    r#"  "version": "1.2.3","#,
    r#"  "name": "my-app","#,
    "http://example.com/a?b=1",
    "https://sub.example.org:8080/path",
    "192.168.1.10 - - [10/Oct/2000:13:55:36]",
    "2024-01-31T12:00:00Z ERROR failed: timeout",
    "2024-02-01 WARN retry 3",
    "user@example.com",
    r"C:\Users\bob\file.txt",
    r"a\tb literal",
    "a\tb real tab",
    "path/to/file.rs:12:5",
    "fn main() -> Result<(), Error> {",
    "    let x: Vec<u8> = vec![1, 2, 3];",
    "    match self.kind { Kind::A => 1, _ => 2 }",
    "impl<T> Trait for Type<T> {}",
    "pub struct Matcher<'a> {",
    "#[derive(Debug, Clone)]",
    r#"<div class="btn btn-primary" id="x">"#,
    "<a href='/home'>Home</a>",
    "SELECT * FROM users WHERE id = 1;",
    "select name from users",
    "naïve café",
    "Ärger ÜBER",
    "日本語 text",
    "emoji 😀 here",
    "the the cat",
    "aa bb cc",
    "",
    "   ",
    "trailing space ",
    "x = y + z",
    "x += 1",
    "x++",
    "a.b.c",
    "a-b_c",
    "[ERROR] bad",
    "[WARN] meh",
    "foo|bar",
    "foo",
    "bar",
    "foobar",
    "FooBar",
    "foo bar",
    "interface{}",
    "{{ name }}",
    "key: value",
    "key=value",
    "0xDEADBEEF",
    "3.14e-10",
    r#""quoted \"inner\" text""#,
    "'single'",
    "end]",
];

/// A pattern, and the numbers of the lines that it finds.
const PATTERNS: &[(&str, &[usize])] = &[
    (r"^[ \t]*return", &[5, 6]),
    (r"arr\[[^\]]+\]", &[6]),
    (r"[\[\]]", &[5, 6, 10, 29, 38, 42, 61, 62, 77]),
    (r"^[^\n]*main", &[12, 18, 37]),
    (
        "x+?",
        &[8, 9, 19, 20, 27, 28, 32, 33, 38, 43, 49, 56, 57, 58, 73, 75],
    ),
    (
        ".{30,}?",
        &[2, 3, 4, 8, 9, 10, 14, 28, 29, 30, 37, 38, 39, 43, 45],
    ),
    ("a{2}?", &[52]),
    ("a{2,3}?", &[52]),
    ("fo??b", &[]),
    (r"\Aimport", &[1]),
    (r";\z", &[10, 19, 23, 38, 45]),
    (r";\Z", &[10, 19, 23, 38, 45]),
    (r"\Afoo\z", &[64]),
    (
        r"\p{Lu}{4}",
        &[17, 20, 21, 22, 24, 30, 31, 45, 48, 61, 62, 73],
    ),
    (r"\p{Lu}\p{Ll}+\(", &[7, 10, 14, 15]),
    (r"\P{ASCII}", &[47, 48, 49, 50]),
    (r"\pL+\d", &[30, 38]),
    (r"\p{Han}", &[49]),
    (
        r"\p{Latin}+ \p{Latin}+$",
        &[20, 34, 35, 46, 47, 48, 51, 52, 68],
    ),
    (r"[\p{Lu}_]{6,}", &[17, 45, 73]),
    (
        r"[^\p{L}\s]{3}",
        &[3, 6, 17, 19, 24, 25, 27, 28, 29, 30, 31, 36, 37, 38, 44, 74],
    ),
    (r"\u0041pp", &[8]),
    (r"\u{41}pp", &[8]),
    (r"\x41pp", &[8]),
    (r"\x{41}pp", &[8]),
    (r"\x{1F600}", &[50]),
    (r"\U0001F600", &[50]),
    (
        r"[\x41-\x5a]{4}",
        &[17, 20, 21, 22, 24, 30, 31, 45, 61, 62, 73],
    ),
    (r"[\x{4e00}-\x{9fff}]", &[49]),
    ("(?P<n>foo)bar", &[66]),
    ("(?<n>foo)bar", &[66]),
    (r"(?P<word>\w+) (?P=word)", &[43, 51]),
    (r"(?<word>\w+) \k<word>", &[43, 51]),
    (r"(\w+) \1", &[43, 51]),
    (r"\b(\w)\1\b", &[29, 30, 52]),
    ("(?i)todo|fixme", &[20, 21]),
    ("(?i:foo)Bar", &[67]),
    ("(?i)foo(?-i)Bar", &[67]),
    ("(?s)foo.bar", &[63, 68]),
    ("(?m)^foo$", &[64]),
    ("(?im)^foobar$", &[66, 67]),
    ("(?U)fo+", &[40, 63, 64, 66, 68]),
    (r"[\w.-]+@[\w.-]+", &[32]),
    (r"[\w\.-]+@[\w\.-]+\.\w+", &[32]),
    (r"https?://[\w./-]+", &[27, 28]),
    (r#"https?:\/\/[^\s"']+"#, &[27, 28]),
    (r"\d{1,3}(\.\d{1,3}){3}", &[29]),
    (r"\b\d{4}-\d{2}-\d{2}\b", &[31]),
    (r"^\d{4}-\d{2}-\d{2}[T ]", &[30, 31]),
    (r"^\s*$", &[53, 54]),
    ("^$", &[53]),
    (r"^\s+$", &[54]),
    (r"\s$", &[54, 55]),
    (r"[ \t]+$", &[54, 55]),
    ("TODO|FIXME|HACK", &[20, 21, 22]),
    (r"(TODO|FIXME)(\(\w+\))?:", &[20, 21]),
    (r"TODO\(|FIXME\(", &[21]),
    (r"function\s*\w*\(", &[11, 12]),
    (r"function\s+\w+\s*\(", &[11, 12]),
    (r"^(async\s+)?function", &[11, 12]),
    (r"def\s+\w+\(self", &[3, 4]),
    (r"def (\w+)\(", &[3, 4]),
    (r"^\s*def __\w+__\(", &[3]),
    (r"class\s+\w+\s*(\([^)]*\))?:", &[7]),
    (r"class \w+( extends [\w.]+)? \{", &[8]),
    ("export (default )?(class|const)", &[8, 9]),
    (r"import\s+[\w{}*, ]+", &[1, 2]),
    (r#"from ['"]?\w+['"]? import"#, &[2]),
    (r#"#include\s*[<"][^>"]+[>"]"#, &[16]),
    (r"^#\s*define\s+\w+", &[17]),
    (r"\$this->\w+", &[23]),
    (r"\$\{?\w+\}?", &[23, 24]),
    (r"\$\{[A-Z_]+\}", &[24]),
    (r#""\w+":\s*"[^"]*""#, &[25, 26]),
    (r#""version":\s*"\d+\.\d+\.\d+""#, &[25]),
    (r#""(?:[^"\\]|\\.)*""#, &[15, 19, 24, 25, 26, 43, 75]),
    ("'[^']*'", &[44, 76]),
    (r"\'single\'", &[76]),
    (r"href=\'[^\']+\'", &[44]),
    (r"[a-z]\`", &[]),
    (r#"['"][^'"]*['"]"#, &[15, 19, 24, 25, 26, 43, 44, 75, 76]),
    (r"\\Users\\", &[33]),
    (r"C:\\\w+", &[33]),
    (r"[A-Z]:\\", &[33]),
    (r#"\\""#, &[75]),
    (r"\\n", &[19]),
    (r"a\tb", &[35]),
    (r"a\\tb", &[34]),
    (r"[\t]", &[3, 6, 15, 35]),
    (r"[\\]", &[19, 33, 34, 75]),
    (r"[^\w\s]{3,}", &[19, 24, 27, 28, 37, 44]),
    (r"[\d.]+e[-+]?\d+", &[74]),
    (r"[-+]?[0-9]*\.[0-9]+", &[25, 29, 74]),
    ("0[xX][0-9a-fA-F]+", &[73]),
    ("[0-9a-f]{8}", &[]),
    (r"fn\s+\w+\s*\(.*\)\s*->\s*Result<", &[37]),
    ("Vec<.*>", &[38]),
    ("<[^>]+>", &[16, 37, 38, 40, 41, 43, 44]),
    (r"<(\w+)[^>]*>.*</\1>", &[44]),
    (r#"class=["'][^"']*btn[^"']*["']"#, &[43]),
    (r#"href=['"]([^'"]+)"#, &[44]),
    (r"\bfoo\b", &[63, 64, 68]),
    (r"\bfoo", &[63, 64, 66, 68]),
    (r"foo\b", &[63, 64, 68]),
    (r"\Bbar", &[66]),
    (r"\<foo\>", &[63, 64, 68]),
    (r"foo\|bar", &[63]),
    ("foo|bar", &[63, 64, 65, 66, 68]),
    ("foo[|]bar", &[63]),
    (r"interface\{\}", &[69]),
    ("interface{}", &[69]),
    (r"\{\{.*\}\}", &[70]),
    (r"\{\{\s*\w+\s*\}\}", &[70]),
    ("{{", &[70]),
    ("{$", &[8, 9, 11, 12, 13, 14, 37, 41]),
    (r"\{$", &[8, 9, 11, 12, 13, 14, 37, 41]),
    (r"\w+\[\d+\]", &[6]),
    (r"\w+\[[^]]+\]", &[5, 6]),
    (r"\[[^\]]*\]", &[5, 6, 10, 29, 38, 42, 61, 62]),
    (r"\[(ERROR|WARN)\]", &[61, 62]),
    (r"^\[[A-Z]+\]", &[61, 62]),
    (
        "[[:upper:]]{4,}",
        &[17, 20, 21, 22, 24, 30, 31, 45, 48, 61, 62, 73],
    ),
    ("[[:space:]]+$", &[54, 55]),
    (
        r"[[:alpha:]_][[:alnum:]_]*\(",
        &[3, 4, 7, 10, 11, 12, 14, 15, 18, 19, 21, 37, 42],
    ),
    ("[^[:print:]]", &[3, 6, 15, 35]),
    ("[[:punct:]]{4}", &[37]),
    (r"x\+\+", &[58]),
    (r"x \+=", &[57]),
    ("[+]{2}", &[58]),
    ("[-+*/]=", &[57]),
    ("a[.]b[.]c", &[59]),
    (r"a\.b\.c", &[59]),
    ("a.b.c", &[59, 60]),
    ("[a-z]+[-_][a-z]+", &[26, 43, 60]),
    (r"[\-_]", &[3, 17, 23, 26, 29, 30, 31, 37, 39, 43, 60, 74]),
    (r"[_\-]", &[3, 17, 23, 26, 29, 30, 31, 37, 39, 43, 60, 74]),
    (r"[a\-z]\.", &[59]),
    (r"[\^$]", &[23, 24]),
    (r"[\s\S]{60,}", &[14]),
    (r"[\s\S]+?world", &[15]),
    (".*?world", &[15]),
    ("^(foo|bar)$", &[64, 65]),
    ("^(?:foo|bar)$", &[64, 65]),
    (r"(^|\s)foo(\s|$)", &[64, 68]),
    (r"\b(?:if|else|match)\b", &[13, 39]),
    (r"err\s*(!=|==)\s*nil", &[13]),
    (r"\(\)", &[9, 12, 37]),
    (
        r"\(.*?\)",
        &[3, 4, 7, 9, 10, 11, 12, 13, 14, 15, 18, 19, 21, 37, 42],
    ),
    (
        r"\([^()]*\)",
        &[3, 4, 7, 9, 10, 11, 12, 13, 14, 15, 18, 19, 21, 37, 42],
    ),
    ("=>", &[9, 39]),
    ("->", &[3, 23, 37]),
    ("::", &[39]),
    (r"(?i)select\s+.*\s+from", &[45, 46]),
    (r"(?i)\bwarn\b", &[31, 62]),
    ("[Cc]af[eé]", &[47]),
    (r"caf\w", &[47]),
    ("na.ve", &[47]),
    ("^//", &[20]),
    (r"/\*.*\*/", &[22]),
    (r"/\*[\s\S]*?\*/", &[22]),
    (r"@[A-Za-z]+\.[a-z]{2,}", &[32]),
    (r"\w+::\w+", &[39]),
    (r"\d+$", &[17, 27, 31, 36, 57, 74]),
    (r"^\w+:$", &[]),
    (r"^\w+: \w+$", &[71]),
    (r"^[a-z_]+\s*=\s*[a-z]+$", &[72]),
    (r":\d+:\d+", &[29, 30, 36]),
    (r"(\d+):(\d+)", &[29, 30, 36]),
    (r"\.(rs|txt|h)\b", &[16, 33, 36]),
    (r"\.rs:\d", &[36]),
    ("emoji .", &[50]),
    ("日本", &[49]),
    (r"\x22\w+\x22", &[25, 26, 43]),
    (r"[\x22\x27]", &[15, 19, 24, 25, 26, 41, 43, 44, 75, 76]),
    (r"[\u0041-\u005A]{5}", &[21, 30, 45, 61, 73]),
    (r"[\u4e00-\u9fa5]", &[49]),
    (r"\bT\b", &[40]),
    (r"[\w$]+->", &[23]),
    (r"[\]]$", &[5, 6, 29, 42, 77]),
    ("end]", &[77]),
    (r"end\]", &[77]),
    ("[]]$", &[5, 6, 29, 42, 77]),
    (r"[\s\n]foo", &[]),
    (r"foo(\n|$)", &[64]),
    (r"foo\n?$", &[64]),
    (r"[^\r\n]+\.txt", &[33]),
    (r"foo\r?$", &[64]),
    (r"[\r\n]", &[]),
    (r"[^\S\r\n]{3}", &[4, 5, 38, 39, 54]),
];

#[test]
fn patterns_find_what_was_meant() {
    let here = with_file(LINES.join("\n"));
    for (pattern, lines) in PATTERNS {
        let output: Vec<String> = lines
            .iter()
            .map(|number| format!("f:{number}: {}", LINES[number - 1]))
            .collect();
        let found = json!({"output": output.join("\n"), "count": lines.len()});
        let mut answer = search(here.path(), pattern, "f").json();
        if lines.is_empty() {
            // In another reading it may match.
            answer.as_object_mut().unwrap().remove("note");
        }
        assert_eq!(answer, found, "{pattern}");
    }
}

#[test]
fn what_matches_everywhere_finds_each_line() {
    let here = with_file(LINES.join("\n"));
    let all: Vec<usize> = (1..=LINES.len()).collect();
    for pattern in [
        r"[^\n]*",
        "^.*$",
        r"(?:\r?\n|$)",
        ".*?",
        "x??",
        r"\A",
        r"\z",
        "a{0,2}?",
    ] {
        assert_eq!(numbers(here.path(), pattern, "f"), all, "{pattern}");
    }
}

#[test]
fn a_quote_behind_a_backslash_is_itself_and_ends_no_line() {
    let here = with_file("require('fs')\nrun `ls` now\nx\n");
    for (pattern, lines) in [
        (r"require\(\'fs\'\)", &[1][..]),
        (r"\`ls\`", &[2]),
        (r"[\'\`]", &[1, 2]),
        (r"x\'|\`x", &[]),
    ] {
        assert_eq!(numbers(here.path(), pattern, "f"), lines, "{pattern}");
    }
}

#[test]
fn angle_brackets_behind_a_backslash_are_tried_as_characters() {
    let here = with_file("let x: Vec<u8> = y;\nstd::vector<int> z;\nword\n");
    for (pattern, meant) in [
        (r"Vec\<u8\>", "Vec<u8>"),
        (r"std::vector\<", "std::vector<"),
        (r"\w+\<int\>", r"\w+<int>"),
    ] {
        assert!(numbers(here.path(), pattern, "f").is_empty(), "{pattern}");
        assert_eq!(numbers(here.path(), meant, "f").len(), 1, "{meant}");
    }
    assert_eq!(numbers(here.path(), r"\<word\>", "f"), [3]);
}

#[test]
fn classes_and_sets_with_colons_are_told_apart() {
    let here = with_file("a b\n:c\n");
    for (pattern, lines) in [
        ("a[[:space:]]b", &[1][..]),
        ("[:]c", &[2]),
        ("[: ]", &[1, 2]),
        ("[::]", &[2]),
    ] {
        assert_eq!(numbers(here.path(), pattern, "f"), lines, "{pattern}");
    }
}
