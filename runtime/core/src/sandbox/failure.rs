//! What can go wrong with a sandbox.

use std::io;
use std::path::PathBuf;

use super::{Layer, ProcessId};

/// A sandbox that did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A text cannot be a handle.
    #[error("invalid sandbox or process id `{text}`: use 1 to 64 letters, digits, `-` and `_`")]
    Handle {
        /// The text, shortened.
        text: String,
    },
    /// Something that isolates is missing on this machine, so nothing runs.
    #[error("{}", isolation_message(missing))]
    Isolation {
        /// The missing layers, each with its cause and fix.
        missing: Vec<Gap>,
    },
    /// This kind of sandbox cannot be used here.
    #[error("sandbox `{kind}` is not available: {why}")]
    Unavailable {
        /// Such as `docker`.
        kind: String,
        /// Why not, and what to do.
        why: String,
    },
    /// A program is there and cannot be run, or not with these arguments, variables or in this folder.
    #[error("failed to start `{program}`: {why}")]
    CannotStart {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// There is no such program where commands run.
    #[error("failed to start `{program}`: {why}")]
    ProgramNotFound {
        /// The program.
        program: String,
        /// Where it was looked for, or what the system said.
        why: String,
    },
    /// A process of this name was started before.
    #[error("process id `{id}` is already used; choose another id")]
    ProcessExists {
        /// The name.
        id: ProcessId,
    },
    /// There is no process of this name.
    #[error("unknown process `{id}`")]
    UnknownProcess {
        /// The name.
        id: ProcessId,
    },
    /// The input of a process is closed, or was never open.
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
    /// A folder cannot be shown in the sandbox.
    #[error("failed to project `{}` into the sandbox: {why}", folder.display())]
    Projection {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// The sandbox has ended, and all that ran in it.
    #[error("the sandbox has ended: {why}")]
    Closed {
        /// Why, as far as that is known.
        why: String,
    },
    /// The sandbox is somewhere else, and cannot be reached now; what runs there may still run.
    #[error(
        "the sandbox is unreachable: {why}; its processes may still run, so check their status before starting them again"
    )]
    Unreachable {
        /// What broke.
        why: String,
    },
    /// Anything else that the operating system reports.
    #[error("{doing}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// A layer that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The layer.
    pub layer: Layer,
    /// Why it does not hold.
    pub why: String,
    /// How to fix it.
    pub hint: String,
}

impl Gap {
    /// Describes a layer that does not hold.
    pub fn new(layer: Layer, why: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            layer,
            why: why.into(),
            hint: mend.into(),
        }
    }
}

/// Returns which layers are missing. One cause usually takes several, and is said once.
fn isolation_message(missing: &[Gap]) -> String {
    let mut causes: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for Gap {
        layer,
        why,
        hint: mend,
    } in missing
    {
        // What follows from the cause stands before it; `doctor` prints both.
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
