//! The consequences of a tool's declared effects: one table for approval, concurrency, reruns, the sandbox and MCP's
//! hints.

use serde::{Deserialize, Serialize};

use super::annotations::{Annotations, Concurrency, Risk};

/// The consequences of the effects of a call. All decisions that depend on declared effects are in this table.
///
/// A policy uses the default verdict for its mode, a turn the concurrency and whether a call may be repeated, a
/// sandbox the profile, and an MCP server the hints.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::{Annotations, Effects, Risk, SandboxProfile, DefaultVerdict};
///
/// let reader = Annotations::new(Some(true), None, None, None);
/// let effects = Effects::new(&reader, reader.implied_risk());
/// assert_eq!(effects.default_verdicts.default, DefaultVerdict::Allow);
/// assert_eq!(effects.sandbox, SandboxProfile::ReadOnly);
///
/// let unknown = Effects::new(&Annotations::NONE, Risk::Medium);
/// assert_eq!(unknown.default_verdicts.default, DefaultVerdict::Ask);
/// assert_eq!(unknown.sandbox, SandboxProfile::Workspace);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effects {
    /// The effect of the call, as text that follows "it", for the user who approves.
    pub description: &'static str,
    /// The verdict in each mode if nothing else decides.
    pub default_verdicts: DefaultVerdicts,
    /// Whether the call may run concurrently with others.
    pub concurrency: Concurrency,
    /// Whether the call may be repeated if its outcome is unknown.
    pub may_rerun: bool,
    /// The access to the machine that the call needs.
    pub sandbox: SandboxProfile,
    /// The hints for MCP clients.
    pub hints: Annotations,
}

/// The verdicts on a call in each mode, if no rule, no path and no check decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultVerdicts {
    /// In the default mode.
    pub default: DefaultVerdict,
    /// In the mode that accepts edits.
    pub accept_edits: DefaultVerdict,
    /// In the read-only mode.
    pub explore: DefaultVerdict,
    /// In the mode that allows everything.
    pub bypass: DefaultVerdict,
    /// In the non-interactive mode.
    pub dont_ask: DefaultVerdict,
}

/// The default verdict on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultVerdict {
    /// The call runs.
    Allow,
    /// The call needs approval.
    Ask,
    /// The call does not run.
    Deny,
}

/// The access to the machine that a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SandboxProfile {
    /// The call reads the workspace.
    ReadOnly,
    /// The call reads the workspace and the network.
    ReadOnlyNet,
    /// The call reads and writes the workspace.
    Workspace,
    /// The call reads and writes the workspace and uses the network.
    WorkspaceNet,
}

impl Effects {
    /// Looks up the consequences of declared hints and a risk. An undeclared hint counts as `false`.
    #[must_use]
    pub const fn new(declared: &Annotations, risk: Risk) -> Self {
        let reads = matches!(declared.read_only, Some(true));
        let again = matches!(declared.idempotent, Some(true));
        let open = matches!(declared.open_world, Some(true));
        Self {
            description: describe(declared),
            default_verdicts: match (reads, risk) {
                (true, Risk::Low | Risk::Medium) => DefaultVerdicts::ALLOWED,
                (false, Risk::Low) => DefaultVerdicts::CHANGES_LITTLE,
                (_, Risk::Medium | Risk::High) => DefaultVerdicts::ASKED,
            },
            concurrency: if reads {
                Concurrency::Parallel
            } else {
                Concurrency::Exclusive
            },
            may_rerun: reads || again,
            sandbox: match (reads, open) {
                (true, false) => SandboxProfile::ReadOnly,
                (true, true) => SandboxProfile::ReadOnlyNet,
                (false, false) => SandboxProfile::Workspace,
                (false, true) => SandboxProfile::WorkspaceNet,
            },
            hints: hints(declared, risk),
        }
    }
}

/// Returns a description of the call's effect, as far as its tool declares it.
const fn describe(declared: &Annotations) -> &'static str {
    let says = [
        declared.read_only,
        declared.destructive,
        declared.idempotent,
        declared.open_world,
    ];
    match says {
        [None, None, None, None] => "does not say what it changes",
        [Some(true), _, _, Some(true)] => "only reads, and may reach the outside world",
        [Some(true), ..] => "only reads",
        [_, Some(true), _, Some(true)] => {
            "may destroy something that cannot be brought back, and may reach the outside world"
        }
        [_, Some(true), ..] => "may destroy something that cannot be brought back",
        [.., Some(true)] => "may change something, and may reach the outside world",
        _ => "changes something",
    }
}

/// Fills in the destructive hint from the risk; for a read-only tool, MCP ignores the destructive and the idempotent
/// hint.
const fn hints(declared: &Annotations, risk: Risk) -> Annotations {
    if matches!(declared.read_only, Some(true)) {
        return Annotations::new(Some(true), None, None, declared.open_world);
    }
    let destructive = match (declared.destructive, risk) {
        (None, Risk::Low) => Some(false),
        (None, Risk::High) => Some(true),
        (declared, _) => declared,
    };
    Annotations::new(
        declared.read_only,
        destructive,
        declared.idempotent,
        declared.open_world,
    )
}

impl DefaultVerdicts {
    /// The call reads, and does no harm.
    const ALLOWED: Self = Self {
        default: DefaultVerdict::Allow,
        accept_edits: DefaultVerdict::Allow,
        explore: DefaultVerdict::Allow,
        bypass: DefaultVerdict::Allow,
        dont_ask: DefaultVerdict::Allow,
    };

    /// The call changes something that no user wants to be asked about.
    const CHANGES_LITTLE: Self = Self {
        explore: DefaultVerdict::Deny,
        ..Self::ALLOWED
    };

    /// The call needs approval.
    const ASKED: Self = Self {
        default: DefaultVerdict::Ask,
        accept_edits: DefaultVerdict::Ask,
        explore: DefaultVerdict::Deny,
        bypass: DefaultVerdict::Allow,
        dont_ask: DefaultVerdict::Deny,
    };
}
