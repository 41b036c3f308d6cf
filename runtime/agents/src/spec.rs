//! The specification of an agent.

use serde::{Deserialize, Serialize};

use helve_agent::session::HandOffView;
use helve_model::Effort;
use helve_permission::{Mode, Rule};

/// The specification of an agent: data, without code.
///
/// Everything in it narrows: an agent has at most the tools, the authority and the bounds of the session that it works
/// in.
///
/// ```
/// use helve::agents::AgentSpec;
///
/// let spec = AgentSpec::new("reviewer", "Reviews changes. Use it before a commit.")
///     .instructions("You review the uncommitted changes.")
///     .tools(["read_file", "grep", "bash(git diff:*)"]);
/// assert_eq!(spec.name, "reviewer");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentSpec {
    /// The name.
    pub name: String,
    /// When to use the agent, for the agents that may delegate tasks to it.
    pub description: String,
    /// The instructions, a part of the system prompt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// The tools that the agent has, by the names of helve or of Claude Code; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The tools that the agent does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The groups whose tools the agent has, in addition to [`tools`](Self::tools).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// The MCP servers whose tools the agent has; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<Vec<String>>,
    /// The skills that the agent loads before it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The model: a name of [`ModelNames`](crate::ModelNames), or `provider/model`; `None` for that of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The effort with which the model thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The mode. The agent permits what both this mode and that of the session permit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The files that the agent may access.
    #[serde(default, skip_serializing_if = "FileScope::is_unlimited")]
    pub files: FileScope,
    /// The hosts that the tools of the agent may reach.
    #[serde(default, skip_serializing_if = "HostScope::is_unlimited")]
    pub hosts: HostScope,
    /// The rules about calls.
    #[serde(default, skip_serializing_if = "SpecRules::is_empty")]
    pub rules: SpecRules,
    /// The bounds of a turn, within those of the session.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// The agents to which the agent may delegate tasks; `None` for the default: all for the agent of the session, none
    /// for a delegate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegates: Option<Vec<String>>,
    /// The agents to which the agent may hand the conversation off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hand_offs: Vec<String>,
    /// What the agent sees of a conversation that is handed off to it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hand_off_view: HandOffView,
    /// The hooks of the agent, in the form of Claude Code: lists of commands by event. They hold in this agent alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<serde_json::Value>,
    /// The first prompt, if the agent is that of the session and the user gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
}

/// The files that an agent may access: patterns as in [rules about paths](helve_permission::paths); `None` for all files
/// of the session.
///
/// An agent with a limit cannot run commands, whose accesses are not known beforehand. Tools of MCP servers run in their
/// servers, which the limit does not reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileScope {
    /// The files that the agent may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<String>>,
    /// The files that the agent may create, change and remove.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<String>>,
}

/// The hosts that the tools of an agent may reach, as in [`HostRules`](helve_core::network::HostRules).
///
/// An agent with a limit cannot run commands. Tools of MCP servers run in their servers, which the limit does not reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostScope {
    /// The only hosts that may be reached; `None` for those of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// The hosts that may not be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// The rules of an agent. There are none that allow calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecRules {
    /// The calls that are denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Rule>,
    /// The calls that need approval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<Rule>,
}

/// The bounds of a turn; `None` for those of the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The maximum number of model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// The maximum number of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// The maximum number of tokens, input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The maximum cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The maximum time, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

impl AgentSpec {
    /// Creates a specification that narrows nothing. The fields are public.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            instructions: String::new(),
            tools: None,
            without: Vec::new(),
            groups: None,
            servers: None,
            skills: Vec::new(),
            model: None,
            effort: None,
            mode: None,
            files: FileScope::default(),
            hosts: HostScope::default(),
            rules: SpecRules::default(),
            budget: Budget::default(),
            delegates: None,
            hand_offs: Vec::new(),
            hand_off_view: HandOffView::default(),
            hooks: None,
            initial_prompt: None,
        }
    }

    /// Sets the instructions.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = instructions.into();
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn tools<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }
}

/// Returns whether the view is the default one.
fn is_default(view: &HandOffView) -> bool {
    *view == HandOffView::default()
}

impl FileScope {
    /// Returns whether all files of the session may be accessed.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.read.is_none() && self.write.is_none()
    }
}

impl HostScope {
    /// Returns whether all hosts of the session may be reached.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty()
    }
}

impl SpecRules {
    /// Returns whether there are no rules.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.deny.is_empty() && self.ask.is_empty()
    }
}

impl Budget {
    /// Returns whether the bounds are those of the session.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}
