//! A key: what it means, where else it can be said, and who may say it.

use std::borrow::Cow;

use super::location::KeyPath;
use super::value_kind::ValueKind;

/// A setting. In its name, `*` stands for a name that the user gives.
#[derive(Debug)]
pub(in crate::cli) struct Key {
    pub(in crate::cli) name: Cow<'static, str>,
    pub(in crate::cli) kind: ValueKind,
    /// What it is for, on one line.
    pub(in crate::cli) about: Cow<'static, str>,
    /// What holds where nobody says anything.
    pub(in crate::cli) default: Cow<'static, str>,
    /// Whether the section of a pack cannot do without it.
    pub(in crate::cli) is_required: bool,
    /// The variable that says it too.
    pub(in crate::cli) environment: Option<&'static str>,
    /// The flag that says it too, without its dashes.
    pub(in crate::cli) flag: Option<&'static str>,
    pub(in crate::cli) allowed_files: AllowedFiles,
    /// Whether its value is shown to nobody.
    pub(in crate::cli) is_secret: bool,
    /// Whether what every source says holds, since each can only take something away; of other keys the last word does.
    pub(in crate::cli) is_cumulative: bool,
}

/// Which files may say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum AllowedFiles {
    /// Every one.
    All,
    /// The user's, and that of a project whose file the user has accepted: it could lead a key or a conversation elsewhere,
    /// let more run, or run up a bill.
    Accepted,
    /// None.
    None,
}

impl Key {
    pub(super) const fn new(
        name: &'static str,
        kind: ValueKind,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            kind,
            about: Cow::Borrowed(about),
            default: Cow::Borrowed(default),
            is_required: false,
            environment: None,
            flag: None,
            allowed_files: AllowedFiles::All,
            is_secret: false,
            is_cumulative: false,
        }
    }

    pub(super) const fn environment(mut self, name: &'static str) -> Self {
        self.environment = Some(name);
        self
    }

    pub(super) const fn flag(mut self, name: &'static str) -> Self {
        self.flag = Some(name);
        self
    }

    pub(super) const fn allowed_in(mut self, who: AllowedFiles) -> Self {
        self.allowed_files = who;
        self
    }

    pub(super) const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    pub(super) const fn cumulative(mut self) -> Self {
        self.is_cumulative = true;
        self
    }

    /// Returns the parts of its name.
    pub(super) fn segments(&self) -> impl Iterator<Item = &str> {
        self.name.split('.')
    }

    /// Reports whether it is the name of one setting, and not of as many as there are names.
    pub(in crate::cli) fn is_single(&self) -> bool {
        self.segments().all(|segment| segment != "*")
    }

    /// Returns the place of a key that is the name of one setting.
    pub(in crate::cli) fn path(&self) -> KeyPath {
        KeyPath::new(self.segments())
    }

    /// Reports whether a project may say this whoever wrote it.
    pub(super) fn needs_no_acceptance(&self, text: Option<&str>) -> bool {
        match self.allowed_files {
            AllowedFiles::All => true,
            // What is denied rather than asked about is nothing to fear.
            AllowedFiles::Accepted => matches!(
                (&*self.name, text),
                ("mode", Some("explore")) | ("untrusted.ask", Some("always"))
            ),
            AllowedFiles::None => false,
        }
    }
}
