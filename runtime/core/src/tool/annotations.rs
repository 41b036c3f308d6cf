//! Annotations of a tool's effects: one declaration for approval, concurrency, sandbox defaults and MCP hints.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::effects::Effects;

/// How much harm a call can do.
///
/// A tool that declares nothing is of medium risk: in the default mode, its calls need approval.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::Risk;
/// use helve::prelude::*;
///
/// /// Pays a bill: small sums are of little risk.
/// #[tool(risk_with = risk_of_sum)]
/// fn pay(
///     /// The sum in euros.
///     sum: u64,
/// ) -> String {
///     format!("paid {sum} €")
/// }
///
/// fn risk_of_sum(sum: &u64) -> Risk {
///     if *sum < 10 { Risk::Low } else { Risk::High }
/// }
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Effects that no user wants to be asked about.
    Low,
    /// Changes that can be undone, or unknown effects.
    #[default]
    Medium,
    /// Changes that cannot be undone, or that reach other people.
    High,
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// Whether calls of a tool may run concurrently with others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Concurrency {
    /// Runs concurrently with other parallel calls.
    Parallel,
    /// Runs alone, in the order of the calls.
    #[default]
    Exclusive,
}

/// The hints of MCP's `ToolAnnotations`, each `None` where the tool declared nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Annotations {
    /// Whether the tool does not change its environment.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether the tool may destroy data.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments has no further effect.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// Whether the tool interacts with an open world (such as the web) rather than a closed one.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// No declared hints.
    pub const NONE: Self = Self {
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    };

    /// Creates annotations from the four hints.
    #[must_use]
    pub const fn new(
        read_only: Option<bool>,
        destructive: Option<bool>,
        idempotent: Option<bool>,
        open_world: Option<bool>,
    ) -> Self {
        Self {
            read_only,
            destructive,
            idempotent,
            open_world,
        }
    }

    /// Returns the risk that follows from the hints, if the tool declares none itself.
    #[must_use]
    pub const fn implied_risk(&self) -> Risk {
        match (self.read_only, self.destructive) {
            (Some(true), _) => Risk::Low,
            (_, Some(true)) => Risk::High,
            _ => Risk::Medium,
        }
    }

    /// Returns the concurrency that follows from the hints, if the tool declares none itself.
    #[must_use]
    pub const fn implied_concurrency(&self) -> Concurrency {
        Effects::new(self, self.implied_risk()).concurrency
    }
}
