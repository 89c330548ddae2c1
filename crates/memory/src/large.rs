//! Long pieces of memory, of pages of their own, which move without being copied.
//!
//! A ring that holds all packets on a long wire doubles when it is full. Were it copied, there
//! would be three slots for each packet meanwhile; but the system can give pages that are in use
//! another address (`mremap`), as the C library has it do.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::ptr::null_mut;

use rustix::mm::{
    Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, mremap_fixed, munmap,
};
use rustix::param::page_size;

use crate::LARGE;

/// A large page. Pieces begin with one, so that it can be one piece of the processor's memory, and
/// stay one where the piece moves.
const PAGE: usize = 2 << 20;

/// Takes long pieces from the system, and all others from the allocator within.
#[derive(Debug, Clone, Copy)]
pub struct Large<A>(pub A);

/// Whether such a piece has pages of its own. Its layout alone tells, with which it comes back.
#[inline]
fn is_large(bytes: usize, align: usize) -> bool {
    bytes >= LARGE && align <= PAGE
}

// SAFETY: whether the system or the other allocator gave a piece follows from its layout, with
// which it comes back, so that each gets back its own. A piece of the system's is zero, begins with
// a large page (to which no smaller alignment is foreign), reaches to the end of a small one, and
// overlaps no other, as the system gives only addresses that are free. Nothing here panics or
// allocates.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Large<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return take(layout.size());
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.0.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return take(layout.size());
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout.align()) {
            // SAFETY: such a piece is the system's, whole, and the caller's to give back.
            return unsafe { give_back(piece, layout.size()) };
        }
        // SAFETY: the caller keeps the contract of `dealloc`, and the other gave the piece.
        unsafe { self.0.dealloc(piece, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let was_large = is_large(layout.size(), layout.align());
        match (was_large, is_large(size, layout.align())) {
            // SAFETY: the caller keeps the contract of `realloc`, and the other gave the piece.
            (false, false) => unsafe { self.0.realloc(piece, layout, size) },
            // SAFETY: such a piece is the system's, whole, and the caller's to change.
            (true, true) => unsafe { resize(piece, layout.size(), size) },
            // SAFETY: as above; the caller promises that `size` is a valid one.
            _ => unsafe { self.hand_over(piece, layout, size) },
        }
    }
}

impl<A: GlobalAlloc> Large<A> {
    /// A piece that was the system's is the other allocator's then, or the other way round.
    ///
    /// # Safety
    /// As of [`GlobalAlloc::realloc`].
    #[cold]
    unsafe fn hand_over(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller of `realloc` promises that `size` fits the alignment.
        let other = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: `size` is not zero, by the same promise.
        let new = unsafe { self.alloc(other) };
        if !new.is_null() {
            // SAFETY: both are as long as what is copied, and apart, as both are in use.
            unsafe { piece.copy_to_nonoverlapping(new, layout.size().min(size)) };
            // SAFETY: the caller gives the piece up.
            unsafe { self.dealloc(piece, layout) };
        }
        new
    }
}

/// A piece of pages of its own, all zero; null if there is none.
#[cold]
fn take(bytes: usize) -> *mut u8 {
    let Some(piece) = addresses(bytes) else {
        return null_mut();
    };
    // SAFETY: the piece is ours. Where the advice is not taken, pages are small.
    let _ = unsafe { madvise(piece, bytes, Advice::LinuxHugepage) };
    piece.cast()
}

/// Addresses for so many bytes from the begin of a large page on, with memory behind them as soon
/// as it is touched.
fn addresses(bytes: usize) -> Option<*mut c_void> {
    let length = bytes.checked_add(PAGE)?;
    let (kind, may) = (MapFlags::PRIVATE, ProtFlags::READ | ProtFlags::WRITE);
    // SAFETY: the system chooses addresses that are free.
    let found = unsafe { mmap_anonymous(null_mut(), length, may, kind) }.ok()?;
    let before = found.align_offset(PAGE);
    let piece = found.wrapping_byte_add(before);
    let behind = bytes.next_multiple_of(page_size());
    for (from, length) in [
        (found, before),
        (piece.wrapping_byte_add(behind), length - before - behind),
    ] {
        if length > 0 {
            // SAFETY: this part of what was found is whole small pages, and nobody has it.
            let _ = unsafe { munmap(from, length) };
        }
    }
    Some(piece)
}

/// # Safety
/// The piece came from [`take`] or [`resize`] with so many bytes, and nobody uses it any more.
#[cold]
unsafe fn give_back(piece: *mut u8, bytes: usize) {
    // SAFETY: these are the piece's pages and no others; the last is the piece's to its end.
    let _ = unsafe { munmap(piece.cast(), bytes) };
}

/// The same piece with another number of bytes, where it lies or elsewhere; null if there is no
/// room, and then it is as it was.
///
/// # Safety
/// The piece came from [`take`] or from here with `held` bytes.
#[cold]
unsafe fn resize(piece: *mut u8, held: usize, bytes: usize) -> *mut u8 {
    let piece: *mut c_void = piece.cast();
    // SAFETY: the pages are the piece's; what lies behind them stays, or there is an error.
    if let Ok(same) = unsafe { mremap(piece, held, bytes, MremapFlags::empty()) } {
        return same.cast();
    }
    let Some(target) = addresses(bytes) else {
        return null_mut();
    };
    // SAFETY: the pages are the piece's, and nobody has those at the target, which they replace.
    let moved = unsafe { mremap_fixed(piece, held, bytes, MremapFlags::MAYMOVE, target) };
    // The target may be free after an error, and another's by now: it is not given back.
    moved.map_or(null_mut(), <*mut c_void>::cast)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;

    const MEMORY: Large<System> = Large(System);

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 8).expect("eight divides all that are tried")
    }

    /// Number `index` of the piece's words.
    #[allow(clippy::cast_ptr_alignment)] // `layout` asks for it
    fn word(piece: *mut u8, index: usize) -> *mut u64 {
        piece.cast::<u64>().wrapping_add(index)
    }

    /// Memory that the program has used at once, at the most so far.
    fn most_used() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let line = status.lines().find(|line| line.starts_with("VmHWM"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        1024 * kib.unwrap_or(0_usize)
    }

    #[test]
    fn a_piece_keeps_what_it_holds_on_both_sides_of_the_border() {
        let sizes = [
            8,
            LARGE - 8,
            LARGE,
            LARGE + 8,
            5 * LARGE + 4096,
            8 * LARGE,
            2 * LARGE,
            64,
            3 * LARGE,
            16,
        ];
        // SAFETY: every piece is used within its bytes, and given back once with its layout.
        unsafe {
            let mut piece = MEMORY.alloc(layout(sizes[0]));
            word(piece, 0).write(0);
            for pair in sizes.windows(2) {
                let (held, bytes) = (pair[0], pair[1]);
                piece = MEMORY.realloc(piece, layout(held), bytes);
                assert!(!piece.is_null());
                for index in 0..held.min(bytes) / 8 {
                    assert_eq!(word(piece, index).read(), index as u64, "{held} to {bytes}");
                }
                for index in held.min(bytes) / 8..bytes / 8 {
                    word(piece, index).write(index as u64);
                }
            }
            MEMORY.dealloc(piece, layout(16));
        }
    }

    #[test]
    fn zeroed_is_zero_after_others_have_used_the_memory() {
        for bytes in [LARGE / 2, LARGE, LARGE + 4096] {
            for _ in 0..3 {
                // SAFETY: as above.
                unsafe {
                    let piece = MEMORY.alloc_zeroed(layout(bytes));
                    for index in 0..bytes / 8 {
                        assert_eq!(word(piece, index).read(), 0);
                        word(piece, index).write(1);
                    }
                    MEMORY.dealloc(piece, layout(bytes));
                }
            }
        }
    }

    /// What lies behind a piece is another's, so that it has to move.
    #[test]
    fn a_piece_that_moves_is_never_held_twice() {
        const PIECE: usize = 64 * LARGE;
        // SAFETY: as above.
        unsafe {
            let piece = MEMORY.alloc(layout(PIECE));
            piece.write_bytes(7, PIECE);
            let others: Vec<_> = (0..8).map(|_| MEMORY.alloc(layout(PIECE))).collect();
            let before = most_used();
            let moved = MEMORY.realloc(piece, layout(PIECE), 2 * PIECE);
            moved.add(PIECE).write_bytes(7, PIECE);
            assert_eq!(moved.add(PIECE - 1).read(), 7);
            let more = most_used() - before;
            assert!(more < PIECE + PIECE / 2, "{more} bytes more for {PIECE}");
            MEMORY.dealloc(moved, layout(2 * PIECE));
            for other in others {
                MEMORY.dealloc(other, layout(PIECE));
            }
        }
    }
}
