//! Cuts tags with very many attributes, for which the parser needs quadratic time.

use std::borrow::Cow;

/// The greatest number of attributes of a tag.
const MAX_ATTRIBUTES: usize = 256;

/// The greatest length of a tag, in bytes.
const MAX_TAG_BYTES: usize = 64 << 10;

/// Returns the document, in which each tag has at most [`MAX_ATTRIBUTES`] attributes and [`MAX_TAG_BYTES`] bytes. What
/// looks like a tag inside of scripts is cut, too.
pub(super) fn limit_tags(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let (mut limited, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(start) = bytes[at..].iter().position(|byte| *byte == b'<') {
        let start = at + start;
        at = start + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let tag = TagBounds::find(&bytes[start..]);
        at = start + tag.end;
        if let Some((cut, quote)) = tag.cut {
            let cut = html.floor_char_boundary(start + cut);
            limited.push_str(&html[copied..cut]);
            limited.extend(quote.map(char::from));
            limited.push_str(" >");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    limited.push_str(&html[copied..]);
    Cow::Owned(limited)
}

/// The offsets of a tag from its `<`.
struct TagBounds {
    /// Behind the `>`, or the end of the document.
    end: usize,
    /// Where the tag has to be cut, and the quote that is open there.
    cut: Option<(usize, Option<u8>)>,
}

impl TagBounds {
    fn find(bytes: &[u8]) -> Self {
        let (mut quote, mut attributes, mut cut) = (None, 0, None);
        let (mut before, mut is_blank) = (b'<', false);
        for (at, byte) in bytes.iter().copied().enumerate().skip(1) {
            if let Some(open) = quote {
                if byte == open {
                    (quote, before) = (None, byte);
                }
            } else if byte == b'>' {
                return Self { end: at + 1, cut };
            } else {
                let is_space = byte.is_ascii_whitespace() || byte == b'/';
                attributes += usize::from(is_space && !is_blank);
                is_blank = is_space;
                if matches!(byte, b'"' | b'\'') && before == b'=' {
                    quote = Some(byte);
                }
                if !byte.is_ascii_whitespace() {
                    before = byte;
                }
            }
            if cut.is_none() && (attributes > MAX_ATTRIBUTES || at > MAX_TAG_BYTES) {
                cut = Some((at, quote));
            }
        }
        // Without an end there is no tag: the parser drops what follows the `<`.
        let end = bytes.len();
        Self { end, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::limit_tags;

    #[test]
    fn usual_tags_are_left_as_they_are() {
        let html = "<p class='a > b' title=\"x\">a < b</p><script>if (a<b) { c('\"') }</script>";
        assert_eq!(limit_tags(html), html);
    }

    #[test]
    fn further_attributes_are_cut() {
        let attributes: String = (0..100_000).map(|n| format!("a{n}=1 ")).collect();
        let limited = limit_tags(&format!("<p {attributes}>text</p>")).into_owned();
        assert!(limited.len() < 4_000, "{}", limited.len());
        assert!(limited.starts_with("<p a0=1 a1=1 ") && limited.ends_with(" >text</p>"));
        let long = format!("<p title=\"{}\">text</p>", "ä".repeat(100_000));
        assert!(limit_tags(&long).len() < 70_000);
    }
}
