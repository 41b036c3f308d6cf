//! Sanitizes texts of servers for display.

use helve_untrusted::{strip_escapes, strip_invisible};

/// Returns a text on one line, without escape sequences and invisible characters, truncated after `max` characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let text = strip_escapes(text);
    let text = strip_invisible(&text);
    let mut words = text.split_whitespace();
    let mut tidied = words.next().unwrap_or_default().to_owned();
    for word in words {
        tidied.push(' ');
        tidied.push_str(word);
        if tidied.len() > 4 * max {
            break;
        }
    }
    match tidied.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &tidied[..end]),
        None => tidied,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_text_is_one_line_without_escapes() {
        assert_eq!(one_line("a\x1b[31m b\n\n c\u{202e}", 10), "a b c");
        assert_eq!(one_line("aaaaaa", 3), "aaa…");
        assert_eq!(one_line("", 3), "");
    }
}
