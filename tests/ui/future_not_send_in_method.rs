use helve::prelude::*;

use std::rc::Rc;

async fn pause() {}

struct Counter;

#[tools]
impl Counter {
    /// Counts.
    #[tool]
    async fn count(
        &self,
        /// To what.
        to: u32,
    ) -> u32 {
        let shared = Rc::new(to);
        pause().await;
        *shared
    }
}

fn main() {
    let _ = Counter.count(1);
}
