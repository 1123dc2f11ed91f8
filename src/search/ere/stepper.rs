//! Matches one line piece by piece, so that it can stop when its time is over.
//!
//! A call of `regex` cannot be interrupted, and where its automaton would grow too large it looks
//! at every state of the pattern for every byte: a line of 200 KB and a pattern of 100,000
//! characters take minutes. Here the lazily built DFA is run step by step.

use std::sync::Mutex;
use std::time::Instant;

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config, WhichCaptures};
use regex_syntax::hir::Hir;

use crate::basics::mutex::lock;

/// The most memory that the states of the DFA may take, in bytes.
const CACHE: usize = 16 << 20;

/// The DFA gives up where it makes less progress than this many bytes of the line for each new
/// state, once its states have been thrown away this often.
const BYTES_PER_STATE: usize = 10;
const CLEARED: usize = 3;

/// The number of states that are looked at between two looks at the clock.
const UNWATCHED: usize = 1 << 20;

/// A pattern that is matched step by step.
#[derive(Debug)]
pub(super) struct LineStepper {
    dfa: DFA,
    cache: Mutex<Option<Cache>>,
    /// The number of bytes between two looks at the clock. A new state of the DFA costs as much as
    /// the pattern has states.
    piece: usize,
}

/// The result of a line that was stepped through.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SteppedLine {
    /// True if it matches.
    Decided(bool),
    OutOfTime,
    /// The DFA cannot tell: too many states, or a character beyond ASCII where it asks for words.
    Unfit,
}

impl LineStepper {
    /// Compiles a pattern for whole windows, within `size` bytes.
    pub fn new(pattern: &Hir, size: usize) -> Option<Self> {
        let nfa = Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(size));
        let nfa = Compiler::new().configure(nfa).build_from_hir(pattern);
        let nfa = nfa.ok()?;
        let piece = (UNWATCHED / nfa.states().len().max(1)).max(16);
        let config = DFA::config()
            .unicode_word_boundary(true)
            .cache_capacity(CACHE)
            .minimum_cache_clear_count(Some(CLEARED))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa);
        Some(Self {
            dfa: dfa.ok()?,
            cache: Mutex::default(),
            piece,
        })
    }

    /// Steps through a line, which holds no line feed, until `end`.
    pub fn step_through(&self, line: &[u8], end: Instant) -> SteppedLine {
        self.step(line, end).unwrap_or(SteppedLine::Unfit)
    }

    fn step(&self, line: &[u8], end: Instant) -> Option<SteppedLine> {
        let dfa = &self.dfa;
        let mut cache = lock(&self.cache);
        let cache = cache.get_or_insert_with(|| dfa.create_cache());
        let mut state = dfa.start_state_forward(cache, &Input::new(line)).ok()?;
        cache.search_start(0);
        let mut at = 0;
        for piece in line.chunks(self.piece) {
            if Instant::now() > end {
                return Some(SteppedLine::OutOfTime);
            }
            for byte in piece {
                state = dfa.next_state(cache, state, *byte).ok()?;
                if state.is_tagged() {
                    if state.is_match() || state.is_dead() {
                        return Some(SteppedLine::Decided(state.is_match()));
                    }
                    if state.is_quit() {
                        return None;
                    }
                }
            }
            at += piece.len();
            cache.search_update(at);
        }
        cache.search_finish(at);
        let last = dfa.next_eoi_state(cache, state).ok()?;
        Some(SteppedLine::Decided(last.is_match()))
    }
}
