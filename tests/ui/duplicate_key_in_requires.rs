use helve::prelude::*;

/// Reads a file.
#[tool(requires(fs, net, fs))]
async fn read() -> String {
    String::new()
}

fn main() {}
