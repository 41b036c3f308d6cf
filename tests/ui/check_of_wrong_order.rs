use helve::prelude::*;

fn check(_: &ToolContext, times: u32, path: &str) -> helve::Check {
    helve::Check::ask(format!("{path} {times}"))
}

/// Deletes a file.
#[tool(check = check)]
async fn delete(
    /// The file.
    path: String,
    /// How often.
    times: u32,
) {
    let _ = (path, times);
}

fn main() {
    let _ = delete("a".into(), 1);
}
