//! Paragraphs that begin as the turn of another speaker.

use std::borrow::Cow;

/// The speakers of the plain-text transcripts on which models were trained. Lower-case names are not matched: `system:`
/// begins a section of many configuration files.
const SPEAKERS: [&str; 6] = [
    "Human",
    "HUMAN",
    "Assistant",
    "ASSISTANT",
    "System",
    "SYSTEM",
];

/// The maximum distance at which the marks before a speaker are examined: `###` and the spaces around it.
const MAX_MARKS: usize = 16;

/// The maximum distance at which an empty line is searched.
const MAX_BLANK: usize = 256;

/// Encloses the speaker in brackets if a paragraph or the text begins with one: `Human:` becomes `[Human]:`, which no
/// model interprets as the end of its own turn.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut from = 0;
    for (start, speaker) in turns(text) {
        escaped.extend([&text[from..start], "[", speaker, "]"]);
        from = start + speaker.len();
    }
    if from == 0 {
        return text.into();
    }
    escaped.push_str(&text[from..]);
    escaped.into()
}

/// Returns the first speaker of a text, including the colon.
pub(super) fn first_turn(text: &str) -> Option<&str> {
    let (start, speaker) = turns(text).next()?;
    Some(&text[start..=start + speaker.len()])
}

/// Finds the speakers: the offset and the name of each.
fn turns(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    // Colons are rarer than lines.
    text.match_indices(':').filter_map(|(colon, _)| {
        let before = &text.as_bytes()[..colon];
        let mut speakers = SPEAKERS.into_iter();
        let speaker = speakers.find(|speaker| before.ends_with(speaker.as_bytes()))?;
        let start = colon - speaker.len();
        begins_paragraph(&before[..start]).then_some((start, speaker))
    })
}

/// Reports whether a paragraph begins after these bytes, ignoring marks of a heading.
fn begins_paragraph(before: &[u8]) -> bool {
    let end = |bytes: &[u8], most: usize, skipped: &[u8]| {
        let skips = bytes.iter().rev().take(most);
        bytes.len() - skips.take_while(|byte| skipped.contains(byte)).count()
    };
    let line = &before[..end(before, MAX_MARKS, b" \t#*>")];
    let Some((b'\n', above)) = line.split_last() else {
        return line.is_empty();
    };
    let blank = &above[..end(above, MAX_BLANK, b" \t\r")];
    blank.is_empty() || blank.ends_with(b"\n")
}
