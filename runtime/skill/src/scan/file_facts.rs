//! What a line can only be judged by with the rest of its file.

/// What is known of a whole file.
#[derive(Debug, Default)]
pub(super) struct FileFacts {
    /// Whether it brings in the module of JavaScript that starts commands.
    pub(super) starts_commands: bool,
}

impl FileFacts {
    pub(super) fn from_text(text: &str) -> Self {
        Self {
            starts_commands: text.contains("child_process"),
        }
    }
}
