//! Patterns that ask for nothing but a long run of one set of characters: `a{5000}`, `.{2000,}`.
//!
//! As an automaton such a pattern has a state for each number of characters. Here a pattern of one
//! character finds the runs, and their lengths are compared.

use regex_automata::Input;
use regex_automata::meta::Regex;

use super::PatternError;
use super::ast::PatternNode;
use super::cost::check_size;
use super::hir::{hir, repeat};
use super::search::{MAX_COMPILED_BYTES, build};

/// The shortest run, in characters, that is found this way; `regex` finds shorter ones as quickly.
const MIN_RUN_CHARS: u32 = 1000;

/// A pattern for runs.
#[derive(Clone, Debug)]
pub(super) struct RunSearch {
    run: Regex,
    /// The length of the run, in characters.
    count: usize,
}

impl RunSearch {
    /// Compiles a simplified pattern; `None` if it asks for anything but one run.
    pub fn compile(node: &PatternNode) -> Option<Result<Self, PatternError>> {
        let PatternNode::Repeat { node, min, .. } = node else {
            return None;
        };
        let count = *min as usize;
        let one = match &**node {
            PatternNode::Set(_) | PatternNode::Dot => true,
            PatternNode::Literal { text, .. } => text.chars().nth(1).is_none(),
            _ => false,
        };
        if !one || *min < MIN_RUN_CHARS || count > MAX_COMPILED_BYTES / 64 {
            return None;
        }
        let compiled = check_size(node).and_then(|()| {
            let run = build(&repeat(hir(node), 1, None))?;
            Ok(Self { run, count })
        });
        Some(compiled)
    }

    /// As `RegexMatcher::find_line`.
    pub fn find_run(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let input = Input::new(window).span(from..window.len());
            let run = self.run.find(input)?.range();
            // A character has four bytes at most, and one at least.
            if run.len() >= self.count
                && (run.len() / 4 >= self.count
                    || bytecount::num_chars(&window[run.clone()]) >= self.count)
            {
                return Some(run.start);
            }
            from = run.end;
        }
        None
    }
}
