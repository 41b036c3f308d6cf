use helve::prelude::*;

/// Writes something.
#[tool]
async fn write(
    /// What.
    thing: impl ToString,
) -> String {
    thing.to_string()
}

fn main() {
    let _ = write(1);
}
