//! One annotated function is a tool that a language model, a person at a terminal or another program can call; the
//! result that you ship is one self-contained executable.
//!
//! ```
//! use helve::prelude::*;
//!
//! /// Adds two numbers.
//! #[tool(read_only)]
//! fn add(
//!     /// The first.
//!     a: i64,
//!     /// The second.
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let tools = toolset![add];
//! let output = tools.call("add", r#"{ "a": 2, "b": 3 }"#, &ToolContext::new()).await.expect("it adds");
//! assert_eq!(output.text(), "5");
//! # }
//! ```
//!
//! With `fn main() -> std::process::ExitCode { helve::app!().main() }` the program has a command line and an agent, and with
//! the feature `serve` it is an MCP server. The [guide] starts there, in [`guide::first_tool`].
//!
//! # Where to look
//!
//! | subject | guide | items |
//! |---|---|---|
//! | what to write on functions, `impl` blocks and types | [arguments](guide::arguments) | [`macro@tool`], [`macro@tools`], [`macro@data`] |
//! | what the program supplies | [host state](guide::host_state) | [`ToolContext`], [`tool::State`], [`Toolset::settings`] |
//! | what a tool returns | [results](guide::results) | [`ToolOutput`], [`ToolError`], [`Update`] |
//! | all linked tools, and those that one agent may call | [first tool](guide::first_tool) | [`Registry`], [`Toolset`], [`macro@toolset`], [`toolset::DynamicTool`], [`toolset::ToolSource`] |
//! | programs that run before and after calls | [hooks](guide::hooks) | [`hooks::HookSettings`], [`hooks::CommandHooks`] |
//! | a whole binary | [shipping](guide::shipping) | [`macro@app`], [`cli::App`], [`tools`](mod@tools) |
//! | which calls run | [permission](guide::permission) | [`permission::Policy`], [`permission::Rule`], [`permission::Approver`] |
//! | files, programs, the network | [sandbox](guide::sandbox) | [`capability`], [`mod@sandbox`] |
//! | requests of tools, their hosts and secrets | [HTTP](guide::http) | [`capability::SecretRef`], [`capability::Http`] |
//! | instructions for a model | [skills](guide::skills) | [`macro@include_skills`], [`skill::SkillCatalog`] |
//! | agents by name | [agents](guide::agents) | [`macro@include_agents`], [`agents::AgentSpec`], [`agents::AgentCatalog`] |
//! | a model by its name, `provider/model` | [models](guide::models) | [`model::Providers`], [`model::Model`] |
//! | an agent without the command line | [embedding](guide::embedding) | [`agent::Agent::ask`], [`agent::Agent::ask_for`], [`agent::Events`], [`agent::Hook`] |
//! | checks of prompts, calls, results and replies | [guards](guide::guards) | [`agent::Guard`], [`agent::NoteQueue`], [`transcript::Note`] |
//! | agents that work for an agent | [delegation](guide::delegation) | [`agent::Agent::delegate`], [`agent::AgentSource`] |
#![cfg_attr(
    feature = "jobs",
    doc = "| tasks in the background | [jobs](guide::jobs) | [`jobs::Jobs`], [`jobs::JobRunner`] |"
)]
#![cfg_attr(
    feature = "schedule",
    doc = "| work at given times | [schedules](guide::schedules) | [`schedule::Schedules`], [`schedule::ScheduleRunner`] |"
)]
//! | conversations on disk | [sessions](guide::sessions) | [`agent::session::Sessions`], [`agent::Conversation`] |
//! | what happens in a session, for other programs | [events](guide::events) | [`agent::EventKind`], [`agent::session::StoreChecks`] |
//! | questions to the user, and tasks | [questions](guide::questions) | [`tools::ask_user`](mod@tools), [`agent::todo::TodoList`] |
#![cfg_attr(
    feature = "check-code",
    doc = "| checks of code | [code checks](guide::code_checks) | [`tools::check_code`](mod@tools) |"
)]
#![cfg_attr(
    feature = "documents",
    doc = "| what the documents of a folder say | [documents](guide::documents) | [`tools::documents`](mod@tools) |"
)]
#![cfg_attr(
    feature = "github",
    doc = "| issues, pull requests and runs on GitHub | [GitHub](guide::github) | [`tools::github`](mod@tools) |"
)]
#![cfg_attr(
    feature = "web",
    doc = "| web pages | [web](guide::web) | [`tools::web`](mod@tools) |"
)]
#![cfg_attr(
    all(feature = "mcp", feature = "serve"),
    doc = "| MCP servers, and the app as one | [MCP](guide::mcp) | [`mcp::McpServers`], [`serve::Server`] |"
)]
#![cfg_attr(
    feature = "memory",
    doc = "| what is remembered of earlier sessions | [memory](guide::memory) | [`memory::Memory`], [`memory::MemoryStore`] |"
)]
#![cfg_attr(
    feature = "session-search",
    doc = "| search in past sessions | [session search](guide::session_search) | [`session_search::SessionSearch`], [`tools::session_search`](mod@tools) |"
)]
#![cfg_attr(
    feature = "skill-install",
    doc = "| skills of others | [installed skills](guide::skill_install) | [`skill_install::SkillInstaller`] |\n\
           | bundles of skills, agents, commands, hooks and servers | [bundles](guide::bundles) | [`skill_install::BundleStore`] |"
)]
#![cfg_attr(
    feature = "state",
    doc = "| work that processes claim | [queues](guide::queues) | [`state::WorkQueue`], [`state::Runner`] |"
)]
#![cfg_attr(
    feature = "text-index",
    doc = "| texts that are found by their words | [text index](guide::text_index) | [`text_index::TextIndex`] |"
)]
#![cfg_attr(
    feature = "view-image",
    doc = "| images | [images](guide::images) | [`tools::view_image`](mod@tools), [`image::prepare`] |"
)]
#![cfg_attr(
    feature = "web-search",
    doc = "| search engines | [web search](guide::web_search) | [`tools::web_search`](mod@tools) |"
)]
//! | tests without a model | [testing](guide::testing) | [`testing`], [`model::ScriptedModel`], [`model::Recorder`] |
#![cfg_attr(
    feature = "testing",
    doc = "| what an agent should do, as data | [cases](guide::cases) | [`macro@testing::cases`], [`testing::Cases`] |"
)]
//!
//! # Features
//!
//! On by default: `agent`, `agents`, `app`, `ask-user`, `chat`, `core`, `datetime`, `diff`, `files`, `hooks`, `http`, `models`,
//! `sandbox`, `shell`, `skills` and `todo`.
//!
//! Off by default: `build`, `check-code`, `docker`, `documents`, `full`, `genai`, `github`, `highlight`, `http-request`,
//! `jobs`, `kv`, `mcp`, `mcp-jwt`, `memory`, `pdf`, `schedule`, `serve`, `session-search`, `skill-install`, `skills-zstd`,
//! `ssh`, `state`, `testing`, `text-index`, `tokens`, `view-image`, `web` and `web-search`.
//!
//! A library that only defines tools takes `core` alone, a build script `build` alone. [`guide::features`] says what
//! each brings and costs.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "core", feature = "build")))]
compile_error!(
    "helve without its default features needs one of its own: `core` for a library that defines tools, `build` for a build \
     script, as in `helve = { version = \"…\", default-features = false, features = [\"core\"] }`"
);

// A glob is for items that the documentation does not list: what the runtime's own packages and its tests need, and types
// that signatures have and few users name. They follow no promise of stability.
#[cfg(feature = "app")]
pub use helve_runtime::app;
#[cfg(feature = "agents")]
pub use helve_runtime::include_agents;
#[cfg(feature = "skills")]
pub use helve_runtime::include_skills;
#[cfg(feature = "core")]
#[doc(hidden)]
pub use helve_runtime::*;
#[cfg(feature = "core")]
#[doc(no_inline)]
pub use helve_runtime::{BoxFuture, Stream, Value, json};
#[cfg(feature = "core")]
pub use helve_runtime::{
    Check, Registry, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Toolset, Update, link_tools,
    macros::{data, tool, tools},
    toolset,
};
#[cfg(feature = "sandbox")]
pub use helve_runtime::{become_helper, worker_job};

/// The agent: a model with tools, whose turns run here, and the [events](agent::AgentEvent) of a turn.
#[cfg(feature = "agent")]
pub mod agent {
    #[doc(hidden)]
    pub use helve_runtime::agent::*;
    pub use helve_runtime::agent::{
        Agent, AgentEvent, AgentSource, Ask, AskError, CallSite, Conversation, Delivery, EventKind,
        Events, FilesExist, Guard, GuardError, GuardInput, GuardPoint, Hook, JobLauncher,
        JsonReply, MaxLength, ModelJudge, NdjsonWriter, NewJob, Next, NoSecrets, NoteQueue,
        QueuedNote, ResultCache, SystemPrompt, ToolHook, TurnReport, TurnStatus,
    };
    /// Which tools a model sees.
    pub mod exposure {
        #[doc(hidden)]
        pub use helve_runtime::agent::exposure::*;
        pub use helve_runtime::agent::exposure::{ToolExposure, ToolGroup};
    }
    /// Sessions: conversations on disk.
    pub mod session {
        #[doc(hidden)]
        pub use helve_runtime::agent::session::*;
        pub use helve_runtime::agent::session::{
            FolderStore, HandOffView, JobOrigin, Lease, LoadedSession, MemoryStore, Posting,
            PostingHeader, PostingTarget, Session, SessionError, SessionMetadata,
            SessionProjection, SessionStore, SessionSummary, SessionWriter, Sessions, StoreChecks,
            StoreFuture, WaitingSession,
        };
    }
    /// The tasks of a session, which the tools of the feature `todo` list and change.
    pub mod todo {
        #[doc(hidden)]
        pub use helve_runtime::agent::todo::*;
        pub use helve_runtime::agent::todo::{Todo, TodoError, TodoList, TodoState, TodoUpdate};
    }
    /// The bounds of a turn, and why it ended.
    pub mod turn {
        #[doc(hidden)]
        pub use helve_runtime::agent::turn::*;
        pub use helve_runtime::agent::turn::{Bounds, EndReason, Review};
    }
}

/// Agents by name: in code, in the binary, and in files of the user and the project.
#[cfg(feature = "agents")]
pub mod agents {
    #[doc(hidden)]
    pub use helve_runtime::agents::*;
    pub use helve_runtime::agents::{
        AgentCatalog, AgentModel, AgentOrigin, AgentSet, AgentSpec, Budget, FileScope, HeldAgent,
        HostScope, ModelNames, NamedAgent, ResolvedAgent, SessionAuthority, SkippedFile, SpecRules,
    };
}

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

/// MCP servers as sources of tools.
#[cfg(feature = "mcp")]
pub mod mcp {
    #[doc(hidden)]
    pub use helve_runtime::mcp::*;
    pub use helve_runtime::mcp::{
        Logins, McpServers, McpServersBuilder, ServerAuth, ServerConfig, ServerTrust, StdioServer,
        ToolSelection, Transport,
    };
}

/// Models: a provider is one trait with one method, a request in and a stream of events out.
#[cfg(feature = "agent")]
pub mod model {
    #[cfg(feature = "genai")]
    pub use helve_runtime::model::GenaiModel;
    #[doc(hidden)]
    pub use helve_runtime::model::*;
    #[cfg(feature = "models")]
    pub use helve_runtime::model::{
        AnthropicModel, ChatDialect, Endpoint, OpenAiChatModel, OpenAiResponsesModel, Provider,
        Providers, ResponseHead, ResponsesDialect, RetryPolicy, RetryingModel,
    };
    pub use helve_runtime::model::{
        Assembler, ConversationView, Effort, FallbackModel, ImageReader, LendsModels, Model,
        ModelError, ModelEvent, ModelName, ModelOptions, ModelRequest, ModelTier, OutputFormat,
        Price, Prices, ReadsConversation, Recorder, Recording, ReplayModel, Reply, ReplyStream,
        ScriptedModel, StopReason, TierModel, TokenCounter, estimate_tokens, from_fn, render_note,
    };
    #[cfg(feature = "tokens")]
    pub use helve_runtime::model::{ExactTokenCounter, Vocabulary};
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

/// Permission: what a policy says about a call, and who answers when it says "ask".
#[cfg(any(feature = "agent", feature = "files", feature = "shell"))]
pub mod permission {
    #[doc(hidden)]
    pub use helve_runtime::permission::*;
    pub use helve_runtime::permission::{
        AccessScope, Answer, Approver, DangerousPaths, Decision, DeferAll, DenyAll, Mode, Policy,
        Question, Rule, RuleFiles, Rules, TimeLimitedApprover, Verdict,
    };
}

/// Tool results: from what a tool returns to what a model reads.
#[cfg(feature = "agent")]
pub mod results {
    #[doc(hidden)]
    pub use helve_runtime::results::*;
    pub use helve_runtime::results::{
        FolderSpill, MemorySpill, Pruning, RedactedStream, Redactor, ResultPipeline, Spill,
    };
    /// Results of known commands are shortened.
    pub mod reducer {
        #[doc(hidden)]
        pub use helve_runtime::results::reducer::*;
        pub use helve_runtime::results::reducer::{
            CommandKind, ReducedText, ReducerContext, Reducers, ResultReducer,
        };
    }
    /// Secrets are replaced in text.
    pub mod redact {
        pub use helve_runtime::results::redact::Pattern;
        #[doc(hidden)]
        pub use helve_runtime::results::redact::*;
    }
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

/// Images for models: decoded in a confined worker, made smaller, and encoded again without metadata.
#[cfg(feature = "view-image")]
pub mod image {
    pub use helve_runtime::image::{
        DEFAULT_EDGE, ImageError, ImageKind, ImageOptions, MAX_DIMENSION, MAX_EDGE,
        MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, OriginalImage, PreparedImage, RefusedImage, Region,
        describe_other_format, prepare,
    };
}

/// Schedules: work at given times, whether or not a person is present.
#[cfg(feature = "schedule")]
pub mod schedule {
    pub use helve_runtime::schedule::{
        InvalidExpression, MissedRuns, NewSchedule, OverlappingRuns, RunAuthority, RunStatus,
        Schedule, ScheduleChange, ScheduleContext, ScheduleError, ScheduleExpression,
        ScheduleRunner, ScheduleStatus, ScheduledRun, Schedules, ServiceManager, ServiceNotifier,
        SkillGuard, is_silent, render_inbox, render_runs, render_schedule, render_schedules, slug,
    };

    #[cfg(feature = "skill-install")]
    pub use helve_runtime::schedule::SkillSchedules;
}

/// The life of a skill: fetched from a source, reviewed, installed, updated, checked and removed.
#[cfg(feature = "skill-install")]
pub mod skill_install {
    pub use helve_runtime::skill_install::{
        BundleManifest, BundleStore, BundleText, FetchContext, FetchedBundle, FetchedSkills,
        HttpClient, InstallError, InstallOptions, InstallSource, Installed, InstalledBundle,
        LockFile, LockedSkill, MAX_ARCHIVE_BYTES, MAX_FAILURES, MAX_FILES, MAX_INDEX_BYTES,
        MAX_INDEX_ENTRIES, MAX_RATIO, MAX_SKILL_BYTES, MAX_TEXT_BYTES, NewSkillFile, OfferedSkill,
        PackedSkill, Pause, PlannedInstall, Revision, SkillAction, SkillCandidate, SkillCheck,
        SkillInstaller, SkillManager, SkillReview, SkillSources, SkillState, SkillStatus,
        SkillStatuses, SkillTree, SkillTrigger, SkillTriggers, TreeFile, has_failures, pack,
        render_audit, render_checks, render_installed, render_triggers, render_unused,
    };
}

/// Background jobs: tasks that outlive the process that starts them.
#[cfg(feature = "jobs")]
pub mod jobs {
    pub use helve_runtime::jobs::{Job, JobError, JobRunner, JobStatus, Jobs};
}

/// The memory of agents: what is remembered from earlier sessions, in files that people read and edit.
#[cfg(feature = "memory")]
pub mod memory {
    pub use helve_runtime::memory::*;
}

/// Hooks as commands of settings files, in the JSON form of Claude Code.
#[cfg(feature = "hooks")]
pub mod hooks {
    pub use helve_runtime::hooks::{
        CommandHooks, HookApprover, HookCommand, HookDecision, HookEvent, HookHandler, HookNote,
        HookOutcome, HookScope, HookSession, HookSettings, HookSettingsError, HookSource,
        InvalidMatcher, Matcher, OnFailure, ProjectHooks, PromptOutcome,
    };
}

/// The state of an app in SQLite: work that several processes claim, and stored values.
#[cfg(feature = "state")]
pub mod state {
    pub use helve_runtime::state::{
        CancellationToken, Claim, ClaimedWork, NewWork, Put, RecordStore, Runner, StateError,
        StoredRecord, WorkEntry, WorkOutcome, WorkQueue,
    };
}

/// The MCP server of an app.
#[cfg(feature = "serve")]
pub mod serve {
    #[doc(hidden)]
    pub use helve_runtime::serve::*;
    pub use helve_runtime::serve::{
        HttpSettings, Prompt, PromptArgument, PromptMessage, Prompts, ResourceSource, ServeError,
        Server, ServerBuilder, TaskPolicy, Tokens,
    };
}

/// The search in past sessions.
#[cfg(feature = "session-search")]
pub mod session_search {
    pub use helve_runtime::session_search::{
        Excerpt, IndexUpdate, MessageRole, SessionHit, SessionMessage, SessionQuery, SessionSearch,
        SessionSearchError, Transcript, TranscriptPage, parse_time,
    };
}

/// Skills: folders of instructions that ship in the binary or lie in a folder.
#[cfg(feature = "skills")]
pub mod skill {
    #[doc(hidden)]
    pub use helve_runtime::skill::*;
    pub use helve_runtime::skill::{
        Skill, SkillBuilder, SkillCatalog, SkillError, SkillFilter, SkillFolder, SkillLibrary,
        SkillSet, SkillSource, SourceFuture, Substitution, prompt_budget,
    };
    /// Skills are searched for what attacks a reader.
    pub mod scan {
        pub use helve_runtime::skill::scan::scan;
        #[doc(hidden)]
        pub use helve_runtime::skill::scan::*;
    }
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

/// Texts that are found by their words: documents in SQLite, with stems, parts of identifiers and pairs of characters.
#[cfg(feature = "text-index")]
pub mod text_index {
    pub use helve_runtime::text_index::{
        Applied, Collection, Document, EmbedError, EmbedFuture, EmbeddingUpdate, Embeddings,
        IndexBatch, Snippet, SourcePosition, TextEmbedder, TextHit, TextIndex, TextIndexError,
        TextQuery, fuse_rankings, fuse_searches,
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

/// What a file of tools needs: `use helve::prelude::*;`.
#[cfg(feature = "core")]
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Toolset, Update, data, tool,
        toolset,
    };
    #[cfg(feature = "memory")]
    #[doc(no_inline)]
    pub use helve_runtime::memory::MemoryContext as _;
    #[cfg(feature = "agent")]
    #[doc(no_inline)]
    pub use helve_runtime::model::{LendsModels as _, ReadsConversation as _};
    #[cfg(feature = "schedule")]
    #[doc(no_inline)]
    pub use helve_runtime::schedule::ScheduleContext as _;
    // Without the module of the built-in tools.
    #[doc(no_inline)]
    pub use helve_runtime::macros::tools;
}

/// The command line of `helve::app!()`.
#[cfg(feature = "app")]
pub mod cli {
    pub use helve_runtime::cli::*;
}

#[cfg(all(
    any(doc, doctest),
    feature = "app",
    feature = "files",
    feature = "ask-user",
    feature = "models",
    feature = "shell",
    feature = "skills",
    feature = "todo"
))]
pub mod guide;

/// What a `build.rs` does for a package with skills, without the runtime: the feature `build`.
#[cfg(feature = "build")]
pub mod build {
    pub use helve_skill_format::build::*;
}

/// The built-in tools, written with the public macro.
#[cfg(feature = "helve-tools")]
pub mod tools {
    pub use helve_tools::*;
}

/// The README's Rust compiles.
#[cfg(all(doctest, feature = "app", feature = "files", feature = "skills"))]
#[doc = include_str!("README.md")]
struct Readme;

/// The examples of the macros' documentation.
#[cfg(all(doctest, feature = "core"))]
mod macros {
    #[doc = include_str!("macros/docs/tool.md")]
    struct Tool;
    #[doc = include_str!("macros/docs/tools.md")]
    struct Tools;
    #[doc = include_str!("macros/docs/data.md")]
    struct Data;
}
