//! What a command's output says of refusals: by which names, and what was wanted of them.
//!
//! Rules: the messages that programs write, gathered from the programs themselves, run within
//! directories by Landlock (`refused/tests.rs`). Landlock refuses files with EACCES, links and
//! renames across with EXDEV, signals and abstract sockets with EPERM; the filter that takes the
//! network away answers with EACCES. Here nothing is decided yet: that a line speaks of a refusal
//! says nothing about who refused (`cause`).

mod cause;
mod entered;
mod installed;
mod languages;
mod lines;
mod names;
mod wants;

use std::io::{self, Write};

use memchr::memmem;

use crate::sandbox::confinement::audit::{Listener, Mark};
use crate::sandbox::confinement::{self, Confinement};
use crate::sort::Sort;

pub use cause::{Access, Call, Refusal};
use cause::{of_audit, of_output};
pub use installed::{directories as directories_of_program, home, home_of_cargo, of_manager};
use lines::Claim;
#[cfg(test)]
use lines::Want;

/// Who looks out for what a confinement refuses a command: in its output, and where the kernel
/// tells it.
#[derive(Debug)]
pub struct Watch {
    watcher: Watcher,
    listener: Option<Listener>,
}

impl Watch {
    /// Begins to look, before the command is started.
    #[must_use]
    pub fn begin(confinement: &Confinement) -> Self {
        Self {
            watcher: Watcher::new(!confinement.has_network()),
            listener: Listener::open(confinement::abi()),
        }
    }

    /// What the command's first process has to leave its number in, if the kernel is listened to.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.listener.as_ref().map(Listener::mark)
    }

    /// Looks at all that is written into `sink`.
    pub(super) fn beside<'a, W: Write>(&'a mut self, sink: &'a mut W) -> impl Write + 'a {
        Beside { watch: self, sink }
    }

    /// What was refused in the `call`, which is over; the likeliest first.
    #[must_use]
    pub fn refusals(self, call: &Call<'_>) -> Vec<Refusal> {
        let claims = self.watcher.finish();
        let told = of_output(&claims, call);
        let denials = self.listener.map(Listener::denials).unwrap_or_default();
        let heard = of_audit(&denials, !claims.is_empty(), call);
        cause::together(heard, told)
    }
}

struct Beside<'a, W> {
    watch: &'a mut Watch,
    sink: &'a mut W,
}

impl<W: Write> Write for Beside<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.watch.watcher.watch(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// What all lines have that speak of a refusal; the first letter is left out where it may be large
/// or small.
const SIGNS: [&str; 24] = [
    "ermission",
    "EACCES",
    "EPERM",
    "EXDEV",
    "not permitted",
    "ross-device link",
    "ccessDenied",
    "could not be accessed",
    "an't open",
    "ouldn't open",
    "nable to open",
    "find or open",
    "rror while writing",
    "ould not create output",
    "an't list",
    "git repository",
    "fatal: repository",
    "may not be run",
    // Of what a shell could not expand.
    "o such file",
    "o matches found",
    ": not found",
    // npm tells the path on a line of its own.
    "npm error path ",
    "npm ERR! path ",
    "error writing to the directory: ",
];

/// The same of the network, looked for where it was taken away.
const SIGNS_OF_NETWORK: [&str; 9] = [
    "resolve",
    "t connect to",
    "name resolution",
    "EAI_AGAIN",
    "ENOTFOUND",
    "ame or service not known",
    "lookup address",
    "dial tcp",
    "etwork is unreachable",
];

/// The longest line that is looked at, in bytes, and how much of what stood before it: one name as
/// long as any may be, and some words.
const LONGEST: usize = 6 * 1024;

/// How many refusals are kept.
const MOST: usize = 32;

/// Looks for refusals in output as it streams by.
#[derive(Debug)]
pub struct Watcher {
    signs: Vec<memmem::Finder<'static>>,
    offline: bool,
    /// The end of what came: the beginning of a line that is not whole yet, and before it the last
    /// whole ones.
    kept: Vec<u8>,
    claims: Vec<Claim>,
}

impl Watcher {
    /// Looks for those of files, and if the command is `offline`, of the network too.
    #[must_use]
    pub fn new(offline: bool) -> Self {
        let network = SIGNS_OF_NETWORK.iter().filter(|_| offline);
        let signs = SIGNS.iter().chain(network);
        Self {
            signs: signs.map(|sign| memmem::Finder::new(*sign)).collect(),
            offline,
            kept: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Looks at what comes next.
    pub fn watch(&mut self, bytes: &[u8]) {
        if self.claims.len() >= MOST || bytes.is_empty() {
            return;
        }
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at(whole);
        if !lines.is_empty() {
            // The line that began earlier, in one piece.
            let first = memchr::memchr(b'\n', lines).map_or(0, |at| at + 1);
            let (first, others) = lines.split_at(first);
            let began = memchr::memrchr(b'\n', &self.kept).map_or(0, |at| at + 1);
            self.kept
                .extend_from_slice(&first[..first.len().min(LONGEST)]);
            let kept = std::mem::take(&mut self.kept);
            self.look_through(&kept, began);
            self.kept = kept;
            if !others.is_empty() {
                self.look_through_after(others);
                self.keep(others);
            }
        }
        self.keep(rest);
    }

    /// What was found; the last line need not have ended.
    #[must_use]
    pub fn finish(mut self) -> Vec<Claim> {
        let began = memchr::memrchr(b'\n', &self.kept).map_or(0, |at| at + 1);
        let kept = std::mem::take(&mut self.kept);
        self.look_through(&kept, began);
        self.claims
    }

    /// Keeps the end of what came.
    fn keep(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(LONGEST)..];
        let surplus = (self.kept.len() + bytes.len()).saturating_sub(2 * LONGEST);
        self.kept.drain(..surplus.min(self.kept.len()));
        self.kept.extend_from_slice(bytes);
    }

    /// Looks through whole lines that follow on what was kept.
    fn look_through_after(&mut self, lines: &[u8]) {
        // Only the first lines have to do with what was kept; they are looked through with it.
        let near = memchr::memchr_iter(b'\n', lines).nth(lines::FAR_BACK);
        let near = near.map_or(lines.len(), |at| at + 1);
        if near <= LONGEST {
            let mut text = self.kept.clone();
            let began = text.len();
            text.extend_from_slice(&lines[..near]);
            self.look_through(&text, began);
            self.look_through(lines, near);
        } else {
            self.look_through(lines, 0);
        }
    }

    /// Looks through the lines of `text` that begin at `from` or later; what is before is context.
    fn look_through(&mut self, text: &[u8], from: usize) {
        let mut begins: Vec<usize> = Vec::new();
        for sign in &self.signs {
            let found = sign.find_iter(&text[from..]).take(4 * MOST);
            begins.extend(found.map(|at| beginning(text, from + at)));
        }
        begins.arrange();
        begins.dedup();
        for begin in begins {
            let line = &text[begin..];
            let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
            if line.len() > LONGEST {
                continue;
            }
            let before = &text[begin.saturating_sub(LONGEST)..begin];
            for claim in lines::read(line, before, self.offline) {
                if self.claims.len() < MOST && !self.claims.contains(&claim) {
                    self.claims.push(claim);
                }
            }
        }
    }
}

/// Where the line begins that the byte at `at` is in.
fn beginning(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests;
