//! The modules of the facade about tools: what they are made of, what they use, and what they return.

/// What a tool may use, declared by the tool and granted by the host.
#[cfg(feature = "core")]
pub mod capability {
    #[cfg(feature = "kv")]
    pub use helve_runtime::capability::KeyValueStore;
    #[doc(hidden)]
    pub use helve_runtime::capability::*;
    pub use helve_runtime::capability::{
        CapabilityError, Client, Command, Credential, Elicitation, GrantedSecrets, Grants, Http,
        HttpRequest, HttpResponse, KeyValue, Output, Process, Root, Secret, SecretRef, Secrets,
    };
    #[cfg(feature = "http")]
    pub use helve_runtime::capability::{GuardedHttp, Net, NetStream, Tls};
}

/// Images for models: decoded in a confined worker, made smaller, and encoded again without metadata.
#[cfg(feature = "view-image")]
pub mod image {
    pub use helve_runtime::image::{
        DEFAULT_EDGE, ImageError, ImageKind, ImageOptions, MAX_DIMENSION, MAX_EDGE,
        MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, OriginalImage, PreparedImage, RefusedImage, Region,
        describe_other_format, prepare,
    };
}

/// Rules for hosts and addresses, for tools and for the commands in a sandbox alike.
#[cfg(feature = "core")]
pub mod network {
    pub use helve_runtime::network::HostRules;
    #[cfg(any(
        feature = "agent",
        feature = "files",
        feature = "http",
        feature = "sandbox",
        feature = "shell"
    ))]
    #[doc(hidden)]
    pub use helve_runtime::network::*;
}

/// Where commands run and files lie: the traits, and the sandboxes of this machine, of containers and of other machines.
#[cfg(feature = "core")]
pub mod sandbox {
    #[cfg(all(feature = "sandbox", target_os = "linux"))]
    pub use helve_runtime::sandbox::IsolatedSandbox;
    #[cfg(all(feature = "sandbox", unix))]
    pub use helve_runtime::sandbox::PassthroughSandbox;
    #[cfg(all(feature = "sandbox", target_os = "macos"))]
    pub use helve_runtime::sandbox::SeatbeltSandbox;
    #[doc(hidden)]
    pub use helve_runtime::sandbox::*;
    pub use helve_runtime::sandbox::{
        DirEntry, FileKind, FsError, Limits, Listing, Metadata, NetworkAccess, ReadRange, Sandbox,
        SandboxError, SandboxFs, SandboxPolicy, SearchPath,
    };
    #[cfg(all(feature = "docker", unix))]
    pub use helve_runtime::sandbox::{DockerSandbox, DockerSettings};
    #[cfg(feature = "files")]
    pub use helve_runtime::sandbox::{LocalFs, SandboxChoice, open};
    #[cfg(all(feature = "ssh", unix))]
    pub use helve_runtime::sandbox::{SshCredential, SshSandbox, SshSettings};
}

/// JSON Schema in one canonical form, rendered for each reader, and the mistakes of arguments.
#[cfg(feature = "core")]
pub mod schema {
    #[doc(hidden)]
    pub use helve_runtime::schema::*;
    pub use helve_runtime::schema::{CanonicalSchema, Mistake, Mistakes, SchemaError};
}

/// Helpers for tests of tools, and cases of what an agent should do.
#[cfg(feature = "core")]
pub mod testing {
    pub use helve_runtime::testing::{call, call_with, context_with};
    #[cfg(feature = "testing")]
    pub use helve_testing::{
        CallMatch, CallsExpectation, Case, CaseAction, CaseAnswer, CaseCall, CaseDecision,
        CaseFailure, CaseModel, CaseNote, CaseReply, CaseRun, CaseSetup, CaseSubject, CaseTrigger,
        CaseTurn, Cases, CasesError, CasesReport, Expectation, MessageMatch, ObservedCall,
        RequestMatch, TextMatch, UsageLimits, cases,
    };
}

/// What a tool is made of, and what it returns beyond its output.
#[cfg(feature = "core")]
pub mod tool {
    #[doc(hidden)]
    pub use helve_runtime::tool::*;
    pub use helve_runtime::tool::{
        Artifact, CheckReport, Coverage, Denial, Effects, FatalError, FromHost, IntoToolOutput,
        Preview, Principal, Progress, ProgressSettings, ProgressUpdate, ToolArg,
        ToolContextBuilder,
    };
}

/// Messages, content and labels.
#[cfg(feature = "core")]
pub mod transcript {
    #[doc(hidden)]
    pub use helve_runtime::transcript::*;
    pub use helve_runtime::transcript::{
        AgentId, AssistantMessage, CallAddress, CallId, CallKey, Content, ContentBlock, Cost,
        Grade, Label, Message, MessagePart, Note, NoteSource, Origin, RawJson, SessionId, Source,
        ToolCall, ToolCallResult, ToolName, Totals, TurnId, Usage,
    };
    #[cfg(feature = "agent")]
    pub use helve_runtime::transcript::{Timestamp, sanitize};
}

/// Text of others: neutralized, enclosed, searched for attempts to steer the model.
#[cfg(any(
    feature = "agent",
    feature = "files",
    feature = "shell",
    feature = "skills"
))]
pub mod untrusted {
    #[doc(hidden)]
    pub use helve_runtime::untrusted::*;
    pub use helve_runtime::untrusted::{find_flags, neutralize, strip_escapes, strip_tokens, wrap};
}
