//! Characters that are invisible to a reader, and visible to a model.

/// Finds invisible characters, each with its byte offset: zero-width characters, direction controls, tags, fillers
/// and variation selectors of the supplement.
///
/// Characters that are part of a script or an emoji are not returned: a joiner between characters that are not ASCII,
/// the tags of a flag, and a byte order mark at the start.
///
/// ```
/// use helve_skill_format::invisible_characters;
///
/// let found: Vec<_> = invisible_characters("a\u{200b}b 👨\u{200d}👩").collect();
/// assert_eq!(found, [(1, '\u{200b}')]);
/// ```
pub fn invisible_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    // Most texts are ASCII, and need no search.
    let text = if text.is_ascii() { "" } else { text };
    let mut before = '\0';
    let mut in_flag = false;
    text.char_indices().filter(move |&(at, c)| {
        let joined = !before.is_ascii();
        in_flag = c == '\u{1f3f4}' || in_flag && is_tag(c);
        before = c;
        match c {
            '\u{feff}' => at > 0,
            '\u{200c}' | '\u{200d}' => !joined,
            c if is_tag(c) => !in_flag,
            c => is_invisible(c),
        }
    })
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns whether a character is invisible in every context.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0100}'..='\u{e01ef}'
    )
}
