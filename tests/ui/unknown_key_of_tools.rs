use helve::prelude::*;

struct Clock;

#[tools(name = "clock")]
impl Clock {
    /// Says the time.
    #[tool]
    fn now(&self) -> String {
        "noon".into()
    }
}

fn main() {
    Clock.now();
}
