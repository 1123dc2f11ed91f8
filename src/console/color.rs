//! Colours and weights on a terminal, and complaints on stderr in them.

use std::io::{self, IsTerminal, Write};

use crate::console::sanitize;

/// Whether what goes to `stream` may have colours: only on a terminal that can, and never under `NO_COLOR`
/// (<https://no-color.org>).
pub fn coloured(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_some_and(|terminal| terminal != "dumb")
}

/// `text` in the colour or weight of the SGR parameters `code` (ECMA-48, 8.3.117), if `wanted`.
pub fn painted(text: &str, code: &str, wanted: bool) -> String {
    if wanted {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Says on stderr, in the name of `speaker`, what is the matter.
pub fn complain(speaker: &str, message: &str) {
    let stderr = io::stderr();
    let speaker = painted(&format!("{speaker}:"), "1;31", coloured(&stderr));
    let _ = writeln!(stderr.lock(), "{speaker} {}", sanitize::shown(message));
}
