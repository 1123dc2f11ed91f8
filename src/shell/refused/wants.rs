//! What a message says was wanted: by its words, else by the program that says it.

use crate::shell::refused::lines::Want;

/// Programs that read what they are told to, and say no more than its name.
const READERS: [&str; 47] = [
    "cat",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "wc",
    "od",
    "xxd",
    "hexdump",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "diff",
    "cmp",
    "comm",
    "join",
    "paste",
    "cut",
    "head",
    "tail",
    "less",
    "more",
    "find",
    "ls",
    "du",
    "tree",
    "file",
    "strings",
    "base64",
    "nl",
    "tac",
    "rev",
    "fold",
    "uniq",
    "shuf",
    "jq",
    "zcat",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "nm",
    "objdump",
    "make",
];

/// Programs that write.
const WRITERS: [&str; 6] = ["tee", "touch", "split", "csplit", "cp", "mv"];

/// Programs that run others.
const RUNNERS: [&str; 9] = [
    "env", "xargs", "nohup", "timeout", "nice", "setsid", "stdbuf", "time", "ionice",
];

/// What was wanted, by what a message says and by who says it.
pub fn want_in(said: &str, program: &str) -> Want {
    let lower = format!(" {}", said.to_ascii_lowercase());
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&[" exec", "/exec", "run command", "cannot run", "spawn"]) {
        Want::Execute
    } else if says(&[
        "mkdir", "link", "remov", "delet", " move", "renam", "rmdir", "mkstemp", "template",
        "fifo", "symlink",
    ]) || (says(&["creat", "mak"]) && says(&["director", " dir"]))
    {
        Want::Name
    } else if says(&["input file"]) {
        Want::Read
    } else if says(&[
        "creat",
        "writ",
        "output",
        "append",
        "truncat",
        "touch",
        " lock",
        "redirect",
        "saving",
        "dependency file",
    ]) {
        Want::Write
    } else if says(&[
        " read",
        "open director",
        "opendir",
        "cannot access",
        "to access",
        "shared object",
        " load",
        " list",
    ]) || READERS.contains(&program)
    {
        Want::Read
    } else if WRITERS.contains(&program) {
        Want::Write
    } else if RUNNERS.contains(&program) {
        Want::Execute
    } else {
        Want::Something
    }
}
