use helve::prelude::*;

/// Counts.
#[tool(blocking)]
fn count() -> impl futures_core::Stream<Item = Update<u32>> {
    futures_util::stream::iter([Update::Done(1)])
}

fn main() {
    let _ = count();
}
