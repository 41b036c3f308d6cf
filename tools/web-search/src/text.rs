//! Plain text from the texts of engines, and days as dates.

/// Removes tags, decodes the usual entities, puts the text on one line and limits its length in characters.
pub(crate) fn plain_text(html: &str, most: usize) -> String {
    let mut text = String::new();
    // No more is read than could be shown, with room for tags.
    let end = html
        .char_indices()
        .nth(most.saturating_mul(8))
        .map_or(html.len(), |(end, _)| end);
    let mut rest = &html[..end];
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let read = if rest.starts_with('<') {
            skip_tag(rest, &mut text)
        } else {
            decode_entity(rest, &mut text)
        };
        rest = &rest[read..];
    }
    text.push_str(rest);
    let mut line = String::new();
    for word in text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(most) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

/// Skips a tag, and returns its length. What is no tag is text.
fn skip_tag(rest: &str, text: &mut String) -> usize {
    let next = rest[1..].chars().next();
    let is_tag = next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
    match rest.find('>').filter(|_| is_tag) {
        Some(end) => {
            // Words on both sides of a line break or a paragraph stay two words.
            let name = rest[1..end].trim_start_matches('/');
            if ["br", "p", "div", "li", "td"]
                .iter()
                .any(|block| name.starts_with(block))
            {
                text.push(' ');
            }
            end + 1
        }
        None => {
            text.push('<');
            1
        }
    }
}

/// Decodes an entity, and returns its length. What is no entity is text.
fn decode_entity(rest: &str, text: &mut String) -> usize {
    let end = rest.bytes().take(12).position(|byte| byte == b';');
    let decoded = end.and_then(|end| {
        let name = rest.get(1..end)?;
        let number =
            name.strip_prefix('#')
                .and_then(|number| match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => number.parse().ok(),
                });
        let decoded = match (name, number) {
            (_, Some(number)) => char::from_u32(number)?,
            ("amp", _) => '&',
            ("lt", _) => '<',
            ("gt", _) => '>',
            ("quot", _) => '"',
            ("apos", _) => '\'',
            ("nbsp", _) => ' ',
            ("hellip", _) => '…',
            ("ndash", _) => '–',
            ("mdash", _) => '—',
            _ => return None,
        };
        Some((decoded, end + 1))
    });
    match decoded {
        Some((decoded, length)) => {
            text.push(decoded);
            length
        }
        None => {
            text.push('&');
            1
        }
    }
}

/// Returns the date of a day since 1970, as `2026-11-27`.
pub(crate) fn date_of_day(day: u64) -> String {
    // Days are counted from March on, so that a leap day is the last day of a year.
    let from_march = day + 719_468;
    let (era, day_of_era) = (from_march / 146_097, from_march % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_of_engines_become_plain() {
        let plain = |html| plain_text(html, 60);
        assert_eq!(plain("a <strong>bold</strong>\n  word"), "a bold word");
        assert_eq!(
            plain("one<br/>two &amp; &#x41;&#66;&nbsp;c"),
            "one two & AB c"
        );
        assert_eq!(plain("1 < 2 &unknown; & 3 <"), "1 < 2 &unknown; & 3 <");
        assert_eq!(plain("<script>alert(1)</script>x"), "alert(1)x");
        assert_eq!(plain("&#xD800; &#99999999;"), "&#xD800; &#99999999;");
        assert_eq!(plain_text("é e e", 3), "é e…");
    }

    #[test]
    fn days_have_dates() {
        assert_eq!(date_of_day(0), "1970-01-01");
        assert_eq!(date_of_day(11_016), "2000-02-29");
        assert_eq!(date_of_day(20_784), "2026-11-27");
    }

    proptest! {
        #[test]
        fn whatever_an_engine_writes_is_one_short_line(text in "[<>&;#xa-zé\\s/!]{0,80}|\\PC{0,60}") {
            let plain = plain_text(&text, 20);
            prop_assert!(plain.chars().count() <= 21, "{plain}");
            prop_assert!(!plain.contains('\n'));
        }
    }
}
