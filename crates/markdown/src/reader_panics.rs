//! Panics of the libraries that open foreign files, as errors of the file.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while panics of this thread are errors of a file, which are not printed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read`, which converts a page or file; the error is its panic, whose message is not
/// printed. Readers of files need it no more, those of pages do.
pub fn catch_reader_panic<T>(read: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    static HOOK: Once = Once::new();
    // Installed once for all threads: if each call replaced and restored the hook, two concurrent
    // calls could restore the wrong one.
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                print(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    // Nothing that `read` left half done is used afterwards.
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    read
}

#[cfg(test)]
mod tests {
    use super::catch_reader_panic;

    #[test]
    fn threads_that_read_at_the_same_time_each_catch_their_own_faults() {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                std::thread::spawn(move || {
                    for _ in 0..50 {
                        assert!(
                            catch_reader_panic(|| assert!(number % 2 == 0)).is_ok()
                                == (number % 2 == 0)
                        );
                    }
                })
            })
            .collect();
        for thread in threads {
            assert!(thread.join().is_ok());
        }
    }

    #[test]
    fn one_within_another_leaves_the_outer_one_guarded() {
        let caught = catch_reader_panic(|| {
            assert!(catch_reader_panic(|| panic!("inner")).is_err());
            panic!("outer");
        });
        assert!(caught.is_err());
        assert!(!super::GUARDED.get());
    }
}
