//! The events at which hooks run.

use std::fmt;

/// An event at which hooks run, with the name that Claude Code gives it.
///
/// ```
/// use helve::hooks::HookEvent;
///
/// assert_eq!(HookEvent::from_name("PreToolUse"), Some(HookEvent::PreToolUse));
/// assert_eq!(HookEvent::from_name("before_tool"), Some(HookEvent::PreToolUse));
/// assert_eq!(HookEvent::PreToolUse.to_string(), "PreToolUse");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HookEvent {
    /// Before a call is judged.
    PreToolUse,
    /// After a call has succeeded.
    PostToolUse,
    /// After a call has failed.
    PostToolUseFailure,
    /// Before the user is asked about a call.
    PermissionRequest,
    /// When the user has sent a prompt.
    UserPromptSubmit,
    /// When a session starts or is resumed.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// When an agent has given its last reply.
    Stop,
    /// When an agent that works for another one has given its last reply.
    SubagentStop,
    /// Before the conversation is summarized.
    PreCompact,
    /// When the program waits for the user.
    Notification,
}

/// The events of Claude Code at which no hooks run.
const UNSUPPORTED: [&str; 22] = [
    "ConfigChange",
    "CwdChanged",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "PermissionDenied",
    "PostCompact",
    "PostSession",
    "PostToolBatch",
    "PreSession",
    "Setup",
    "StopFailure",
    "SubagentStart",
    "TaskCompleted",
    "TaskCreated",
    "TaskUpdated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

impl HookEvent {
    /// All events.
    pub const ALL: [Self; 11] = [
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PermissionRequest,
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::SessionEnd,
        Self::Stop,
        Self::SubagentStop,
        Self::PreCompact,
        Self::Notification,
    ];

    /// Returns the event of a name: that of Claude Code, or that of `helve.toml`, such as `before_tool`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|event| event.name() == name || event.setting_name() == name)
    }

    /// Returns the name of Claude Code.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PermissionRequest => "PermissionRequest",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::Notification => "Notification",
        }
    }

    /// Returns the name of `helve.toml`.
    #[must_use]
    pub const fn setting_name(self) -> &'static str {
        match self {
            Self::PreToolUse => "before_tool",
            Self::PostToolUse => "after_tool",
            Self::PostToolUseFailure => "after_tool_failure",
            Self::PermissionRequest => "permission",
            Self::UserPromptSubmit => "prompt",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
            Self::Stop => "stop",
            Self::SubagentStop => "subagent_stop",
            Self::PreCompact => "before_compact",
            Self::Notification => "notification",
        }
    }

    /// Reports whether a hook decides at this event. A deciding hook that fails blocks.
    #[must_use]
    pub const fn decides(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit)
    }

    /// Reports whether a hook can block what the event is about: the call, the prompt, the end of the turn or the summary.
    #[must_use]
    pub const fn can_block(self) -> bool {
        self.decides() || matches!(self, Self::Stop | Self::SubagentStop | Self::PreCompact)
    }

    /// Reports whether hooks of the event have a matcher. Without one, they always run.
    pub(crate) const fn has_matcher(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop)
    }

    /// Reports whether hooks of agent files run at the event.
    pub(crate) const fn is_of_agents(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::Stop
                | Self::SubagentStop
                | Self::PreCompact
        )
    }

    /// Reports whether the matcher of a hook is about the name of a tool.
    #[must_use]
    pub const fn is_about_tools(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::PermissionRequest
        )
    }

    /// Returns the reason why no hooks run at an event of this name.
    pub(crate) fn describe_unsupported(name: &str) -> String {
        if UNSUPPORTED.contains(&name) {
            return format!("hooks of the event `{name}` are not supported, and do not run");
        }
        let names = Self::ALL.map(Self::name).join(", ");
        format!("unknown event `{name}`; expected one of {names}")
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
