use helve::prelude::*;

trait Clock {
    /// Says the time.
    #[tool]
    fn now() -> String;
}

fn main() {}
