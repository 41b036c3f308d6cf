//! A library of tools for other people's apps.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::collections::BTreeMap;

use helve::prelude::*;

/// A place in a list.
#[helve::data]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// Sorts the names of a tally by their counts.
#[tool(read_only)]
pub fn rank(
    /// How often each name was counted.
    tally: BTreeMap<String, u64>,
    /// Which end comes first.
    order: Option<Order>,
) -> Vec<String> {
    let mut names: Vec<(String, u64)> = tally.into_iter().collect();
    names.sort_by_key(|(_, count)| *count);
    if matches!(order, Some(Order::Descending)) {
        names.reverse();
    }
    names.into_iter().map(|(name, _)| name).collect()
}
