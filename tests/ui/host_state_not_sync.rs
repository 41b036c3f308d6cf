use helve::prelude::*;

use std::cell::Cell;

/// Counts stations.
#[tool]
async fn count(stations: Option<&Cell<u32>>) -> u32 {
    stations.map_or(0, Cell::get)
}

fn main() {
    let _ = count(None);
}
