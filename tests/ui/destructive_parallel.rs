use helve::prelude::*;

/// Deletes everything.
#[tool(destructive, concurrency = "parallel")]
async fn delete() {}

fn main() {}
