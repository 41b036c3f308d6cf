//! The modules of the facade about agents: models, permission, sessions, and what works beside a turn.

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

/// Hooks as commands of settings files, in the JSON form of Claude Code.
#[cfg(feature = "hooks")]
pub mod hooks {
    pub use helve_runtime::hooks::{
        CommandHooks, HookApprover, HookCommand, HookDecision, HookEvent, HookHandler, HookNote,
        HookOutcome, HookScope, HookSession, HookSettings, HookSettingsError, HookSource,
        InvalidMatcher, Matcher, OnFailure, ProjectHooks, PromptOutcome,
    };
}

/// Background jobs: tasks that outlive the process that starts them.
#[cfg(feature = "jobs")]
pub mod jobs {
    pub use helve_runtime::jobs::{Job, JobError, JobRunner, JobStatus, Jobs};
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

/// The memory of agents: what is remembered from earlier sessions, in files that people read and edit.
#[cfg(feature = "memory")]
pub mod memory {
    pub use helve_runtime::memory::*;
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

/// Schedules: work at given times, whether or not a person is present.
#[cfg(feature = "schedule")]
pub mod schedule {
    pub use helve_runtime::schedule::{
        AgentReload, AgentReloads, InvalidExpression, MissedRuns, NewSchedule, OverlappingRuns,
        RunAuthority, RunStatus, Schedule, ScheduleChange, ScheduleContext, ScheduleError,
        ScheduleExpression, ScheduleRunner, ScheduleStatus, ScheduledRun, Schedules,
        ServiceManager, ServiceNotifier, SkillGuard, is_silent, render_inbox, render_runs,
        render_schedule, render_schedules, slug,
    };

    #[cfg(feature = "skill-install")]
    pub use helve_runtime::schedule::SkillSchedules;
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

/// The life of a skill: fetched from a source, reviewed, installed, updated, checked and removed.
#[cfg(feature = "skill-install")]
pub mod skill_install {
    pub use helve_runtime::skill_install::{
        BundleManifest, BundleStore, BundleText, FetchContext, FetchedBundle, FetchedSkills,
        HttpClient, InstallError, InstallOptions, InstallSource, Installed, InstalledBundle,
        LockFile, LockedSkill, MAX_ARCHIVE_BYTES, MAX_FAILURES, MAX_FILES, MAX_INDEX_BYTES,
        MAX_INDEX_ENTRIES, MAX_RATIO, MAX_SKILL_BYTES, MAX_TEXT_BYTES, NewSkillFile, OfferedSkill,
        PackedSkill, Pause, PlannedInstall, ProjectStatuses, Revision, SkillAction, SkillCandidate,
        SkillCheck, SkillInstaller, SkillManager, SkillReview, SkillSources, SkillState,
        SkillStatus, SkillStatuses, SkillTree, SkillTrigger, SkillTriggers, TreeFile, has_failures,
        pack, render_audit, render_checks, render_installed, render_triggers, render_unused,
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

/// Texts that are found by their words: documents in SQLite, with stems, parts of identifiers and pairs of characters.
#[cfg(feature = "text-index")]
pub mod text_index {
    pub use helve_runtime::text_index::{
        Applied, Collection, Document, EmbedError, EmbedFuture, EmbeddingUpdate, Embeddings,
        IndexBatch, Snippet, SourcePosition, TextEmbedder, TextHit, TextIndex, TextIndexError,
        TextQuery, fuse_rankings, fuse_searches,
    };
}
