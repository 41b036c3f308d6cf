use helve::prelude::*;

use std::cell::Cell;

/// Counts stations.
#[tool(blocking)]
fn count(stations: &Cell<u32>) -> u32 {
    stations.get()
}

fn main() {
    let _ = count(&Cell::new(1));
}
