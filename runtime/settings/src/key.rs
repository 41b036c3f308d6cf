//! A configuration key: its type, its environment variable and flag, and the files that may set it.

use std::borrow::Cow;

use super::location::KeyPath;
use super::value_kind::ValueKind;

/// A setting. In its name, `*` is a placeholder for a name that the user chooses.
#[derive(Debug)]
pub struct Key {
    /// The name, with dots between its parts and `*` for any part.
    pub name: Cow<'static, str>,
    /// The kind of the value.
    pub kind: ValueKind,
    /// The description of the key, on one line.
    pub about: Cow<'static, str>,
    /// The default, as `config keys` shows it.
    pub default: Cow<'static, str>,
    /// Whether the section of a pack cannot do without it.
    pub is_required: bool,
    /// The environment variable of the setting.
    pub environment: Option<&'static str>,
    /// The flag of the setting, without its dashes.
    pub flag: Option<&'static str>,
    /// The files that may set the key.
    pub allowed_files: AllowedFiles,
    /// Whether the value is not shown.
    pub is_secret: bool,
    /// Whether the values of all sources apply together. For other keys, the last source overrides the others.
    pub is_cumulative: bool,
}

/// The files that may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedFiles {
    /// Every file.
    All,
    /// The user's file and accepted project files: the setting could send a key or a conversation to another host,
    /// allow more calls, or cause costs.
    Accepted,
    /// No file.
    None,
}

impl Key {
    /// Creates a key that every file may set.
    pub const fn new(
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

    /// Sets the environment variable.
    pub const fn environment(mut self, name: &'static str) -> Self {
        self.environment = Some(name);
        self
    }

    /// Sets the flag.
    pub const fn flag(mut self, name: &'static str) -> Self {
        self.flag = Some(name);
        self
    }

    /// Sets the files that may set the key.
    pub const fn allowed_in(mut self, who: AllowedFiles) -> Self {
        self.allowed_files = who;
        self
    }

    /// Hides the value.
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Makes the values of all sources apply together.
    pub const fn cumulative(mut self) -> Self {
        self.is_cumulative = true;
        self
    }

    /// Makes the key of `[sandbox.NAME]` from that of `[sandbox]`.
    pub fn of_named_sandbox(&self) -> Self {
        let own = self.name.strip_prefix("sandbox.").unwrap_or(&self.name);
        Self {
            name: Cow::Owned(format!("sandbox.*.{own}")),
            kind: self.kind.clone(),
            about: self.about.clone(),
            default: Cow::Borrowed(if self.is_cumulative {
                "none but those of `[sandbox]`"
            } else {
                "that of `[sandbox]`"
            }),
            is_required: false,
            environment: None,
            flag: None,
            ..*self
        }
    }

    /// Returns the parts of the name.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.name.split('.')
    }

    /// Reports whether it is the name of one setting, and not of as many as there are names.
    pub fn is_single(&self) -> bool {
        self.segments().all(|segment| segment != "*")
    }

    /// Reports whether a pack declares the key.
    pub fn is_declared(&self) -> bool {
        matches!(self.kind, ValueKind::Field(_))
    }

    /// Returns the place of a key that is the name of one setting.
    pub fn path(&self) -> KeyPath {
        KeyPath::new(self.segments())
    }

    /// Reports whether a project file may set the value without acceptance.
    pub fn needs_no_acceptance(&self, text: Option<&str>) -> bool {
        match self.allowed_files {
            AllowedFiles::All => true,
            // More restrictive values need no acceptance.
            AllowedFiles::Accepted => matches!(
                (&*self.name, text),
                ("mode", Some("explore" | "plan")) | ("untrusted.ask", Some("always"))
            ),
            AllowedFiles::None => false,
        }
    }
}
