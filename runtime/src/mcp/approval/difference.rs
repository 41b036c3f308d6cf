//! What a user is shown before they approve a server: what it says now, against what they approved.

use std::collections::BTreeMap;
use std::fmt;

use super::definition::{Definition, Record, Standing};
use crate::mcp::ServerName;
use crate::mcp::tool::shown;
use crate::tool::Preview;
use crate::untrusted::{self, Flag};

/// What a server says of itself now, against what was approved of it: what
/// [`McpServers::approve`](crate::mcp::McpServers::approve) takes, so that nothing is approved but what was shown.
///
/// `Display` says it as a person at a terminal reads it; nothing of it can steer the terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The server.
    pub server: ServerName,
    /// How it is reached.
    pub reached: String,
    /// How it was reached when a server of this name was last approved, where it was another way.
    pub was_reached: Option<String>,
    /// Whether nothing was approved of it so far.
    pub is_first: bool,
    /// What is not as it was approved.
    pub changes: Vec<DefinitionChange>,
    pub(crate) key: String,
    pub(crate) now: Record,
}

/// Something that a server says and that is not as it was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefinitionChange {
    /// What it is.
    pub subject: DefinitionSubject,
    /// Its name, by the server; fit to be shown.
    pub name: String,
    /// What became of it.
    pub kind: DefinitionChangeKind,
    /// What it says, or a unified diff where it said something else before; fit to be shown.
    pub text: String,
    /// What in it looks like an attempt to steer the model.
    pub flags: Vec<Flag>,
}

/// What a definition is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefinitionSubject {
    /// How the server's tools are to be used together.
    Instructions,
    /// A tool.
    Tool,
    /// A skill.
    Skill,
}

/// What became of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefinitionChangeKind {
    /// It is new.
    Added,
    /// It says something else.
    Changed,
    /// It only declares other effects than before.
    OtherHints,
    /// It is gone.
    Removed,
}

impl Difference {
    pub(crate) fn between(
        server: ServerName,
        key: String,
        now: Record,
        approved: Option<&Record>,
        elsewhere: Option<&Record>,
    ) -> Self {
        let nothing = Record::default();
        let before = approved.or(elsewhere).unwrap_or(&nothing);
        let mut changes = Vec::new();
        let single =
            |one: &Option<Definition>| one.iter().map(|one| (String::new(), one.clone())).collect();
        let instructions: [BTreeMap<String, Definition>; 2] =
            [single(&before.instructions), single(&now.instructions)];
        compare(
            DefinitionSubject::Instructions,
            &instructions[0],
            &instructions[1],
            &mut changes,
        );
        compare(
            DefinitionSubject::Tool,
            &before.tools,
            &now.tools,
            &mut changes,
        );
        compare(
            DefinitionSubject::Skill,
            &before.skills,
            &now.skills,
            &mut changes,
        );
        Self {
            server,
            reached: line(&now.reached),
            was_reached: match approved {
                Some(_) => None,
                None => elsewhere.map(|record| line(&record.reached)),
            },
            is_first: approved.is_none(),
            changes,
            key,
            now,
        }
    }

    /// Tells whether everything is as it was approved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.is_first && self.changes.is_empty()
    }
}

fn compare(
    subject: DefinitionSubject,
    before: &BTreeMap<String, Definition>,
    now: &BTreeMap<String, Definition>,
    changes: &mut Vec<DefinitionChange>,
) {
    let change = |name: &str, kind, text: String, flags| DefinitionChange {
        subject,
        name: shown(name),
        kind,
        text,
        flags,
    };
    for (name, definition) in now {
        let flags = flags(definition);
        let kind = match before
            .get(name)
            .map(|approved| approved.against(definition))
        {
            None => {
                let text = definition.text.as_deref().map_or_else(too_long, readable);
                changes.push(change(name, DefinitionChangeKind::Added, text, flags));
                continue;
            }
            Some(Standing::Approved) => continue,
            Some(Standing::OtherHints) => DefinitionChangeKind::OtherHints,
            Some(_) => DefinitionChangeKind::Changed,
        };
        let text = diff(
            before.get(name).and_then(|one| one.text.as_deref()),
            definition.text.as_deref(),
        );
        changes.push(change(name, kind, text, flags));
    }
    for name in before.keys().filter(|name| !now.contains_key(*name)) {
        changes.push(change(
            name,
            DefinitionChangeKind::Removed,
            String::new(),
            Vec::new(),
        ));
    }
}

fn flags(definition: &Definition) -> Vec<Flag> {
    definition
        .text
        .as_deref()
        .map(untrusted::flags)
        .unwrap_or_default()
}

fn too_long() -> String {
    "(too long to be shown)".to_owned()
}

fn diff(before: Option<&str>, now: Option<&str>) -> String {
    let (Some(before), Some(now)) = (before, now) else {
        return too_long();
    };
    let (before, now) = (readable(before), readable(now));
    if before == now {
        return "(what has changed cannot be seen: it is in characters that show nothing)"
            .to_owned();
    }
    match Preview::diff("", Some(&before), &now) {
        Preview::Diff { unified, .. } => unified,
        other => other.to_string(),
    }
}

/// Makes a text of a server's fit to be shown.
fn readable(text: &str) -> String {
    untrusted::defuse(text).replace('\r', "")
}

fn line(text: &str) -> String {
    readable(text).replace(['\n', '\t'], " ")
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the MCP server `{}`, reached by `{}`",
            self.server, self.reached
        )?;
        if let Some(was) = &self.was_reached {
            writeln!(
                f,
                "what was approved under this name was reached by `{was}`"
            )?;
        }
        if self.is_empty() {
            return f.write_str("everything is as it was approved\n");
        }
        if self.changes.is_empty() && self.was_reached.is_some() {
            return f.write_str("what it says is what was approved there\n");
        }
        if self.changes.is_empty() {
            return f.write_str("it offers nothing\n");
        }
        self.changes.iter().try_for_each(|change| change.fmt(f))
    }
}

impl fmt::Display for DefinitionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, what) = match self.kind {
            DefinitionChangeKind::Added => ('+', "new"),
            DefinitionChangeKind::Changed => ('~', "changed"),
            DefinitionChangeKind::OtherHints => ('~', "declares other effects"),
            DefinitionChangeKind::Removed => ('-', "gone"),
        };
        match self.subject {
            DefinitionSubject::Instructions => writeln!(f, "{mark} instructions ({what})")?,
            DefinitionSubject::Tool => writeln!(f, "{mark} tool `{}` ({what})", self.name)?,
            DefinitionSubject::Skill => writeln!(f, "{mark} skill `{}` ({what})", self.name)?,
        }
        for flag in &self.flags {
            writeln!(f, "    ! {}: {}", flag.rule, line(&flag.excerpt))?;
        }
        self.text
            .lines()
            .try_for_each(|line| writeln!(f, "    {line}"))
    }
}
