use helve::prelude::*;

fn check(_: &ToolContext, path: &str) -> bool {
    path.is_empty()
}

/// Deletes a file.
#[tool(check = check)]
async fn delete(
    /// The file.
    path: &str,
) {
    let _ = path;
}

fn main() {}
