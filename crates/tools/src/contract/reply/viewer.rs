//! Readers that are shown an answer as it comes, instead of getting JSON.

use std::io;

use serde_json::Value;

/// A reader that is shown an answer as it comes, and not as JSON: a person.
pub trait Viewer {
    /// Appends to the text of field `name`.
    fn text(&mut self, name: &str, piece: &str) -> io::Result<()>;

    /// True if texts shall come byte for byte ([`Viewer::bytes`]), even if they are not UTF-8.
    fn takes_bytes(&self) -> bool {
        false
    }

    /// Appends to the text of field `name`, which need not be UTF-8.
    fn bytes(&mut self, name: &str, piece: &[u8]) -> io::Result<()> {
        self.text(name, &String::from_utf8_lossy(piece))
    }

    /// Shows field `name`, which is not text.
    fn value(&mut self, name: &str, value: Value) -> io::Result<()>;

    /// Shows everything so far, because nothing more comes for a while.
    fn flush(&mut self) -> io::Result<()>;

    /// Notes that not all was read that was asked for, whatever was found.
    fn not_all_read(&mut self) {}
}
