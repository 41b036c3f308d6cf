use helve::prelude::*;

#[tools]
struct Clock;

fn main() {
    let _ = Clock;
}
