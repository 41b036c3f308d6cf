use helve::prelude::*;

struct Clock;

trait Now {
    fn now(&self) -> String;
}

#[tools]
impl Now for Clock {
    /// Says the time.
    #[tool]
    fn now(&self) -> String {
        "noon".into()
    }
}

fn main() {
    Clock.now();
}
