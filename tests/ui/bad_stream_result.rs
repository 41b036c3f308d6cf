use helve::prelude::*;

/// Gives a number.
#[tool]
fn give() -> impl futures_core::Stream<Item = Update<Result<u32, std::io::Error>>> {
    futures_util::stream::iter([Update::Done(Ok(1))])
}

fn main() {
    let _ = give();
}
