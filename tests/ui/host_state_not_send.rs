use helve::prelude::*;

use std::rc::Rc;

/// Counts stations.
#[tool]
async fn count(stations: &Rc<u32>) -> u32 {
    **stations
}

fn main() {
    let _ = count(&Rc::new(1));
}
