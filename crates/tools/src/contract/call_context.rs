//! The description of one call that a server hands to the call's process: one line of JSON on its
//! stdin, before the request. Nothing in it gives the process a right that its user lacks, and the
//! command of a call, whose stdin is another, cannot read it.

use std::os::fd::RawFd;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer_limit::TextMeasure;
use super::background::{AfterAnswer, BackgroundRun};
use super::call_terms::{Audience, CallTerms};
use iki_process::sandbox::confinement::ConfinementBounds;
use iki_web::cache::RemoteStore;

/// The description of one call. A person's flags make one as well.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub struct CallContext {
    /// The confinement that was asked for, if any. A line without this field does not describe a
    /// call.
    #[serde(deserialize_with = "Option::deserialize")]
    pub bounds: Option<ConfinementBounds>,
    /// True if a confined call that reads may also read the files of commands' long outputs.
    pub reads_outputs: bool,
    /// True if it fetches only public addresses.
    pub is_public_only: bool,
    /// The name of the token's owner, where a server tells its callers apart.
    pub owner: Option<String>,
    /// The reader of the answer.
    pub reader: Audience,
    /// Maximum length of the answer in bytes.
    pub max_answer: Option<usize>,
    /// The time of the call, in milliseconds.
    pub milliseconds: Option<u64>,
    /// True if the server wants progress reports.
    pub wants_progress: bool,
    /// The descriptor of the socket to the server's cache, if it has one.
    pub cache_socket: Option<RawFd>,
    /// The descriptor of the server's register of steps, where the tool runs no commands.
    pub step_register: Option<RawFd>,
    /// The cache at the other end of that socket.
    #[serde(skip)]
    pub cache: Option<RemoteStore>,
    /// The commands that run in the background for the caller, whose server keeps them.
    #[serde(default)]
    pub background: Vec<BackgroundRun>,
    /// The directory for the temporary files of the caller's commands, which lasts as long as the
    /// server.
    pub temporary: Option<PathBuf>,
    /// Work that the call's process does after its answer.
    #[serde(skip)]
    pub after_answer: AfterAnswer,
    /// The measure in which the answer keeps to `max_answer`.
    #[serde(default)]
    pub measure: TextMeasure,
    /// The time, in milliseconds, after which a command goes on in the background: soon after, the
    /// client gives up a call of which it hears nothing.
    pub goes_on_after: Option<u64>,
    /// True if it is not known to do so: where the request asks for more time, or nothing else
    /// reads the background's files, it is taken to wait.
    #[serde(default)]
    pub may_wait: bool,
    /// Maximum size in bytes of an image that the client shows its model; 0 if it shows none.
    pub max_image: Option<usize>,
    /// The names of the server's tools; empty if they are not known.
    #[serde(default)]
    pub tools: Vec<String>,
}

impl CallContext {
    /// Reads the line; `None` if it is not one. A field that is not understood is never skipped: it
    /// may have been a bound.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut context: Self = serde_json::from_slice(line).ok()?;
        context.bounds = context.bounds.map(ConfinementBounds::or_environment);
        Some(context)
    }

    /// The line, with its end; `None` if it cannot be written.
    #[must_use]
    pub fn line(&self) -> Option<Vec<u8>> {
        let mut line = serde_json::to_vec(self).ok()?;
        line.push(b'\n');
        Some(line)
    }

    /// The terms of this call of a server, which begins now. It lasts as long as the process, which
    /// makes no other.
    #[must_use]
    pub fn into_terms(self, tell: fn(&[u8])) -> CallTerms {
        let (reader, max_answer, measure) = (self.reader, self.max_answer, self.measure);
        let time = self.milliseconds.map(Duration::from_millis);
        let context: &'static Self = Box::leak(Box::new(self));
        CallTerms {
            is_served: true,
            progress: context.wants_progress.then_some(tell),
            context: Some(context),
            tools: &context.tools,
            measure,
            ..CallTerms::within(reader, max_answer, time)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use iki_process::sandbox::confinement::ConfinementSource;

    #[test]
    fn a_call_is_read_back_as_the_server_described_it() {
        let odd = OsString::from_vec(b"/a\xff:b\n--no-network".to_vec());
        let context = CallContext {
            bounds: Some(ConfinementBounds {
                roots: vec!["/".into(), odd],
                readable: vec!["--progress".into()],
                no_network: true,
                source: ConfinementSource::Environment,
            }),
            reads_outputs: true,
            is_public_only: true,
            owner: Some("a\n\"b\"".to_owned()),
            reader: Audience::Program,
            max_answer: Some(11_000),
            milliseconds: Some(600_000),
            wants_progress: true,
            cache_socket: Some(7),
            step_register: Some(8),
            background: vec![BackgroundRun {
                number: 7,
                command: "npm start".to_owned(),
                file: None,
            }],
            temporary: Some("/tmp/x".into()),
            measure: TextMeasure::Lines(20),
            goes_on_after: Some(55_000),
            may_wait: true,
            max_image: Some(1_500_000),
            tools: vec!["grep".to_owned()],
            ..CallContext::default()
        };
        let line = context.line().unwrap();
        assert_eq!(memchr::memchr(b'\n', &line), Some(line.len() - 1));
        let read = CallContext::read(&line).unwrap();
        assert_eq!(format!("{read:?}"), format!("{context:?}"));
        let terms = read.into_terms(|_| {});
        assert!(terms.is_served && terms.progress.is_some());
        assert!(terms.serves("grep") && !terms.serves("bash"));
        assert_eq!(
            (terms.reader, terms.max_answer, terms.measure),
            (Audience::Program, Some(11_000), TextMeasure::Lines(20))
        );
        let whole = terms.deadline.map(|deadline| deadline.total.as_secs());
        assert_eq!(whole, Some(600));
    }

    #[test]
    fn a_line_that_is_not_understood_describes_no_call() {
        let line = CallContext::default().line().unwrap();
        let line = String::from_utf8(line).unwrap();
        assert!(CallContext::read(line.as_bytes()).is_some());
        let with = |field: &str| line.replacen('{', &format!("{{{field},"), 1);
        for wrong in [
            String::new(),
            "{}".to_owned(),
            with(r#""rooots":["/"]"#),
            line.replace("\"milliseconds\":null", "\"milliseconds\":\"soon\""),
            line.replace("\"bounds\":null", "\"bounds\":{}"),
            line.replace("\"bounds\":null,", ""),
        ] {
            assert!(CallContext::read(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
