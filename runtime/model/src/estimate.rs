//! Estimates the number of tokens of a text.

use super::{EstimatedTokenCounter, ModelRequest, TokenCounter as _};

/// The weights of a letter, of an ideograph, and of any other character, in twentieths of a token.
const LETTER: u64 = 5;
const IDEOGRAPH: u64 = 12;
const OTHER: u64 = 8;

/// Estimates the number of tokens of a text, without the vocabulary of a model.
///
/// Four letters count as one token, five ideographs as three, and each digit, space or punctuation character as 0.4.
/// A text that is not empty has at least one token.
///
/// ```
/// use helve::model::estimate_tokens;
///
/// assert_eq!(estimate_tokens("Please inspect app.py and patch the bug."), 11);
/// assert_eq!(estimate_tokens("验证仍在进行。"), 4);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let weight = |character: char| match character {
        '\u{2e80}'..='\u{2fdf}'
        | '\u{3040}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => IDEOGRAPH,
        letter if letter.is_alphabetic() => LETTER,
        _ => OTHER,
    };
    let tokens = text.chars().map(weight).sum::<u64>() / 20;
    tokens.max(u64::from(!text.is_empty()))
}

impl ModelRequest {
    /// Estimates the number of tokens of the request; see [`estimate_tokens`].
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        EstimatedTokenCounter.count_request(self)
    }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn no_text_has_no_tokens_and_any_other_has_one_at_least() {
        assert_eq!(estimate_tokens(""), 0);
        for text in ["a", "abc", "1", " ", "\u{9a8c}", "\u{301}"] {
            assert_eq!(estimate_tokens(text), 1, "{text:?}");
        }
        assert_eq!(estimate_tokens("abcdefg"), 1);
        assert_eq!(estimate_tokens("abcdefgh"), 2);
    }
}
