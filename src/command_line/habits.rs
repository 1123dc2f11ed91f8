//! The flags that people type from habit, because a program that does the same has them, and what
//! each means here: one table for all tools. How it is read is in `habitual_flags`.

use crate::command_line::typed_values::{in_any_case, lines_alone, words_alone};
use iki_tools::contract::search_style::{BinaryFiles, LineHead, SearchStyle};

/// The meaning of a flag that another program has.
#[derive(Clone, Copy, Debug)]
pub enum HabitualFlag {
    /// The flag of this field.
    Field(&'static str),
    /// The flag of this field, whose several values are joined into one: the text before, between
    /// and after them.
    Several(&'static str, [&'static str; 3]),
    /// This value of that field.
    Value(&'static str, &'static str),
    /// The field's value is the flag's, behind this text.
    Behind(&'static str, &'static str),
    /// The flag of this field, which only a server's calls have: no help names it.
    Served(&'static str),
    /// The flag of this field, with a number, which only a server's calls have.
    ServedNumber(&'static str),
    /// A behaviour that is on in any case.
    Usual,
    /// The same, of a flag with a value.
    UsualValue,
    /// The form of a search's answer.
    Style(fn(&mut SearchStyle)),
    /// The same, of a flag with a value; false for a value that is not understood.
    StyleValue(fn(&mut SearchStyle, &str) -> bool),
    /// When to colour: always, never or auto.
    Colour,
    /// The pattern, rewritten.
    Pattern(fn(&str) -> String),
    /// The pattern is plain text.
    Plain,
    /// Upper and lower case are the same, unless the pattern has an upper one.
    SmartCase,
    /// The files of a kind by ripgrep's name, as a value of this field.
    FileType(&'static str),
    /// A flag that this program lacks: the program that has it, if there is one, and what to do.
    /// `{pattern}`, `{glob}`, `{file}`, `{place}`, `{kind}` and `{value}` in it are what was typed.
    Lacking(&'static str, &'static str),
    /// The same, of a flag with a value.
    LackingValue(&'static str, &'static str),
    /// Given as the field's value: what stdin holds.
    Stdin(&'static str),
}

use HabitualFlag::{
    Behind, Colour, Field, FileType, Lacking, LackingValue, Pattern, Plain, Served, ServedNumber,
    Several, SmartCase, Stdin, Style, StyleValue, Usual, UsualValue, Value,
};

/// The flags by which grep's directory is searched whatever stdin holds.
pub const RECURSIVE: &str = "-r --recursive -R --dereference-recursive";

/// The way in which several wildcard patterns are written as one.
const BRACES: [&str; 3] = ["{", ",", "}"];

/// The way in which several names are written as one.
const COMMAS: [&str; 3] = ["", ",", ""];

/// A flag and its meaning.
type Habit = (&'static str, HabitualFlag);

/// The names of tools, separated by blanks, and the flags of each, those with one meaning together.
pub const HABITS: [(&str, &[Habit]); 8] = [
    ("grep", GREP),
    ("glob", GLOB),
    ("bash", BASH),
    ("file-read", FILE_READ),
    ("file-write", FILE_WRITE),
    ("file-edit", FILE_EDIT),
    ("web-fetch scrape-page", WEB_PAGE),
    (
        "web-search search-and-scrape academic-search patent-search",
        &[(
            "-n --count --num --limit --max-results",
            Field("num_results"),
        )],
    ),
];

/// The flags of every tool.
pub const OF_ALL: &[Habit] = &[("--color --colour", Colour)];

const GREP: &[Habit] = &[
    ("-e --regexp", Several("pattern", ["(?:", ")|(?:", ")"])),
    ("--before-context", Field("before")),
    ("--after-context", Field("after")),
    ("-g --include", Several("glob", BRACES)),
    ("--exclude-dir", Several("exclude", BRACES)),
    (
        "--no-ignore --no-ignore-vcs -u --unrestricted",
        Value("all", "true"),
    ),
    ("-l --files-with-matches", Value("output", "files")),
    ("-c --count --count-matches", Value("output", "count")),
    (RECURSIVE, Usual),
    (
        "-n --line-number -E --extended-regexp -P --perl-regexp --pcre2 -H --with-filename -. \
         --hidden --case-sensitive --line-buffered --no-config --crlf -p --pretty",
        Usual,
    ),
    ("-j --threads -M --max-columns --engine", UsualValue),
    (
        "-a --text",
        Style(|style| style.binary = BinaryFiles::Shown),
    ),
    ("-I", Style(|style| style.binary = BinaryFiles::LeftOut)),
    ("--heading", Style(|style| style.head = LineHead::BelowPath)),
    ("--no-heading", Style(|style| style.head = LineHead::Path)),
    (
        "--no-filename",
        Style(|style| style.head = LineHead::Number),
    ),
    (
        "-N --no-line-number",
        Style(|style| style.head = LineHead::Bare),
    ),
    ("-q --quiet --silent", Style(|style| style.is_quiet = true)),
    (
        "-s --no-messages",
        Style(|style| style.is_silent_on_places = true),
    ),
    (
        "-m --max-count",
        StyleValue(|style, value| {
            style.max_per_file = value.parse().ok().filter(|count| *count > 0);
            style.max_per_file.is_some()
        }),
    ),
    (
        "--binary-files",
        StyleValue(|style, kind| {
            style.binary = match kind {
                "text" => BinaryFiles::Shown,
                "without-match" => BinaryFiles::LeftOut,
                "binary" => BinaryFiles::Named,
                _ => return false,
            };
            true
        }),
    ),
    ("--sort", StyleValue(|_, by| ["path", "none"].contains(&by))),
    ("-w --word-regexp", Pattern(words_alone)),
    ("-x --line-regexp", Pattern(lines_alone)),
    ("-F --fixed-strings", Plain),
    ("-S --smart-case", SmartCase),
    ("-t", Several("type", COMMAS)),
    ("-T --type-not", FileType("exclude")),
    (
        "-v --invert-match",
        Lacking("grep", "it shows what matches, and nothing else"),
    ),
    (
        "-L --files-without-match",
        Lacking("grep", "it names the files that match, with -l"),
    ),
    ("--follow", Lacking("rg", "it follows no links but PATH")),
    (
        "-o --only-matching",
        Lacking("grep", "it shows whole lines"),
    ),
    (
        "-b --byte-offset",
        Lacking("grep", "it shows the line's number"),
    ),
    (
        "--column --vimgrep",
        Lacking("rg", "it shows the line's number"),
    ),
    (
        "-G --basic-regexp",
        Lacking(
            "grep",
            r"patterns are extended ones, where | and ( need no \",
        ),
    ),
    (
        "-Z -0 --null -z --null-data",
        Lacking("grep", "names and lines end in a line feed"),
    ),
    (
        "-U --multiline --multiline-dotall",
        Lacking("rg", "it searches line by line, and nothing across lines"),
    ),
    (
        "--stats --debug --passthru --trim",
        Lacking("rg", "it shows what matches, and nothing else"),
    ),
    (
        "-f --file",
        LackingValue("grep", "each pattern is given with a -e of its own"),
    ),
    (
        "-d --max-depth --maxdepth",
        LackingValue("", "a wildcard says how deep: -g '*/*.rs'"),
    ),
    (
        "--directories",
        LackingValue("grep", "it searches all below a directory"),
    ),
    (
        "--replace",
        LackingValue("rg", "it changes nothing; file-edit does"),
    ),
    (
        "--sortr",
        LackingValue("rg", "files come in the order of their paths"),
    ),
    (
        "--files",
        Lacking("", "glob lists files: ikigai-tools glob {glob} {pattern}"),
    ),
];

const GLOB: &[Habit] = &[
    ("--name", Field("pattern")),
    ("-e --extension", Behind("pattern", "*.")),
    ("-E", Several("exclude", BRACES)),
    ("--max-results", Field("limit")),
    ("--no-ignore -I -u --unrestricted", Value("all", "true")),
    (
        "-H --hidden -. -a -1 -r -R --recursive -s --case-sensitive -g --glob --print",
        Usual,
    ),
    ("-i --ignore-case", Pattern(in_any_case)),
    (
        "-t --type",
        LackingValue(
            "",
            "it lists files and directories alike: ikigai-tools bash 'find {place} -type {kind} \
             -name \"{pattern}\"'",
        ),
    ),
    (
        "-d --max-depth --maxdepth --mindepth",
        LackingValue(
            "",
            "the pattern says how deep: ikigai-tools glob '*/*.rs' is one level below",
        ),
    ),
    (
        "-0 --print0",
        Lacking(
            "",
            r"names have a line each: ikigai-tools glob '{pattern}' | tr '\n' '\0'",
        ),
    ),
    (
        "-x --exec -X --exec-batch",
        LackingValue(
            "",
            r"it changes and runs nothing: ikigai-tools glob '{pattern}' | xargs -d '\n' {value}",
        ),
    ),
    (
        "-l --long --list-details -L --follow",
        Lacking(
            "",
            "it lists names and follows no links; sizes: ikigai-tools file-read DIR",
        ),
    ),
];

const BASH: &[Habit] = &[
    ("--background", Served("background")),
    ("--stop", ServedNumber("stop")),
    ("-c", Field("command")),
    ("-l --login -i", Usual),
    (
        "-C --cwd --dir --directory --working-directory",
        Field("workdir"),
    ),
    (
        "-e -u -x",
        Lacking("bash", "begin the command with it: `set -eux`"),
    ),
    (
        "-o",
        LackingValue("bash", "begin the command with it: `set -o pipefail`"),
    ),
];

const FILE_READ: &[Habit] = &[
    ("--path --file --filename", Field("file_path")),
    ("--lines --head", Field("limit")),
    ("--tail", Behind("offset", "-")),
    (
        "-n --number",
        Lacking("", "grep numbers the lines: ikigai-tools grep '' {file}"),
    ),
    (
        "-c --bytes",
        LackingValue("head", "it counts in lines: --limit N"),
    ),
    ("-f --follow", Lacking("tail", "it reads what is there")),
    (
        "-A -v -t -s -b",
        Lacking("cat", "a pipe gets every byte as it is"),
    ),
];

const FILE_WRITE: &[Habit] = &[
    ("-", Stdin("content")),
    ("--path --file -o", Field("file_path")),
    ("--text --data", Field("content")),
    ("-f --force --overwrite -p --parents --mkdir", Usual),
    (
        "-a --append",
        Lacking(
            "",
            r"it writes whole files; a shell appends: printf '%s\n' TEXT >>{file}",
        ),
    ),
    (
        "-n --dry-run --preview",
        Lacking("", "it writes at once; a copy first: cp {file} {file}.bak"),
    ),
];

const FILE_EDIT: &[Habit] = &[
    ("--path --file", Field("file_path")),
    ("--old --old-str --from --search", Field("old_string")),
    ("--new --new-str --to --replace", Field("new_string")),
    ("-a --all -g --global", Value("replace_all", "true")),
    ("-i --in-place", Usual),
    (
        "-n --dry-run --preview",
        Lacking("", "it writes at once; a copy first: cp {file} {file}.bak"),
    ),
    (
        "-E -r --regex",
        Lacking(
            "sed",
            "it replaces text as it stands, and knows no expressions",
        ),
    ),
];

/// The answer to curl's flags for requests.
const ONLY_GET: &str = "it asks for a page by GET, and for nothing else";

const WEB_PAGE: &[Habit] = &[
    (
        "-L --location -s --silent -S --show-error -f --fail -G --get -q --quiet --compressed -v \
         --verbose",
        Usual,
    ),
    (
        "-k --insecure",
        Lacking("curl", "certificates are always checked"),
    ),
    (
        "-I --head -i --include",
        Lacking("curl", "it shows what a page says, not its header"),
    ),
    (
        "-O --remote-name",
        Lacking("curl", "a shell's > writes the text to a file"),
    ),
    (
        "-o --output --output-document",
        LackingValue("curl", "a shell's > writes the text to a file"),
    ),
    (
        "-X --request -d --data --data-raw -F --form -T --upload-file",
        LackingValue("curl", ONLY_GET),
    ),
    (
        "-H --header -u --user -b --cookie -A --user-agent -x --proxy --referer",
        LackingValue("curl", ONLY_GET),
    ),
    (
        "-m --max-time --connect-timeout --retry",
        LackingValue("curl", "it has 25 seconds in all"),
    ),
];
