use helve::prelude::*;

/// Does nothing.
#[tool]
async fn nothing(
    /// What is not used.
    _: u32,
) {
}

fn main() {
    let _ = nothing(1);
}
