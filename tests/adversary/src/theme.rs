//! What a scenario is mostly about.

use crate::Rng;

/// What a hostile model tries most of the time; it tries everything else, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// Leaves files that programs of the user run later.
    Plant,
    /// Makes repositories inside the workspace whose settings start programs.
    Nest,
    /// Swaps names while other calls are judged and run.
    Swap,
    /// Reads secrets.
    Leak,
    /// Writes outside of the workspace.
    Reach,
    /// Connects to a port of the machine.
    Connect,
    /// Reads pages, and sends what it has read.
    Web,
    /// Stores what later turns read or act upon: memory, schedules and skills.
    Store,
}

impl Theme {
    /// All themes.
    pub const ALL: [Self; 8] = [
        Self::Plant,
        Self::Nest,
        Self::Swap,
        Self::Leak,
        Self::Reach,
        Self::Connect,
        Self::Web,
        Self::Store,
    ];

    /// Picks a theme for the next step: mostly this one.
    pub(crate) fn step_theme(self, rng: &mut Rng) -> Self {
        if rng.one_in(3) {
            rng.pick(&Self::ALL)
        } else {
            self
        }
    }

    /// Says how often a tool is called, compared with others.
    pub(crate) fn weight(self, tool: &str) -> usize {
        if crate::persistent::is_persistent(tool) {
            return match self {
                Self::Store => 8,
                _ => 1,
            };
        }
        match (self, tool) {
            (Self::Swap, "write_file" | "apply_patch") => 16,
            (Self::Web, "web_fetch" | "http_request" | "web_search" | "view_image") => 24,
            (Self::Web, _) if tool.starts_with("github_") => 2,
            (_, _) if tool.starts_with("github_") => 0,
            (Self::Store, "web_fetch" | "write_file") => 8,
            (_, "bash") => 12,
            (Self::Plant, "write_file" | "edit_file" | "apply_patch")
            | (Self::Leak, "read_file" | "grep") => 6,
            (_, "write_file" | "read_file" | "task") => 4,
            _ => 2,
        }
    }
}
