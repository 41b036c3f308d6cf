use helve::prelude::*;

struct Clock;

#[tools]
impl Clock {
    /// Says the time.
    #[tool]
    fn now(&self) -> {
        "noon".into()
    }
}

fn main() {}
