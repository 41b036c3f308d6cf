use helve::prelude::*;

struct Clock;

impl Clock {
    /// Says the time.
    #[tool]
    async fn now(&self) -> String {
        "noon".into()
    }
}

fn main() {
    let _ = Clock.now();
}
