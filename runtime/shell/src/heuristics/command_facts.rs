//! The facts about a command that runs no other command.

use crate::script::ScriptWord;
use crate::{AccessKind, FileAccess};

/// The effect of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandEffect {
    /// The command only reads.
    Reads,
    /// The command creates, changes or removes the files among its arguments, and has no other effect.
    Edits,
    /// The command has another effect, or its effect is unknown.
    Other,
}

impl CommandEffect {
    /// Returns `Reads` if `reads` is true, and `Other` otherwise.
    pub(crate) const fn reads_if(reads: bool) -> Self {
        if reads { Self::Reads } else { Self::Other }
    }
}

/// The facts about a command.
#[derive(Debug, Default)]
pub(crate) struct CommandFacts {
    /// The files that the command reads or writes.
    pub(crate) touches: Vec<FileAccess>,
    /// The reason why the command needs approval, with whether only a user may answer.
    pub(crate) refusal: Option<(&'static str, bool)>,
    /// Whether the command writes to an open descriptor, by a name such as `/dev/stderr`.
    pub(crate) writes_descriptor: bool,
}

impl CommandFacts {
    /// Records an argument whose value is unknown before the command runs.
    pub(crate) fn unknown(&mut self) -> CommandEffect {
        self.refuse("an argument is not known before it runs", false);
        CommandEffect::Other
    }

    /// Records that the command needs approval.
    pub(crate) fn refuse(&mut self, reason: &'static str, safety: bool) {
        let is_graver = self.refusal.is_none_or(|(_, before)| safety && !before);
        if is_graver {
            self.refusal = Some((reason, safety));
        }
    }

    /// Records that the content of a file is read.
    pub(crate) fn read(&mut self, word: &ScriptWord<'_>) {
        self.touch(&word.text, word, AccessKind::Read);
        // `HEAD:file` is an older version of the file.
        if let Some((before, file)) = word.text.split_once(':')
            && !file.is_empty()
            && !before.contains('/')
        {
            self.touch(file, word, AccessKind::Read);
        }
    }

    /// Records an access to a path whose content is not displayed.
    pub(crate) fn name(&mut self, word: &ScriptWord<'_>) {
        self.touch(&word.text, word, AccessKind::Read);
    }

    /// Records a read if the value of an option looks like a path.
    pub(crate) fn read_text(&mut self, text: &str, word: &ScriptWord<'_>) {
        if looks_like_a_place(text, word) {
            self.touch(text, word, AccessKind::Read);
        }
    }

    /// Records that a file is written.
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

/// Reports whether a path names an open descriptor of the process.
pub(crate) fn is_descriptor(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
        || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/")
}

/// Returns the path of a word. A `~` that the shell does not expand is an ordinary character.
fn path<'t>(text: &'t str, word: &ScriptWord<'_>) -> std::borrow::Cow<'t, str> {
    if text.starts_with('~') && !word.is_home {
        return format!("./{text}").into();
    }
    text.into()
}

/// Reports whether an argument of an unknown program looks like a path that has to be checked.
fn looks_like_a_place(text: &str, word: &ScriptWord<'_>) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file:");
    let has_sign = text.contains(['.', '/', '~'])
        || text.starts_with("id_")
        || text.starts_with("_netrc")
        || word.is_glob;
    !is_address && has_sign && text.len() < 4096 && !text.contains('\n')
}

/// Reports whether a path is a device that stores or receives restricted data.
fn is_device(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|name| {
        let is_stream = matches!(
            name,
            "zero" | "full" | "random" | "urandom" | "tty" | "ptmx"
        );
        !is_stream && !name.starts_with("fd/") && !name.starts_with("shm/")
    })
}
