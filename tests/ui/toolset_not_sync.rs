use helve::prelude::*;

use std::cell::Cell;

struct Counter(Cell<u32>);

#[tools]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        self.0.get()
    }
}

fn main() {
    Counter(Cell::new(1)).count();
}
