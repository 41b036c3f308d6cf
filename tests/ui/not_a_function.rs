use helve::prelude::*;

/// The time.
#[tool]
struct Time {
    hour: u8,
}

fn main() {
    let _ = Time { hour: 12 }.hour;
}
