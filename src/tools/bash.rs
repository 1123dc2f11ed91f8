//! bash: a shell command, its output and its exit code.

use std::io::{self, Write};

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Family, Hints, Manual, Part, Sample, Scope, Tool};
use crate::shell::Shell;
use crate::{secrets, shell};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "bash",
    link: "bash",
    family: Family::Local,
    schema: include_str!("schemas/bash.json"),
    model_schema: include_str!("schemas/for_models/bash.json"),
    title: "Run a shell command",
    hints: Hints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    },
    scope: Scope::Machine,
    at_once: None,
    manual: Manual {
        text: "\
Runs a command with `/bin/sh -c` and answers with what it wrote to both streams, in the order
written, without its last newline, and with its exit code: 127 if it could not be run, 128 + N if
signal N ended it. The command's stdin is empty. The call ends when the shell does; what it left
in the background goes on, unless the tool itself is killed: then all that it started goes too.
IKIGAI_SHELL names another shell. The keys of the web searches are taken out of the command's
environment, unless IKIGAI_PASS_KEYS=1.",
        example: r#"{"command":"uname -s && false"}"#,
        environment: &[
            ("IKIGAI_SHELL", "another shell than /bin/sh"),
            (
                "IKIGAI_PASS_KEYS",
                "if 1, keys stay in the command's environment",
            ),
        ],
    },
    account: None,
    fields: &[("output", Part::Output), ("exit_code", Part::ExitCode)],
    less: "To have less, print less: pipe the command into `head`, `tail` or `grep`, or send its output to a file and read parts of that.",
    sample: Some(Sample {
        file: None,
        request: r#"{"command":"echo hello"}"#,
        answer: r#""exit_code":0"#,
    }),
    run,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let command = request.required_text("command")?;
    Ok(Reply::new(move |object| {
        let mut output = WithoutLastNewline {
            text: object.text("output")?,
            newline: false,
        };
        let shell = Shell::from_env(secrets::withheld());
        let code = shell::run(command, &shell, &mut output)?;
        output.text.close()?;
        object.field("exit_code", &code)
    }))
}

/// Passes on what is written, but for a newline at the very end.
struct WithoutLastNewline<W> {
    text: W,
    newline: bool,
}

impl<W: Write> Write for WithoutLastNewline<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((last, before)) = bytes.split_last() else {
            return Ok(0);
        };
        if std::mem::take(&mut self.newline) {
            self.text.write_all(b"\n")?;
        }
        self.newline = *last == b'\n';
        self.text
            .write_all(if self.newline { before } else { bytes })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_last_newline_is_left_out() {
        for (pieces, expected) in [
            (vec!["a\n", "\n", "b\n"], "a\n\nb"),
            (vec!["\n"], ""),
            (vec!["\n", "\n"], "\n"),
            (vec!["a", "\r\n"], "a\r"),
            (vec![], ""),
        ] {
            let mut output = WithoutLastNewline {
                text: Vec::new(),
                newline: false,
            };
            for piece in pieces {
                output.write_all(piece.as_bytes()).unwrap();
            }
            assert_eq!(output.text, expected.as_bytes());
        }
    }
}
