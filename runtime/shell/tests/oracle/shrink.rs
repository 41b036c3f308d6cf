//! Makes a line shorter as long as what is wrong with it stays.

/// Returns the shortest line that was found with at most `tries` questions.
pub(crate) fn shrink(line: &str, tries: usize, mut is_wrong: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = line.chars().collect();
    let mut left = tries;
    let mut size = best.len().div_ceil(2);
    while size > 0 && left > 0 {
        let mut at = 0;
        let mut has_changed = false;
        while at < best.len() && left > 0 {
            let end = (at + size).min(best.len());
            let shorter: Vec<char> = best[..at].iter().chain(&best[end..]).copied().collect();
            left -= 1;
            if !shorter.is_empty() && is_wrong(&shorter.iter().collect::<String>()) {
                best = shorter;
                has_changed = true;
            } else {
                at = end;
            }
        }
        if size > 1 {
            size /= 2;
        } else if !has_changed {
            break;
        }
    }
    best.into_iter().collect()
}
