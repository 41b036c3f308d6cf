use helve::prelude::*;

struct Clock;

#[tools]
impl Clock {
    fn now(&self) -> String {
        "noon".into()
    }
}

fn main() {
    Clock.now();
}
