//! What can go wrong with a sandbox.

use std::io;
use std::path::PathBuf;

use super::{Layer, ProcessId};

/// A sandbox that did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A text cannot be a handle.
    #[error(
        "`{text}` cannot be the name of a sandbox or of a process in it: use 1 to 64 letters, digits, `-` and `_`"
    )]
    Handle {
        /// The text, shortened.
        text: String,
    },
    /// Something that isolates is missing on this machine, so nothing runs.
    #[error("{}", isolation_message(missing))]
    Isolation {
        /// What is missing, why, and what would mend it.
        missing: Vec<Gap>,
    },
    /// This kind of sandbox cannot be used here.
    #[error("the sandbox `{kind}` cannot be used here: {why}")]
    Unavailable {
        /// Such as `docker`.
        kind: String,
        /// Why not, and what to do.
        why: String,
    },
    /// A program is there and cannot be run, or not with these arguments, variables or in this folder.
    #[error("`{program}` cannot be started: {why}")]
    CannotStart {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// There is no such program where commands run.
    #[error("`{program}` cannot be started: {why}")]
    ProgramNotFound {
        /// The program.
        program: String,
        /// Where it was looked for, or what the system said.
        why: String,
    },
    /// A process of this name was started before.
    #[error("a process `{id}` was started before; choose another name")]
    ProcessExists {
        /// The name.
        id: ProcessId,
    },
    /// There is no process of this name.
    #[error("there is no process `{id}` in this sandbox")]
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
    #[error("`{}` cannot be shown in the sandbox: {why}", folder.display())]
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
        "the sandbox cannot be reached: {why}; what runs there may go on, so ask for its status before you start it again"
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
    /// What would mend it.
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

/// Says which layers are missing. One cause usually takes several, and is said once.
fn isolation_message(missing: &[Gap]) -> String {
    let mut causes: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for Gap {
        layer,
        why,
        hint: mend,
    } in missing
    {
        // What follows from the cause stands before it; `doctor` tells both.
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
    let mut text = String::from("commands cannot be isolated here, so nothing runs:");
    for (cause, mend, layers) in causes {
        text.push_str(&format!("\n  {}: {cause}; {mend}", layers.join(", ")));
    }
    text + "\n  or accept by name in `sandbox.accept_missing` what is missing; `doctor` tells what follows"
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
        commands cannot be isolated here, so nothing runs:
          files, processes: EPERM; ask root
          landlock: the kernel is too old; use Linux 5.13
          or accept by name in `sandbox.accept_missing` what is missing; `doctor` tells what follows
        ");
    }
}
