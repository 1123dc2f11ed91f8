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
}

impl LineForm {
    /// The text before the first line of a file.
    pub fn before_file(self) -> &'static str {
        match self {
            Self::Headed => "\n\n",
            Self::PathOnEach | Self::OneFile => "\n",
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
        form: LineForm,
        text: &mut Vec<u8>,
        path: &[u8],
        (number, is_match): (u64, bool),
    ) {
        if self.last == 0 {
            self.before = match form {
                LineForm::PathOnEach => [b"\n", path].concat(),
                LineForm::Headed | LineForm::OneFile => b"\n".to_vec(),
            };
            if form == LineForm::Headed {
                text.extend_from_slice(form.before_file().as_bytes());
                text.extend_from_slice(path);
            }
        }
        text.extend_from_slice(&self.before);
        if form == LineForm::PathOnEach {
            text.push(if is_match { b':' } else { b'-' });
        }
        text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        text.extend_from_slice(if is_match { b": " } else { b"- " });
        self.last = number;
    }
}
