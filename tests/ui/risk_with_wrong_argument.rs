use helve::prelude::*;

fn risk(path: &u32) -> helve::Risk {
    if *path > 1 {
        helve::Risk::High
    } else {
        helve::Risk::Low
    }
}

/// Deletes a file.
#[tool(risk_with = risk)]
async fn delete(
    /// The file.
    path: &str,
) {
    let _ = path;
}

fn main() {}
