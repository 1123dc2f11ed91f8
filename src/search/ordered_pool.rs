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
pub trait Job: Send + Sized {
    /// Takes off the first part: about as much as is worth a turn. `None`, if nothing is left.
    fn split_off(&mut self) -> Option<Self>;

    /// Says whether nothing is left.
    fn is_over(&self) -> bool;

    /// Says whether the first part may only be begun when all before it is done.
    fn waits_for_all_before(&self) -> bool {
        false
    }
}

/// Who works, on a thread of its own.
pub trait Worker: Send {
    /// What is to be done.
    type Job: Job;
    /// What comes of it. Once it has been handed on, it is used again as it is left then.
    type Output: Default + Send;

    /// Does a part, or the beginning of it. What is left of it, or what was found to be done
    /// directly behind it, comes back.
    fn work(&mut self, part: Self::Job, made: &mut Self::Output) -> Option<Self::Job>;

    /// How many bytes a result holds.
    fn size(made: &Self::Output) -> usize;

    /// Says whether this worker has done so much that there is work for others.
    fn has_done_much(&self) -> bool;
}

/// Does `work`: `hand_on` gets what comes of it, in order, until it breaks off.
///
/// `threads` is asked once, when there is work for more than one, how many there may be; `worker`
/// makes one for each. A thread that the system refuses is done without.
pub fn run<W: Worker, B>(
    work: W::Job,
    threads: impl FnOnce() -> usize,
    mut worker: impl FnMut() -> W,
    mut hand_on: impl FnMut(&mut W::Output) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let shared = SharedQueue::new(work);
    let mut mine = worker();
    let mut threads = Some(threads);
    let mut wanting = 0;
    thread::scope(|scope| {
        let _over = EndOfWork(&shared);
        loop {
            match shared.next_of_first() {
                NextStep::HandOn(all) => shared.hand_on::<W, B>(all, &mut hand_on)?,
                NextStep::Do(taken) => shared.do_part(&mut mine, taken),
                NextStep::Nothing => return ControlFlow::Continue(()),
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
enum NextStep<W, M> {
    HandOn(Vec<M>),
    Do(TakenJob<W, M>),
    Nothing,
}

/// A part that is one thread's.
struct TakenJob<W, M> {
    number: u64,
    part: W,
    /// Where its result goes.
    made: M,
}

/// A place in the line.
enum QueueSlot<W, M> {
    /// Nobody has taken it yet.
    Waiting(W),
    Taken,
    Done(M),
}

struct JobQueue<W, M> {
    /// With a number for each, by which who has taken it finds it again.
    places: VecDeque<(u64, QueueSlot<W, M>)>,
    numbers: u64,
    /// How many places are taken or done.
    taken: usize,
    /// How many bytes the results hold that are done.
    size: usize,
    threads: usize,
    /// How many threads sleep, since there is nothing to take.
    sleeping: usize,
    /// True if the thread that called sleeps, since the first part is not done.
    first_sleeps: bool,
    /// Results that were handed on.
    spare: Vec<M>,
    over: bool,
}

struct SharedQueue<W, M> {
    line: Mutex<JobQueue<W, M>>,
    /// There is something to take, or all is over.
    more: Condvar,
    /// The first part is done, or to be taken.
    first: Condvar,
}

/// Ends the work of all threads when the one that called leaves, and wakes that one when a thread
/// panics.
struct EndOfWork<'a, W, M>(&'a SharedQueue<W, M>);

impl<W, M> Drop for EndOfWork<'_, W, M> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        line.over = true;
        drop(line);
        self.0.more.notify_all();
        self.0.first.notify_all();
    }
}

impl<W: Job, M: Default> JobQueue<W, M> {
    /// Takes the first part that may be begun. Of too many the first one alone may.
    fn take(&mut self) -> Option<TakenJob<W, M>> {
        let full = self.taken >= MOST_TAKEN || self.size >= MOST_WAITING * self.threads;
        let (mut at, mut all_done) = (0, true);
        while let Some((_, place)) = self.places.get_mut(at) {
            match place {
                QueueSlot::Done(_) => {}
                QueueSlot::Waiting(_) if full && at > 0 => return None,
                QueueSlot::Waiting(work) if all_done || !work.waits_for_all_before() => {
                    let part = work.split_off();
                    if work.is_over() {
                        self.places.remove(at);
                    }
                    let Some(part) = part else {
                        continue;
                    };
                    self.numbers += 1;
                    self.taken += 1;
                    let number = self.numbers;
                    self.places.insert(at, (number, QueueSlot::Taken));
                    let made = self.spare.pop().unwrap_or_default();
                    return Some(TakenJob { number, part, made });
                }
                QueueSlot::Taken | QueueSlot::Waiting(_) => all_done = false,
            }
            at += 1;
        }
        None
    }

    /// Says whether anything waits to be taken.
    fn has_more(&self) -> bool {
        let waits = |(_, place): &(u64, QueueSlot<W, M>)| matches!(place, QueueSlot::Waiting(_));
        self.places.iter().any(waits)
    }

    /// Puts what was made of a part in its place, and what is left of it behind that.
    fn put(&mut self, number: u64, made: M, size: usize, left: Option<W>) {
        self.size += size;
        let at = self.places.iter().position(|(other, _)| *other == number);
        let at = at.unwrap_or(self.places.len());
        if let Some((_, place)) = self.places.get_mut(at) {
            *place = QueueSlot::Done(made);
        }
        if let Some(left) = left.filter(|left| !left.is_over()) {
            let behind = self.places.len().min(at + 1);
            self.places.insert(behind, (0, QueueSlot::Waiting(left)));
        }
    }
}

impl<W: Job, M: Default + Send> SharedQueue<W, M> {
    fn new(work: W) -> Self {
        Self {
            line: Mutex::new(JobQueue {
                places: VecDeque::from([(0, QueueSlot::Waiting(work))]),
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

impl<W, M> SharedQueue<W, M> {
    /// The line. It is whole between any two steps, so that a thread that panicked has not broken
    /// it.
    fn line(&self) -> MutexGuard<'_, JobQueue<W, M>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Job, M: Default + Send> SharedQueue<W, M> {
    fn has_more(&self) -> bool {
        self.line().has_more()
    }

    /// What the thread that called has to do next; it waits for it.
    fn next_of_first(&self) -> NextStep<W, M> {
        let mut line = self.line();
        loop {
            let done = |place: Option<&(u64, QueueSlot<W, M>)>| {
                matches!(place, Some((_, QueueSlot::Done(_))))
            };
            if done(line.places.front()) {
                let mut all = Vec::new();
                while done(line.places.front())
                    && let Some((_, QueueSlot::Done(made))) = line.places.pop_front()
                {
                    all.push(made);
                }
                return NextStep::HandOn(all);
            }
            if line.places.is_empty() || line.over {
                return NextStep::Nothing;
            }
            if let Some(taken) = line.take() {
                return NextStep::Do(taken);
            }
            // What had nothing left was put away.
            if !matches!(line.places.front(), Some((_, QueueSlot::Taken))) {
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
    fn hand_on<K: Worker<Job = W, Output = M>, B>(
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
    fn do_part<K: Worker<Job = W, Output = M>>(&self, worker: &mut K, taken: TakenJob<W, M>) {
        let TakenJob {
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
            line.first_sleeps && !matches!(line.places.front(), None | Some((_, QueueSlot::Taken)));
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
    fn join_in<K: Worker<Job = W, Output = M>>(&self, worker: &mut K) {
        let panicked = PanicGuard(self);
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
struct PanicGuard<'a, W, M>(&'a SharedQueue<W, M>);

impl<W, M> Drop for PanicGuard<'_, W, M> {
    fn drop(&mut self) {
        drop(EndOfWork(self.0));
    }
}

#[cfg(test)]
mod tests;
