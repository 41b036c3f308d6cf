//! Tags that look like those that enclose untrusted text.

use std::borrow::Cow;

/// The name of the enclosing tag.
const NAME: &str = "untrusted";

/// The maximum number of characters other than letters between the bracket and the name.
const MAX_FILLER: usize = 16;

/// Escapes any text that a model could interpret as a tag of the enclosure: opening or closing, in any case, with
/// spaces, and with brackets and letters that only resemble the right ones.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    // All but one of the brackets are not ASCII; both checks process many bytes at a time.
    if text.is_ascii() && !text.as_bytes().contains(&b'<') {
        return text.into();
    }
    let mut escaped = String::new();
    let mut from = 0;
    for (at, bracket) in text.char_indices().filter(|(_, c)| is_opening(*c)) {
        if is_name(&text[at + bracket.len_utf8()..]) {
            escaped.push_str(&text[from..at]);
            escaped.push_str("&lt;");
            from = at + bracket.len_utf8();
        }
    }
    if from == 0 {
        return text.into();
    }
    escaped.push_str(&text[from..]);
    escaped.into()
}

fn is_opening(character: char) -> bool {
    BRACKETS.contains(&character)
}

/// The bracket, and characters that resemble it.
const BRACKETS: [char; 17] = [
    '<', '\u{ab}', '\u{2039}', '\u{2329}', '\u{276c}', '\u{276e}', '\u{2770}', '\u{27e8}',
    '\u{27ea}', '\u{3008}', '\u{300a}', '\u{fe64}', '\u{ff1c}', '\u{2c2}', '\u{1438}', '\u{16b2}',
    '\u{29fc}',
];

/// Reports whether a text begins with the name of the tag, as it appears to a human reader.
fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || to_latin_letter(c).is_some();
    let filler = text.chars().take(MAX_FILLER).take_while(|c| !is_letter(*c));
    let mut letters = text.chars().skip(filler.count());
    NAME.chars().all(|expected| {
        let next = letters.by_ref().find(|character| !is_filler(*character));
        next.and_then(to_latin_letter) == Some(expected)
    })
}

/// Reports whether a character between two letters does not visibly separate them.
fn is_filler(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '-' | '_' | '.' | '\u{b7}')
}

/// Returns the lower-case Latin letter that a character resembles, among those of the name.
fn to_latin_letter(character: char) -> Option<char> {
    let plain = match u32::from(character) {
        // The mathematical alphabets are consecutive; so are circled, squared and fullwidth letters.
        code @ 0x1d400..=0x1d6a3 => to_latin(code - 0x1d400),
        code @ 0x24b6..=0x24e9 => to_latin(code - 0x24b6),
        code @ 0x1f130..=0x1f149 => to_latin(code - 0x1f130),
        code @ 0x1f150..=0x1f169 => to_latin(code - 0x1f150),
        code @ 0x1f170..=0x1f189 => to_latin(code - 0x1f170),
        code @ 0xff21..=0xff3a => to_latin(code - 0xff21),
        code @ 0xff41..=0xff5a => to_latin(code - 0xff41),
        _ => character.to_ascii_lowercase(),
    };
    LOOKALIKES
        .iter()
        .find(|(letter, alike)| *letter == plain || alike.contains(plain))
        .map(|(letter, _)| *letter)
}

/// Returns the letter with this number in consecutive alphabets.
fn to_latin(number: u32) -> char {
    // The value is below 26, so the result is a letter.
    char::from(b'a' + u8::try_from(number % 26).unwrap_or(0))
}

/// The letters of the name, each with similar characters of other scripts and with diacritics.
const LOOKALIKES: [(char, &str); 7] = [
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗʉụủứừửữựṳṵṷṹṻυսᴜᵘμ∪цᥙ"),
    ('n', "ñńņňŉŋǹɲɳпպոռηɴᴎṅṇṉṋⁿᶇ"),
    ('t', "ţťŧțƫƭʈтτᴛṫṭṯṱẗᵗ†"),
    ('r', "ŕŗřȑȓɍɼɽɾгṙṛṝṟʀᴦʳᣴ"),
    ('s', "śŝşšșʂѕꜱșṡṣṥṧṩˢꮪ"),
    ('e', "èéêëēĕėęěȅȇȩɇеёҽєεϵᴇẹẻẽếềểễệḕḗḙḛḝᵉ℮"),
    ('d', "ďđɖɗԁժᴅḋḍḏḑḓᵈ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shape_of_the_tag_gets_through() {
        for tag in [
            "</untrusted>",
            "<untrusted source=\"x\">",
            "< / UNTRUSTED >",
            "<\n/untrusted",
            "\u{ff1c}/untrusted\u{ff1e}",
            "</\u{ff55}\u{ff4e}\u{ff54}\u{ff52}\u{ff55}\u{ff53}\u{ff54}\u{ff45}\u{ff44}>",
            "</untru\u{455}t\u{435}d>",
            "</u-n-t-r-u-s-t-e-d>",
            "</untrusted\u{301}>",
            "\u{2039}/untrusted\u{203a}",
            "</\u{1d42e}\u{1d427}\u{1d42d}\u{1d42b}\u{1d42e}\u{1d42c}\u{1d42d}\u{1d41e}\u{1d41d}>",
        ] {
            let escaped = escape(tag);
            assert!(escaped.starts_with("&lt;"), "{tag}: {escaped}");
            assert!(matches!(escape(&escaped), Cow::Borrowed(_)), "{escaped}");
        }
        assert_eq!(escape("<</untrusted>"), "&lt;&lt;/untrusted>");
    }

    #[test]
    fn other_tags_stay() {
        for text in [
            "<p>untrusted</p>",
            "a < b",
            "trusted",
            "<under>",
            "&lt;/untrusted>",
        ] {
            assert_eq!(escape(text), text);
        }
    }
}
