use helve::prelude::*;

/// Deletes everything.
#[tool(destructive, risk = "low")]
async fn delete() {}

fn main() {}
