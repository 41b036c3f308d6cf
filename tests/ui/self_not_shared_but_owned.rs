use helve::prelude::*;

struct Counter(u32);

#[tools]
impl Counter {
    /// Counts.
    #[tool]
    fn count(self) -> u32 {
        self.0
    }
}

fn main() {
    Counter(1).count();
}
