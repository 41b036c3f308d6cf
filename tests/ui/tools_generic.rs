use helve::prelude::*;

struct Clock<T>(T);

#[tools]
impl<T: ToString> Clock<T> {
    /// Says the time.
    #[tool]
    fn now(&self) -> String {
        self.0.to_string()
    }
}

fn main() {
    Clock(12).now();
}
