use helve::prelude::*;

use std::rc::Rc;

async fn pause() {}

/// Counts.
#[tool]
async fn count(
    /// To what.
    to: u32,
) -> u32 {
    let shared = Rc::new(to);
    pause().await;
    *shared
}

fn main() {
    let _ = count(1);
}
