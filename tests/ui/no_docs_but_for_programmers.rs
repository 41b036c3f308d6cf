use helve::prelude::*;

/// # Panics
///
/// At midnight.
#[tool]
async fn now() -> String {
    "noon".into()
}

fn main() {}
