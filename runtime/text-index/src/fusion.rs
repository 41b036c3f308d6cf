//! The fusion of rankings.

use std::collections::HashMap;
use std::hash::Hash;

/// How much the first places count more than the next ones: the value of the publication that proposed the method.
const RANK_CONSTANT: f64 = 60.0;

/// Fuses rankings of the same things into one, by reciprocal rank: scores of different searches cannot be compared, and
/// places can. Each thing has the sum of `1 / (60 + place)` over the rankings; equal ones are in the order in which they
/// appear first.
///
/// ```
/// let by_words = ["a", "b", "c"];
/// let by_meaning = ["c", "a", "d"];
/// let fused = helve::text_index::fuse_rankings([&by_words[..], &by_meaning]);
/// let order: Vec<_> = fused.into_iter().map(|(key, _)| *key).collect();
/// assert_eq!(order, ["a", "c", "b", "d"]);
/// ```
pub fn fuse_rankings<'k, K: Eq + Hash>(
    rankings: impl IntoIterator<Item = &'k [K]>,
) -> Vec<(&'k K, f64)> {
    let mut places: HashMap<&K, usize> = HashMap::new();
    let mut fused: Vec<(&K, f64)> = Vec::new();
    for ranking in rankings {
        for (rank, key) in (1_u32..).zip(ranking) {
            let place = *places.entry(key).or_insert_with(|| {
                fused.push((key, 0.0));
                fused.len() - 1
            });
            fused[place].1 += 1.0 / (RANK_CONSTANT + f64::from(rank));
        }
    }
    fused.sort_by(|one, other| other.1.total_cmp(&one.1));
    fused
}

/// Fuses what a search by words and one by meaning found into at most `limit` results, with their scores.
///
/// What the meaning found comes first where both have the same place: of a question that shares no word with its answer, words
/// find others. Where both found the same, that of the words is returned, which has a snippet.
pub fn fuse_searches<T, K: Eq + Hash>(
    by_words: Vec<T>,
    mut by_meaning: Vec<T>,
    limit: usize,
    key: impl Fn(&T) -> K,
) -> Vec<(T, f64)> {
    by_meaning.truncate(limit);
    let keys = |found: &[T]| found.iter().map(&key).collect::<Vec<K>>();
    let (words, meaning) = (keys(&by_words), keys(&by_meaning));
    let fused = fuse_rankings([&meaning[..], &words]);
    let mut found: HashMap<&K, T> = meaning.iter().zip(by_meaning).collect();
    found.extend(words.iter().zip(by_words));
    let fused = fused.into_iter().take(limit);
    fused
        .filter_map(|(key, score)| Some((found.remove(key)?, score)))
        .collect()
}
