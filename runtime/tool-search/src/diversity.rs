//! The selection of the best matches without one family of tools in every place.
//!
//! If twenty tools concern one kind of object, a word of the query that names the object matches all of them, and they
//! would displace the tool that matches the rest of the query. The weight of a tool is therefore reduced by the share
//! of its name that occurs in the names of tools that are chosen already, but never below one half, because several
//! tools of a family may be wanted.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// The minimum weight of a tool.
const MIN_WEIGHT: f32 = 0.5;

/// The number of candidates for each requested place, and the minimum number of candidates.
const CONSIDERED: usize = 4;
const MIN_CANDIDATES: usize = 100;

/// A candidate for the selection.
struct Candidate {
    document: usize,
    score: f32,
    weight: f32,
    /// The stems of the name, with their weights.
    name: Vec<(u32, f32)>,
}

impl Candidate {
    fn name_whole(&self) -> f32 {
        self.name.iter().map(|(_, says)| says).sum()
    }

    /// Reduces the weight of the candidate by the overlap of its name with that of a chosen document.
    fn discount_overlap(&mut self, chosen: &HashMap<u32, f32, FixedState>, chosen_whole: f32) {
        let shared = self.name.iter();
        let shared = shared.filter(|(stem, _)| chosen.contains_key(stem));
        let shared: f32 = shared.map(|(_, says)| says).sum();
        let either = self.name_whole() + chosen_whole - shared;
        if either > 0.0 {
            self.weight = (self.weight * (1.0 - shared / either)).max(MIN_WEIGHT);
        }
    }
}

/// Returns the indices of the best documents and their scores, in the order in which they were chosen. Documents with
/// equal scores are ordered by their index. `name` returns the stems of the name of a document, with their weights.
pub(super) fn select_diverse(
    scores: &[f32],
    limit: usize,
    name: impl Fn(usize) -> Vec<(u32, f32)>,
) -> Vec<(usize, f32)> {
    let considered = limit.saturating_mul(CONSIDERED).max(MIN_CANDIDATES);
    let considered = best(scores, considered).into_iter();
    let candidate = |(place, score)| Candidate {
        document: place,
        score,
        weight: 1.0,
        name: name(place),
    };
    let mut left: Vec<Candidate> = considered.map(candidate).collect();
    let mut chosen = Vec::new();
    while chosen.len() < limit {
        let worth = left.iter().map(|of| of.score * of.weight).enumerate();
        // Of equal candidates, the first one is chosen.
        let next = worth.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((next, _)) = next else {
            break;
        };
        let next = left.remove(next);
        let whole = next.name_whole();
        let stems = next.name.into_iter().collect();
        for other in &mut left {
            other.discount_overlap(&stems, whole);
        }
        chosen.push((next.document, next.score));
    }
    chosen
}

/// Returns the indices of the highest positive scores, the highest first.
fn best(scores: &[f32], most: usize) -> Vec<(usize, f32)> {
    let found = scores.iter().copied().enumerate();
    let mut found: Vec<(usize, f32)> = found.filter(|(_, score)| *score > 0.0).collect();
    let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if most < found.len() {
        found.select_nth_unstable_by(most, order);
        found.truncate(most);
    }
    found.sort_unstable_by(order);
    found
}
