//! The danger of a command, and its severity.

/// The danger of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Danger {
    /// The reason, for the user.
    pub(crate) reason: &'static str,
    /// Whether the command destroys the system or the user's data, or gives away control of the machine.
    pub(crate) is_grave: bool,
    /// The effect on the permission modes.
    pub(crate) severity: DangerLevel,
}

/// The effect of a danger on the permission modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DangerLevel {
    /// The command needs approval, except in the mode that does not ask about risks.
    Risky,
    /// The command needs approval in every mode.
    Immune,
    /// The command is denied in every mode.
    Fatal,
}

impl Danger {
    const fn new(reason: &'static str, is_grave: bool, severity: DangerLevel) -> Self {
        Self {
            reason,
            is_grave,
            severity,
        }
    }
}

pub(super) const fn danger(reason: &'static str) -> Danger {
    Danger::new(reason, false, DangerLevel::Risky)
}

pub(super) const fn grave(reason: &'static str) -> Danger {
    Danger::new(reason, true, DangerLevel::Immune)
}

/// Creates a danger that is denied in every mode.
pub(crate) const fn fatal(reason: &'static str) -> Danger {
    Danger::new(reason, true, DangerLevel::Fatal)
}

/// Creates a danger that needs approval in every mode; the command may access a dangerous path.
pub(super) const fn immune(reason: &'static str) -> Danger {
    Danger::new(reason, false, DangerLevel::Immune)
}
