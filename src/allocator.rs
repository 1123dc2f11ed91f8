//! The allocator of static executables. musl's own maps memory in groups of some kilobytes and
//! gives each back as soon as it is empty: calls into the kernel took nearly half of the time of a
//! page's conversion. Large pieces still come from there: each is mapped by itself, grows without
//! being copied, and is given back when it is freed.
//!
//! A process that is forked from one with several threads makes system calls only (see
//! `sandbox::watchdog`), so that it never waits for a lock that nobody holds any more.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;

/// The least size in bytes of memory that is the system's: from there on musl maps it by itself.
const LARGE: usize = 128 * 1024;

/// The memory below [`LARGE`].
struct Heap(Dlmalloc);

// SAFETY: the heap points to memory that is its own and belongs to no thread.
unsafe impl Send for Heap {}

/// Memory by its size: of a heap below [`LARGE`], the system's from there on.
pub struct Allocator {
    small: Mutex<Heap>,
}

impl Allocator {
    pub const fn new() -> Self {
        Self {
            small: Mutex::new(Heap(Dlmalloc::new())),
        }
    }

    fn small(&self) -> MutexGuard<'_, Heap> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True if memory of this size is the system's. It is freed and grown with the size that it was
/// asked for with, so that the answer is the same then.
fn is_large(size: usize) -> bool {
    size >= LARGE
}

// SAFETY: each call is handed on with the caller's own arguments to an allocator that keeps the
// contract, and what is freed or grown goes to the one that it is from, which its size says.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        if is_large(size) {
            // SAFETY: the caller's.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: the caller's; any size and any power of two will do.
        unsafe { self.small().0.malloc(size, align) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        if is_large(size) {
            // SAFETY: the caller's.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's; any size and any power of two will do.
        unsafe { self.small().0.calloc(size, align) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let (size, align) = (layout.size(), layout.align());
        if is_large(size) {
            // SAFETY: the caller's; of this size, the memory is the system's.
            return unsafe { System.dealloc(memory, layout) };
        }
        // SAFETY: the caller's; of this size, the memory is of the heap.
        unsafe { self.small().0.free(memory, size, align) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new: usize) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        match (is_large(size), is_large(new)) {
            // SAFETY: the caller's; of these sizes, the memory is the system's and stays so.
            (true, true) => unsafe { System.realloc(memory, layout, new) },
            // SAFETY: the caller's; of these sizes, the memory is of the heap and stays so.
            (false, false) => unsafe { self.small().0.realloc(memory, size, align, new) },
            // SAFETY: the caller has seen to a layout of the new size being one, and what is copied
            // is within both pieces, which are apart.
            _ => unsafe {
                let moved = self.alloc(Layout::from_size_align_unchecked(new, align));
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(memory, moved, size.min(new));
                    self.dealloc(memory, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills `length` bytes with `mark`.
    fn fill(memory: *mut u8, length: usize, mark: u8) {
        // SAFETY: the memory was allocated with at least this length.
        unsafe { memory.write_bytes(mark, length) };
    }

    fn holds(memory: *mut u8, length: usize, mark: u8) -> bool {
        // SAFETY: the memory was allocated with at least this length, and filled.
        let bytes = unsafe { std::slice::from_raw_parts(memory, length) };
        bytes.iter().all(|byte| *byte == mark)
    }

    /// Takes, grows, shrinks and frees memory of all sizes in an order that `seed` gives.
    fn churn(allocator: &Allocator, seed: u64) {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        for turn in 0..4000_usize {
            let mark = u8::try_from(turn % 251).unwrap_or(0);
            let max_size = [64, 4096, 2 * LARGE][next(3)];
            let size = 1 + next(max_size);
            match next(4) {
                0 | 1 => {
                    let layout = Layout::from_size_align(size, 1 << next(7)).expect("a layout");
                    let zeroed = next(2) == 0;
                    // SAFETY: the layout has a size.
                    let memory = unsafe {
                        if zeroed {
                            allocator.alloc_zeroed(layout)
                        } else {
                            allocator.alloc(layout)
                        }
                    };
                    assert!(!memory.is_null() && memory.addr() % layout.align() == 0);
                    assert!(!zeroed || holds(memory, size, 0));
                    fill(memory, size, mark);
                    held.push((memory, layout, mark));
                }
                2 if !held.is_empty() => {
                    let index = next(held.len());
                    let (memory, layout, old) = held[index];
                    // SAFETY: the memory has this layout, and the new size is one.
                    let memory = unsafe { allocator.realloc(memory, layout, size) };
                    assert!(!memory.is_null() && memory.addr() % layout.align() == 0);
                    assert!(holds(memory, size.min(layout.size()), old));
                    fill(memory, size, mark);
                    let layout = Layout::from_size_align(size, layout.align()).expect("a layout");
                    held[index] = (memory, layout, mark);
                }
                _ if !held.is_empty() => {
                    let (memory, layout, mark) = held.swap_remove(next(held.len()));
                    assert!(holds(memory, layout.size(), mark));
                    // SAFETY: the memory has this layout, and is held no more.
                    unsafe { allocator.dealloc(memory, layout) };
                }
                _ => {}
            }
        }
        for (memory, layout, mark) in held {
            assert!(holds(memory, layout.size(), mark));
            // SAFETY: the memory has this layout, and is held no more.
            unsafe { allocator.dealloc(memory, layout) };
        }
    }

    #[test]
    fn memory_of_all_sizes_keeps_what_it_holds_on_several_threads() {
        let allocator = Allocator::new();
        std::thread::scope(|scope| {
            for seed in 1..5 {
                let allocator = &allocator;
                scope.spawn(move || churn(allocator, seed));
            }
        });
    }
}
