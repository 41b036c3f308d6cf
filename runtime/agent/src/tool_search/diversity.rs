//! The best of what fits, without one family of tools in every place.
//!
//! Where twenty tools are about one kind of thing, a word of the question that names the thing fills every place with them,
//! and the tool that does what the rest of the question says is not among them. So a tool counts less the more of its name
//! is in the names of tools that are there already; never less than half, for siblings can all be wanted.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// How little a tool can come to count.
const MIN_WEIGHT: f32 = 0.5;

/// How many of the best are looked at for each place that is wanted, and at least.
const CONSIDERED: usize = 4;
const MIN_CANDIDATES: usize = 100;

/// A document that may be chosen.
struct Candidate {
    document: usize,
    score: f32,
    weight: f32,
    /// The stems of its name, and how much each says.
    name: Vec<(u32, f32)>,
}

impl Candidate {
    fn name_whole(&self) -> f32 {
        self.name.iter().map(|(_, says)| says).sum()
    }

    /// Lets the document count less for what its name shares with that of a chosen one.
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

/// Returns the places of the best documents and their scores, in the order in which they were chosen; what is equally good
/// is in the order of the places. `name` says which stems are in the name of a document, and how much each says.
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
        // Of equals, the first.
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

/// Returns the places of the highest scores above nothing, the highest first.
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
