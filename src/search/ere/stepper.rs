//! Matches one line byte by byte, so that it can stop when its time is over.
//!
//! A call of `regex` cannot be interrupted, and where its automaton would grow too large it looks
//! at every state of the pattern for every byte: a line of 200 KB and a pattern of 100,000
//! characters take minutes. Here the same automata are run step by step: the lazily built DFA, and
//! where that gives up, the NFA that it is built from.

use std::sync::Mutex;
use std::time::Instant;

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::primitives::StateID;
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
    nfa: NFA,
    dfa: Option<DFA>,
    cache: Mutex<Option<Cache>>,
}

/// The reason why a line is undecided.
enum UndecidedReason {
    OutOfTime,
    /// The DFA cannot tell: too many states, or a character beyond ASCII where it asks for words.
    Unfit,
}

impl LineStepper {
    /// Compiles a pattern for whole windows, within `size` bytes.
    pub fn new(pattern: &Hir, size: usize) -> Option<Self> {
        let nfa = Compiler::new()
            .configure(
                Config::new()
                    .utf8(false)
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(size)),
            )
            .build_from_hir(pattern)
            .ok()?;
        let config = DFA::config()
            .unicode_word_boundary(true)
            .cache_capacity(CACHE)
            .minimum_cache_clear_count(Some(CLEARED))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE));
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(nfa.clone())
            .ok();
        Some(Self {
            dfa,
            nfa,
            cache: Mutex::default(),
        })
    }

    /// True if the line, which holds no line feed, matches; `None` if `end` came first.
    pub fn is_match(&self, line: &[u8], end: Instant) -> Option<bool> {
        match self.by_dfa(line, end) {
            Ok(verdict) => Some(verdict),
            Err(UndecidedReason::OutOfTime) => None,
            Err(UndecidedReason::Unfit) => self.by_nfa(line, end),
        }
    }

    fn by_dfa(&self, line: &[u8], end: Instant) -> Result<bool, UndecidedReason> {
        let dfa = self.dfa.as_ref().ok_or(UndecidedReason::Unfit)?;
        let mut cache = lock(&self.cache);
        let cache = cache.get_or_insert_with(|| dfa.create_cache());
        // A new state of the DFA costs as much as the NFA has states: so the larger the NFA, the
        // fewer bytes are looked at between two looks at the clock.
        let piece = (UNWATCHED / self.nfa.states().len().max(1)).max(16);
        let mut state = dfa
            .start_state_forward(cache, &Input::new(line))
            .map_err(|_| UndecidedReason::Unfit)?;
        cache.search_start(0);
        let mut at = 0;
        for piece in line.chunks(piece) {
            if Instant::now() > end {
                return Err(UndecidedReason::OutOfTime);
            }
            for byte in piece {
                state = dfa
                    .next_state(cache, state, *byte)
                    .map_err(|_| UndecidedReason::Unfit)?;
                if state.is_tagged() {
                    if state.is_match() {
                        return Ok(true);
                    }
                    if state.is_dead() {
                        return Ok(false);
                    }
                    if state.is_quit() {
                        return Err(UndecidedReason::Unfit);
                    }
                }
            }
            at += piece.len();
            cache.search_update(at);
        }
        cache.search_finish(at);
        let last = dfa
            .next_eoi_state(cache, state)
            .map_err(|_| UndecidedReason::Unfit)?;
        Ok(last.is_match())
    }

    pub(super) fn by_nfa(&self, line: &[u8], end: Instant) -> Option<bool> {
        let mut walk = NfaWalk {
            nfa: &self.nfa,
            line,
            seen: vec![0; self.nfa.states().len()],
            round: 0,
            next: Vec::new(),
            waiting: Vec::new(),
            steps: 0,
        };
        let mut now = Vec::new();
        if walk.enter(self.nfa.start_unanchored(), 0) {
            return Some(true);
        }
        for (at, byte) in line.iter().enumerate() {
            std::mem::swap(&mut now, &mut walk.next);
            walk.round += 1;
            walk.next.clear();
            walk.steps += now.len();
            for &state in &now {
                if let Some(next) = step(self.nfa.state(state), *byte)
                    && walk.enter(next, at + 1)
                {
                    return Some(true);
                }
            }
            if walk.next.is_empty() {
                return Some(false);
            }
            if walk.steps > UNWATCHED {
                walk.steps = 0;
                if Instant::now() > end {
                    return None;
                }
            }
        }
        Some(false)
    }
}

/// Returns the state that this byte leads to.
fn step(state: &State, byte: u8) -> Option<StateID> {
    match state {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(sparse) => sparse.matches_byte(byte),
        State::Dense(dense) => dense.matches_byte(byte),
        _ => None,
    }
}

/// The states that are active at one position in the line.
struct NfaWalk<'a> {
    nfa: &'a NFA,
    line: &'a [u8],
    /// The round, from 1, in which each state was last entered.
    seen: Vec<usize>,
    round: usize,
    next: Vec<StateID>,
    waiting: Vec<StateID>,
    /// The number of states that were looked at since the last look at the clock.
    steps: usize,
}

impl NfaWalk<'_> {
    /// Adds `state` and all that it leads to without a byte; true if that is a match.
    fn enter(&mut self, state: StateID, at: usize) -> bool {
        self.waiting.push(state);
        while let Some(state) = self.waiting.pop() {
            self.steps += 1;
            let seen = &mut self.seen[state.as_usize()];
            if *seen == self.round + 1 {
                continue;
            }
            *seen = self.round + 1;
            match self.nfa.state(state) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                    self.next.push(state);
                }
                State::Look { look, next } => {
                    if self.nfa.look_matcher().matches(*look, self.line, at) {
                        self.waiting.push(*next);
                    }
                }
                State::Union { alternates } => self.waiting.extend_from_slice(alternates),
                State::BinaryUnion { alt1, alt2 } => self.waiting.extend([*alt1, *alt2]),
                State::Capture { next, .. } => self.waiting.push(*next),
                State::Fail => {}
                State::Match { .. } => return true,
            }
        }
        false
    }
}
