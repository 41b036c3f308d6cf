use helve::prelude::*;

use std::cell::RefCell;

struct Stations {
    names: RefCell<Vec<String>>,
}

/// Counts stations.
#[tool]
async fn count(stations: &Stations) -> usize {
    stations.names.borrow().len()
}

fn main() {
    let _ = count(&Stations {
        names: RefCell::default(),
    });
}
