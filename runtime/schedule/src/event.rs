//! Events that make a schedule due.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The greatest length of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 200;
/// How many entries of a folder are read.
const MAX_ENTRIES: usize = 10_000;
/// How many files are followed, the latest first.
const MAX_FILES: usize = 1_000;
/// The time after which a file is complete that is not written any more.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// What makes a schedule due that has no times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScheduleEvent {
    /// A run of another schedule is done.
    Run(String),
    /// A file that matches a pattern appears or changes.
    File(String),
}

impl ScheduleEvent {
    /// Parses `run:ID` or `file:PATTERN`. The error says what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text.split_once(':') {
            Some(("run", id)) if is_id(id) => Ok(Self::Run(id.to_owned())),
            Some(("run", _)) => Err("after `run:` comes the id of a schedule".to_owned()),
            Some(("file", pattern)) => {
                let pattern = pattern.trim();
                check_pattern(pattern)?;
                Ok(Self::File(pattern.to_owned()))
            }
            _ => Err("an event is `run:ID` (a run of another schedule is done) or `file:PATTERN` (a file appears or \
                      changes)"
                .to_owned()),
        }
    }

    /// Returns the event in English.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Run(id) => format!("After each run of `{id}` that is done"),
            Self::File(pattern) => {
                format!("Whenever a file appears or changes that matches `{pattern}`")
            }
        }
    }
}

impl fmt::Display for ScheduleEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(id) => write!(f, "run:{id}"),
            Self::File(pattern) => write!(f, "file:{pattern}"),
        }
    }
}

fn is_id(text: &str) -> bool {
    let is_in_id = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-'
    };
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_in_id)
}

/// Checks that a pattern stays in the folder, and names files in one folder.
fn check_pattern(pattern: &str) -> Result<(), String> {
    if pattern.len() > MAX_PATTERN_BYTES || pattern.contains(['\\', ':']) {
        return Err("the pattern of files is too long, or has `\\` or `:`".to_owned());
    }
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.contains(char::is_control);
    if !pattern.split('/').all(is_plain) {
        return Err(
            "the pattern of files is a path below the folder, such as `inbox/*.csv`".to_owned(),
        );
    }
    match pattern.rsplit_once('/') {
        Some((folder, _)) if folder.contains('*') => {
            Err("only the last part of a pattern of files has `*`".to_owned())
        }
        _ => Ok(()),
    }
}

/// What tells a file from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileMark {
    bytes: u64,
    /// Milliseconds since 1970.
    modified: u64,
}

/// Files by their names.
pub(crate) type FileMarks = BTreeMap<String, FileMark>;

/// Returns the files below `root` that match a pattern and are complete. Links are not followed, and what cannot be read is
/// not there.
pub(crate) fn find_files(root: &Path, pattern: &str, now: SystemTime) -> FileMarks {
    let (folder, pattern) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let Some(folder) = folder_without_links(root, folder) else {
        return FileMarks::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let found = entries.take(MAX_ENTRIES).filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        if !matches(pattern, &name) {
            return None;
        }
        // Of the entry itself, not of what a link leads to.
        let mark = mark(&entry.metadata().ok()?, now)?;
        Some((name, mark))
    });
    let mut found: Vec<(String, FileMark)> = found.collect();
    found.sort_unstable_by(|(one, mark), (other, other_mark)| {
        let latest_first = other_mark.modified.cmp(&mark.modified);
        latest_first.then_with(|| one.cmp(other))
    });
    found.truncate(MAX_FILES);
    found.into_iter().collect()
}

fn folder_without_links(root: &Path, below: &str) -> Option<PathBuf> {
    let mut folder = root.to_owned();
    for part in below.split('/').filter(|part| !part.is_empty()) {
        folder.push(part);
        let is_folder = folder.symlink_metadata().is_ok_and(|about| about.is_dir());
        if !is_folder {
            return None;
        }
    }
    Some(folder)
}

fn mark(about: &Metadata, now: SystemTime) -> Option<FileMark> {
    let modified = about.modified().ok()?;
    // A time to come is that of another clock.
    let is_settled = now
        .duration_since(modified)
        .map_or(true, |age| age >= SETTLED_AFTER);
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    (about.is_file() && is_settled).then(|| FileMark {
        bytes: about.len(),
        modified: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
    })
}

/// Returns whether a name matches a pattern, in which `*` stands for any characters. A name that begins with a dot needs a
/// pattern that does.
fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_a_run_or_files_in_a_folder_below() {
        let shown = [
            "run:morning-report",
            "file:inbox/*.csv",
            "file:*",
            "file: notes.md",
            "run:",
            "run:Morning report",
            "file:",
            "file:/etc/passwd",
            "file:../x",
            "file:a//b",
            "file:*/x",
            "file:a\\b",
            "file:C:x",
            "file:a\nb",
            "full moon",
        ]
        .map(|text| match ScheduleEvent::parse(text) {
            Ok(event) => format!("{event}: {}", event.describe()),
            Err(reason) => format!("{text:?}: {reason}"),
        });
        insta::assert_snapshot!(shown.join("\n"), @r#"
        run:morning-report: After each run of `morning-report` that is done
        file:inbox/*.csv: Whenever a file appears or changes that matches `inbox/*.csv`
        file:*: Whenever a file appears or changes that matches `*`
        file:notes.md: Whenever a file appears or changes that matches `notes.md`
        "run:": after `run:` comes the id of a schedule
        "run:Morning report": after `run:` comes the id of a schedule
        "file:": the pattern of files is a path below the folder, such as `inbox/*.csv`
        "file:/etc/passwd": the pattern of files is a path below the folder, such as `inbox/*.csv`
        "file:../x": the pattern of files is a path below the folder, such as `inbox/*.csv`
        "file:a//b": the pattern of files is a path below the folder, such as `inbox/*.csv`
        "file:*/x": only the last part of a pattern of files has `*`
        "file:a\\b": the pattern of files is too long, or has `\` or `:`
        "file:C:x": the pattern of files is too long, or has `\` or `:`
        "file:a\nb": the pattern of files is a path below the folder, such as `inbox/*.csv`
        "full moon": an event is `run:ID` (a run of another schedule is done) or `file:PATTERN` (a file appears or changes)
        "#);
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.tmp", false),
            ("*.csv", ".a.csv", false),
            (".*", ".a", true),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("**x", "x", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_and_files_that_are_written_are_not_there_yet() {
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let write = |path: &Path, age: u64| {
            let file = std::fs::File::create(path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        };
        std::fs::create_dir(folder.path().join("in")).unwrap();
        write(&folder.path().join("in/old.csv"), 60);
        write(&folder.path().join("in/new.csv"), 1);
        write(&outside.path().join("x.csv"), 60);
        std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x.csv"), folder.path().join("in/x.csv"))
            .unwrap();
        let find = |pattern| {
            let found = find_files(folder.path(), pattern, now);
            found.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(find("in/*.csv"), ["old.csv"]);
        assert!(find("out/*.csv").is_empty());
        assert!(find("nowhere/*.csv").is_empty());
    }
}
