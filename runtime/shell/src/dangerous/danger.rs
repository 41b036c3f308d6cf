//! Why a command is dangerous, and how bad that is.

/// Why a command is dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Danger {
    /// In words for the person.
    pub(crate) reason: &'static str,
    /// Whether the command destroys the system or the user's data, or gives away control of the machine.
    pub(crate) is_grave: bool,
    /// What the modes make of it.
    pub(crate) severity: Severity,
}

/// What the modes make of a danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// A person is asked, unless they chose the mode that asks nothing of the kind.
    Risky,
    /// A person is asked in every mode.
    Immune,
    /// No mode runs it.
    Fatal,
}

impl Danger {
    const fn new(reason: &'static str, is_grave: bool, severity: Severity) -> Self {
        Self {
            reason,
            is_grave,
            severity,
        }
    }
}

pub(super) const fn danger(reason: &'static str) -> Danger {
    Danger::new(reason, false, Severity::Risky)
}

pub(super) const fn grave(reason: &'static str) -> Danger {
    Danger::new(reason, true, Severity::Immune)
}

/// What no mode runs.
pub(crate) const fn fatal(reason: &'static str) -> Danger {
    Danger::new(reason, true, Severity::Fatal)
}

/// What no mode answers: it may be a dangerous path.
pub(super) const fn immune(reason: &'static str) -> Danger {
    Danger::new(reason, false, Severity::Immune)
}
