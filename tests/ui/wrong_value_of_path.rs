use helve::prelude::*;

/// Deletes a file.
#[tool(risk_with = "risk")]
async fn delete(
    /// The file.
    path: String,
) {
    drop(path);
}

fn main() {}
