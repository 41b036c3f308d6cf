//! Text with wildcards.

/// Matches with one wildcard for any text, in time of the product of both lengths at most.
pub(super) fn wildcard(pattern: &[char], text: &[char], any: char) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(c) if *c == any => {
                star = Some((at, from));
                at += 1;
            }
            Some(c) if *c == text[from] => {
                at += 1;
                from += 1;
            }
            _ => match &mut star {
                Some((place, begun)) => {
                    *begun += 1;
                    at = *place + 1;
                    from = *begun;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == any)
}
