//! Errors that are sent from one process to another.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::sandbox::{Gap, Layer, ProcessId, SandboxError};

/// An error of a helper, which becomes a [`SandboxError`] in the app.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) enum WireError {
    Isolation(Vec<(Layer, String, String)>),
    Unavailable {
        kind: String,
        why: String,
    },
    CannotStart {
        program: String,
        why: String,
    },
    ProgramNotFound {
        program: String,
        why: String,
    },
    ProcessExists(ProcessId),
    UnknownProcess(ProcessId),
    InputClosed(ProcessId),
    NoTerminal(ProcessId),
    Projection {
        folder: PathBuf,
        why: String,
    },
    Closed(String),
    Io {
        doing: String,
        code: Option<i32>,
        text: String,
    },
}

impl WireError {
    /// Creates the error of a layer that does not hold, from the error of the kernel.
    pub(in super::super) fn layer(
        layer: Layer,
        doing: &str,
        error: impl Into<io::Error>,
        mend: &str,
    ) -> Self {
        let why = format!("{doing}: {}", error.into());
        Self::Isolation(vec![(layer, why, mend.to_owned())])
    }

    /// Creates the error of a failed operation of the operating system.
    pub(in super::super) fn io(doing: impl Into<String>, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        Self::Io {
            doing: doing.into(),
            code: error.raw_os_error(),
            text: error.to_string(),
        }
    }
}

impl From<WireError> for SandboxError {
    fn from(failure: WireError) -> Self {
        match failure {
            WireError::Isolation(gaps) => Self::Isolation {
                missing: gaps
                    .into_iter()
                    .map(|(layer, why, mend)| Gap::new(layer, why, mend))
                    .collect(),
            },
            WireError::Unavailable { kind, why } => Self::Unavailable { kind, why },
            WireError::CannotStart { program, why } => Self::CannotStart { program, why },
            WireError::ProgramNotFound { program, why } => Self::ProgramNotFound { program, why },
            WireError::ProcessExists(id) => Self::ProcessExists { id },
            WireError::UnknownProcess(id) => Self::UnknownProcess { id },
            WireError::InputClosed(id) => Self::InputClosed { id },
            WireError::NoTerminal(id) => Self::NoTerminal { id },
            WireError::Projection { folder, why } => Self::Projection { folder, why },
            WireError::Closed(why) => Self::Closed { why },
            WireError::Io { doing, code, text } => Self::Io {
                doing,
                source: code.map_or_else(|| io::Error::other(text), io::Error::from_raw_os_error),
            },
        }
    }
}

impl From<SandboxError> for WireError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Isolation { missing } => Self::Isolation(
                missing
                    .into_iter()
                    .map(|gap| (gap.layer, gap.why, gap.hint))
                    .collect(),
            ),
            SandboxError::Unavailable { kind, why } => Self::Unavailable { kind, why },
            // Policies cause no other error.
            other => Self::Closed(other.to_string()),
        }
    }
}
