//! Reads front matter that is not YAML line by line, as its author meant it.

use super::WrittenField;
use super::keys;
use super::problem::Problems;
use crate::front_matter::{self, Value};

/// Words before a colon that are the text of an example, and no key.
const SPEAKERS: [&str; 7] = [
    "assistant",
    "commentary",
    "context",
    "example",
    "human",
    "system",
    "user",
];

/// The lines of one field.
struct FieldLines<'t> {
    key: &'t str,
    /// The line of the key in the file.
    line: usize,
    /// The text with the key.
    text: &'t str,
    lines: usize,
}

/// Reads each field by itself: as YAML, or else as text.
pub(super) fn read(yaml: &str, problems: &mut Problems) -> Vec<WrittenField> {
    let mut fields: Vec<WrittenField> = Vec::new();
    for field in split(yaml, problems) {
        if fields.iter().any(|known| known.key == field.key) {
            let message = format!("the key `{}` is here twice", field.key);
            problems.error(field.line, message, Some("keep one of the two"));
        }
        fields.push(field.read(problems));
    }
    fields
}

/// Splits the front matter at the lines that begin with a key.
fn split<'t>(yaml: &'t str, problems: &mut Problems) -> Vec<FieldLines<'t>> {
    let mut fields: Vec<FieldLines<'t>> = Vec::new();
    let mut offset = 0;
    for (index, line) in yaml.split_inclusive('\n').enumerate() {
        let (start, number) = (offset, index + 2);
        offset += line.len();
        let is_open = fields.last().is_none_or(|field| field.lines == 1);
        if let Some(key) = key_of(line, is_open) {
            fields.push(FieldLines {
                key,
                line: number,
                text: &yaml[start..offset],
                lines: 1,
            });
        } else if let Some(field) = fields.last_mut() {
            let begin = field.text.as_ptr() as usize - yaml.as_ptr() as usize;
            field.text = &yaml[begin..offset];
            field.lines += 1;
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            problems.warning(
                number,
                "the line belongs to no key, and is not read",
                Some("write `KEY: VALUE`"),
            );
        }
    }
    fields
}

/// Returns the key with which a line begins. `is_open` is whether the value before it may end here even if the key is
/// unknown: a text of several lines may have words with a colon.
fn key_of(line: &str, is_open: bool) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let begins = key.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !begins
        || !key.chars().all(is_word)
        || !rest.starts_with([' ', '\t', '\n']) && !rest.is_empty()
    {
        return None;
    }
    let lower = key.to_ascii_lowercase();
    let is_own = keys::is_known(key);
    let may_be = is_open && key == lower && !SPEAKERS.contains(&&*lower);
    (is_own || may_be).then_some(key)
}

impl FieldLines<'_> {
    fn read(&self, problems: &mut Problems) -> WrittenField {
        let read = front_matter::read(self.text);
        let mut fields = read.front_matter.fields;
        let value = match fields.pop() {
            Some(field) if read.is_complete && fields.is_empty() => field.value,
            _ => self.text_value(problems),
        };
        WrittenField {
            key: self.key.to_owned(),
            value,
            line: self.line,
        }
    }

    /// Reads the value as text, and says so.
    fn text_value(&self, problems: &mut Problems) -> Value {
        let written = self.text.split_once(':').map_or("", |(_, rest)| rest);
        let written = written.trim();
        let end = self.line + self.lines - 1;
        let key = self.key;
        let (message, help) = match (self.lines, written) {
            (1, "*") => return Value::Text(written.to_owned()),
            (1, _) => (
                format!("the value of `{key}` is not YAML, and is read as text"),
                "put it in quotes",
            ),
            _ => (
                format!("the value of `{key}` up to line {end} is not YAML, and is read as text"),
                "write the key with `|-` behind it, and indent the lines below",
            ),
        };
        problems.warning(self.line, message, Some(help));
        let items = written.lines().map(|line| line.trim().strip_prefix("- "));
        if let Some(items) = items.collect::<Option<Vec<&str>>>() {
            let items = items
                .into_iter()
                .map(|item| Value::Text(unquote(item).to_owned()));
            return Value::List(items.collect());
        }
        let text = match written.split_once('\n') {
            Some((block, rest)) if block.starts_with(['|', '>']) && block.len() <= 3 => rest,
            _ => written,
        };
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Value::Text(unquote(lines.join("\n").trim()).to_owned())
    }
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}
