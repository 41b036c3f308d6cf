//! Texts of a server that are repeated to the user.

use crate::support::text::truncate;
use crate::untrusted::{strip_escapes, strip_invisible};

/// Returns a text without what a terminal would obey or nobody sees, on one line, cut after `most` characters.
pub(crate) fn tidy(text: &str, most: usize) -> String {
    let text = strip_escapes(text);
    let text = strip_invisible(&text);
    let mut words = text.split_whitespace();
    let mut tidied = words.next().unwrap_or_default().to_owned();
    for word in words {
        tidied.push(' ');
        tidied.push_str(word);
        if tidied.len() > 4 * most {
            break;
        }
    }
    truncate(&tidied, most).into_owned()
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn a_text_of_a_server_is_one_harmless_line() {
        assert_eq!(tidy("a\x1b[31m b\n\n c\u{202e}", 10), "a b c");
        assert_eq!(tidy("aaaaaa", 3), "aaa…");
        assert_eq!(tidy("", 3), "");
    }
}
