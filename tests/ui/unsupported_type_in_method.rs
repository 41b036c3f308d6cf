use helve::prelude::*;

struct Opaque;
struct Safe;

#[tools]
impl Safe {
    /// Takes a secret.
    #[tool]
    async fn take(
        &self,
        /// The secret.
        secret: Opaque,
    ) {
        drop(secret);
    }
}

fn main() {
    let _ = Safe.take(Opaque);
}
