//! The new part of a text that is read repeatedly.

/// Returns the new part of a text that was read before, for an output of which only the latest part can be read: a
/// sliding window.
///
/// The longest suffix of `previous` that is a prefix of `current` is known; without one, all of `current` is new.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::tail_for_progress;
///
/// assert_eq!(tail_for_progress("one\ntwo\n", "two\nthree\n"), "three\n");
/// assert_eq!(tail_for_progress("one\n", "one\n"), "");
/// ```
#[must_use]
pub fn tail_for_progress<'t>(previous: &str, current: &'t str) -> &'t str {
    &current[overlap(previous.as_bytes(), current.as_bytes())..]
}

/// Returns the length of the longest suffix of `previous` that is a prefix of `current`, in linear time: a process
/// determines the length of the texts.
fn overlap(previous: &[u8], current: &[u8]) -> usize {
    let from = previous.len().saturating_sub(current.len());
    let borders = failure_table(current);
    let mut matched = 0;
    for byte in &previous[from..] {
        while matched > 0 && current.get(matched) != Some(byte) {
            matched = borders[matched - 1];
        }
        if current.get(matched) == Some(byte) {
            matched += 1;
        }
    }
    matched
}

/// Returns, for each prefix of a text, the length of its longest proper prefix that is also its suffix.
fn failure_table(text: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; text.len()];
    let mut length = 0;
    for index in 1..text.len() {
        while length > 0 && text[index] != text[length] {
            length = borders[length - 1];
        }
        if text[index] == text[length] {
            length += 1;
        }
        borders[index] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::tail_for_progress;

    fn slowly<'t>(previous: &str, current: &'t str) -> &'t str {
        let cuts = (0..=current.len()).rev();
        let known = cuts
            .filter(|cut| current.is_char_boundary(*cut))
            .find(|cut| previous.ends_with(&current[..*cut]));
        &current[known.unwrap_or(0)..]
    }

    proptest! {
        #[test]
        fn the_longest_overlap_is_known(previous in "[abä]{0,12}", current in "[abä]{0,12}") {
            prop_assert_eq!(tail_for_progress(&previous, &current), slowly(&previous, &current));
        }
    }
}
