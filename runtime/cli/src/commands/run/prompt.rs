//! The prompt, from an argument or from standard input.

use std::io::{self, IsTerminal as _, Read as _};

/// The size limit of a prompt in bytes, which exceeds the context window of every model.
const MAX_PROMPT_BYTES: u64 = 8 << 20;

/// The reason why the prompt cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum PromptError {
    #[error("a prompt is required\nhelp: run `{0} run PROMPT`, or pipe the prompt to `{0} run`")]
    Missing(&'static str),
    #[error("the prompt is empty")]
    Empty,
    #[error("failed to read the prompt from standard input")]
    Read(#[source] io::Error),
    #[error("the prompt on standard input is larger than {} MiB\nhelp: put the text into a file and let the agent \
        read it", MAX_PROMPT_BYTES >> 20)]
    TooLong,
    #[error("the prompt on standard input is not valid UTF-8 (at byte {0})")]
    InvalidUtf8(usize),
}

impl PromptError {
    /// Returns whether no prompt was given.
    #[cfg(feature = "agents")]
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::Empty)
    }
}

/// Returns the prompt of an argument. `-`, or a pipe without an argument, reads standard input, on a thread for blocking
/// work.
pub(super) async fn read(
    argument: Option<&str>,
    binary: &'static str,
) -> Result<String, PromptError> {
    let prompt = match argument {
        None if io::stdin().is_terminal() => return Err(PromptError::Missing(binary)),
        None | Some("-") => {
            let read = tokio::task::spawn_blocking(read_stdin).await;
            read.map_err(|error| PromptError::Read(error.into()))??
        }
        Some(argument) => argument.to_owned(),
    };
    match prompt.trim().is_empty() {
        true => Err(PromptError::Empty),
        false => Ok(prompt),
    }
}

fn read_stdin() -> Result<String, PromptError> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock().take(MAX_PROMPT_BYTES + 1);
    input.read_to_end(&mut bytes).map_err(PromptError::Read)?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        return Err(PromptError::TooLong);
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| PromptError::InvalidUtf8(error.utf8_error().valid_up_to()))?;
    // A trailing line break comes from the file or the shell and is not part of the prompt.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}
