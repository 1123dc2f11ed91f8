//! Colours and weights on a terminal, and error messages on stderr that use them.

use std::io::{self, IsTerminal, Write};

use crate::console::sanitize;

/// True if output to `stream` may be coloured: only on a terminal that can show colours, and never
/// if `NO_COLOR` is set (<https://no-color.org>).
pub fn coloured(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_some_and(|terminal| terminal != "dumb")
}

/// `text` in the colour or weight of the SGR parameters `code` (ECMA-48, 8.3.117), if `wanted`.
#[must_use]
pub fn painted(text: &str, code: &str, wanted: bool) -> String {
    if wanted {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Prints an error message on stderr, prefixed with the name of `speaker`.
pub fn print_error(speaker: &str, message: &str) {
    print(speaker, message, "1;31");
}

/// Prints a note on stderr, which is no error, prefixed with the name of `speaker`.
pub fn print_note(speaker: &str, note: &str) {
    print(speaker, note, "1");
}

fn print(speaker: &str, message: &str, colour: &str) {
    let stderr = io::stderr();
    let speaker = painted(&format!("{speaker}:"), colour, coloured(&stderr));
    let _ = writeln!(
        stderr.lock(),
        "{speaker} {}",
        sanitize::for_terminal(message)
    );
}
