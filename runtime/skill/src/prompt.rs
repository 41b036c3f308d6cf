//! The list of skills in a system prompt, within a budget.

use std::fmt::Write;

use super::Skill;
use helve_core::support::text::first_chars;

/// Returns the budget of the list of skills in characters: 2 % of a model's context window with this
/// number of tokens, at four characters a token, or 8,000 if the size of the window is unknown.
///
/// ```
/// use helve::skill::prompt_budget;
///
/// assert_eq!(prompt_budget(Some(200_000)), 16_000);
/// assert_eq!(prompt_budget(None), 8_000);
/// ```
#[must_use]
pub fn budget(context_tokens: Option<u64>) -> usize {
    const UNKNOWN: usize = 8_000;
    const CHARACTERS_A_TOKEN: u64 = 4;

    context_tokens.map_or(UNKNOWN, |tokens| {
        let characters = tokens.saturating_mul(CHARACTERS_A_TOKEN) / 50;
        usize::try_from(characters).unwrap_or(usize::MAX)
    })
}

/// The shortest useful description; with less room, only names are listed.
const MIN_DESCRIPTION_CHARS: usize = 24;

const SHORTENED_NOTE: &str = "Some descriptions are shortened; load_skill gives a skill in full.";
const NAMES_ONLY_NOTE: &str =
    "The descriptions are left out for space; load_skill gives a skill in full.";

/// Renders the skills in their order. The text is empty if there are none.
pub(super) fn render(skills: &[&Skill], budget: usize) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let fits = |text: &String| text.chars().count() <= budget;
    Some(render_list(skills, Some(usize::MAX), None))
        .filter(fits)
        .or_else(|| render_shortened(skills, budget))
        .or_else(|| Some(render_list(skills, None, Some(NAMES_ONLY_NOTE))).filter(fits))
        .unwrap_or_else(|| render_names(skills, budget))
}

/// Truncates the longest descriptions to the greatest common length that fits.
fn render_shortened(skills: &[&Skill], budget: usize) -> Option<String> {
    let text = |length| render_list(skills, Some(length), Some(SHORTENED_NOTE));
    let fits = |length| text(length).chars().count() <= budget;
    let lengths = skills.iter();
    let lengths = lengths.map(|skill| skill.description().chars().count());
    let longest = lengths.max().unwrap_or(0);
    if !fits(MIN_DESCRIPTION_CHARS) {
        return None;
    }
    // A greater length never gives a shorter text.
    let too_long = longest.max(MIN_DESCRIPTION_CHARS) + 1;
    let good = greatest_fitting(MIN_DESCRIPTION_CHARS, too_long, fits);
    Some(text(good))
}

/// Lists as many names as fit, and adds the number of the others.
fn render_names(skills: &[&Skill], budget: usize) -> String {
    let text = |shown: usize| {
        let missing = skills.len() - shown;
        let note = format!("{NAMES_ONLY_NOTE} {missing} more skills are not listed for space.");
        render_list(&skills[..shown], None, Some(&note))
    };
    // Each name adds more characters than it removes from the note. The note is kept even if it alone
    // exceeds the budget.
    let fits = |shown| text(shown).chars().count() <= budget;
    text(greatest_fitting(0, skills.len(), fits))
}

/// Returns the greatest number that fits, by binary search between `good`, which fits, and `bad`, which
/// does not.
fn greatest_fitting(mut good: usize, mut bad: usize, fits: impl Fn(usize) -> bool) -> usize {
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Writes the list, with descriptions of at most `length` characters, or without descriptions.
fn render_list(skills: &[&Skill], length: Option<usize>, note: Option<&str>) -> String {
    let mut text = "<available_skills>\n".to_owned();
    for skill in skills {
        // Writing to a String cannot fail.
        let _ = write!(text, "  <skill><name>{}</name>", escape(skill.name()));
        if let Some(length) = length {
            let description = escape(&shorten(skill.description(), length));
            let _ = write!(text, "<description>{description}</description>");
        }
        text.push_str("</skill>\n");
    }
    if let Some(note) = note {
        let _ = writeln!(text, "  <note>{note}</note>");
    }
    text + "</available_skills>\n"
}

/// Collapses white space to single spaces, and truncates the text to `length` characters.
fn shorten(description: &str, length: usize) -> String {
    let folded = description.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.chars().count() <= length {
        return folded;
    }
    let cut = first_chars(&folded, length.saturating_sub(1));
    format!("{}…", cut.trim_end())
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML does not allow control characters, and a reader should not interpret them.
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
