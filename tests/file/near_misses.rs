//! Texts that models send in place of what is in the file, each with what the note must say.

#![allow(dead_code, reason = "each test file uses its own part")]

/// A text that is not in the file so.
pub struct Miss {
    /// What is wrong with it.
    pub name: &'static str,
    /// The file's content.
    pub file: &'static str,
    /// The text that was sent.
    pub old: &'static str,
    /// What was to take its place.
    pub new: &'static str,
    /// What the note must say.
    pub says: &'static [&'static str],
    /// What it must not say.
    pub silent: &'static [&'static str],
    /// The file's own text, as the note must quote it; empty where there is none.
    pub quoted: &'static str,
}

const fn miss(
    name: &'static str,
    file: &'static str,
    old: &'static str,
    says: &'static [&'static str],
    quoted: &'static str,
) -> Miss {
    Miss {
        name,
        file,
        old,
        new: "<new>",
        says,
        silent: &[],
        quoted,
    }
}

impl Miss {
    const fn but_not(mut self, silent: &'static [&'static str]) -> Self {
        self.silent = silent;
        self
    }

    const fn replaced_by(mut self, new: &'static str) -> Self {
        self.new = new;
        self
    }
}

/// A file in tabs.
const GO: &str = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(\"line\", i)\n\t}\n}\n";

/// A file in spaces.
const PYTHON: &str = "import os\n\n\ndef load(path):\n    with open(path) as file:\n        data = file.read()\n    return data\n\n\ndef save(path, data):\n    with open(path, 'w') as file:\n        file.write(data)\n    print('saved', path)\n";

/// A longer one.
const RUST: &str = "use std::io;\n\n/// Adds.\nfn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\nfn main() -> io::Result<()> {\n    let sum = add(1, 2);\n    println!(\"{sum}\");\n    let name = String::from(\"it's\");\n    println!(\"{name}\");\n    Ok(())\n}\n";

/// Prose, as an editor writes it.
const PROSE: &str = "# Notes\n\nIt\u{2019}s \u{201C}quoted\u{201D} here\u{2026}\nPages 3\u{2013}5 \u{2014} see below.\nA no\u{A0}break space.\nCaf\u{E9} na\u{EF}ve.\nLast line";

/// CRLF throughout.
const CRLF: &str = "one\r\ntwo\r\n\tthree\r\n";

/// CRLF and LF.
const MIXED: &str = "one\r\ntwo\nthree\r\nfour\nfive\n";

/// All of them.
pub const MISSES: &[Miss] = &[
    // Blanks.
    miss(
        "spaces for a tab",
        GO,
        "    for i := 0; i < 3; i++ {",
        &["line 6 is indented with a tab where old_string has 4 spaces"],
        "\tfor i := 0; i < 3; i++ {",
    )
    .but_not(&["lines"]),
    miss(
        "spaces for tabs in several lines",
        GO,
        "    for i := 0; i < 3; i++ {\n        fmt.Println(\"line\", i)\n    }\n",
        &[
            "lines 6 to 8",
            "lines 6 and 8 are indented with a tab where old_string has 4 spaces",
            "line 7 is indented with 2 tabs where old_string has 8 spaces",
            "Indent new_string as the file is indented",
        ],
        "\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(\"line\", i)\n\t}\n",
    ),
    miss(
        "a tab for spaces",
        PYTHON,
        "\treturn data",
        &["line 7 is indented with 4 spaces where old_string has a tab"],
        "    return data",
    ),
    miss(
        "two spaces for four",
        PYTHON,
        "  with open(path) as file:\n    data = file.read()\n  return data",
        &[
            "lines 5 to 7",
            "lines 5 and 7 are indented with 4 spaces where old_string has 2 spaces",
            "line 6 is indented with 8 spaces where old_string has 4 spaces",
        ],
        "    with open(path) as file:\n        data = file.read()\n    return data",
    ),
    miss(
        "indented where the file is not",
        "a = 1\nb = 2\n",
        "    b = 2",
        &["line 2 is not indented where old_string has 4 spaces"],
        "b = 2",
    ),
    miss(
        "later lines without their indentation",
        PYTHON,
        "with open(path) as file:\ndata = file.read()",
        &["line 6 is indented with 8 spaces where old_string has nothing"],
        "with open(path) as file:\n        data = file.read()",
    ),
    miss(
        "trailing blanks in the file",
        "let a = 1;  \nlet b = 2;\n",
        "let a = 1;\nlet b = 2;",
        &["line 1 ends in 2 spaces where old_string has nothing"],
        "let a = 1;  \nlet b = 2;",
    ),
    miss(
        "trailing blanks in the text",
        "let a = 1;\nlet b = 2;\n",
        "let a = 1; \nlet b = 2;",
        &["line 1 has nothing at the end where old_string has a space"],
        "let a = 1;\nlet b = 2;",
    ),
    miss(
        "a trailing tab",
        "key:\t\nvalue\n",
        "key:\nvalue",
        &["line 1 ends in a tab where old_string has nothing"],
        "key:\t\nvalue",
    ),
    miss(
        "blanks on an empty line",
        "a()\n    \nb()\n",
        "a()\n\nb()",
        &["line 2", "4 spaces where old_string has nothing"],
        "a()\n    \nb()",
    ),
    miss(
        "no blank within a line",
        "call(a,b)\n",
        "call(a, b)",
        &["line 1 has nothing behind `call(a,` where old_string has a space"],
        "call(a,b)",
    ),
    miss(
        "two blanks within a line",
        "x  = 1\n",
        "x = 1",
        &["line 1 has 2 spaces behind `x` where old_string has a space"],
        "x  = 1",
    ),
    miss(
        "columns in tabs",
        "name\tvalue\tunit\nlength\t3\tm\n",
        "length 3 m",
        &[
            "line 2 has a tab behind `length",
            "where old_string has a space",
        ],
        "length\t3\tm",
    ),
    miss(
        "a no-break space in the file",
        PROSE,
        "A no break space.",
        &[
            "line 5 has a no-break space (U+00A0",
            "where old_string has a space",
        ],
        "A no\u{A0}break space.",
    ),
    miss(
        "a no-break space in the text",
        "plain space\n",
        "plain\u{A0}space",
        &["line 1 has a space behind `plain` where old_string has a no-break space (U+00A0"],
        "plain space",
    ),
    miss(
        "a narrow no-break space",
        "10\u{202F}km\n",
        "10 km",
        &["a narrow no-break space (U+202F"],
        "10\u{202F}km",
    ),
    miss(
        "a zero-width space",
        "foo\u{200B}bar = 1\n",
        "foobar = 1",
        &[
            "line 1 has a zero-width space (U+200B",
            "where old_string has nothing",
        ],
        "foo\u{200B}bar = 1",
    ),
    miss(
        "a byte-order mark",
        "\u{FEFF}using System;\nclass A {}\n",
        " using System;",
        &[
            "line 1",
            "a byte-order mark (U+FEFF",
            "where old_string has a space",
        ],
        "\u{FEFF}using System;",
    ),
    miss(
        "a soft hyphen",
        "Donau\u{AD}dampf\n",
        "Donaudampf",
        &["a soft hyphen (U+00AD"],
        "Donau\u{AD}dampf",
    ),
    miss(
        "tabs and trailing blanks and quotes at once",
        "\tsay(\u{201C}hi\u{201D});  \n\tend();\n",
        "    say(\"hi\");\n    end();\n",
        &[
            "are indented with a tab where old_string has 4 spaces",
            "line 1 has \u{201C} (U+201C) where old_string has \" (U+0022)",
        ],
        "\tsay(\u{201C}hi\u{201D});  \n\tend();\n",
    ),
    // Line ends.
    miss(
        "LF where lines end in both ways",
        MIXED,
        "one\ntwo\nthree\n",
        &[
            "lines 1 and 3 end in CRLF where old_string has LF",
            "mixes line ends: 2 lines end in CRLF, 3 in LF",
        ],
        "one\r\ntwo\nthree\r\n",
    ),
    miss(
        "CRLF where the line ends in LF",
        "one\ntwo\n",
        "one\r\ntwo",
        &["line 1 ends in LF where old_string has CRLF"],
        "one\ntwo",
    )
    .but_not(&["mixes"]),
    miss(
        "both line ends where all are CRLF",
        CRLF,
        "one\r\ntwo\n\tthree",
        &["line 2 ends in CRLF where old_string has LF"],
        "one\r\ntwo\r\n\tthree",
    )
    .but_not(&["mixes"]),
    miss(
        "spaces for a tab where all lines end in CRLF",
        CRLF,
        "two\n    three\n",
        &["line 3 is indented with a tab where old_string has 4 spaces"],
        "two\r\n\tthree\r\n",
    ),
    miss(
        "a line end behind a last line that has none",
        PROSE,
        "Last line\n",
        &[
            "line 7",
            "has blanks or line ends behind its text that the file has not",
        ],
        "Last line",
    ),
    miss(
        "an empty line too many at the end",
        "a\nb = 2;\nc\n",
        "b = 2;\n\n",
        &[
            "line 2",
            "has blanks or line ends behind its text that the file has not",
        ],
        "b = 2;",
    ),
    miss(
        "an empty line before the text",
        "first = 1\nb = 2;\nc\n",
        "\n\nb = 2;\nc",
        &["lines 2 to 3", "begins with an empty line"],
        "b = 2;\nc",
    ),
    miss(
        "an empty line before the first line of the file",
        "first = 1\nb = 2;\n",
        "\nfirst = 1\n",
        &["line 1", "begins with an empty line"],
        "first = 1\n",
    ),
    miss(
        "an empty line left out",
        "def a():\n    pass\n\n\ndef b():\n    pass\n",
        "    pass\n\ndef b():",
        &[
            "lines 2 to 5",
            "3 line ends",
            "where old_string has 2 line ends",
        ],
        "    pass\n\n\ndef b():",
    ),
    miss(
        "an empty line put in",
        "alpha()\nbeta()\n",
        "alpha()\n\nbeta()",
        &["a line end behind `alpha()` where old_string has 2 line ends"],
        "alpha()\nbeta()",
    ),
    miss(
        "lines joined to one",
        "result = compute(\n    first,\n    second,\n)\n",
        "result = compute(first, second,)",
        &[
            "line 1",
            "a line end and 4 spaces behind `result = compute(`",
        ],
        "result = compute(\n    first,\n    second,\n)",
    ),
    miss(
        "one line broken into several",
        "result = compute(first, second)\n",
        "result = compute(\n    first,\n    second\n)",
        &["line 1", "where old_string has a line end and 4 spaces"],
        "result = compute(first, second)",
    ),
    // Characters.
    miss(
        "a straight apostrophe",
        PROSE,
        "It's",
        &["line 3 has \u{2019} (U+2019) where old_string has ' (U+0027)"],
        "It\u{2019}s",
    ),
    miss(
        "straight quotes and three dots",
        PROSE,
        "It's \"quoted\" here...",
        &[
            "line 3",
            "\u{201C} (U+201C) where old_string has \" (U+0022)",
        ],
        "It\u{2019}s \u{201C}quoted\u{201D} here\u{2026}",
    ),
    miss(
        "curly quotes in the text",
        RUST,
        "println!(\u{201C}{sum}\u{201D});",
        &["line 10 has \" (U+0022) where old_string has \u{201C} (U+201C)"],
        "println!(\"{sum}\");",
    ),
    miss(
        "double quotes for single ones",
        PYTHON,
        "print(\"saved\", path)",
        &["line 13 has ' (U+0027) where old_string has \" (U+0022)"],
        "print('saved', path)",
    ),
    miss(
        "a hyphen for a dash",
        PROSE,
        "Pages 3-5 - see below.",
        &["\u{2013} (U+2013) where old_string has - (U+002D)"],
        "Pages 3\u{2013}5 \u{2014} see below.",
    ),
    miss(
        "a minus sign for a hyphen",
        "a - b\n",
        "a \u{2212} b",
        &["line 1 has - (U+002D) where old_string has \u{2212} (U+2212)"],
        "a - b",
    ),
    miss(
        "accents by themselves",
        PROSE,
        "Cafe\u{301} nai\u{308}ve.",
        &["line 6 has \u{E9} (U+00E9) where old_string has e\u{301} (U+0065 U+0301)"],
        "Caf\u{E9} na\u{EF}ve.",
    ),
    miss(
        "accents in one where the file has them apart",
        "re\u{301}sume\u{301}\n",
        "r\u{E9}sum\u{E9}",
        &["line 1 has e\u{301} (U+0065 U+0301) where old_string has \u{E9} (U+00E9)"],
        "re\u{301}sume\u{301}",
    ),
    miss(
        "wide punctuation",
        "print\u{FF08}x\u{FF09}\n",
        "print(x)",
        &["\u{FF08} (U+FF08) where old_string has ( (U+0028)"],
        "print\u{FF08}x\u{FF09}",
    ),
    miss(
        "other capitals",
        "const maxSize = 3;\n",
        "const MaxSize = 3;",
        &["line 1 has `maxSize` where old_string has `MaxSize`"],
        "const maxSize = 3;",
    ),
    miss(
        "capitals throughout",
        "select id from users;\n",
        "SELECT id FROM users;",
        &[
            "`select` where old_string has `SELECT`",
            "`from` where old_string has `FROM`",
        ],
        "select id from users;",
    ),
    // Copied or escaped otherwise.
    miss(
        "numbers and tabs before the lines",
        PYTHON,
        "4\tdef load(path):\n5\t    with open(path) as file:",
        &[
            "lines 4 to 5",
            "line numbers before its lines",
            "new_string without them",
        ],
        "def load(path):\n    with open(path) as file:",
    ),
    miss(
        "numbers and arrows before the lines",
        PYTHON,
        "     6\u{2192}        data = file.read()\n     7\u{2192}    return data",
        &["lines 6 to 7", "line numbers before its lines"],
        "        data = file.read()\n    return data",
    ),
    miss(
        "numbers and colons before the lines",
        PYTHON,
        "7:     return data",
        &["line 7", "line numbers before its lines"],
        "    return data",
    ),
    miss(
        "numbers and bars before the lines",
        PYTHON,
        " 6 |         data = file.read()\n 7 |     return data",
        &["line numbers before its lines"],
        "        data = file.read()\n    return data",
    ),
    miss(
        "line ends and quotes escaped twice",
        RUST,
        "let sum = add(1, 2);\\n    println!(\\\"{sum}\\\");",
        &["lines 9 to 10", "escaped once too often"],
        "let sum = add(1, 2);\n    println!(\"{sum}\");",
    ),
    miss(
        "a backslash doubled",
        "let line = \"a\\n\";\n",
        "let line = \"a\\\\n\";",
        &["line 1", "escaped once too often"],
        "let line = \"a\\n\";",
    ),
    miss(
        "a line end where the file has backslash and n",
        "let line = \"a\\nb\";\n",
        "let line = \"a\nb\";",
        &["line 1", "the file has an escape"],
        "let line = \"a\\nb\";",
    ),
    miss(
        "quotes that the file escapes",
        "{\"cmd\": \"echo \\\"hi\\\"\"}\n",
        "echo \"hi\"",
        &["line 1", "the file has an escape"],
        "echo \\\"hi\\\"",
    ),
    miss(
        "entities for the characters",
        RUST,
        "fn main() -&gt; io::Result&lt;()&gt; {",
        &["line 8", "entities such as &lt;"],
        "fn main() -> io::Result<()> {",
    ),
    miss(
        "characters for the entities",
        "<p>a &lt; b &amp;&amp; c</p>\n",
        "a < b && c",
        &["line 1", "the file has entities"],
        "a &lt; b &amp;&amp; c",
    ),
    miss(
        "a fence around the code",
        RUST,
        "```rust\n    let sum = add(1, 2);\n```",
        &["line 9", "a code fence or quotes around it"],
        "    let sum = add(1, 2);",
    ),
    miss(
        "backticks around the code",
        RUST,
        "`let sum = add(1, 2);`",
        &["line 9", "a code fence or quotes around it"],
        "let sum = add(1, 2);",
    ),
    miss(
        "the marks of a diff",
        RUST,
        " fn add(a: i32, b: i32) -> i32 {\n-    a + b\n+    a - b\n }",
        &["lines 4 to 6", "the marks of a diff"],
        "fn add(a: i32, b: i32) -> i32 {\n    a + b\n}",
    ),
    miss(
        "a minus before a line",
        RUST,
        "-    let sum = add(1, 2);",
        &["line 9", "the marks of a diff"],
        "    let sum = add(1, 2);",
    ),
    // The middle left out.
    miss(
        "existing code left out",
        RUST,
        "fn main() -> io::Result<()> {\n    // ... existing code ...\n    Ok(())\n}",
        &[
            "`// ... existing code ...`",
            "stands for lines that it leaves out",
            "line 8 and lines 13 to 14",
        ],
        "fn main() -> io::Result<()> {\n    let sum = add(1, 2);\n    println!(\"{sum}\");\n    let name = String::from(\"it's\");\n    println!(\"{name}\");\n    Ok(())\n}",
    ),
    miss(
        "dots alone for what is left out",
        PYTHON,
        "def load(path):\n    ...\n    return data",
        &["`...`", "line 4 and line 7"],
        "def load(path):\n    with open(path) as file:\n        data = file.read()\n    return data",
    ),
    miss(
        "a remark that the rest is the same",
        PYTHON,
        "def save(path, data):\n    # ... rest of the function unchanged\n",
        &[
            "`# ... rest of the function unchanged`",
            "the rest of old_string is line 10",
        ],
        "def save(path, data):",
    ),
    miss(
        "two parts left out",
        RUST,
        "use std::io;\n// ...\nfn add(a: i32, b: i32) -> i32 {\n// ...\n    let sum = add(1, 2);",
        &["line 1 and line 4 and line 9"],
        "use std::io;\n\n/// Adds.\nfn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\nfn main() -> io::Result<()> {\n    let sum = add(1, 2);",
    ),
    // Stale.
    miss(
        "a line that has changed",
        RUST,
        "fn main() -> io::Result<()> {\n    let sum = add(1, 3);\n    println!(\"{sum}\");\n",
        &[
            "lines 8 to 10",
            "2 are the same",
            "line 9 reads `    let sum = add(1, 2);` where old_string has `    let sum = add(1, 3);`",
        ],
        "fn main() -> io::Result<()> {\n    let sum = add(1, 2);\n    println!(\"{sum}\");\n",
    ),
    miss(
        "a line that has gone",
        PYTHON,
        "def save(path, data):\n    check(data)\n    with open(path, 'w') as file:\n        file.write(data)",
        &[
            "lines 10 to 12",
            "before line 11 old_string has `    check(data)`, which the file has not",
        ],
        "def save(path, data):\n    with open(path, 'w') as file:\n        file.write(data)",
    ),
    miss(
        "a line that has come",
        RUST,
        "    let sum = add(1, 2);\n    let name = String::from(\"it's\");\n",
        &[
            "lines 9 to 11",
            "line 10 reads `    println!(\"{sum}\");`, which old_string has not",
        ],
        "    let sum = add(1, 2);\n    println!(\"{sum}\");\n    let name = String::from(\"it's\");\n",
    ),
    miss(
        "another argument in a single line",
        RUST,
        "let sum = add(1, 2, 3);",
        &["The nearest is line 9"],
        "let sum = add(1, 2);",
    ),
    miss(
        "a renamed function",
        PYTHON,
        "def load_file(path):",
        &["The nearest is line 4"],
        "def load(path):",
    ),
    miss(
        "a misspelt word",
        PROSE,
        "see belwo",
        &["The nearest is line 4"],
        "Pages 3\u{2013}5 \u{2014} see below.",
    ),
    // Elsewhere.
    miss(
        "another file",
        RUST,
        "SELECT id, email FROM accounts WHERE active = TRUE",
        &[
            "Nothing like old_string is in the file, which has 14 lines",
            "file_read",
        ],
        "",
    )
    .but_not(&["nearest", "```"]),
    miss(
        "another file, with brackets in common",
        PYTHON,
        "impl Display for Shape {\n}\n",
        &["Nothing like old_string", "13 lines"],
        "",
    ),
    miss(
        "an empty file",
        "",
        "anything",
        &["The file is empty", "file_write"],
        "",
    ),
    miss(
        "nothing but blanks",
        RUST,
        "\t\t\t",
        &["nothing but blanks"],
        "",
    ),
    miss(
        "the edit made before",
        RUST,
        "let sum = add(1, 3);",
        &[
            "already holds new_string, in line 9",
            "may have been made before",
        ],
        "",
    )
    .replaced_by("let sum = add(1, 2);")
    .but_not(&["```", "nearest"]),
    miss(
        "the edit of several lines made before",
        PYTHON,
        "    with open(path) as file:\n        return file.read()\n",
        &["already holds new_string, in line 5"],
        "",
    )
    .replaced_by("    with open(path) as file:\n        data = file.read()\n    return data\n")
    .but_not(&["```", "nearest"]),
    miss(
        "the edit made before where lines end in CRLF",
        CRLF,
        "one\n2\n",
        &["already holds new_string, in line 1"],
        "",
    )
    .replaced_by("one\ntwo\n"),
    // What is alike more than once.
    miss(
        "two places alike",
        "if a:\n\trun()\nif b:\n\trun()\n",
        "    run()",
        &["indented with a tab", "2 times, in lines 2 and 4"],
        "",
    ),
];
