//! Checks the fields of an agent file.

use super::keys::{self, Kind};
use super::problem::Problems;
use super::{AgentField, AgentFile, AgentValue, WrittenField, name};
use crate::front_matter::{Value, allowed_tools};

/// Modes of another program, which say who may start an agent.
const OTHER_MODES: [&str; 3] = ["all", "primary", "subagent"];

/// Converts the written fields.
pub(super) fn check(written: Vec<WrittenField>, body: &str, problems: Problems) -> AgentFile {
    let mut reader = FieldReader {
        problems,
        fields: Vec::new(),
    };
    let (mut name, mut description, mut last) = (None, None, 1);
    for field in flatten(written, &mut reader.problems) {
        last = last.max(field.line);
        match (&*field.key, &field.value) {
            ("name", Value::Text(text)) if !text.trim().is_empty() => {
                name = Some((text.trim().to_owned(), field.line));
            }
            // Literal `\n`, which other programs write into one line.
            ("description", Value::Text(text)) if !text.trim().is_empty() => {
                description = Some(text.trim().replace("\\n", "\n"));
            }
            ("name" | "description", _) => {
                let message = format!("the `{}` is empty or no text", field.key);
                reader.problems.error(field.line, message, None);
            }
            _ => reader.field(field),
        }
    }
    match &name {
        None => {
            let message = "the front matter has no `name`, so the file is no agent";
            let help = "add `name: …` and `description: …` if it is meant as one";
            reader.problems.error(1, message, Some(help));
        }
        Some((name, line)) => {
            if let Some(message) = name::problem(name) {
                let help = "write letters, digits, `-`, `_` and `.`";
                reader.problems.error(*line, message, Some(help));
            }
            if description.is_none() {
                let message = "the `description` is missing";
                let help = "say in one or two sentences when to use the agent";
                reader.problems.error(*line, message, Some(help));
            }
        }
    }
    if name.is_some() && body.is_empty() {
        let message = "the file has no instructions below its front matter";
        reader.problems.warning(last, message, None);
    }
    AgentFile {
        name: name.map(|(name, _)| name),
        description,
        fields: reader.fields,
        body: body.to_owned(),
        problems: reader.problems.sorted(),
    }
}

/// Joins the keys of sections with those below them, and replaces synonyms.
fn flatten(written: Vec<WrittenField>, problems: &mut Problems) -> Vec<WrittenField> {
    let mut fields: Vec<WrittenField> = Vec::new();
    for WrittenField { key, value, line } in written {
        match value {
            Value::Mapping(entries) if keys::SECTIONS.contains(&&*key) => {
                let below = entries.into_iter().map(|(below, value)| WrittenField {
                    key: format!("{key}.{below}"),
                    value,
                    line,
                });
                fields.extend(below);
            }
            value => fields.push(WrittenField {
                key: own_name(&key, line, problems),
                value,
                line,
            }),
        }
    }
    for at in 1..fields.len() {
        let (before, field) = (&fields[..at], &fields[at]);
        if before.iter().any(|known| known.key == field.key) && keys::find(&field.key).is_some() {
            let message = format!("`{}` is here twice", field.key);
            problems.error(field.line, message, Some("keep one of the two"));
        }
    }
    fields
}

fn own_name(key: &str, line: usize, problems: &mut Problems) -> String {
    let synonym = keys::SYNONYMS.iter().find(|(other, _)| *other == key);
    match synonym {
        None => key.to_owned(),
        Some((_, own)) => {
            problems.warning(line, format!("`{key}` is read as `{own}`"), None);
            (*own).to_owned()
        }
    }
}

struct FieldReader {
    problems: Problems,
    fields: Vec<AgentField>,
}

impl FieldReader {
    fn field(&mut self, field: WrittenField) {
        let WrittenField { key, value, line } = field;
        let Some((key, kind)) = keys::find(&key) else {
            return self.unknown(&key, &value, line);
        };
        let value = match kind {
            Kind::Ignored => return,
            Kind::Unsupported(meaning) => {
                let is_off = matches!(&value, Value::Text(text) if matches!(text.trim(), "" | "false" | "none"));
                if !is_off {
                    let message = format!("`{key}` is not supported: {meaning}");
                    self.problems.warning(line, message, None);
                }
                return;
            }
            Kind::Text => text(&value).map(AgentValue::Text),
            Kind::Tools => return self.tools(key, &value, line),
            Kind::Servers => Some(AgentValue::Names(self.servers(&value, line))),
            Kind::Names => names(&value).map(AgentValue::Names),
            Kind::Count => number(&value)
                .filter(|number| number.fract() == 0.0)
                .map(AgentValue::Number),
            Kind::Amount => number(&value).map(AgentValue::Number),
            Kind::Mapping => match value {
                Value::Mapping(entries) => Some(AgentValue::Mapping(entries)),
                Value::Text(text) if text.trim().is_empty() => return,
                _ => None,
            },
            Kind::Word(words) | Kind::Hint(words) => {
                return self.word(key, kind, words, &value, line);
            }
        };
        match value {
            Some(value) => self.push(key, value, line),
            None => self.unreadable(key, kind, line),
        }
    }

    fn push(&mut self, key: &'static str, value: AgentValue, line: usize) {
        self.fields.push(AgentField { key, value, line });
    }

    /// A value that cannot be read is an error where it would narrow what the agent may do.
    fn unreadable(&mut self, key: &str, kind: Kind, line: usize) {
        let expected = match kind {
            Kind::Count => "a whole number greater than 0",
            Kind::Amount => "a number greater than 0",
            Kind::Names => "a list of names",
            Kind::Mapping => "a mapping",
            _ => "text",
        };
        let message = format!("`{key}` is not {expected}");
        match kind {
            Kind::Text => self.problems.warning(line, message, None),
            _ => self.problems.error(line, message, None),
        }
    }

    fn unknown(&mut self, key: &str, value: &Value, line: usize) {
        if keys::SECTIONS.contains(&key) && !matches!(value, Value::Mapping(_)) {
            let message = format!("`{key}` is not a mapping");
            return self.problems.error(line, message, None);
        }
        let is_own = keys::SECTIONS.iter().any(|section| {
            key.strip_prefix(section)
                .is_some_and(|rest| rest.starts_with('.'))
        });
        let near = keys::nearest(key).map(|near| format!("did you mean `{near}`?"));
        let message = format!("unknown key `{key}`, which is ignored");
        if is_own {
            let message = format!("unknown key `{key}`");
            return self.problems.error(line, message, near.as_deref());
        }
        self.problems.warning(line, message, near.as_deref());
    }

    fn tools(&mut self, key: &'static str, value: &Value, line: usize) {
        if let Value::Mapping(entries) = value {
            return self.tool_switches(key, entries, line);
        }
        let entries = allowed_tools(value);
        if entries.iter().any(|entry| entry == "*") {
            let message = format!("`{key}: *` means all tools");
            let help = (key == "tools").then_some("leave the key out, which means the same");
            self.problems.warning(line, message, help);
            return self.push(key, AgentValue::All, line);
        }
        if entries.is_empty() && key == "tools" {
            let message = "`tools` names no tool, so the agent has none";
            let help = "leave the key out for all tools";
            self.problems.warning(line, message, Some(help));
        }
        self.push(key, AgentValue::Names(entries), line);
    }

    /// Reads a mapping of tools to booleans, in which another program turns tools off.
    fn tool_switches(&mut self, key: &'static str, entries: &[(String, Value)], line: usize) {
        let switch = |value: &Value| value.as_text()?.trim().parse::<bool>().ok();
        let switches = entries
            .iter()
            .map(|(tool, value)| Some((tool, switch(value)?)));
        let Some(switches) = switches
            .collect::<Option<Vec<_>>>()
            .filter(|_| key == "tools")
        else {
            let message = format!("`{key}` is not a list of tools");
            return self.problems.error(line, message, None);
        };
        let off = switches.iter().filter(|(_, is_on)| !is_on);
        let off: Vec<String> = off.map(|(tool, _)| (*tool).clone()).collect();
        let message = format!("`{key}` is a mapping: the tools that are false are disallowed");
        self.problems.warning(line, message, None);
        if self
            .fields
            .iter()
            .any(|field| field.key == "disallowedTools")
        {
            let message = "`tools` as a mapping cannot be combined with `disallowedTools`";
            return self.problems.error(line, message, None);
        }
        self.push("disallowedTools", AgentValue::Names(off), line);
    }

    fn servers(&mut self, value: &Value, line: usize) -> Vec<String> {
        let mut inline = Vec::new();
        let mut found = Vec::new();
        match value {
            Value::Text(_) => found = names(value).unwrap_or_default(),
            Value::List(items) => {
                for item in items {
                    match item {
                        Value::Text(name) => found.push(name.trim().to_owned()),
                        Value::Mapping(entries) => {
                            inline.extend(entries.iter().map(|(name, _)| name.clone()));
                        }
                        Value::List(_) => inline.push("[…]".to_owned()),
                    }
                }
            }
            Value::Mapping(entries) => inline.extend(entries.iter().map(|(name, _)| name.clone())),
        }
        if !inline.is_empty() {
            let message = format!(
                "MCP servers that the file defines itself are not used: {}",
                inline.join(", ")
            );
            let help = "define them in `.mcp.json` or with `mcp add`, and list their names";
            self.problems.warning(line, message, Some(help));
        }
        found
    }

    fn word(
        &mut self,
        key: &'static str,
        kind: Kind,
        words: &'static [&'static str],
        value: &Value,
        line: usize,
    ) {
        let word = text(value).unwrap_or_default();
        if words.contains(&&*word) {
            return self.push(key, AgentValue::Text(word), line);
        }
        let message = format!("`{key}` has the unknown value `{word}`");
        let help = format!("one of {}", words.join(", "));
        if key == "mode" && OTHER_MODES.contains(&&*word) {
            let message = format!("`mode: {word}` is the key of another program, and is ignored");
            self.problems.warning(line, message, None);
        } else if matches!(kind, Kind::Hint(_)) {
            self.problems.warning(line, message, Some(&help));
        } else {
            self.problems.error(line, message, Some(&help));
        }
    }
}

fn text(value: &Value) -> Option<String> {
    let text = value.as_text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn number(value: &Value) -> Option<f64> {
    let number: f64 = value.as_text()?.trim().parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

/// Reads a list, or a text with commas between its names.
fn names(value: &Value) -> Option<Vec<String>> {
    let texts: Vec<&str> = match value {
        Value::Text(text) => {
            let inner = text.trim();
            let inner = inner
                .strip_prefix('[')
                .and_then(|text| text.strip_suffix(']'));
            split(inner.unwrap_or(text))
        }
        Value::List(items) => items.iter().map(Value::as_text).collect::<Option<_>>()?,
        Value::Mapping(_) => return None,
    };
    let names = texts.into_iter().map(|name| name.trim().to_owned());
    Some(names.filter(|name| !name.is_empty()).collect())
}

/// Splits at the commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.collect()
}
