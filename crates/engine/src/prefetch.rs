//! Memory asked for before it is needed.
//!
//! A network of many flows does not fit the fast caches: at 1,000 flows most of the time goes by in
//! waiting for links and packets that were last touched an age ago. The calendar knows which come
//! next.

/// From how many links on it pays to look ahead: fewer stay in the fast caches by themselves.
pub(crate) const MANY_LINKS: usize = 1_000;

/// Asks the processor for the cache line in which `value` begins.
#[inline(always)]
#[allow(unsafe_code, clippy::inline_always)] // one instruction
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing but the caches and faults at no address, and this one
        // is that of a live value. The instruction is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
