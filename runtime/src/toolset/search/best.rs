//! The best of what fits, spread over the words of the question.
//!
//! Where two hundred tools are about invoices, one word of a question fills every place, and the tool that does what the
//! rest of the question says is not among them. So a word counts less for the next place the more of it is there already.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// How much a word still counts once a place has gone to it alone.
const AGAIN: f32 = 0.5;

/// How many of the best are looked at for each place that is wanted, and at least.
const CONSIDERED: usize = 10;
const LEAST: usize = 100;

/// How well one word of a question fits a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub(super) place: u32,
    pub(super) fit: f32,
}

/// Returns the places of the best documents and their scores, in the order in which they were chosen; what is equally good
/// is in the order of the places.
pub(super) fn spread(scores: &[f32], words: &[Vec<Fit>], limit: usize) -> Vec<(usize, f32)> {
    let considered = best(scores, limit.saturating_mul(CONSIDERED).max(LEAST));
    let places = considered.iter().map(|(place, _)| *place);
    let places: HashMap<usize, usize, FixedState> = places.zip(0..).collect();
    let mut fits = vec![0.0; considered.len() * words.len()];
    for (word, found) in words.iter().enumerate() {
        for Fit { place, fit } in found {
            if let Some(row) = places.get(&(*place as usize)) {
                fits[row * words.len() + word] = *fit;
            }
        }
    }
    let mut counts = vec![1.0; words.len()];
    let mut left: Vec<usize> = (0..considered.len()).collect();
    let mut chosen = Vec::new();
    while chosen.len() < limit {
        let row = |row: usize| &fits[row * words.len()..(row + 1) * words.len()];
        let worth = |of: usize| row(of).iter().zip(&counts).map(|(fit, counts)| fit * counts);
        let worth = left.iter().map(|of| worth(*of).sum::<f32>()).enumerate();
        // Of equals, the first.
        let Some((next, _)) = worth.reduce(|best, next| if next.1 > best.1 { next } else { best }) else {
            break;
        };
        let next = left.remove(next);
        let (place, score) = considered[next];
        for (counts, fit) in counts.iter_mut().zip(row(next)) {
            *counts *= 1.0 - (1.0 - AGAIN) * fit / score;
        }
        chosen.push((place, score));
    }
    chosen
}

/// Returns the places of the highest scores above nothing, the highest first.
fn best(scores: &[f32], most: usize) -> Vec<(usize, f32)> {
    let mut found: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    found.retain(|(_, score)| *score > 0.0);
    let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if most < found.len() {
        found.select_nth_unstable_by(most, order);
        found.truncate(most);
    }
    found.sort_unstable_by(order);
    found
}
