//! Permission modes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How freely an agent may act on calls that no rule covers.
///
/// ```
/// use helve::permission::{Mode, Policy};
///
/// let mode: Mode = "explore".parse()?;
/// let policy = Policy::new(mode);
/// # Ok::<(), helve::permission::UnknownMode>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Calls that only read run; other calls ask.
    #[default]
    Default,
    /// Edits of files in the workspace also run.
    AcceptEdits,
    /// Calls that only read run; other calls are denied.
    Explore,
    /// As [`Explore`](Self::Explore), until the user approves the plan that the agent presents with the tool
    /// [`present_plan`](super::PRESENT_PLAN). No rule and no other mode answers in place of the user.
    Plan,
    /// All calls run that no rule denies or asks about. The exceptions, which still ask: a write to or the removal of a
    /// [dangerous path](super::DangerousPaths), reading a secret, and calls for which the tool asks
    /// [in every mode](helve_core::tool::Check::ask_for_safety).
    Bypass,
    /// As [`AcceptEdits`](Self::AcceptEdits), and calls that would ask are denied.
    DontAsk,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 6] = [
        Self::Default,
        Self::AcceptEdits,
        Self::Explore,
        Self::Plan,
        Self::Bypass,
        Self::DontAsk,
    ];

    /// Returns the name of the mode, as written in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept_edits",
            Self::Explore => "explore",
            Self::Plan => "plan",
            Self::Bypass => "bypass",
            Self::DontAsk => "dont_ask",
        }
    }

    /// Reports whether the mode never prompts: a call that needs approval is denied.
    #[must_use]
    pub const fn never_asks(self) -> bool {
        matches!(self, Self::Explore | Self::Plan | Self::DontAsk)
    }

    /// Reports whether calls that do more than read are denied, whatever the rules say.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Explore | Self::Plan)
    }

    /// Reports whether edits of files in the workspace run.
    #[must_use]
    pub const fn accepts_edits(self) -> bool {
        matches!(self, Self::AcceptEdits | Self::DontAsk)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a [`Mode`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid mode `{0}`; expected default, accept_edits, explore, plan, bypass or dont_ask")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == text);
        found.ok_or_else(|| UnknownMode(text.to_owned()))
    }
}
