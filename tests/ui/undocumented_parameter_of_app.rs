use helve::prelude::*;

struct Stations(Vec<String>);

/// Counts stations.
#[tool]
async fn count(stations: Stations) -> usize {
    stations.0.len()
}

fn main() {
    let _ = count(Stations(Vec::new()));
}
