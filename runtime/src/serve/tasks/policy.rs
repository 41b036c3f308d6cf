//! Which calls become tasks, and how long tasks are kept.

use std::collections::BTreeSet;
use std::time::Duration;

/// Says which calls become tasks, where the client takes tasks (MCP's tasks extension).
///
/// A call that goes on for longer than [`after`](Self::after) is answered with a task: it goes on in the background, and
/// the client asks for its result when it likes, from another connection too. A client that takes no tasks waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPolicy {
    pub(super) after: Duration,
    pub(super) at_once: BTreeSet<String>,
    pub(super) never: BTreeSet<String>,
    pub(super) required: BTreeSet<String>,
    pub(super) kept: Duration,
    pub(super) most: usize,
}

impl TaskPolicy {
    /// Makes the usual policy: a call of ten seconds becomes a task.
    #[must_use]
    pub fn new() -> Self {
        Self {
            after: Duration::from_secs(10),
            at_once: BTreeSet::new(),
            never: BTreeSet::new(),
            required: BTreeSet::new(),
            kept: Duration::from_secs(3_600),
            most: 64,
        }
    }

    /// Sets how long a call goes on before it becomes a task.
    #[must_use]
    pub fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    /// Makes every call of these tools a task from its beginning.
    #[must_use]
    pub fn at_once<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.at_once.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Makes no call of these tools a task.
    #[must_use]
    pub fn never<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.never.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Refuses these tools to clients that take no tasks: they take longer than anybody waits.
    #[must_use]
    pub fn required<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.required.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets how long a task may take, and how long it is kept, from its beginning; an hour otherwise.
    #[must_use]
    pub fn kept(mut self, kept: Duration) -> Self {
        self.kept = kept;
        self
    }

    /// Sets how many tasks one principal may have, ended ones included; 64 otherwise. Where there are more, the oldest that
    /// has ended is forgotten; where none has, a call is waited for.
    #[must_use]
    pub fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Returns how long a call of a tool goes on before it becomes a task; `None` where it never does.
    pub(in crate::serve) fn delay(&self, tool: &str) -> Option<Duration> {
        if self.never.contains(tool) {
            return None;
        }
        let at_once = self.at_once.contains(tool);
        Some(if at_once { Duration::ZERO } else { self.after })
    }

    /// Reports whether a tool is refused to clients that take no tasks.
    pub(in crate::serve) fn requires(&self, tool: &str) -> bool {
        self.required.contains(tool)
    }
}

impl Default for TaskPolicy {
    fn default() -> Self {
        Self::new()
    }
}
