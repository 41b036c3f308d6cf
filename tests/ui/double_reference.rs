use helve::prelude::*;

struct Stations;

/// Counts stations.
#[tool]
async fn count(stations: &&Stations) -> u32 {
    let _ = stations;
    0
}

fn main() {
    let _ = count(&&Stations);
}
