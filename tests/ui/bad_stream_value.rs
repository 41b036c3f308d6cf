use helve::prelude::*;

struct Opaque;

/// Gives a secret.
#[tool]
fn give() -> impl futures_core::Stream<Item = Update<Opaque>> {
    futures_util::stream::iter([Update::Done(Opaque)])
}

fn main() {
    let _ = give();
}
