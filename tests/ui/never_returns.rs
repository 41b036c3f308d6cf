use helve::prelude::*;

/// Waits.
#[tool]
async fn wait() -> ! {
    loop {}
}

fn main() {}
