//! Suggests existing names that are similar to a missing name.

/// The greatest number of names that are compared, and the greatest number of suggestions.
pub const MAX_COMPARED: usize = 1_000;
const MAX_SUGGESTIONS: usize = 3;

/// The least similarity of a suggestion, from 0 to 1: `README` and `README.md` have 0.67.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the names that are most similar to `wanted`, the most similar first.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| (similarity(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.truncate(MAX_SUGGESTIONS);
    scored.into_iter().map(|(_, name)| name).collect()
}

fn similarity(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count()).max(1);
    // Optimal string alignment counts a swap of adjacent characters once and needs three rows, so that 1,000 long names
    // are cheap.
    1.0 - strsim::osa_distance(a, b) as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn swapped_letters_and_case_come_first() {
        let names = ["main.rs", "lib.rs", "MAIN.RS", "unrelated"];
        assert_eq!(
            nearest("mian.rs", names.into_iter()),
            ["MAIN.RS", "main.rs"]
        );
    }

    #[test]
    fn nothing_alike_offers_nothing() {
        assert!(nearest("a", ["completely", "different"].into_iter()).is_empty());
    }
}
