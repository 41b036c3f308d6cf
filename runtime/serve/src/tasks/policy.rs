//! The policy of which calls become tasks, and of how long tasks are kept.

use std::collections::BTreeSet;
use std::time::Duration;

/// Decides which calls become tasks, if the client supports tasks (MCP's tasks extension).
///
/// A call that runs for longer than [`after`](Self::after) is answered with a task: the call continues in the background,
/// and the client requests its result later, also from another connection. A client without support for tasks waits for
/// the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPolicy {
    pub(super) after: Duration,
    pub(super) at_once: BTreeSet<String>,
    pub(super) never: BTreeSet<String>,
    pub(super) required: BTreeSet<String>,
    pub(super) lifetime: Duration,
    pub(super) max_tasks: usize,
}

impl TaskPolicy {
    /// Returns the default policy: a call that runs for ten seconds becomes a task.
    #[must_use]
    pub fn new() -> Self {
        Self {
            after: Duration::from_secs(10),
            at_once: BTreeSet::new(),
            never: BTreeSet::new(),
            required: BTreeSet::new(),
            lifetime: Duration::from_secs(3_600),
            max_tasks: 64,
        }
    }

    /// Sets how long a call runs before it becomes a task.
    #[must_use]
    pub fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    /// Makes every call of these tools a task from its start.
    #[must_use]
    pub fn at_once<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.at_once.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Excludes these tools from tasks.
    #[must_use]
    pub fn never<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.never.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Refuses these tools to clients without support for tasks, for tools that take longer than a client waits.
    #[must_use]
    pub fn required<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.required.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets how long a task may run, and how long it is kept from its start. The default is one hour.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Sets how many tasks one principal may have, ended ones included. The default is 64. A further task replaces the
    /// oldest one that has ended; if none has ended, the request waits for the call instead.
    #[must_use]
    pub fn max_tasks(mut self, max: usize) -> Self {
        self.max_tasks = max;
        self
    }

    /// Returns how long a call of a tool runs before it becomes a task; `None` if it never does.
    pub(crate) fn delay(&self, tool: &str) -> Option<Duration> {
        if self.never.contains(tool) {
            return None;
        }
        let at_once = self.at_once.contains(tool);
        Some(if at_once { Duration::ZERO } else { self.after })
    }

    /// Returns whether a tool is refused to clients without support for tasks.
    pub(crate) fn requires(&self, tool: &str) -> bool {
        self.required.contains(tool)
    }
}

impl Default for TaskPolicy {
    fn default() -> Self {
        Self::new()
    }
}
