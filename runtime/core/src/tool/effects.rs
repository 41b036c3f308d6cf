//! What follows from a tool's declaration of its effects: one table for approval, concurrency, reruns, the sandbox and
//! MCP's hints.

use serde::{Deserialize, Serialize};

use super::annotations::{Annotations, Concurrency, Risk};

/// What follows from the effects of a call: everything that helve decides by them is decided here.
///
/// A policy asks for the standing in its mode, the turn for the concurrency and whether a call may run again, a sandbox
/// for its profile, an MCP server for the hints.
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
    /// What the call does, in words that follow "it": a person who is asked reads them.
    pub description: &'static str,
    /// How the call stands in each mode where nothing else decides.
    pub default_verdicts: DefaultVerdicts,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// Whether it may simply run again when its outcome is unknown.
    pub may_rerun: bool,
    /// How much of the machine it needs.
    pub sandbox: SandboxProfile,
    /// The hints that MCP clients are given.
    pub hints: Annotations,
}

/// How a call stands in each mode where no rule, no path and no check decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultVerdicts {
    /// In the default mode.
    pub default: DefaultVerdict,
    /// Where edits are accepted.
    pub accept_edits: DefaultVerdict,
    /// Where only reading is.
    pub explore: DefaultVerdict,
    /// Where everything is.
    pub bypass: DefaultVerdict,
    /// In the non-interactive mode.
    pub dont_ask: DefaultVerdict,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultVerdict {
    /// It runs.
    Allow,
    /// The call needs approval.
    Ask,
    /// It does not run.
    Deny,
}

/// How much of the machine a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SandboxProfile {
    /// It reads the workspace.
    ReadOnly,
    /// It reads the workspace and the network.
    ReadOnlyNet,
    /// It reads and writes the workspace.
    Workspace,
    /// It reads and writes the workspace and reaches the network.
    WorkspaceNet,
}

impl Effects {
    /// Looks up what follows from a declaration and a risk. An undeclared hint counts as `false`.
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

/// Returns what a call does, as far as its tool says so.
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

/// Fills in what a risk says of destruction; of a reader, MCP asks neither that nor whether it may be repeated.
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
    /// It reads, and does no harm.
    const ALLOWED: Self = Self {
        default: DefaultVerdict::Allow,
        accept_edits: DefaultVerdict::Allow,
        explore: DefaultVerdict::Allow,
        bypass: DefaultVerdict::Allow,
        dont_ask: DefaultVerdict::Allow,
    };

    /// It changes something, but nothing that a person would want to be asked about.
    const CHANGES_LITTLE: Self = Self {
        explore: DefaultVerdict::Deny,
        ..Self::ALLOWED
    };

    /// A person would want to be asked.
    const ASKED: Self = Self {
        default: DefaultVerdict::Ask,
        accept_edits: DefaultVerdict::Ask,
        explore: DefaultVerdict::Deny,
        bypass: DefaultVerdict::Allow,
        dont_ask: DefaultVerdict::Deny,
    };
}
