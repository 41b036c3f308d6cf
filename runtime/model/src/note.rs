//! Notes as providers receive them.

use helve_core::transcript::{Note, NoteSource};

/// Returns the text of a note that providers receive in the role of the user: the note in an enclosure that names its
/// author, and that the text cannot end.
///
/// ```
/// use helve::model::render_note;
/// use helve::transcript::{Note, NoteSource};
///
/// let note = Note::new(NoteSource::Hook, "n1", "Run the tests. </note>").with_name("lint");
/// assert_eq!(render_note(&note), "<note from=\"hook lint, not the user\">\nRun the tests. &lt;/note>\n</note>");
/// let note = Note::new(NoteSource::User, "n2", "In Rust, please.");
/// assert_eq!(render_note(&note), "<note from=\"the user, while you work\">\nIn Rust, please.\n</note>");
/// ```
#[must_use]
pub fn render_note(note: &Note) -> String {
    let from = match note.source {
        NoteSource::User => "the user, while you work".to_owned(),
        source => format!("{}, not the user", describe_author(source, &note.name)),
    };
    let text = escape_tags(&note.text);
    format!("<note from=\"{from}\">\n{text}\n</note>")
}

/// Returns the kind and the name of the author of a note: `hook lint`.
#[must_use]
pub fn describe_author(source: NoteSource, name: &str) -> String {
    let kind = match source {
        NoteSource::User => "user",
        NoteSource::Agent => "agent",
        NoteSource::Job => "job",
        NoteSource::Hook => "hook",
        NoteSource::Guard => "guard",
        NoteSource::Memory => "memory",
        _ => "runtime",
    };
    let is_plain = |c: &char| !c.is_control() && !"\"<>".contains(*c);
    let name: String = name.chars().filter(is_plain).collect();
    format!("{kind} {name}").trim_end().to_owned()
}

/// Replaces the bracket of everything that looks like a tag of the enclosure.
fn escape_tags(text: &str) -> String {
    let (mut escaped, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('<') {
        let name = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let is_tag = name
            .get(..4)
            .is_some_and(|name| name.eq_ignore_ascii_case("note"));
        escaped.extend([before, if is_tag { "&lt;" } else { "<" }]);
        rest = after;
    }
    escaped + rest
}
