//! The capability to start processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::handle::CapabilityHandle;
use super::{Capability, CapabilityError, Confinement, Refusal, Requires, run};
use crate::sandbox::{Access, Exit, LazySandbox, ReadOnlySandbox, Sandbox, SandboxError};

/// A program to run, without a shell.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::Command;
/// use helve::prelude::*;
///
/// /// Tells the last commit.
/// #[tool(read_only, requires(process("git")))]
/// async fn last_commit(context: &ToolContext) -> Result<String, ToolError> {
///     let output = context.process().run(Command::new("git", ["log", "-1"])).await?;
///     Ok(String::from_utf8_lossy(&output.stdout).into_owned())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program, as a name or a path inside the sandbox.
    pub program: String,
    /// The arguments.
    pub args: Vec<String>,
    /// The bytes of the standard input.
    pub stdin: Vec<u8>,
    /// The working directory; `None` is the sandbox's first root.
    pub working_folder: Option<PathBuf>,
    /// Variables that are added to the sandbox's environment.
    pub environment: BTreeMap<String, String>,
    /// The access to files.
    pub access: Access,
    /// The maximum run time; `None` is that of the call.
    pub timeout: Option<Duration>,
    /// The maximum number of bytes kept of each output stream, from its beginning.
    pub max_output_bytes: usize,
}

impl Command {
    /// The default of [`max_output_bytes`](Self::max_output_bytes): 1 MiB.
    pub const DEFAULT_OUTPUT_LIMIT: usize = 1 << 20;

    /// Creates a command with arguments and an empty standard input; its fields are public.
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            stdin: Vec::new(),
            working_folder: None,
            environment: BTreeMap::new(),
            access: Access::Write,
            timeout: None,
            max_output_bytes: Self::DEFAULT_OUTPUT_LIMIT,
        }
    }
}

/// The result of a program that has ended.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::Output;
/// use helve::sandbox::Exit;
///
/// let output = Output::new(Exit::Code(0), "done\n", "");
/// assert_eq!(output.stdout, b"done\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// How the program ended.
    pub exit: Exit,
    /// The standard output, from its beginning.
    pub stdout: Vec<u8>,
    /// The standard error, from its beginning.
    pub stderr: Vec<u8>,
    /// Whether the program wrote more than was kept.
    pub truncated: bool,
}

impl Output {
    /// Creates the result of a program.
    pub fn new(exit: Exit, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            exit,
            stdout: stdout.into(),
            stderr: stderr.into(),
            truncated: false,
        }
    }
}

/// Processes, as far as a tool may start them.
#[derive(Debug, Clone)]
pub struct Process {
    handle: CapabilityHandle<LazySandbox>,
    programs: &'static [&'static str],
    confinement: Confinement,
    /// The sandbox as a confined call sees it, once the sandbox is open.
    confined_sandbox: OnceLock<Arc<dyn Sandbox>>,
}

impl Process {
    /// Combines the declaration of a tool with the grant of the host.
    pub fn new(requires: &Requires, sandbox: Option<Arc<LazySandbox>>) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::Process, requires.process, sandbox),
            programs: requires.programs,
            confinement: Confinement::None,
            confined_sandbox: OnceLock::new(),
        }
    }

    /// Applies the confinement of the call to every process that is started.
    pub(crate) fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Returns the sandbox that commands run in, and opens the sandbox on the first call.
    ///
    /// The sandbox starts any program; a tool that declared individual programs uses [`run`](Process::run).
    ///
    /// # Errors
    ///
    /// When the tool did not declare `requires(process)` without names, the host granted no sandbox, or the
    /// sandbox cannot be opened.
    pub async fn sandbox(&self) -> Result<&Arc<dyn Sandbox>, CapabilityError> {
        let sandbox = self.handle.backend()?;
        if !self.programs.is_empty() {
            return Err(Refusal::whole_sandbox_not_declared(self.programs).into());
        }
        self.open_confined(sandbox).await
    }

    /// Runs a program to its end, whatever its exit status. Dropping the future kills the program.
    ///
    /// # Errors
    /// When the tool did not declare `requires(process)`, or declared other programs, the host granted no sandbox, or the
    /// program cannot be started.
    pub async fn run(&self, command: Command) -> Result<Output, CapabilityError> {
        // Compared by name only: a path with the same last component could be any file of the workspace.
        if !self.programs.is_empty() && !self.programs.contains(&&*command.program) {
            return Err(Refusal::binary_not_allowed(&command.program, self.programs).into());
        }
        let sandbox = self.open_confined(self.handle.backend()?).await?;
        run::run(sandbox, command)
            .await
            .map_err(to_capability_error)
    }

    async fn open_confined<'a>(
        &'a self,
        sandbox: &'a LazySandbox,
    ) -> Result<&'a Arc<dyn Sandbox>, CapabilityError> {
        let sandbox = sandbox.get().await.map_err(to_capability_error)?;
        Ok(match self.confinement {
            Confinement::None => sandbox,
            Confinement::ReadOnly => self
                .confined_sandbox
                .get_or_init(|| Arc::new(ReadOnlySandbox(Arc::clone(sandbox)))),
        })
    }
}

fn to_capability_error(error: SandboxError) -> CapabilityError {
    CapabilityError::Failed {
        capability: Capability::Process,
        source: Box::new(error),
    }
}
