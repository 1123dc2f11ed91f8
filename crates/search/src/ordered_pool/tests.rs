use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// Numbers to be handed on, and numbers that come of numbers.
#[derive(Clone, Debug)]
enum Task {
    Say(u32),
    /// More is found to be done.
    More(Vec<Task>),
    /// As long as it takes.
    Slow(u32),
    /// Only when all before is done.
    Wait(u32),
}

/// The last one comes first.
struct Tasks(Vec<Task>);

impl OrderedJob for Tasks {
    fn split_off(&mut self) -> Option<Self> {
        self.0.pop().map(|task| Self(vec![task]))
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    fn waits_for_all_before(&self) -> bool {
        matches!(self.0.last(), Some(Task::Wait(_)))
    }
}

struct Sayer<'a> {
    /// The count of numbers that were said.
    result_count: &'a AtomicUsize,
}

impl OrderedWorker for Sayer<'_> {
    type Job = Tasks;
    type Output = Vec<u32>;

    fn work(&mut self, mut part: Tasks, made: &mut Vec<u32>) -> Option<Tasks> {
        assert!(made.is_empty());
        let task = part.0.pop()?;
        match task {
            Task::Say(number) | Task::Wait(number) => made.push(number),
            Task::Slow(number) => {
                thread::sleep(Duration::from_micros(300));
                made.push(number);
            }
            Task::More(mut tasks) => {
                tasks.reverse();
                return Some(Tasks(tasks));
            }
        }
        self.result_count.fetch_add(1, Ordering::SeqCst);
        None
    }

    fn size(made: &Vec<u32>) -> usize {
        4 * made.len()
    }

    fn has_done_much(&self) -> bool {
        true
    }
}

/// All numbers in order.
fn ordered_pool(tasks: &[Task], all: &mut Vec<u32>) {
    for task in tasks {
        match task {
            Task::Say(number) | Task::Slow(number) | Task::Wait(number) => all.push(*number),
            Task::More(tasks) => ordered_pool(tasks, all),
        }
    }
}

fn handed_on(tasks: &[Task], threads: usize, limit: usize) -> Vec<u32> {
    let result_count = AtomicUsize::new(0);
    let mut all = Vec::new();
    let mut tasks = tasks.to_vec();
    tasks.reverse();
    let flow = run(
        Tasks(tasks),
        || threads,
        || Sayer {
            result_count: &result_count,
        },
        |made: &mut Vec<u32>| {
            all.append(made);
            if all.len() >= limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert_eq!(flow.is_break(), all.len() >= limit);
    all
}

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let leaf = prop_oneof![
        10 => any::<u32>().prop_map(Task::Say),
        1 => any::<u32>().prop_map(Task::Slow),
        1 => any::<u32>().prop_map(Task::Wait),
    ];
    let task = leaf.prop_recursive(6, 400, 20, |inner| {
        prop::collection::vec(inner, 0..20).prop_map(Task::More)
    });
    prop::collection::vec(task, 0..20)
}

proptest! {
    #[test]
    fn what_comes_of_work_is_handed_on_in_its_order(tasks in tasks(), threads in 1_usize..9) {
        let mut expected = Vec::new();
        ordered_pool(&tasks, &mut expected);
        prop_assert_eq!(handed_on(&tasks, threads, usize::MAX), expected);
    }

    #[test]
    fn whoever_has_enough_gets_no_more(
        tasks in tasks(), threads in 1_usize..9, limit in 1_usize..50,
    ) {
        let mut expected = Vec::new();
        ordered_pool(&tasks, &mut expected);
        expected.truncate(limit);
        prop_assert_eq!(handed_on(&tasks, threads, limit), expected);
    }
}

#[test]
fn what_waits_to_be_handed_on_is_bounded() {
    let result_count = AtomicUsize::new(0);
    let tasks = Tasks((0..10_000).rev().map(Task::Say).collect());
    let mut handed_on = 0;
    let flow = run(
        tasks,
        || 4,
        || Sayer {
            result_count: &result_count,
        },
        |made: &mut Vec<u32>| {
            handed_on += made.len();
            made.clear();
            thread::sleep(Duration::from_micros(20));
            let ahead = result_count.load(Ordering::SeqCst) - handed_on;
            assert!(ahead <= MAX_PARTS_TAKEN, "{ahead}");
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!((flow, handed_on), (ControlFlow::Continue(()), 10_000));
}

#[test]
fn what_waits_for_all_before_finds_all_of_it_done() {
    // Slow ones, then one that waits, then many that do not.
    struct Watcher<'a>(&'a AtomicUsize);
    impl OrderedWorker for Watcher<'_> {
        type Job = Tasks;
        type Output = Vec<u32>;

        fn work(&mut self, mut part: Tasks, made: &mut Vec<u32>) -> Option<Tasks> {
            match part.0.pop()? {
                Task::Slow(number) => {
                    thread::sleep(Duration::from_millis(2));
                    self.0.fetch_add(1, Ordering::SeqCst);
                    made.push(number);
                }
                Task::Wait(slow) => {
                    // More than that may be done by others meanwhile.
                    assert!(self.0.load(Ordering::SeqCst) >= slow as usize);
                    made.push(slow);
                }
                Task::Say(number) => made.push(number),
                Task::More(_) => {}
            }
            None
        }

        fn size(_: &Vec<u32>) -> usize {
            0
        }

        fn has_done_much(&self) -> bool {
            true
        }
    }
    let slow = AtomicUsize::new(0);
    let mut tasks = Vec::new();
    for round in 1..=5 {
        tasks.extend((0..8).map(Task::Slow));
        tasks.push(Task::Wait(8 * round));
        tasks.extend((0..20).map(Task::Say));
    }
    tasks.reverse();
    let mut count = 0;
    let _ = run(
        Tasks(tasks),
        || 4,
        || Watcher(&slow),
        |made: &mut Vec<u32>| {
            count += made.len();
            made.clear();
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(count, 5 * 29);
}

#[test]
fn a_thread_that_panics_is_not_waited_for() {
    struct Fails(bool);
    impl OrderedWorker for Fails {
        type Job = Tasks;
        type Output = ();

        fn work(&mut self, _: Tasks, (): &mut ()) -> Option<Tasks> {
            assert!(self.0, "as it is meant to");
            thread::sleep(Duration::from_millis(1));
            None
        }

        fn size((): &()) -> usize {
            0
        }

        fn has_done_much(&self) -> bool {
            true
        }
    }
    let mut first = true;
    let all = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(
            Tasks((0..1000).map(Task::Say).collect()),
            || 4,
            || Fails(std::mem::take(&mut first)),
            |(): &mut ()| ControlFlow::<()>::Continue(()),
        )
    }));
    assert!(all.is_err());
}
