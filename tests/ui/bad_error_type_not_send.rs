use helve::prelude::*;

/// Gives a number.
#[tool]
fn give() -> Result<u32, Box<dyn std::error::Error>> {
    Ok(1)
}

fn main() {
    let _ = give();
}
