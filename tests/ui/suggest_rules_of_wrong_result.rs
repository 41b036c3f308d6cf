use helve::prelude::*;

fn rules(path: &str) -> Vec<&str> {
    vec![path]
}

/// Deletes a file.
#[tool(suggest_rules = rules)]
async fn delete(
    /// The file.
    path: &str,
) {
    let _ = path;
}

fn main() {}
