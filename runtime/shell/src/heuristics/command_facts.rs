//! What is found out about one command that runs nothing else.

use crate::script::ScriptWord;
use crate::{AccessKind, FileAccess};

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandEffect {
    /// It reads.
    Reads,
    /// It makes, changes or removes the files that it names, and nothing else.
    Edits,
    /// It does something else, or what it does is unknown.
    Other,
}

impl CommandEffect {
    /// Reads where a condition holds, and does something else otherwise.
    pub(crate) const fn reads_if(reads: bool) -> Self {
        if reads { Self::Reads } else { Self::Other }
    }
}

/// What is found out about one command.
#[derive(Debug, Default)]
pub(crate) struct CommandFacts {
    /// The places that it reads or writes.
    pub(crate) touches: Vec<FileAccess>,
    /// Why a person is asked, and whether only a person may answer.
    pub(crate) refusal: Option<(&'static str, bool)>,
    /// Whether it writes what a descriptor was opened for, by a name such as `/dev/stderr`.
    pub(crate) writes_descriptor: bool,
}

impl CommandFacts {
    /// An argument is not known before it runs.
    pub(crate) fn unknown(&mut self) -> CommandEffect {
        self.refuse("an argument is not known before it runs", false);
        CommandEffect::Other
    }

    /// A person is asked.
    pub(crate) fn refuse(&mut self, reason: &'static str, safety: bool) {
        let is_graver = self.refusal.is_none_or(|(_, before)| safety && !before);
        if is_graver {
            self.refusal = Some((reason, safety));
        }
    }

    /// The content of a file is read.
    pub(crate) fn read(&mut self, word: &ScriptWord<'_>) {
        self.touch(&word.text, word, AccessKind::Read);
        // `HEAD:file` is a file of another time.
        if let Some((before, file)) = word.text.split_once(':')
            && !file.is_empty()
            && !before.contains('/')
        {
            self.touch(file, word, AccessKind::Read);
        }
    }

    /// A place is named, and what is in it is not shown.
    pub(crate) fn name(&mut self, word: &ScriptWord<'_>) {
        self.touch(&word.text, word, AccessKind::Read);
    }

    /// The value of an option may be a file that is read.
    pub(crate) fn read_text(&mut self, text: &str, word: &ScriptWord<'_>) {
        if looks_like_a_place(text, word) {
            self.touch(text, word, AccessKind::Read);
        }
    }

    /// A file is written.
    pub(crate) fn write(&mut self, word: &ScriptWord<'_>) {
        self.touch(&word.text, word, AccessKind::Write);
    }

    fn touch(&mut self, text: &str, word: &ScriptWord<'_>, access: AccessKind) {
        self.writes_descriptor |= access == AccessKind::Write && is_descriptor(text);
        if matches!(text, "" | "-" | "." | "/dev/null" | "/dev/tty") || is_descriptor(text) {
            return;
        }
        if access == AccessKind::Read && is_device(text) {
            self.refuse("it reads a device", true);
        }
        let text = path(text, word);
        let touch = match access {
            AccessKind::Read => FileAccess::read(text),
            AccessKind::Write | AccessKind::Unknown => FileAccess::write(text),
        };
        self.touches.push(if word.is_glob {
            touch.into_pattern()
        } else {
            touch
        });
    }
}

/// Reports whether a path names a descriptor of the process that opens it.
pub(crate) fn is_descriptor(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
        || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/")
}

/// Writes the path of a word: a `~` that the shell does not replace is a name like any other.
fn path<'t>(text: &'t str, word: &ScriptWord<'_>) -> std::borrow::Cow<'t, str> {
    if text.starts_with('~') && !word.is_home {
        return format!("./{text}").into();
    }
    text.into()
}

/// Reports whether a word of an unknown program looks like a place worth looking at.
fn looks_like_a_place(text: &str, word: &ScriptWord<'_>) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file:");
    let has_sign = text.contains(['.', '/', '~'])
        || text.starts_with("id_")
        || text.starts_with("_netrc")
        || word.is_glob;
    !is_address && has_sign && text.len() < 4096 && !text.contains('\n')
}

/// Reports whether a place is a device that holds, or fetches, restricted data.
fn is_device(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|name| {
        let is_stream = matches!(
            name,
            "zero" | "full" | "random" | "urandom" | "tty" | "ptmx"
        );
        !is_stream && !name.starts_with("fd/") && !name.starts_with("shm/")
    })
}
