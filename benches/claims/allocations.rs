//! An allocator that counts, while it is asked to.
#![expect(
    unsafe_code,
    reason = "an allocator is unsafe to write; this one hands everything on"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The system's allocator, counted: while nothing is counted, an allocation reads one flag.
struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Counts what the program allocates while something runs; a change of a size counts, too.
pub(crate) fn count(run: impl FnOnce()) -> u32 {
    COUNT.store(0, Ordering::Relaxed);
    IS_COUNTING.store(true, Ordering::Relaxed);
    run();
    IS_COUNTING.store(false, Ordering::Relaxed);
    COUNT.load(Ordering::Relaxed)
}

fn record_allocation() {
    if IS_COUNTING.load(Ordering::Relaxed) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every request goes to the system's allocator as it came.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record_allocation();
        // SAFETY: the caller keeps to the contract of this method, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record_allocation();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        record_allocation();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
