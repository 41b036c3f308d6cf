use helve::prelude::*;

trait Clock {
    fn hour(&self) -> u8;
}

/// Says the time.
#[tool]
async fn now(clock: &dyn Clock) -> u8 {
    clock.hour()
}

fn main() {}
