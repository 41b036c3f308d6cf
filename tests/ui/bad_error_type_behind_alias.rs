use helve::prelude::*;

struct Broken;

type Answer<T> = Result<T, Broken>;

/// Gives a number.
#[tool]
async fn give() -> Answer<u32> {
    Err(Broken)
}

fn main() {
    let _ = give();
}
