use helve::prelude::*;

/// Reads memory.
#[tool]
unsafe fn peek(
    /// Where.
    address: usize,
) -> u8 {
    unsafe { *(address as *const u8) }
}

fn main() {
    let _ = peek;
}
