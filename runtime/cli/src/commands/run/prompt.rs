//! What the agent is asked: an argument, or standard input.

use std::io::{self, Read as _};

/// The most bytes of a prompt: more than any model reads at once.
const MAX_PROMPT_BYTES: u64 = 8 << 20;

/// Says why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub(super) enum PromptError {
    #[error("the prompt is empty: say what the agent should do")]
    Empty,
    #[error("the prompt on standard input cannot be read")]
    Read(#[source] io::Error),
    #[error("the prompt on standard input is longer than {} MiB: put it into a file that the agent reads", MAX_PROMPT_BYTES >> 20)]
    TooLong,
    #[error("the prompt on standard input is no UTF-8: byte {0} is part of no character")]
    InvalidUtf8(usize),
}

/// Returns the prompt of an argument; `-` stands for standard input, which is read on a thread for blocking work.
pub(super) async fn read(argument: &str) -> Result<String, PromptError> {
    let prompt = match argument {
        "-" => {
            let read = tokio::task::spawn_blocking(read_stdin).await;
            read.map_err(|error| PromptError::Read(error.into()))??
        }
        _ => argument.to_owned(),
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
    // The line break at its end is the file's, or the shell's.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}
