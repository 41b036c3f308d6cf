use helve::prelude::*;

struct Opaque;

/// Takes secrets.
#[tool]
async fn take(
    /// The secrets.
    secrets: &[Opaque],
) -> usize {
    secrets.len()
}

fn main() {
    let _ = take(&[Opaque]);
}
