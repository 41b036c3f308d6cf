//! What other systems answer to questions of a turn's bounds, circles and order, held against a turn that is driven
//! through the same; see `support/vectors.rs`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::vectors;

mod batching;
mod budgets;
mod driven;
mod loop_guard;

/// Says which cases ask nothing that a turn decides, and why. They are in neither number of those that agree.
fn outside(topic: &str, cases: &[(String, &'static str)]) {
    for (id, why) in cases {
        println!("{topic}: outside: {id}: {why}");
    }
    let count = cases.len();
    println!("{topic}: {count} further cases ask nothing that a turn decides");
}
