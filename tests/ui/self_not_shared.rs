use helve::prelude::*;

struct Counter(u32);

#[tools]
impl Counter {
    /// Counts.
    #[tool]
    async fn count(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

fn main() {
    let _ = Counter(1).count();
}
