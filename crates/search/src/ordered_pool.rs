//! Work on several threads whose results come in order.
//!
//! The work is a queue of parts. A thread takes the first part that is free; the rest of it, and
//! the work found in it, is queued directly after. The calling thread hands the results on, the
//! first one first, and works itself meanwhile. So the threads stay close together, and the results
//! that wait are bounded, however much there is to do.
//!
//! It begins on one thread. Further ones join one by one, once so much was done that they pay.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use iki_base::mutex::lock;

/// Maximum number of parts, done or not, that are taken and not yet handed on.
const MAX_PARTS_TAKEN: usize = 128;
/// The bytes of waiting results, for each thread, from which on no further part is begun.
const MAX_WAITING_BYTES_PER_THREAD: usize = 2 << 20;
/// The stack of a thread, in bytes. It is small because no search recurses.
const THREAD_STACK_BYTES: usize = 1 << 20;

/// Work that consists of parts, one after the other.
pub trait OrderedJob: Send + Sized {
    /// Takes off the first part: about as much as is worth a turn. `None`, if nothing is left.
    fn split_off(&mut self) -> Option<Self>;

    /// True if nothing is left.
    fn is_over(&self) -> bool;

    /// True if the first part may only be begun when all before it is done.
    fn waits_for_all_before(&self) -> bool {
        false
    }
}

/// Does parts of the work, on a thread of its own.
pub trait OrderedWorker: Send {
    /// The work.
    type Job: OrderedJob;
    /// The result. It is used again once it has been handed on, as it is left then.
    type Output: Default + Send;

    /// Does a part, or the beginning of it. Returns the rest of it, or the work that was found
    /// directly after it.
    fn work(&mut self, part: Self::Job, made: &mut Self::Output) -> Option<Self::Job>;

    /// Returns the bytes that a result holds.
    fn size(made: &Self::Output) -> usize;

    /// True if this worker has done so much that there is work for others.
    fn has_done_much(&self) -> bool;
}

/// Does `work`: `hand_on` gets the results, in order, until it breaks off.
///
/// `threads` returns the most threads; it is called once, when there is work for more than one.
/// `worker` makes the worker of each. The pool does without a thread that the system refuses.
pub fn run<W: OrderedWorker, B>(
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
                let limit = threads.take().map_or(1, |threads| threads());
                wanting = limit.saturating_sub(1);
                lock(&shared.line).threads = limit.max(1);
            }
            if wanting > 0 && shared.has_more() {
                wanting -= 1;
                let (shared, mut other) = (&shared, worker());
                let thread = thread::Builder::new().stack_size(THREAD_STACK_BYTES);
                let begun = thread.spawn_scoped(scope, move || shared.join_in(&mut other));
                if begun.is_err() {
                    wanting = 0;
                }
            }
        }
    })
}

/// The next step of the calling thread.
enum NextStep<W, M> {
    HandOn(Vec<M>),
    Do(TakenJob<W, M>),
    Nothing,
}

/// A part that a thread has taken.
struct TakenJob<W, M> {
    number: u64,
    part: W,
    /// An empty result, to be filled.
    made: M,
}

/// A place in the queue.
enum QueueSlot<W, M> {
    /// No thread has taken it yet.
    Waiting(W),
    Taken,
    Done(M),
}

struct JobQueue<W, M> {
    /// Each with a number, by which the thread that has taken it finds it again.
    places: VecDeque<(u64, QueueSlot<W, M>)>,
    numbers: u64,
    /// The number of places that are taken or done.
    taken: usize,
    /// The bytes that finished results hold.
    size: usize,
    threads: usize,
    /// The number of threads that sleep because there is nothing to take.
    sleeping: usize,
    /// True if the calling thread sleeps because the first part is not done.
    first_sleeps: bool,
    /// Results that were handed on.
    spare: Vec<M>,
    is_over: bool,
}

struct SharedQueue<W, M> {
    line: Mutex<JobQueue<W, M>>,
    /// There is something to take, or all is over.
    more: Condvar,
    /// The first part is done, or to be taken.
    first: Condvar,
}

/// Ends the work of all threads when the calling one leaves, and wakes that one when a thread
/// panics.
struct EndOfWork<'a, W, M>(&'a SharedQueue<W, M>);

impl<W, M> Drop for EndOfWork<'_, W, M> {
    fn drop(&mut self) {
        let mut line = lock(&self.0.line);
        line.is_over = true;
        drop(line);
        self.0.more.notify_all();
        self.0.first.notify_all();
    }
}

impl<W: OrderedJob, M: Default> JobQueue<W, M> {
    /// Takes the first part that may be begun: where too many are taken, only the very first.
    fn take_part(&mut self) -> Option<TakenJob<W, M>> {
        let full = self.taken >= MAX_PARTS_TAKEN
            || self.size >= MAX_WAITING_BYTES_PER_THREAD * self.threads;
        let (mut index, mut all_done) = (0, true);
        while let Some((_, place)) = self.places.get_mut(index) {
            match place {
                QueueSlot::Done(_) => {}
                QueueSlot::Waiting(_) if full && index > 0 => return None,
                QueueSlot::Waiting(work) if all_done || !work.waits_for_all_before() => {
                    let part = work.split_off();
                    if work.is_over() {
                        self.places.remove(index);
                    }
                    let Some(part) = part else {
                        continue;
                    };
                    self.numbers += 1;
                    self.taken += 1;
                    let number = self.numbers;
                    self.places.insert(index, (number, QueueSlot::Taken));
                    let made = self.spare.pop().unwrap_or_default();
                    return Some(TakenJob { number, part, made });
                }
                QueueSlot::Taken | QueueSlot::Waiting(_) => all_done = false,
            }
            index += 1;
        }
        None
    }

    /// True if anything waits to be taken.
    fn has_more(&self) -> bool {
        let waits = |(_, place): &(u64, QueueSlot<W, M>)| matches!(place, QueueSlot::Waiting(_));
        self.places.iter().any(waits)
    }

    /// Puts the result of a part in its place, and the rest of the part after that.
    fn put_result(&mut self, number: u64, made: M, size: usize, left: Option<W>) {
        self.size += size;
        let index = self.places.iter().position(|(other, _)| *other == number);
        let index = index.unwrap_or(self.places.len());
        if let Some((_, place)) = self.places.get_mut(index) {
            *place = QueueSlot::Done(made);
        }
        if let Some(left) = left.filter(|left| !left.is_over()) {
            let behind = self.places.len().min(index + 1);
            self.places.insert(behind, (0, QueueSlot::Waiting(left)));
        }
    }
}

impl<W: OrderedJob, M: Default + Send> SharedQueue<W, M> {
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
                is_over: false,
            }),
            more: Condvar::new(),
            first: Condvar::new(),
        }
    }

    fn has_more(&self) -> bool {
        lock(&self.line).has_more()
    }

    /// Waits for the next step of the calling thread.
    fn next_of_first(&self) -> NextStep<W, M> {
        let mut line = lock(&self.line);
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
            if line.places.is_empty() || line.is_over {
                return NextStep::Nothing;
            }
            if let Some(taken) = line.take_part() {
                return NextStep::Do(taken);
            }
            // `take_part` has removed work that had nothing left.
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
    fn hand_on<K: OrderedWorker<Job = W, Output = M>, B>(
        &self,
        mut all: Vec<M>,
        hand_on: &mut impl FnMut(&mut M) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut size = 0;
        for made in &mut all {
            size += K::size(made);
            hand_on(made)?;
        }
        let mut line = lock(&self.line);
        line.taken -= all.len();
        line.size -= size;
        let spare = 2 * line.threads;
        let room = spare.saturating_sub(line.spare.len());
        line.spare.extend(all.into_iter().take(room));
        let roomy = line.taken <= MAX_PARTS_TAKEN / 2
            && line.size <= MAX_WAITING_BYTES_PER_THREAD * line.threads / 2;
        let wake = line.sleeping > 0 && roomy && line.has_more();
        drop(line);
        if wake {
            self.more.notify_all();
        }
        ControlFlow::Continue(())
    }

    /// Does a part and puts its result into the queue.
    fn do_part<K: OrderedWorker<Job = W, Output = M>>(
        &self,
        worker: &mut K,
        taken: TakenJob<W, M>,
    ) {
        let TakenJob {
            number,
            part,
            mut made,
        } = taken;
        let left = worker.work(part, &mut made);
        let more = left.is_some();
        let size = K::size(&made);
        let mut line = lock(&self.line);
        line.put_result(number, made, size, left);
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
    fn join_in<K: OrderedWorker<Job = W, Output = M>>(&self, worker: &mut K) {
        // Where it panics, its part is never done, and no other thread is to wait for it.
        let panicked = EndOfWork(self);
        loop {
            let mut line = lock(&self.line);
            let taken = loop {
                if line.is_over {
                    std::mem::forget(panicked);
                    return;
                }
                if let Some(taken) = line.take_part() {
                    break taken;
                }
                line.sleeping += 1;
                line = self.more.wait(line).unwrap_or_else(PoisonError::into_inner);
                line.sleeping -= 1;
            };
            // Each thread that was woken wakes the next one.
            let wake_one = line.sleeping > 0 && line.has_more();
            drop(line);
            if wake_one {
                self.more.notify_one();
            }
            self.do_part(worker, taken);
        }
    }
}

#[cfg(test)]
mod tests;
