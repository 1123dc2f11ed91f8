//! Where the program's memory comes from: the first small pieces out of a room in its own data,
//! everything else from the C library.
//!
//! A short call needs some tens of kibibytes. The C library maps pages for pieces of each size, and
//! unmaps them when the last piece is freed; each pair of system calls with its page fault costs
//! as much as all the work on what is in those pages. What comes out of the room costs no system
//! call, lies close together, and goes with the process.
//!
//! Nothing here takes a lock, so a process that was forked from one with several threads could
//! allocate from the room too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much the room of the executable holds, in bytes: what a call with a plain answer needs, and
/// little enough to be nothing to a long run.
pub const SIZE: usize = 48 * 1024;

/// The largest piece that comes out of it, in bytes. Whoever needs more may need more than the room.
const LARGEST: usize = 8 * 1024;

/// A room of `SIZE` bytes.
#[derive(Debug)]
#[repr(align(64))]
pub struct Room<const SIZE: usize>(UnsafeCell<MaybeUninit<[u8; SIZE]>>);

// SAFETY: whoever has moved the end of what is taken alone has what it was moved over.
unsafe impl<const SIZE: usize> Sync for Room<SIZE> {}

impl<const SIZE: usize> Room<SIZE> {
    /// An empty room.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a static has no default")]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

/// A room, and the C library behind it.
#[derive(Debug)]
pub struct Memory<const SIZE: usize> {
    room: &'static Room<SIZE>,
    /// How much of the room is taken. It is taken from front to back, and only the last piece is
    /// given back.
    taken: AtomicUsize,
}

impl<const SIZE: usize> Memory<SIZE> {
    /// Memory out of this room, which is nobody else's.
    #[must_use]
    pub const fn new(room: &'static Room<SIZE>) -> Self {
        let taken = AtomicUsize::new(0);
        Self { room, taken }
    }

    fn start(&self) -> *mut u8 {
        self.room.0.get().cast()
    }

    /// Where in the room `pointer` leads, if it does.
    fn place(&self, pointer: *mut u8) -> Option<usize> {
        let at = pointer.addr().wrapping_sub(self.start().addr());
        (at < SIZE).then_some(at)
    }

    /// A piece of the room; `None` if it is too large or does not fit any more.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        // What has no size has no place that could tell where it came from.
        if layout.size() > LARGEST || layout.size() == 0 {
            return None;
        }
        let mut taken = self.taken.load(Ordering::Relaxed);
        loop {
            let end = self.start().addr() + taken;
            let at = taken + end.wrapping_neg() % layout.align();
            let behind = at.checked_add(layout.size())?;
            if behind > SIZE {
                return None;
            }
            match self.move_end(taken, behind) {
                // SAFETY: within the room.
                Ok(()) => return Some(unsafe { self.start().add(at) }),
                Err(now) => taken = now,
            }
        }
    }

    /// Gives the piece at `at` back, if it is the last one.
    fn give_back(&self, at: usize, size: usize) {
        let _ = self.move_end(at + size, at);
    }

    /// Moves the end of what is taken from one place to the other, if it is there. Memory that one
    /// thread gives back another one may get.
    fn move_end(&self, from: usize, to: usize) -> Result<(), usize> {
        let (done, seen) = (Ordering::AcqRel, Ordering::Relaxed);
        self.taken.compare_exchange(from, to, done, seen).map(drop)
    }
}

// SAFETY: pieces of the room do not overlap, as only what lies behind `taken` is handed out, and
// `taken` goes back over the last piece alone, by its owner. Everything else is the C library's, and
// goes back there. None of it is inlined: there are thousands of callers.
unsafe impl<const SIZE: usize> GlobalAlloc for Memory<SIZE> {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(piece) => piece,
            // SAFETY: the caller keeps the contract of this very method.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(piece) => {
                // It may have been taken and given back before.
                // SAFETY: the piece is as long as that.
                unsafe { piece.write_bytes(0, layout.size()) };
                piece
            }
            // SAFETY: the caller keeps the contract of this very method.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.place(pointer) {
            Some(at) => self.give_back(at, layout.size()),
            // SAFETY: it is the C library's, and the caller keeps the contract of this very method.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(at) = self.place(pointer) else {
            // SAFETY: it is the C library's, and the caller keeps the contract of this very method.
            return unsafe { System.realloc(pointer, layout, size) };
        };
        let (behind, wanted) = (at + layout.size(), at.saturating_add(size));
        if size <= layout.size() {
            let _ = self.move_end(behind, wanted);
            return pointer;
        }
        if size <= LARGEST && wanted <= SIZE && self.move_end(behind, wanted).is_ok() {
            return pointer;
        }
        // SAFETY: the new piece is larger than the old one, from which is copied what it held; the
        // caller promises that `size` is one that a layout may have.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(pointer, layout.size());
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn room<const SIZE: usize>() -> &'static Room<SIZE> {
        Box::leak(Box::new(Room::new()))
    }

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    #[test]
    fn pieces_are_aligned_and_apart_and_the_c_library_s_where_the_room_ends() {
        let memory = Memory::<4096>::new(room());
        let mut pieces = Vec::new();
        for number in 1..200_usize {
            let layout = layout(number % 61 + 1, 1 << (number % 7));
            // SAFETY: of a size that is not zero.
            let piece = unsafe { memory.alloc(layout) };
            assert_eq!(piece.addr() % layout.align(), 0);
            // SAFETY: the piece is as long as that.
            unsafe { piece.write_bytes(u8::try_from(number).unwrap(), layout.size()) };
            pieces.push((piece, layout, number));
        }
        let inside = pieces
            .iter()
            .filter(|(piece, ..)| memory.place(*piece).is_some())
            .count();
        assert!(inside > 50 && inside < 150, "{inside}");
        for (piece, layout, number) in pieces.into_iter().rev() {
            for at in 0..layout.size() {
                // SAFETY: within the piece.
                assert_eq!(unsafe { *piece.add(at) }, u8::try_from(number).unwrap());
            }
            // SAFETY: it came from here, with this layout.
            unsafe { memory.dealloc(piece, layout) };
        }
    }

    #[test]
    fn the_last_piece_grows_and_shrinks_where_it_is_and_others_move() {
        let memory = Memory::<{ 64 * 1024 }>::new(room());
        // SAFETY: pieces are given back and resized with the layouts that they have.
        unsafe {
            let first = memory.alloc(layout(10, 1));
            first.write_bytes(7, 10);
            assert_eq!(memory.realloc(first, layout(10, 1), 100), first);
            let second = memory.alloc(layout(10, 8));
            let moved = memory.realloc(first, layout(100, 1), 200);
            assert_ne!(moved, first);
            assert_eq!(std::slice::from_raw_parts(moved, 10), [7; 10]);
            let taken = memory.taken.load(Ordering::Relaxed);
            assert_eq!(memory.realloc(moved, layout(200, 1), 50), moved);
            assert_eq!(memory.taken.load(Ordering::Relaxed), taken - 150);
            // Beyond the largest piece, it is the C library's.
            let large = memory.realloc(moved, layout(50, 1), LARGEST + 1);
            assert!(memory.place(large).is_none());
            assert_eq!(std::slice::from_raw_parts(large, 10), [7; 10]);
            memory.dealloc(large, layout(LARGEST + 1, 1));
            memory.dealloc(second, layout(10, 8));
            // What was given back and is handed out again is zeroed where that is asked for.
            let dirty = memory.alloc(layout(64, 8));
            dirty.write_bytes(0xff, 64);
            memory.dealloc(dirty, layout(64, 8));
            let clean = memory.alloc_zeroed(layout(64, 8));
            assert_eq!(clean, dirty);
            assert_eq!(std::slice::from_raw_parts(clean, 64), [0; 64]);
        }
    }

    #[test]
    fn threads_never_get_the_same_piece() {
        let memory = Arc::new(Memory::<{ 32 * 1024 }>::new(room()));
        let threads: Vec<_> = (0..8_u8)
            .map(|number| {
                let memory = Arc::clone(&memory);
                thread::spawn(move || {
                    for round in 0..500_usize {
                        let one = layout(round % 90 + 1, 8);
                        // SAFETY: pieces are used within their size and given back as they came.
                        unsafe {
                            let piece = memory.alloc(one);
                            piece.write_bytes(number, one.size());
                            thread::yield_now();
                            let all = std::slice::from_raw_parts(piece, one.size());
                            assert!(all.iter().all(|byte| *byte == number));
                            memory.dealloc(piece, one);
                        }
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
}
