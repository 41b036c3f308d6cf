use helve::prelude::*;

fn matches(path: &str) -> bool {
    path.is_empty()
}

/// Deletes a file.
#[tool(match_rule = matches)]
async fn delete(
    /// The file.
    path: &str,
) {
    let _ = path;
}

fn main() {}
