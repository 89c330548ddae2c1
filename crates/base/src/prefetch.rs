//! Memory asked for before it is needed.
//!
//! A network of many flows does not fit the fast caches: at 1,000 flows most of the time goes by in
//! waiting for links, connections and packets that were last touched an age ago. What comes next is
//! known before it comes.

/// With more links than that a network no longer fits the fast caches, and it pays to ask for memory
/// ahead.
pub const MANY_LINKS: usize = 1_000;

/// Asks the processor for the cache line in which `value` begins.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction
pub fn prefetch<T: ?Sized>(value: &T) {
    prefetch_at(core::ptr::from_ref(value).cast::<u8>());
}

#[inline(always)]
#[allow(unsafe_code, clippy::inline_always)]
fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing but the caches and faults at no address. The instruction
        // is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for all cache lines of `value`.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction for each
pub fn prefetch_all<T>(value: &T) {
    const LINE: usize = 64;
    let start = core::ptr::from_ref(value).cast::<[u8; LINE]>();
    for line in 0..size_of::<T>().div_ceil(LINE) {
        prefetch_at(start.wrapping_add(line));
    }
}
