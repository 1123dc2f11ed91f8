//! Work on several threads whose results come in order.
//!
//! What is to be done stands in a line. A thread takes the first part that nobody has taken, and
//! what it leaves or finds to be done comes directly behind that part. The thread that called hands
//! the results on, the first one first, and works itself meanwhile. So the threads stay close
//! together, and what waits for its turn is bounded, however much there is to do.
//!
//! It begins on one thread. Further ones join one by one, once so much was done that they pay.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many parts are taken at once, done or not, that have not been handed on.
const MOST_TAKEN: usize = 128;
/// How many bytes of results wait to be handed on before nothing more is begun, for each thread.
const MOST_WAITING: usize = 2 << 20;
/// The stack of a thread, in bytes: none of what searches recurses.
const STACK: usize = 1 << 20;

/// Something to be done that consists of parts, one after the other.
pub trait Work: Send + Sized {
    /// Takes off the first part: about as much as is worth a turn. `None`, if nothing is left.
    fn take_part(&mut self) -> Option<Self>;

    /// Whether nothing is left.
    fn is_over(&self) -> bool;

    /// Whether the first part may only be begun when all before it is done.
    fn waits_for_all_before(&self) -> bool {
        false
    }
}

/// Who works, on a thread of its own.
pub trait Worker: Send {
    /// What is to be done.
    type Work: Work;
    /// What comes of it. Once it has been handed on, it is used again as it is left then.
    type Made: Default + Send;

    /// Does a part, or the beginning of it. What is left of it, or what was found to be done
    /// directly behind it, comes back.
    fn work(&mut self, part: Self::Work, made: &mut Self::Made) -> Option<Self::Work>;

    /// How many bytes a result holds.
    fn size(made: &Self::Made) -> usize;

    /// Whether this worker has done so much that there is work for others.
    fn has_done_much(&self) -> bool;
}

/// Does `work`: `hand_on` gets what comes of it, in order, until it breaks off.
///
/// `threads` is asked once, when there is work for more than one, how many there may be; `worker`
/// makes one for each. A thread that the system refuses is done without.
pub fn run<W: Worker, B>(
    work: W::Work,
    threads: impl FnOnce() -> usize,
    mut worker: impl FnMut() -> W,
    mut hand_on: impl FnMut(&mut W::Made) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let shared = Shared::new(work);
    let mut mine = worker();
    let mut threads = Some(threads);
    let mut wanting = 0;
    thread::scope(|scope| {
        let _over = Over(&shared);
        loop {
            match shared.next_of_first() {
                Next::HandOn(all) => shared.hand_on::<W, B>(all, &mut hand_on)?,
                Next::Do(taken) => shared.do_part(&mut mine, taken),
                Next::Nothing => return ControlFlow::Continue(()),
            }
            if wanting == 0 && threads.is_some() && mine.has_done_much() && shared.has_more() {
                let most = threads.take().map_or(1, |threads| threads());
                wanting = most.saturating_sub(1);
                shared.line().threads = most.max(1);
            }
            if wanting > 0 && shared.has_more() {
                wanting -= 1;
                let (shared, mut other) = (&shared, worker());
                let thread = thread::Builder::new().stack_size(STACK);
                let begun = thread.spawn_scoped(scope, move || shared.join_in(&mut other));
                if begun.is_err() {
                    wanting = 0;
                }
            }
        }
    })
}

/// What the thread that called has to do next.
enum Next<W, M> {
    HandOn(Vec<M>),
    Do(Taken<W, M>),
    Nothing,
}

/// A part that is one thread's.
struct Taken<W, M> {
    number: u64,
    part: W,
    /// Where its result goes.
    made: M,
}

/// A place in the line.
enum Place<W, M> {
    /// Nobody has taken it yet.
    Waiting(W),
    Taken,
    Done(M),
}

struct Line<W, M> {
    /// With a number for each, by which who has taken it finds it again.
    places: VecDeque<(u64, Place<W, M>)>,
    numbers: u64,
    /// How many places are taken or done.
    taken: usize,
    /// How many bytes the results hold that are done.
    size: usize,
    threads: usize,
    /// How many threads sleep, since there is nothing to take.
    sleeping: usize,
    /// Whether the thread that called sleeps, since the first part is not done.
    first_sleeps: bool,
    /// Results that were handed on.
    spare: Vec<M>,
    over: bool,
}

struct Shared<W, M> {
    line: Mutex<Line<W, M>>,
    /// There is something to take, or all is over.
    more: Condvar,
    /// The first part is done, or to be taken.
    first: Condvar,
}

/// Ends the work of all threads when the one that called leaves, and wakes that one when a thread
/// panics.
struct Over<'a, W, M>(&'a Shared<W, M>);

impl<W, M> Drop for Over<'_, W, M> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        line.over = true;
        drop(line);
        self.0.more.notify_all();
        self.0.first.notify_all();
    }
}

impl<W: Work, M: Default> Line<W, M> {
    /// Takes the first part that may be begun. Of too many the first one alone may.
    fn take(&mut self) -> Option<Taken<W, M>> {
        let full = self.taken >= MOST_TAKEN || self.size >= MOST_WAITING * self.threads;
        let (mut at, mut all_done) = (0, true);
        while let Some((_, place)) = self.places.get_mut(at) {
            match place {
                Place::Done(_) => {}
                Place::Waiting(_) if full && at > 0 => return None,
                Place::Waiting(work) if all_done || !work.waits_for_all_before() => {
                    let part = work.take_part();
                    if work.is_over() {
                        self.places.remove(at);
                    }
                    let Some(part) = part else {
                        continue;
                    };
                    self.numbers += 1;
                    self.taken += 1;
                    let number = self.numbers;
                    self.places.insert(at, (number, Place::Taken));
                    let made = self.spare.pop().unwrap_or_default();
                    return Some(Taken { number, part, made });
                }
                Place::Taken | Place::Waiting(_) => all_done = false,
            }
            at += 1;
        }
        None
    }

    /// Whether anything waits to be taken.
    fn has_more(&self) -> bool {
        let waits = |(_, place): &(u64, Place<W, M>)| matches!(place, Place::Waiting(_));
        self.places.iter().any(waits)
    }

    /// Puts what was made of a part in its place, and what is left of it behind that.
    fn put(&mut self, number: u64, made: M, size: usize, left: Option<W>) {
        self.size += size;
        let at = self.places.iter().position(|(other, _)| *other == number);
        let at = at.unwrap_or(self.places.len());
        if let Some((_, place)) = self.places.get_mut(at) {
            *place = Place::Done(made);
        }
        if let Some(left) = left.filter(|left| !left.is_over()) {
            let behind = self.places.len().min(at + 1);
            self.places.insert(behind, (0, Place::Waiting(left)));
        }
    }
}

impl<W: Work, M: Default + Send> Shared<W, M> {
    fn new(work: W) -> Self {
        Self {
            line: Mutex::new(Line {
                places: VecDeque::from([(0, Place::Waiting(work))]),
                numbers: 0,
                taken: 0,
                size: 0,
                threads: 1,
                sleeping: 0,
                first_sleeps: false,
                spare: Vec::new(),
                over: false,
            }),
            more: Condvar::new(),
            first: Condvar::new(),
        }
    }
}

impl<W, M> Shared<W, M> {
    /// The line. It is whole between any two steps, so that a thread that panicked has not broken
    /// it.
    fn line(&self) -> MutexGuard<'_, Line<W, M>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Work, M: Default + Send> Shared<W, M> {
    fn has_more(&self) -> bool {
        self.line().has_more()
    }

    /// What the thread that called has to do next; it waits for it.
    fn next_of_first(&self) -> Next<W, M> {
        let mut line = self.line();
        loop {
            let done =
                |place: Option<&(u64, Place<W, M>)>| matches!(place, Some((_, Place::Done(_))));
            if done(line.places.front()) {
                let mut all = Vec::new();
                while done(line.places.front())
                    && let Some((_, Place::Done(made))) = line.places.pop_front()
                {
                    all.push(made);
                }
                return Next::HandOn(all);
            }
            if line.places.is_empty() || line.over {
                return Next::Nothing;
            }
            if let Some(taken) = line.take() {
                return Next::Do(taken);
            }
            // What had nothing left was put away.
            if !matches!(line.places.front(), Some((_, Place::Taken))) {
                continue;
            }
            line.first_sleeps = true;
            line = self
                .first
                .wait(line)
                .unwrap_or_else(PoisonError::into_inner);
            line.first_sleeps = false;
        }
    }

    /// Hands results on, and makes room for as many.
    fn hand_on<K: Worker<Work = W, Made = M>, B>(
        &self,
        mut all: Vec<M>,
        hand_on: &mut impl FnMut(&mut M) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut size = 0;
        for made in &mut all {
            size += K::size(made);
            hand_on(made)?;
        }
        let mut line = self.line();
        line.taken -= all.len();
        line.size -= size;
        let spare = 2 * line.threads;
        let room = spare.saturating_sub(line.spare.len());
        line.spare.extend(all.into_iter().take(room));
        let roomy = line.taken <= MOST_TAKEN / 2 && line.size <= MOST_WAITING * line.threads / 2;
        let wake = line.sleeping > 0 && roomy && line.has_more();
        drop(line);
        if wake {
            self.more.notify_all();
        }
        ControlFlow::Continue(())
    }

    /// Does a part and puts down what came of it.
    fn do_part<K: Worker<Work = W, Made = M>>(&self, worker: &mut K, taken: Taken<W, M>) {
        let Taken {
            number,
            part,
            mut made,
        } = taken;
        let left = worker.work(part, &mut made);
        let more = left.is_some();
        let size = K::size(&made);
        let mut line = self.line();
        line.put(number, made, size, left);
        let wake_first =
            line.first_sleeps && !matches!(line.places.front(), None | Some((_, Place::Taken)));
        let wake_one = more && line.sleeping > 0;
        drop(line);
        if wake_first {
            self.first.notify_one();
        }
        if wake_one {
            self.more.notify_one();
        }
    }

    /// Works on a further thread until all is over.
    fn join_in<K: Worker<Work = W, Made = M>>(&self, worker: &mut K) {
        let panicked = Panicked(self);
        loop {
            let mut line = self.line();
            let taken = loop {
                if line.over {
                    std::mem::forget(panicked);
                    return;
                }
                if let Some(taken) = line.take() {
                    break taken;
                }
                line.sleeping += 1;
                line = self.more.wait(line).unwrap_or_else(PoisonError::into_inner);
                line.sleeping -= 1;
            };
            // Whoever was woken wakes the next one.
            let wake_one = line.sleeping > 0 && line.has_more();
            drop(line);
            if wake_one {
                self.more.notify_one();
            }
            self.do_part(worker, taken);
        }
    }
}

/// Dropped where a thread panics: then what it had taken is never done, and nobody is to wait for
/// it.
struct Panicked<'a, W, M>(&'a Shared<W, M>);

impl<W, M> Drop for Panicked<'_, W, M> {
    fn drop(&mut self) {
        drop(Over(self.0));
    }
}

#[cfg(test)]
mod tests;
