//! What a server says of itself and its tools, as a user approves it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The most bytes of one text that are kept beside its digest, to show later what has changed.
const MOST_KEPT: usize = 32 << 10;

/// The most bytes of all texts of one server.
const MOST_KEPT_OF_SERVER: usize = 2 << 20;

/// Everything of a server that a user approves at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Record {
    /// The server's name, for whoever reads the file.
    pub(crate) server: String,
    /// How it is reached, in words.
    pub(crate) reached: String,
    /// How its tools are to be used together, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<Definition>,
    /// Its tools, by its own names.
    pub(crate) tools: BTreeMap<String, Definition>,
    /// Its skills, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) skills: BTreeMap<String, Definition>,
}

/// One thing that a server says: the digest of it, and the text if it is short enough to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Definition {
    /// The digest of what the model reads and what calls are held against.
    pub(crate) digest: String,
    /// The digest of the hints, which are only about how much care a call takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hints: Option<String>,
    /// What it says, written for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// How something that a server says stands to what was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is as it was approved.
    Approved,
    /// It is, but for its hints.
    OtherHints,
    /// Nothing of that name was approved.
    New,
    /// Something else of that name was approved.
    Changed,
}

impl Record {
    /// Looks up how a tool stands.
    pub(crate) fn standing(&self, tool: &str, now: &Definition) -> Standing {
        match self.tools.get(tool) {
            None => Standing::New,
            Some(approved) => approved.against(now),
        }
    }

    /// Leaves out texts, the longest first, until the rest is not too much for a file that is read at each start.
    pub(crate) fn trimmed(mut self) -> Self {
        let mut lengths: Vec<usize> = self.definitions_mut().map(|one| one.length()).collect();
        let mut total: usize = lengths.iter().sum();
        lengths.sort_unstable();
        let mut longest = usize::MAX;
        while total > MOST_KEPT_OF_SERVER {
            let Some(length) = lengths.pop() else { break };
            total -= length;
            longest = length;
        }
        for definition in self.definitions_mut() {
            if definition.length() >= longest {
                definition.text = None;
            }
        }
        self
    }

    fn definitions_mut(&mut self) -> impl Iterator<Item = &mut Definition> {
        let tools = self.tools.values_mut().chain(self.skills.values_mut());
        tools.chain(self.instructions.as_mut())
    }
}

impl Definition {
    /// Takes down a tool.
    pub(crate) fn of_tool(tool: &Tool) -> Self {
        let input = Value::Object((*tool.input_schema).clone());
        let output = tool
            .output_schema
            .as_deref()
            .map(|schema| Value::Object(schema.clone()));
        let mut meaning = Sha256::new();
        field(&mut meaning, &tool.name);
        field(
            &mut meaning,
            tool.description.as_deref().unwrap_or_default(),
        );
        field(&mut meaning, &canonical(&input));
        field(
            &mut meaning,
            &output.as_ref().map(canonical).unwrap_or_default(),
        );
        let annotations = tool.annotations.as_ref();
        let annotations = annotations.and_then(|hints| serde_json::to_value(hints).ok());
        let mut hints = Sha256::new();
        field(&mut hints, tool.title.as_deref().unwrap_or_default());
        field(
            &mut hints,
            &annotations.as_ref().map(canonical).unwrap_or_default(),
        );
        Self {
            digest: hexadecimal(meaning),
            hints: Some(hexadecimal(hints)),
            text: kept(&written(
                tool,
                &input,
                output.as_ref(),
                annotations.as_ref(),
            )),
        }
    }

    /// Takes down a text.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut digest = Sha256::new();
        field(&mut digest, text);
        Self {
            digest: hexadecimal(digest),
            hints: None,
            text: kept(text),
        }
    }

    /// Takes down something that has a digest of its own, with what is said of it.
    #[cfg(feature = "skills")]
    pub(crate) fn of_digest(digest: impl std::fmt::Display, text: &str) -> Self {
        Self {
            digest: digest.to_string(),
            hints: None,
            text: kept(text),
        }
    }

    /// Looks up how something stands to this, which was approved.
    pub(crate) fn against(&self, now: &Self) -> Standing {
        if self.digest != now.digest {
            Standing::Changed
        } else if self.hints == now.hints {
            Standing::Approved
        } else {
            Standing::OtherHints
        }
    }

    fn length(&self) -> usize {
        self.text.as_ref().map_or(0, String::len)
    }
}

fn kept(text: &str) -> Option<String> {
    (text.len() <= MOST_KEPT).then(|| text.to_owned())
}

/// Writes a tool as a person reads it, so that a difference can be shown line by line.
fn written(
    tool: &Tool,
    input: &Value,
    output: Option<&Value>,
    annotations: Option<&Value>,
) -> String {
    let mut text = String::new();
    if let Some(title) = &tool.title {
        let _ = writeln!(text, "title: {title}");
    }
    let _ = writeln!(
        text,
        "{}",
        tool.description.as_deref().unwrap_or_default().trim_end()
    );
    let schemas = [
        ("hints", annotations),
        ("arguments", Some(input)),
        ("result", output),
    ];
    for (name, value) in schemas {
        if let Some(value) = value {
            let pretty = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
            let _ = writeln!(text, "{name}: {pretty}");
        }
    }
    text
}

/// Hashes a text with its length before it, so that no text can pass for two.
fn field(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text);
}

fn hexadecimal(hasher: Sha256) -> String {
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Writes a value so that the order of its keys does not matter.
fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
