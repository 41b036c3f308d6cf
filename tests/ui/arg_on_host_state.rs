use helve::prelude::*;

struct Stations(u32);

/// Counts stations.
#[tool]
async fn count(#[arg(description = "the stations")] stations: &Stations) -> u32 {
    stations.0
}

fn main() {
    let _ = count(&Stations(1));
}
