//! The messages between the processes of a sandbox: frames of a JSON head and raw bytes, over Unix sockets.

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

/// The link in [`OpenRequest::folder`] to the output.
pub(super) const OUTPUT_LINK: &str = "output";
/// The link in [`OpenRequest::folder`] to the layers of staged commands.
pub(super) const STAGING_LINK: &str = "staging";

/// The first message of an app to the supervisor that it started.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenRequest {
    pub(super) id: SandboxId,
    /// The folder by which other processes find the supervisor.
    pub(super) folder: PathBuf,
    /// The folder for output.
    pub(super) spool: PathBuf,
    pub(super) policy: SandboxPolicy,
    /// The environment of commands.
    pub(super) environment: BTreeMap<String, String>,
    /// The home of the user, which is empty for commands.
    pub(super) home: PathBuf,
    /// The folder to which files at protected paths are moved.
    pub(super) quarantine: PathBuf,
    /// The folder for the layers of staged commands.
    pub(super) staging: PathBuf,
    /// The primitives that this machine supports, if they were detected before.
    pub(super) support: Option<Support>,
}

/// A request of an app to a supervisor. Replies contain the number of their request, and come in any order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) ask: RequestKind,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum RequestKind {
    /// Describes the sandbox: the first message of a process that attaches.
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
pub(super) struct WireReply {
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

/// A sandbox, as described by its supervisor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SandboxDescription {
    pub(super) version: u32,
    pub(super) id: SandboxId,
    pub(super) enforcement: Enforcement,
    pub(super) policy: SandboxPolicy,
    /// Whether a listening socket for the proxy follows.
    pub(super) proxy: bool,
    /// The primitives that this machine supports.
    pub(super) support: Support,
    /// The `PATH` of commands.
    pub(super) path: Option<String>,
}

/// The version of these messages; only equal versions are compatible.
pub(super) const VERSION: u32 = 4;

/// A request of the supervisor to the init.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum InitRequest {
    /// Fork a shim, which uses the socket passed with this message.
    Shim,
    /// Attach the folder that is passed with this message as a detached mount.
    Project { name: String },
    /// Open a terminal; its two ends are passed back.
    Terminal { size: TerminalSize },
    /// Apply a new protection plan before the next command.
    Pin(Box<Protection>),
    /// Stop all commands, and reply when they are stopped.
    Freeze,
    /// Resume all commands.
    Thaw,
}

/// A reply of the init.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum InitReply {
    /// The root is built; with a network, the listening socket is passed with this message.
    Ready {
        port: Option<u16>,
    },
    Done,
    Path(PathBuf),
    Failed(WireError),
}

/// The command of a shim; its input and outputs are passed with this message.
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
    /// The overlays of a staged command.
    pub(super) stage: Option<Box<StageSpec>>,
}

/// A report of a shim to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ShimReport {
    Started,
    Failed(WireError),
    /// The command itself ended; its descendants may still run.
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        /// Whether no process of the command runs any more.
        is_last: bool,
    },
    /// No process of the command runs any more.
    Gone,
}

/// The overlays that are mounted for a command before it starts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StageSpec {
    /// The folder of the command's layers, below the mount point of all layers.
    pub(super) name: String,
    pub(super) roots: Vec<PathBuf>,
    /// The protection plan in the overlays.
    pub(super) plan: Protection,
}
