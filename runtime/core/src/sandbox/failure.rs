//! The errors of a sandbox.

use std::io;
use std::path::PathBuf;

use super::{Layer, ProcessId};

/// An error of a sandbox.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A text is not a valid id.
    #[error("invalid sandbox or process id `{text}`: use 1 to 64 letters, digits, `-` and `_`")]
    Handle {
        /// The text, shortened.
        text: String,
    },
    /// This machine lacks a mechanism of isolation, so no command runs.
    #[error("{}", isolation_message(missing))]
    Isolation {
        /// The missing layers, each with its cause and fix.
        missing: Vec<Gap>,
    },
    /// This kind of sandbox is not available.
    #[error("sandbox `{kind}` is not available: {why}")]
    Unavailable {
        /// The kind, such as `docker`.
        kind: String,
        /// The reason, and what to do.
        why: String,
    },
    /// A program exists and cannot be run, or not with these arguments or variables, or not in this folder.
    #[error("failed to start `{program}`: {why}")]
    CannotStart {
        /// The program.
        program: String,
        /// The reason.
        why: String,
    },
    /// The program does not exist in the sandbox.
    #[error("failed to start `{program}`: {why}")]
    ProgramNotFound {
        /// The program.
        program: String,
        /// The folders that were searched, or the error of the operating system.
        why: String,
    },
    /// A process with this id was already started.
    #[error("process id `{id}` is already used; choose another id")]
    ProcessExists {
        /// The id.
        id: ProcessId,
    },
    /// There is no process with this id.
    #[error("unknown process `{id}`")]
    UnknownProcess {
        /// The id.
        id: ProcessId,
    },
    /// The standard input of a process is closed, or was never open.
    #[error("the input of `{id}` is closed")]
    InputClosed {
        /// The process.
        id: ProcessId,
    },
    /// A process has no terminal.
    #[error("`{id}` has no terminal")]
    NoTerminal {
        /// The process.
        id: ProcessId,
    },
    /// A folder cannot be projected into the sandbox.
    #[error("failed to project `{}` into the sandbox: {why}", folder.display())]
    Projection {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        why: String,
    },
    /// The sandbox and all its processes have ended.
    #[error("the sandbox has ended: {why}")]
    Closed {
        /// The reason, as far as it is known.
        why: String,
    },
    /// The remote sandbox cannot be reached now; its processes may still be running.
    #[error(
        "the sandbox is unreachable: {why}; its processes may still run, so check their status before starting them again"
    )]
    Unreachable {
        /// The cause.
        why: String,
    },
    /// Any other error of the operating system.
    #[error("{doing}")]
    Io {
        /// The operation that failed.
        doing: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// A layer that is not enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The layer.
    pub layer: Layer,
    /// The reason why the layer is not enforced.
    pub why: String,
    /// How to fix it.
    pub hint: String,
}

impl Gap {
    /// Creates a gap.
    pub fn new(layer: Layer, why: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            layer,
            why: why.into(),
            hint: mend.into(),
        }
    }
}

/// Renders the missing layers. One cause usually affects several layers, and is rendered once.
fn isolation_message(missing: &[Gap]) -> String {
    let mut causes: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for Gap {
        layer,
        why,
        hint: mend,
    } in missing
    {
        // The effect of the cause precedes the cause in the text; `doctor` prints both.
        let cause = why
            .split_once(", because ")
            .map_or(&**why, |(_, cause)| cause);
        let known = causes
            .iter_mut()
            .find(|known| (known.0, known.1) == (cause, mend));
        match known {
            Some((.., layers)) => layers.push(layer.name()),
            None => causes.push((cause, mend, vec![layer.name()])),
        }
    }
    let mut text =
        String::from("commands cannot be isolated on this machine, so no command is started:");
    for (cause, mend, layers) in causes {
        text.push_str(&format!("\n  {}: {cause}; {mend}", layers.join(", ")));
    }
    text + "\n  help: to accept a missing layer, add its name to `sandbox.accept_missing`; `doctor` explains the consequences"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_of_several_gaps_is_said_once() {
        let gap = |layer, why: &str, mend: &str| Gap::new(layer, why, mend);
        let missing = vec![
            gap(
                Layer::Files,
                "all files are seen, because EPERM",
                "ask root",
            ),
            gap(Layer::Landlock, "the kernel is too old", "use Linux 5.13"),
            gap(Layer::Processes, "EPERM", "ask root"),
        ];
        insta::assert_snapshot!(SandboxError::Isolation { missing }, @r"
        commands cannot be isolated on this machine, so no command is started:
          files, processes: EPERM; ask root
          landlock: the kernel is too old; use Linux 5.13
          help: to accept a missing layer, add its name to `sandbox.accept_missing`; `doctor` explains the consequences
        ");
    }
}
