//! What the processes of a sandbox say to each other: frames of a JSON head and raw bytes, over Unix sockets.

mod failure;
mod frame;
mod passing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Protection, Support};
use crate::sandbox::{
    Access, Enforcement, Limits, NetworkAccess, ProcessId, ProcessSpec, ProcessStatus, ReadOutput,
    SandboxId, SandboxPolicy, Signal, Stdin, TerminalSize,
};

pub(super) use failure::WireError;
pub(super) use frame::{Frame, decode, encode, parse};
pub(super) use passing::{call_in_child, receive, send, send_with};

/// The link in [`OpenRequest::folder`] that leads to the output.
pub(super) const OUTPUT_LINK: &str = "output";
/// The link in [`OpenRequest::folder`] that leads to the layers of staged commands.
pub(super) const STAGING_LINK: &str = "staging";

/// The first words of an app to the supervisor that it started.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenRequest {
    pub(super) id: SandboxId,
    /// Where other processes find the supervisor.
    pub(super) folder: PathBuf,
    /// Where output is kept.
    pub(super) spool: PathBuf,
    pub(super) policy: SandboxPolicy,
    /// What commands see of the environment.
    pub(super) environment: BTreeMap<String, String>,
    /// Where the user's home is, which commands see empty.
    pub(super) home: PathBuf,
    /// Where what appears at protected paths is moved.
    pub(super) quarantine: PathBuf,
    /// Where the layers of staged commands are kept.
    pub(super) staging: PathBuf,
    /// What this machine gives, where that was found out before.
    pub(super) support: Option<Support>,
}

/// What an app asks of a supervisor. Answers carry the number of their question, and come in any order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) ask: RequestKind,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum RequestKind {
    /// What sandbox this is: the first words of a process that attaches.
    Describe,
    Start(ProcessSpec),
    Read(ReadOutput),
    /// The bytes follow the head.
    Write {
        process: ProcessId,
        end: bool,
    },
    Resize {
        process: ProcessId,
        size: TerminalSize,
    },
    Signal {
        process: ProcessId,
        signal: Signal,
    },
    Status {
        process: ProcessId,
        wait: Duration,
    },
    List,
    Project {
        folder: PathBuf,
        name: String,
    },
    Close,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    pub(super) number: u64,
    pub(super) result: Result<ReplyPayload, WireError>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ReplyPayload {
    Sandbox(Box<SandboxDescription>),
    Status(ProcessStatus),
    /// The bytes follow the head.
    Output {
        offset: u64,
        total: u64,
        end: bool,
    },
    List(Vec<ProcessStatus>),
    Path(PathBuf),
    Done,
}

/// A sandbox, as its supervisor describes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SandboxDescription {
    pub(super) version: u32,
    pub(super) id: SandboxId,
    pub(super) enforcement: Enforcement,
    pub(super) policy: SandboxPolicy,
    /// Whether a listening socket follows, which the proxy serves.
    pub(super) proxy: bool,
    /// What this machine gives.
    pub(super) support: Support,
    /// The `PATH` of commands.
    pub(super) path: Option<String>,
}

/// The version of these messages; only equal ones are compatible.
pub(super) const VERSION: u32 = 4;

/// A request of the supervisor to the init.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum InitRequest {
    /// A shim, over the socket that comes with this.
    Shim,
    /// A place for the folder that comes with this as a detached mount.
    Project { name: String },
    /// A terminal; its two ends come back.
    Terminal { size: TerminalSize },
    /// A new plan of what is protected, to be carried out before the next command.
    Pin(Box<Protection>),
    /// Stop all commands, and answer when they stand still.
    Freeze,
    /// Let them go on.
    Thaw,
}

/// What an init answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum InitReply {
    /// The root stands; with a network, the listening socket comes with this.
    Ready {
        port: Option<u16>,
    },
    Done,
    Path(PathBuf),
    Failed(WireError),
}

/// The command that a shim is to watch over; its input and outputs come with this.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CommandSpec {
    pub(super) argv: Vec<String>,
    pub(super) working_folder: PathBuf,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) terminal: bool,
    pub(super) stdin: Stdin,
    pub(super) limits: Limits,
    pub(super) access: Access,
    pub(super) network: NetworkAccess,
    /// The overlays that it works in, where it is staged.
    pub(super) stage: Option<Box<StageSpec>>,
}

/// A report of a shim to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ShimReport {
    Started,
    Failed(WireError),
    /// The command itself ended; what it started may still run.
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        /// Whether nothing of it runs any more.
        is_last: bool,
    },
    /// Nothing of it runs any more.
    Gone,
}

/// What is mounted for a command before it starts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StageSpec {
    /// The folder of its layers below the mount point of all layers.
    pub(super) name: String,
    pub(super) roots: Vec<PathBuf>,
    /// What is covered in the overlays.
    pub(super) plan: Protection,
}
