//! The difference that a user reviews before accepting content: the current content compared with the accepted content.

use std::fmt;

use super::entry::{self, AcceptanceContent, ContentEntry, EntryKind, EntryState, EntrySummary};
use super::record::{Acceptance, AcceptanceKind};
use super::subject::AcceptanceSubject;
use helve_core::support::text::truncate;
use helve_core::tool::Preview;
use helve_untrusted::{self, Flag};

/// The maximum length of a displayed name, in characters.
const MAX_NAME_CHARS: usize = 128;

/// The maximum length of the description in a summary, in characters.
const MAX_SUMMARY_CHARS: usize = 80;

/// The current content of a subject, compared with the accepted content.
/// [`Acceptances::accept`](super::Acceptances::accept) takes this type, so that only content that was shown can be
/// accepted.
///
/// The `Display` output is for a terminal, and contains no control sequences from the content.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of the content.
    pub kind: AcceptanceKind,
    /// The name of the content at its origin; safe to display.
    pub name: String,
    /// The origin of the content; safe to display.
    pub origin: String,
    /// The origin under which content of this name was last accepted, if it differs from `origin`.
    pub previous_origin: Option<String>,
    /// Whether no content of this subject was accepted before.
    pub is_first: bool,
    /// The entries that differ from the accepted ones.
    pub changes: Vec<EntryChange>,
    /// Whether any content differs from the accepted content.
    has_changed: bool,
    pub(super) subject: AcceptanceSubject,
    pub(super) current: AcceptanceContent,
}

/// An entry that differs from the accepted one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryChange {
    /// The kind of the entry.
    pub entry: EntryKind,
    /// The name of the entry; safe to display.
    pub name: String,
    /// How the entry changed.
    pub kind: EntryChangeKind,
    /// The text of the entry, or a unified diff if an earlier text was accepted; safe to display.
    pub text: String,
    /// The parts of the text that look like an attempt to steer the model.
    pub flags: Vec<Flag>,
    summary: Option<EntrySummary>,
}

/// How an entry changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryChangeKind {
    /// The entry is new.
    Added,
    /// The content of the entry changed.
    Changed,
    /// Only the declared effects of the tool changed.
    HintsChanged,
    /// The entry was removed.
    Removed,
}

impl Difference {
    pub(super) fn new(
        subject: AcceptanceSubject,
        now: AcceptanceContent,
        accepted: Option<&Acceptance>,
        elsewhere: Option<&Acceptance>,
    ) -> Self {
        let before = accepted
            .or(elsewhere)
            .map_or(&[][..], |acceptance| &acceptance.entries);
        Self {
            kind: subject.kind,
            name: name(&subject.name),
            origin: line(&subject.origin),
            previous_origin: elsewhere.map(|acceptance| line(&acceptance.origin)),
            is_first: accepted.is_none(),
            changes: changes(before, &now.entries),
            has_changed: accepted.is_none_or(|accepted| accepted.digest != now.digest),
            subject,
            current: now,
        }
    }

    /// Reports whether nothing differs from the accepted content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.has_changed
    }

    /// Returns the title of the content, for display.
    #[must_use]
    pub fn title(&self) -> String {
        let Self { name, origin, .. } = self;
        match self.kind {
            AcceptanceKind::RuleFile => format!("what `{origin}/{name}` allows"),
            AcceptanceKind::SettingsFile => format!("the settings of `{origin}/{name}`"),
            AcceptanceKind::ServerFile => format!("the MCP servers of `{origin}/{name}`"),
            AcceptanceKind::CommandFile => format!("the command of `{origin}/{name}`"),
            AcceptanceKind::AgentFile => format!("the agent of `{origin}/{name}`"),
            AcceptanceKind::HookFile => format!("the hooks of `{origin}/{name}`"),
            AcceptanceKind::McpServer => format!("the MCP server `{name}`, reached by `{origin}`"),
            AcceptanceKind::Skill => format!("the skill `{name}` of {origin}"),
            AcceptanceKind::Bundle => format!("the bundle `{name}` of {origin}"),
            AcceptanceKind::ProjectFolder => format!("the folder `{name}`"),
        }
    }

    /// Renders the difference as `Display` does, but each new tool of a server in one line: the name, the declared
    /// effects, and the first line of the description.
    #[must_use]
    pub fn summary(&self) -> String {
        let rows = self
            .changes
            .iter()
            .filter(|change| change.summary.is_some());
        let Some(width) = rows.map(|change| change.name.chars().count() + 2).max() else {
            return self.to_string();
        };
        let mut text = format!("{}\n", self.title());
        for change in &self.changes {
            text.push_str(&match &change.summary {
                Some(summary) => change.render_row(summary, width),
                None => change.to_string(),
            });
        }
        text
    }

    /// Returns the path of the file that the difference describes.
    #[doc(hidden)]
    pub fn path(&self) -> String {
        format!("{}/{}", self.origin, self.name)
    }
}

/// Lists the changed entries by kind; within a kind, current entries precede removed ones.
fn changes(before: &[ContentEntry], now: &[ContentEntry]) -> Vec<EntryChange> {
    let mut changes = Vec::new();
    let mut kinds: Vec<EntryKind> = before.iter().chain(now).map(|entry| entry.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let of_kind = |entry: &&ContentEntry| entry.kind == kind;
        let there = now.iter().filter(of_kind);
        changes.extend(there.filter_map(|entry| change(before, entry)));
        let before = before.iter().filter(of_kind);
        let gone = before.filter(|entry| entry::find(now, kind, &entry.name).is_none());
        let removed = |entry| EntryChange::new(entry, EntryChangeKind::Removed, String::new());
        changes.extend(gone.map(removed));
    }
    changes
}

fn change(before: &[ContentEntry], now: &ContentEntry) -> Option<EntryChange> {
    let accepted = entry::find(before, now.kind, &now.name);
    let state = accepted.map_or(EntryState::New, |accepted| accepted.state(now));
    let was = accepted.and_then(|accepted| accepted.text.as_deref());
    let kind = match state {
        EntryState::Accepted => return None,
        EntryState::New => EntryChangeKind::Added,
        EntryState::HintsChanged => EntryChangeKind::HintsChanged,
        EntryState::Changed => EntryChangeKind::Changed,
    };
    let text = match kind {
        EntryChangeKind::Added => text_of_new(now),
        _ => diff(was, now.text.as_deref()),
    };
    let mut change = EntryChange::new(now, kind, text);
    // A finding quotes the flagged text of its file.
    if now.kind != EntryKind::Finding {
        let flags = now.text.as_deref().map(helve_untrusted::find_flags);
        change.flags = flags.unwrap_or_default();
    }
    Some(change)
}

/// Returns the text of a new entry. An entry without a digest has no content beyond its name.
fn text_of_new(entry: &ContentEntry) -> String {
    match &entry.text {
        Some(text) => readable(text),
        None if entry.digest.is_empty() => String::new(),
        None => TOO_LONG.to_owned(),
    }
}

const TOO_LONG: &str = "(too long to be shown)";

fn diff(before: Option<&str>, now: Option<&str>) -> String {
    let (Some(before), Some(now)) = (before, now) else {
        return TOO_LONG.to_owned();
    };
    if before == now {
        return "(what has changed is not shown)".to_owned();
    }
    let (before, now) = (readable(before), readable(now));
    if before == now {
        return "(the change is only in invisible characters)".to_owned();
    }
    let (before, now) = (with_trailing_newline(before), with_trailing_newline(now));
    match Preview::diff("", Some(&before), &now) {
        Preview::Diff { unified, .. } => unified,
        other => other.to_string(),
    }
}

/// Appends a missing final line break, so that a diff does not report its absence.
fn with_trailing_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Makes an external text safe to display.
fn readable(text: &str) -> String {
    helve_untrusted::neutralize(text).replace('\r', "")
}

fn line(text: &str) -> String {
    readable(text).replace(['\n', '\t'], " ")
}

/// Makes an external name safe to display: on one line, truncated to a readable length, and with a placeholder for each
/// invisible character.
fn name(name: &str) -> String {
    let hidden = |c: char| {
        c.is_control() || helve_untrusted::strip_invisible(c.encode_utf8(&mut [0; 4])).is_empty()
    };
    let shown = |c: char| if hidden(c) { '\u{fffd}' } else { c };
    let shown: String = name.chars().map(shown).take(MAX_NAME_CHARS + 1).collect();
    truncate(&shown, MAX_NAME_CHARS).into_owned()
}

impl EntryChange {
    fn new(entry: &ContentEntry, kind: EntryChangeKind, text: String) -> Self {
        Self {
            entry: entry.kind,
            name: name(&entry.name),
            kind,
            text,
            flags: Vec::new(),
            summary: match kind {
                EntryChangeKind::Added => entry.summary.clone(),
                _ => None,
            },
        }
    }

    /// Renders a new tool in one line, with lines for the parts of its whole text that are flagged.
    fn render_row(&self, summary: &EntrySummary, width: usize) -> String {
        let (entry, effects) = (self.entry.name(), summary.effects);
        let name = format!("`{}`", self.name);
        let mut lines = summary.description.trim().lines();
        let first = line(lines.next().unwrap_or_default());
        let first = truncate(&first, MAX_SUMMARY_CHARS);
        let more = if lines.next().is_some() { " …" } else { "" };
        let row = format!("+ {entry} {name:width$}  {effects:11}  {first}{more}");
        let mut text = format!("{}\n", row.trim_end());
        for flag in &self.flags {
            text.push_str(&format!("    ! {}: {}\n", flag.rule, line(&flag.excerpt)));
        }
        text
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        if let Some(was) = &self.previous_origin {
            let from = match self.kind {
                AcceptanceKind::McpServer => format!("was reached by `{was}`"),
                _ => format!("came from {was}"),
            };
            writeln!(f, "what you accepted under this name {from}")?;
        }
        if !self.changes.is_empty() {
            return self.changes.iter().try_for_each(|change| change.fmt(f));
        }
        f.write_str(match self.kind {
            _ if self.is_empty() => "everything is as you accepted it\n",
            _ if self.previous_origin.is_some() => "the content is the same as accepted there\n",
            AcceptanceKind::McpServer => "it offers nothing\n",
            _ => "nothing has changed that needs to be accepted; the rest of the file has\n",
        })
    }
}

impl fmt::Display for EntryChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, what) = match self.kind {
            EntryChangeKind::Added => ('+', "new"),
            EntryChangeKind::Changed => ('~', "changed"),
            EntryChangeKind::HintsChanged => ('~', "declares other effects"),
            EntryChangeKind::Removed => ('-', "removed"),
        };
        let (entry, name) = (self.entry.name(), &self.name);
        match self.entry {
            EntryKind::Instructions => writeln!(f, "{mark} {entry} ({what})")?,
            _ => writeln!(f, "{mark} {entry} `{name}` ({what})")?,
        }
        for flag in &self.flags {
            writeln!(f, "    ! {}: {}", flag.rule, line(&flag.excerpt))?;
        }
        self.text.lines().try_for_each(|line| match line {
            "" => writeln!(f),
            line => writeln!(f, "    {line}"),
        })
    }
}
