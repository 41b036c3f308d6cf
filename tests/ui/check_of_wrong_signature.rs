use helve::prelude::*;

fn check(path: &str) -> helve::Check {
    helve::Check::ask(path)
}

/// Deletes a file.
#[tool(check = check)]
async fn delete(
    /// The file.
    path: &str,
) {
    let _ = path;
}

fn main() {
    let _ = delete("a");
}
