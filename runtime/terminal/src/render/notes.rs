//! Text for notes and reviews.

use crate::sanitize;
use helve_agent::turn::Review;
use helve_core::transcript::NoteSource;
use helve_model::describe_author;

/// The maximum length of a note, in characters.
const MAX_NOTE_CHARS: usize = 400;

/// The maximum number of lines of what was recalled, and of characters of each.
const MAX_RECALLED: (usize, usize) = (8, 120);

/// Renders a note: what the user said while the model worked, or what others added.
pub(super) fn render_note(source: NoteSource, name: &str, whole: &str) -> String {
    let text = sanitize::first_line(whole, MAX_NOTE_CHARS);
    let author = describe_author(source, &sanitize::one_line(name));
    match source {
        NoteSource::User => format!("» {text}"),
        NoteSource::Memory => format!("— note from {author}: {text}{}", recalled_lines(whole)),
        _ => format!("— note from {author}: {text}"),
    }
}

/// Renders the lines of a note below its first one: what the model reads of the memory is no secret to the user.
fn recalled_lines(note: &str) -> String {
    let (most, chars) = MAX_RECALLED;
    let lines = note.lines().skip(1).filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines
        .map(|line| sanitize::first_line(&sanitize::one_line(line), chars))
        .collect();
    let mut text: String = lines
        .iter()
        .take(most)
        .map(|line| format!("\n    {line}"))
        .collect();
    match lines.len().saturating_sub(most) {
        0 => {}
        1 => text.push_str("\n    … 1 more line"),
        more => text.push_str(&format!("\n    … {more} more lines")),
    }
    text
}

/// Renders a review, without the text of a replacement; `None` if there is nothing to say.
pub(super) fn render_review(round: u32, by: &str, review: &Review) -> Option<String> {
    let by = sanitize::one_line(by);
    let what = if round == 0 { "prompt" } else { "reply" };
    match review {
        Review::Again { note } => {
            let note = sanitize::first_line(note, MAX_NOTE_CHARS);
            Some(format!("— the guard {by} demands another reply: {note}"))
        }
        Review::Replace { .. } => Some(format!("— the guard {by} replaced the {what}")),
        Review::Block { why } => {
            let why = sanitize::first_line(why, MAX_NOTE_CHARS);
            Some(format!("! the guard {by} blocked the {what}: {why}"))
        }
        _ => None,
    }
}

/// Returns the text that a guard has put in the place of a reply.
pub(super) fn replaced_reply(round: u32, review: &Review) -> Option<&str> {
    match review {
        Review::Replace { text } if round > 0 => Some(text),
        _ => None,
    }
}

/// Renders what the user may say next, with the numbers by which it is chosen.
pub(super) fn render_suggestions(prompts: &[String]) -> String {
    let lines = prompts.iter().enumerate().map(|(index, prompt)| {
        let number = index + 1;
        format!("{number} › {}", sanitize::one_line(prompt))
    });
    lines.collect::<Vec<_>>().join("\n")
}
