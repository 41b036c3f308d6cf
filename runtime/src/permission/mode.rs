//! How freely an agent may act.

use serde::{Deserialize, Serialize};

/// How freely an agent may act where no rule says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// What only reads runs, the rest asks.
    #[default]
    Default,
    /// Edits of files in the workspace run too.
    AcceptEdits,
    /// What only reads runs, the rest is denied.
    Explore,
    /// Everything runs that no rule denies or asks about; questions of safety are asked all the same.
    Bypass,
    /// As [`AcceptEdits`](Self::AcceptEdits), and what would ask is denied.
    DontAsk,
}
