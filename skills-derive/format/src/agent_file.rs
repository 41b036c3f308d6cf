//! Agent files: Markdown files whose front matter describes an agent and whose body is its instructions, in the form of
//! Claude Code.
//!
//! The reader accepts what authors write: front matter that is not YAML is read line by line, with a warning that names
//! the line. A field that narrows what an agent may do is never ignored: where it cannot be read, the file is no agent.

mod entry;
mod fields;
mod folder;
mod keys;
mod lines;
mod name;
mod problem;

use crate::front_matter::{self, Value};

pub use entry::{AgentField, AgentFile, AgentValue};
pub use folder::{FoundAgentFile, MAX_AGENT_FILE, read_agent_file, read_agent_files};
pub use problem::AgentProblem;

use problem::Problems;

/// Parses and checks the text of one agent file.
///
/// The function does not fail: errors are among the problems. A file without `name` is documentation, and no agent.
///
/// ```
/// use helve_skill_format::{AgentValue, parse_agent};
///
/// let file = parse_agent("---\nname: reviewer\ndescription: Reviews code: all of it\ntools: Read, Grep\n---\nReview.\n");
/// assert!(file.is_agent());
/// assert_eq!(file.get("tools"), Some(&AgentValue::Names(vec!["Read".into(), "Grep".into()])));
/// assert_eq!(file.problems[0].line, 3);
/// assert_eq!(file.body, "Review.");
/// ```
#[must_use]
pub fn parse_agent(text: &str) -> AgentFile {
    let mut problems = Problems::default();
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count() + 1;
        problems.error(line, "the file holds a NUL character", Some("delete it"));
        return AgentFile::without_fields(problems);
    }
    let text = plain_text(text, &mut problems);
    let parts = match front_matter::split(&text) {
        Ok(parts) => parts,
        Err(finding) => {
            let line = finding.at.map_or(1, |at| at.line);
            problems.error(line, finding.message, finding.help.as_deref());
            return AgentFile::without_fields(problems);
        }
    };
    let fields = read_fields(parts.yaml, &mut problems);
    fields::check(fields, text[parts.body_start..].trim(), problems)
}

/// Returns the line of a field of an agent file that names something, such as a tool; `None` if no field does.
///
/// ```
/// use helve_skill_format::line_of_name;
///
/// let text = "---\nname: reviewer\ndescription: Uses Grep.\ntools:\n  - Read\n  - Grep\n---\nReview.\n";
/// assert_eq!(line_of_name(text, "Grep"), Some(6));
/// assert_eq!(line_of_name(text, "Rea"), None);
/// ```
#[must_use]
pub fn line_of_name(text: &str, name: &str) -> Option<usize> {
    let file = parse_agent(text);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*');
    let is_named = |line: &str| {
        let mut found = line.match_indices(name);
        found.any(|(at, _)| {
            !line[..at].ends_with(is_name) && !line[at + name.len()..].starts_with(is_name)
        })
    };
    let mut fields = file.fields.iter();
    fields.find_map(|field| {
        let lines = text.lines().enumerate().skip(field.line.saturating_sub(1));
        let is_below = |line: &str| line.starts_with([' ', '\t', '-']) && line != "---";
        let mut lines = lines.take_while(|(at, line)| at + 1 == field.line || is_below(line));
        let (at, _) = lines.find(|(_, line)| is_named(line))?;
        Some(at + 1)
    })
}

/// Removes what editors add to a text: a byte order mark, and carriage returns.
fn plain_text(text: &str, problems: &mut Problems) -> String {
    let plain = text.strip_prefix('\u{feff}');
    if plain.is_some() {
        let message = "the file begins with a byte order mark, with which other programs skip it";
        problems.warning(1, message, Some("save it as UTF-8 without the mark"));
    }
    let plain = plain.unwrap_or(text);
    if let Some(at) = plain.find("\r\n") {
        let line = plain[..at].matches('\n').count() + 1;
        let message = "lines end with CR and LF, with which other programs may skip the file";
        problems.warning(line, message, Some("save it with LF at the end of lines"));
    }
    plain.replace("\r\n", "\n")
}

/// A field as it is written.
#[derive(Debug)]
struct WrittenField {
    key: String,
    value: Value,
    line: usize,
}

/// Reads the fields as YAML, or line by line where they are not YAML.
fn read_fields(yaml: &str, problems: &mut Problems) -> Vec<WrittenField> {
    let read = front_matter::read(yaml);
    if !read.is_complete {
        return lines::read(yaml, problems);
    }
    for finding in read.findings {
        let line = finding.at.map_or(1, |at| at.line);
        match finding.code {
            crate::codes::FLOW | crate::codes::INDENTATION => {}
            crate::codes::DUPLICATE_KEY | crate::codes::NUL => {
                problems.error(line, finding.message, finding.help.as_deref());
            }
            _ => problems.warning(line, finding.message, finding.help.as_deref()),
        }
    }
    let fields = read.front_matter.fields.into_iter();
    let fields = fields.map(|field| WrittenField {
        key: field.key,
        value: field.value,
        // The position is that of the value, which may begin below its key.
        line: line_of(yaml, field.at.line),
    });
    fields.collect()
}

/// Returns the line of the top-level key whose value begins on a line of the file.
fn line_of(yaml: &str, line: usize) -> usize {
    // The YAML begins on the second line of the file.
    let lines: Vec<&str> = yaml.lines().take(line.saturating_sub(1)).collect();
    let is_key = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t', '-', '#']);
    lines.iter().rposition(is_key).map_or(line, |at| at + 2)
}
