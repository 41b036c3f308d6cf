use helve::prelude::*;

#[helve::data]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Measures.
#[tool]
async fn measure(
    /// In what.
    #[arg(default)]
    unit: Unit,
) -> u32 {
    match unit {
        Unit::Celsius => 0,
        Unit::Fahrenheit => 32,
    }
}

fn main() {
    let _ = measure(Unit::Celsius);
}
