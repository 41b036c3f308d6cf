use helve::prelude::*;

struct Opaque;
struct Safe;

#[tools]
impl Safe {
    /// Gives a secret.
    #[tool]
    async fn give(&self) -> Vec<Opaque> {
        vec![Opaque]
    }
}

fn main() {
    let _ = Safe.give();
}
