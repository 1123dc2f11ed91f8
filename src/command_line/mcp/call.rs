//! The words by which a server calls itself, once a call.
//!
//! Nobody types them, and they are part of what every call costs: they are read one after the
//! other, without the machinery for people's command lines.

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::str::FromStr;
use std::time::Duration;

use crate::command_line::confinement;
use crate::contract::terms::{Audience, Terms};
use crate::contract::tool::Tool;
use crate::registry::Registry;
use crate::sandbox::confinement::{Bounds, Door};

/// The word that all the others stand behind.
pub const CALL: &str = "--call";

/// Bounds a call's time, in milliseconds.
const WITHIN: &str = "--within";

/// Bounds the answer, in bytes.
const MAX_ANSWER: &str = "--max-answer";

/// The answer is an object for a program.
const STRUCTURED: &str = "--structured";

/// The server wants to hear how the call goes on.
const PROGRESS: &str = "--progress";

/// It was variables, and no flags, that the server was confined by.
const OF_VARIABLES: &str = "--of-variables";

/// A confined call may read the files of long outputs.
const READS_OUTPUTS: &str = "--reads-outputs";

/// The server holds the cache, and is asked over the socket of this number.
const STORE: &str = "--store";

/// No private address is fetched, whoever names it.
const PUBLIC_ONLY: &str = "--public-only";

/// The name of whoever has the token that the call was made with.
const HOLDER: &str = "--holder";

/// One call of a server.
pub struct Call {
    /// By this tool.
    pub tool: &'static Tool,
    /// Confined so, if at all.
    pub bounds: Option<Bounds>,
    /// Beside them, what commands of this server wrote and was too long to be shown may be read.
    pub reads_outputs: bool,
    /// It fetches public addresses alone.
    pub public_only: bool,
    /// Whose call it is, where a server tells its callers apart.
    pub holder: Option<String>,
    /// On these terms.
    pub terms: Terms,
    /// The server wants to hear how it goes on.
    pub progress: bool,
    /// The socket over which the server's cache is asked, where it has one.
    pub store: Option<RawFd>,
}

impl Call {
    /// The words behind `mcp` that ask for this call.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![CALL.into(), self.tool.link.into()];
        if let Some(bounds) = &self.bounds {
            words.extend(confinement::words(bounds));
            if bounds.door == Door::Environment {
                words.push(OF_VARIABLES.into());
            }
        }
        if self.terms.reader == Audience::Program {
            words.push(STRUCTURED.into());
        }
        if let Some(bytes) = self.terms.max_answer {
            words.extend([MAX_ANSWER.into(), bytes.to_string().into()]);
        }
        if let Some(deadline) = self.terms.deadline {
            let milliseconds = deadline.left().as_millis().max(1).to_string();
            words.extend([WITHIN.into(), milliseconds.into()]);
        }
        if self.reads_outputs {
            words.push(READS_OUTPUTS.into());
        }
        if self.progress {
            words.push(PROGRESS.into());
        }
        if let Some(socket) = self.store {
            words.extend([STORE.into(), socket.to_string().into()]);
        }
        if self.public_only {
            words.push(PUBLIC_ONLY.into());
        }
        if let Some(holder) = &self.holder {
            words.extend([HOLDER.into(), holder.into()]);
        }
        words
    }

    /// Reads such words; `None` if they are none. What cannot be understood is never passed over:
    /// it may have been a bound.
    #[must_use]
    pub fn read(tools: Registry, words: &[OsString]) -> Option<Self> {
        let mut words = words.iter().map(OsString::as_os_str);
        if words.next()? != CALL {
            return None;
        }
        let tool = tools.find(words.next()?.to_str()?)?;
        let mut bounds = Bounds::default();
        let (mut reader, mut bytes, mut milliseconds) = (Audience::Model, None, None);
        let (mut reads_outputs, mut progress, mut store) = (false, false, None);
        let (mut public_only, mut holder) = (false, None);
        while let Some(word) = words.next() {
            if confinement::take_word(&mut bounds, word, || words.next()) {
                continue;
            }
            match word.to_str()? {
                OF_VARIABLES => bounds.door = Door::Environment,
                STRUCTURED => reader = Audience::Program,
                MAX_ANSWER => bytes = Some(number(words.next()?)?),
                WITHIN => milliseconds = Some(number(words.next()?)?),
                READS_OUTPUTS => reads_outputs = true,
                PROGRESS => progress = true,
                STORE => store = Some(descriptor(words.next()?)?),
                PUBLIC_ONLY => public_only = true,
                HOLDER => holder = Some(words.next()?.to_str()?.to_owned()),
                _ => return None,
            }
        }
        Some(Self {
            tool,
            bounds: (!bounds.is_nothing()).then(|| bounds.or_environment()),
            reads_outputs,
            public_only,
            holder,
            terms: Terms {
                served: true,
                ..Terms::within(reader, bytes, milliseconds.map(Duration::from_millis))
            },
            progress,
            store,
        })
    }
}

/// The number of a socket, which is none of the standard streams'.
fn descriptor(word: &OsStr) -> Option<RawFd> {
    number(word).filter(|number| *number > 2)
}

fn number<T: FromStr>(word: &OsStr) -> Option<T> {
    word.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::registry::TOOLS;

    #[test]
    fn a_call_is_read_back_as_the_server_meant_it() {
        let odd = OsString::from_vec(b"/a\xff:b --no-network".to_vec());
        let all = Bounds {
            roots: vec!["/".into(), odd],
            readable: vec!["--progress".into()],
            no_network: true,
            ..Bounds::default()
        };
        let by_host = Bounds {
            door: Door::Environment,
            ..all.clone()
        };
        for (tool, bounds, reader, bytes, seconds, progress) in [
            ("bash", None, Audience::Model, Some(11_000), Some(600), true),
            ("grep", Some(all), Audience::Program, None, None, false),
            ("glob", Some(by_host), Audience::Program, None, None, false),
        ] {
            let within = seconds.map(Duration::from_secs);
            let call = Call {
                tool: TOOLS.find(tool).unwrap(),
                bounds: bounds.clone(),
                reads_outputs: progress,
                public_only: progress,
                holder: progress.then(|| "--progress".to_owned()),
                terms: Terms {
                    served: true,
                    ..Terms::within(reader, bytes, within)
                },
                progress,
                store: progress.then_some(7),
            };
            let read = Call::read(TOOLS, &call.words()).unwrap();
            assert_eq!((read.tool.name, read.bounds), (tool, bounds));
            assert!(read.terms.served);
            assert_eq!((read.terms.reader, read.terms.max_answer), (reader, bytes));
            assert_eq!((read.progress, read.reads_outputs), (progress, progress));
            assert_eq!(read.store, progress.then_some(7));
            assert_eq!(read.public_only, progress);
            assert_eq!(read.holder.as_deref(), progress.then_some("--progress"));
            let left = read.terms.deadline.map(|deadline| deadline.whole.as_secs());
            assert!(left == seconds || left == seconds.map(|seconds| seconds - 1));
        }
    }

    #[test]
    fn what_is_not_understood_is_no_call() {
        for words in [
            &[][..],
            &["--call"],
            &["--call", "gerp"],
            &["--call", "grep", "--root"],
            &["--call", "grep", "--rooot", "/"],
            &["--call", "grep", "--within", "soon"],
            &["--call", "grep", "--max-answer"],
            &["--call", "grep", "--store", "x"],
            &["--call", "grep", "--store", "2"],
            &["--call", "grep", "--holder"],
            &["--call", "grep", "x"],
            &["--structured", "--call", "grep"],
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert!(Call::read(TOOLS, &words).is_none(), "{words:?}");
        }
    }
}
