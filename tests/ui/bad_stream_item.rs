use helve::prelude::*;

/// Gives a number.
#[tool]
fn give() -> impl futures_core::Stream<Item = u32> {
    futures_util::stream::iter([1])
}

fn main() {
    let _ = give();
}
