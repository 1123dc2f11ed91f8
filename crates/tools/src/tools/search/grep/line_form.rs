//! The forms in which lines found are written.

/// The form in which a line found is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineForm {
    /// `path:12: text`
    PathOnEach,
    /// `12: text`, below the path of the file.
    Headed,
    /// `12: text`, because there is one file.
    OneFile,
    /// `text`, as a person may ask for.
    Bare,
}

/// The colour of paths, as SGR parameters (ECMA-48, 8.3.117).
const PATH_COLOUR: &str = "35";

/// The colour of lines' numbers.
const NUMBER_COLOUR: &str = "32";

/// The colour of matches.
pub const MATCH_COLOUR: &str = "1;31";

/// A spelled escape character, and a sequence without effect (SGR 10, the usual font), by which the
/// screen tells it from the same text and counts it.
const SPELLED_ESCAPE: &[u8] = b"\\x1b\x1b[10m";

/// Writes `bytes` in the colour `code`, if they are `painted`. What would steer a terminal in a
/// text that is painted is spelled, so that only the colours do.
pub fn paint(text: &mut Vec<u8>, bytes: &[u8], code: &str, painted: bool) {
    if !painted {
        text.extend_from_slice(bytes);
        return;
    }
    text.extend_from_slice(format!("\x1b[{code}m").as_bytes());
    spell_escapes(text, bytes);
    text.extend_from_slice(b"\x1b[0m");
}

/// Writes `bytes` with `\x1b` in the place of each escape character.
pub fn spell_escapes(text: &mut Vec<u8>, bytes: &[u8]) {
    for (index, part) in bytes.split(|byte| *byte == b'\x1b').enumerate() {
        text.extend_from_slice(if index > 0 { SPELLED_ESCAPE } else { b"" });
        text.extend_from_slice(part);
    }
}

/// `path` as it is written in an answer.
pub fn painted_path(path: &[u8], painted: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(path.len());
    paint(&mut text, path, PATH_COLOUR, painted);
    text
}

impl LineForm {
    /// The text before the first line of a file.
    pub fn before_file(self) -> &'static str {
        match self {
            Self::Headed => "\n\n",
            Self::PathOnEach | Self::OneFile | Self::Bare => "\n",
        }
    }
}

/// The beginning of the lines of one file.
#[derive(Debug, Default)]
pub struct LineBeginning {
    /// The text before each number, put together once because there may be millions of lines.
    before: Vec<u8>,
    /// The number of the last line that was shown; 0 before the first one.
    pub last: u64,
}

impl LineBeginning {
    /// Writes all that comes before the text of a line.
    pub fn begin_line(
        &mut self,
        (form, painted): (LineForm, bool),
        text: &mut Vec<u8>,
        path: &[u8],
        (number, is_match): (u64, bool),
    ) {
        if self.last == 0 {
            self.before = match form {
                LineForm::PathOnEach => [b"\n", &*painted_path(path, painted)].concat(),
                LineForm::Headed | LineForm::OneFile | LineForm::Bare => b"\n".to_vec(),
            };
            if form == LineForm::Headed {
                text.extend_from_slice(form.before_file().as_bytes());
                text.extend_from_slice(&painted_path(path, painted));
            }
        }
        text.extend_from_slice(&self.before);
        self.last = number;
        if form == LineForm::Bare {
            return;
        }
        if form == LineForm::PathOnEach {
            text.push(if is_match { b':' } else { b'-' });
        }
        let number = itoa::Buffer::new().format(number).to_owned();
        paint(text, number.as_bytes(), NUMBER_COLOUR, painted);
        text.extend_from_slice(if is_match { b": " } else { b"- " });
    }
}
