//! The runtime of [helve](https://docs.rs/helve): its parts, which are packages, under one name, by feature. This package
//! chooses what of them is public. Depend on `helve`, not on this.

#[cfg(feature = "agents")]
pub use helve_agents::{self as agents, include_agents};
#[cfg(feature = "app")]
pub use helve_cli::app;
// Modules and macros of one name: `tool` and `toolset` are both.
pub use helve_core::{
    Annotations, BoxFuture, BoxStream, Check, Registry, Risk, State, Stream, Tool, ToolContext,
    ToolDef, ToolError, ToolOutput, ToolResult, ToolSpec, Toolset, Update, Value, data, json,
    link_tools, macros, prelude, registry, testing, tool, tools, toolset,
};
#[cfg(feature = "worker")]
pub use helve_host::{reexec::become_helper, worker, worker_job};
#[cfg(feature = "skills")]
pub use helve_skill::include_skills;
#[cfg(feature = "skill-install")]
pub use helve_skill_install as skill_install;

/// What a user has accepted of projects, MCP servers and skills, by digest.
#[cfg(feature = "permission")]
pub mod acceptances {
    pub use helve_permission::acceptances::{
        Acceptance, AcceptanceError, AcceptanceKind, AcceptanceState, Acceptances, Difference,
        EntryChange, EntryChangeKind, EntryKind,
    };
}

/// The agent: a turn, which decides the steps, its driver, which performs them, and the [events](helve_agent) of both.
#[cfg(feature = "agent")]
pub mod agent {
    pub use helve_agent::{
        Agent, AgentEvent, AgentSource, Ask, AskError, Backlog, CallSite, Conversation, Delivery,
        EventHeader, EventKind, EventLine, EventReader, EventSink, Events, FilesExist, Guard,
        GuardError, GuardInput, GuardPoint, Hook, InvalidEventLine, JobLauncher, JsonReply,
        MaxLength, ModelJudge, ModelSite, NDJSON_VERSION, NdjsonWriter, NewJob, Next, NoSecrets,
        NoteQueue, ProjectInstructions, QueuedNote, ResultCache, RetainedFacts, SystemPrompt,
        ToolHook, TurnReport, TurnStatus, WaitMode, session, todo, tool_search, turn,
    };
    /// Which tools a model sees.
    pub mod exposure {
        pub use helve_agent::exposure::{
            BASIC, ExposedTools, GroupError, LexicalSuggester, Suggester, SuggestionRequest,
            ToolExposure, ToolGroup,
        };
    }
}

/// What a tool may use, declared by the tool and granted by the host.
pub mod capability {
    #[cfg(feature = "agent")]
    pub use helve_agent::{AttachmentError, MemoryAttachments};
    pub use helve_core::capability::{
        Attachment, Attachments, AttachmentsBackend, BackendError, Capability, CapabilityError,
        Client, ClientBackend, Command, Confinement, Credential, Elicitation, ElicitationRequest,
        ElicitationResult, GrantedSecrets, Grants, Http, HttpBackend, HttpRequest, HttpResponse,
        HttpScope, KeyValue, KeyValueBackend, LogLevel, Output, Process, Refusal, RefusalCode,
        Requires, Root, SamplingMessage, SamplingRequest, SamplingResult, SamplingRole, Secret,
        SecretRef, Secrets, SecretsBackend, ToolHttp, ToolSandbox,
    };
    #[cfg(feature = "http")]
    pub use helve_host::guarded_http::*;
    #[cfg(feature = "kv")]
    pub use helve_state::{KeyValueStore, StoreError};
}

/// The command line of `helve::app!()`.
#[cfg(feature = "app")]
pub mod cli {
    pub use helve_cli::{App, AssemblyError, CommandContext, Package};
}

/// MCP servers as sources of tools.
#[cfg(feature = "mcp")]
pub mod mcp {
    #[doc(hidden)]
    pub use helve_mcp::connection;
    pub use helve_mcp::{
        ApprovalState, CallError, CallTimeouts, Cause, ConnectError, ConnectionState,
        ConnectionStatus, InvalidServerName, LoggedIn, LoginRequest, Logins, McpServers,
        McpServersBuilder, OAuthError, Operation, ServerAuth, ServerConfig, ServerFailure,
        ServerLifetime, ServerName, ServerStatus, ServerTrust, ServersError, StdioServer,
        ToolSelection, Transport, WithheldReason, WithheldTool,
    };
}

/// Models: a provider is one trait with one method, a request in and a stream of events out.
#[cfg(feature = "agent")]
pub mod model {
    #[cfg(feature = "genai")]
    pub use helve_model::GenaiModel;
    #[cfg(feature = "models")]
    pub use helve_model::{
        AnthropicModel, Api, CallIdForm, ChatDialect, EffortField, Endpoint, KeyOrigin,
        MaxTokensField, OfferedModel, OpenAiChatModel, OpenAiResponsesModel, OutputField, Provider,
        ProviderStatus, Providers, ResponseHead, ResponsesDialect, RetryPolicy, RetryingModel,
        ThinkingField,
    };
    pub use helve_model::{
        ApiError, ApiErrorKind, Assembler, ConversationView, Effort, EstimatedTokenCounter,
        FallbackModel, ImageReader, InvalidModelName, KnownModel, LendsModels, Model, ModelError,
        ModelEvent, ModelName, ModelOptions, ModelRequest, ModelTier, OfferedTool, OutputFormat,
        Price, Prices, RECORDING_VERSION, ReadsConversation, Recorder, Recording, RecordingError,
        ReplayModel, Reply, ReplyStream, Retry, ScriptedModel, StopReason, TierModel, TokenCounter,
        estimate_tokens, from_fn, render_note,
    };
    #[cfg(feature = "tokens")]
    pub use helve_model::{ExactTokenCounter, Vocabulary};
}

/// Rules for hosts and addresses, for tools and for the commands in a sandbox alike.
pub mod network {
    pub use helve_core::network::HostRules;
    #[cfg(any(feature = "http", feature = "permission", feature = "sandbox"))]
    pub use helve_core::network::{
        AddressClass, Destination, Host, HostPattern, HostPatternError, HostPolicy, HostRefusal,
        HostRefusalReason, Resolve, SystemResolver,
    };
}

/// Permission: what a policy says about a call, and who answers when it says "ask".
#[cfg(feature = "permission")]
pub mod permission {
    pub use helve_core::transcript::{Grade, Label, Source};
    pub use helve_permission::{
        AccessScope, AccessStore, Answer, Approver, DangerousPaths, Decider, Decision, DeferAll,
        DenyAll, InvalidPattern, InvalidRule, Judgement, LoadedRules, Mode, PRESENT_PLAN,
        PartStatus, Policy, PolicyRecord, Question, QuestionPart, Rule, RuleFile, RuleFileError,
        RuleFiles, RuleScope, Rules, TimeLimitedApprover, UnacceptedRules, UnknownMode,
        UntrustedPolicy, Verdict, paths,
    };
    /// The analysis of command lines for a verdict.
    #[cfg(feature = "shell")]
    pub mod shell {
        pub use helve_permission::shell::{
            Analysis, Construct, Dialect, GitPush, JudgedShell, SedRefusal, Shell,
            catastrophic_danger, check, check_for, covers, danger_reason, edited_paths,
            first_unreadable_construct, git_command, git_push, only_reads, redirection_targets,
            rule_prefixes, sed_refusal, suggest,
        };
    }
}

/// Tool results: from what a tool returns to what a model reads.
#[cfg(feature = "agent")]
pub mod results {
    pub use helve_results::{
        FolderSpill, MemorySpill, Outcome, ProcessedResult, Pruning, PruningLevel, RedactedStream,
        Redactor, ResultInput, ResultPager, ResultPipeline, Spill, SpillError, SpilledResult,
        conversation_label, next_poll_delay, redact, reducer, strip_enclosure,
    };
    pub use helve_untrusted::Flag;
}

/// Where commands run and files lie: the traits, and the sandboxes of this machine, of containers and of other machines.
pub mod sandbox {
    pub use helve_core::sandbox::{
        Access, BlockedAccess, Change, Child, ChildChunk, ChildOutput, Connection,
        ConnectionApprover, DirEntry, Egress, EgressGate, Enforcement, Exit, FileKind, FileSlice,
        FileVersion, FileVisitor, FolderAccess, FolderRequest, FsError, Gap, GrantScope,
        JudgedPaths, Layer, LayerStatus, LazySandbox, Limit, Limits, Listing, Metadata,
        NetworkAccess, NewPaths, OnDrop, OutputChunk, OutputStream, PathLocation, PathResolution,
        ProcessId, ProcessSpec, ProcessStatus, ReadHandle, ReadOutput, ReadRange, ResolvedPath,
        Sandbox, SandboxError, SandboxFs, SandboxId, SandboxPolicy, SearchPath, SearchPathState,
        SearchRoot, Signal, Stdin, TerminalSize, Termination, WriteCondition,
    };
    #[cfg(feature = "files")]
    pub use helve_host::sandbox::LocalFs;
    #[cfg(all(feature = "sandbox", unix))]
    pub use helve_host::sandbox::PassthroughSandbox;
    #[cfg(all(feature = "sandbox", target_os = "macos"))]
    pub use helve_host::sandbox::SeatbeltSandbox;
    #[cfg(all(feature = "sandbox", target_os = "linux"))]
    pub use helve_host::sandbox::{ExtensibleSandbox, IsolatedSandbox};
    #[cfg(feature = "sandbox")]
    pub use helve_host::sandbox::{Proxy, probe};
    #[cfg(all(feature = "docker", unix))]
    pub use helve_remote::{DockerSandbox, DockerSettings, WorkspaceTransfer};
    #[cfg(any(feature = "app", feature = "files"))]
    pub use helve_remote::{LazyFiles, SandboxChoice, UnknownSandbox, open};
    #[cfg(all(feature = "ssh", unix))]
    pub use helve_remote::{SshCredential, SshSandbox, SshSettings};
}

/// JSON Schema in one canonical form, rendered for each reader, and the mistakes of arguments.
pub mod schema {
    pub use helve_core::schema::{
        CanonicalSchema, Constraints, Mistake, Mistakes, ParameterSchema, RepairedArguments,
        SchemaDialect, SchemaError, explain, from_value, input_schema, output_schema, repair,
    };
    #[cfg(feature = "agent")]
    pub use helve_model::{Dialect, UnknownDialect};
}

#[cfg(feature = "hooks")]
pub use helve_hooks as hooks;
#[cfg(feature = "image")]
pub use helve_image as image;
#[cfg(feature = "jobs")]
pub use helve_jobs as jobs;
#[cfg(feature = "memory")]
pub use helve_memory as memory;
#[cfg(feature = "schedule")]
pub use helve_schedule as schedule;
#[cfg(feature = "session-search")]
pub use helve_session_search as session_search;
#[cfg(feature = "state")]
pub use helve_state as state;
#[cfg(feature = "text-index")]
pub use helve_text_index as text_index;
#[cfg(any(feature = "permission", feature = "skills"))]
pub use helve_untrusted as untrusted;

/// The MCP server of an app.
#[cfg(feature = "serve")]
pub mod serve {
    pub use helve_serve::{
        HttpError, HttpSettings, ListedResource, NameError, Prompt, PromptArgument,
        PromptArguments, PromptMessage, Prompts, ResourceChange, ResourceSource, ResourceTemplate,
        ServeError, Server, ServerBuilder, StdioError, TaskPolicy, Tokens, TokensError,
    };
}

/// Skills: folders of instructions that ship in the binary or lie in a folder.
#[cfg(feature = "skills")]
pub mod skill {
    pub use helve_skill::{
        ActiveSkill, ActiveSkills, CatalogError, DigestInput, Drift, DuplicateSkill, EmbeddedFile,
        EmbeddedFileError, EmbeddedSkill, FrontMatter, InvalidDigest, LoadedSkill, ParsedManifest,
        Skill, SkillAvailability, SkillBuilder, SkillCatalog, SkillDigest, SkillEnvironment,
        SkillError, SkillFile, SkillFilter, SkillFolder, SkillLibrary, SkillList, SkillNote,
        SkillOrigin, SkillProblem, SkillSet, SkillSource, SourceFuture, Substitution, parse,
        prompt_budget,
    };
    #[cfg(all(feature = "sandbox", unix))]
    pub use helve_skill::{ProjectedFile, ProjectionError, SkillProjection, SkillScripts};
    /// Skills are searched for what attacks a reader.
    pub mod scan {
        pub use helve_skill::scan::{ScanFinding, Severity, scan};
    }
}

/// Messages, content and labels.
pub mod transcript {
    #[cfg(feature = "agent")]
    pub use helve_agent::{
        journal::{InvalidTimestamp, Timestamp},
        sanitize,
    };
    pub use helve_core::transcript::{
        AgentId, ArgumentsDefect, AssistantMessage, CallAddress, CallId, CallKey, Content,
        ContentBlock, Cost, Grade, InvalidCallAddress, InvalidCallKey, Label, Message, MessagePart,
        Note, NoteSource, Origin, RawJson, ReplySource, Resource, SessionId, Source, ToolCall,
        ToolCallResult, ToolName, Totals, TurnId, Usage,
    };
    /// The journal of a session on disk.
    #[cfg(feature = "agent")]
    pub mod journal {
        pub use helve_agent::journal::{
            Durability, Format, HeadAndTail, InvalidTimestamp, JournalError, JournalFile,
            JournalReader, Line, LockHolder, MAX_LINE_BYTES, Position, Repair, Timestamp,
            WriterLock, WriterLocks, read_head_and_tail,
        };
    }
}

/// What generated code names.
#[doc(hidden)]
pub mod __private {
    pub use helve_core::__private::*;
    #[cfg(feature = "worker")]
    pub use helve_host::__private::*;
    #[cfg(feature = "skills")]
    pub use helve_skill::__private::*;
}
