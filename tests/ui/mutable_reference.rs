use helve::prelude::*;

struct Counter(u32);

/// Counts.
#[tool]
async fn count(counter: &mut Counter) -> u32 {
    counter.0 += 1;
    counter.0
}

fn main() {
    let _ = count(&mut Counter(0));
}
