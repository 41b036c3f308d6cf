//! A key: what it means, where else it can be said, and who may say it.

use super::keys::KEYS;
use super::kind::Kind;
use super::place::Place;

/// A setting. In its name, `*` stands for a name that the user gives.
#[derive(Debug)]
pub(in crate::cli) struct Key {
    pub(in crate::cli) name: &'static str,
    pub(in crate::cli) kind: Kind,
    /// What it is for, on one line.
    pub(in crate::cli) about: &'static str,
    /// What holds where nobody says anything.
    pub(in crate::cli) default: &'static str,
    /// The variable that says it too.
    pub(in crate::cli) environment: Option<&'static str>,
    /// The flag that says it too, without its dashes.
    pub(in crate::cli) flag: Option<&'static str>,
    pub(in crate::cli) who: Who,
    /// Whether its value is shown to nobody.
    pub(in crate::cli) is_secret: bool,
    /// Whether what every source says holds, since each can only take something away; of other keys the last word does.
    pub(in crate::cli) narrows: bool,
}

/// Which files may say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Who {
    /// Every one.
    Anybody,
    /// The user's, and that of a project whose file the user has accepted: it could lead a key or a conversation elsewhere,
    /// let more run, or run up a bill.
    Accepted,
    /// None.
    NoFile,
}

impl Key {
    pub(super) const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            about,
            default,
            environment: None,
            flag: None,
            who: Who::Anybody,
            is_secret: false,
            narrows: false,
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

    pub(super) const fn said_by(mut self, who: Who) -> Self {
        self.who = who;
        self
    }

    pub(super) const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    pub(super) const fn narrowing(mut self) -> Self {
        self.narrows = true;
        self
    }

    /// Returns the parts of its name.
    pub(super) fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.name.split('.')
    }

    /// Reports whether it is the name of one setting, and not of as many as there are names.
    pub(in crate::cli) fn is_single(&self) -> bool {
        self.segments().all(|segment| segment != "*")
    }

    /// Returns the place of a key that is the name of one setting.
    pub(in crate::cli) fn place(&self) -> Place {
        Place::new(self.segments())
    }

    /// Reports whether a project may say this whoever wrote it.
    pub(super) fn is_harmless(&self, text: Option<&str>) -> bool {
        match self.who {
            Who::Anybody => true,
            // What is denied rather than asked about is nothing to fear.
            Who::Accepted => matches!(
                (self.name, text),
                ("mode", Some("explore")) | ("untrusted.ask", Some("always"))
            ),
            Who::NoFile => false,
        }
    }
}

/// What stands at a place of a file.
pub(super) enum Found {
    /// A setting.
    Key(&'static Key),
    /// A table of settings.
    Table,
    /// Nothing: these are the names that could stand there.
    Unknown(Vec<&'static str>),
}

/// Finds what stands at a place.
pub(super) fn find(place: &Place) -> Found {
    let segments: Vec<&str> = place.segments().collect();
    let fits = |key: &&'static Key, length: usize| {
        let own: Vec<&str> = key.segments().collect();
        own.len() >= length
            && std::iter::zip(&own, &segments[..length])
                .all(|(own, given)| *own == "*" || own == given)
    };
    let mut among = KEYS
        .iter()
        .filter(|key| fits(key, segments.len()))
        .peekable();
    if among.peek().is_some() {
        let whole = among.find(|key| key.segments().count() == segments.len());
        return whole.map_or(Found::Table, Found::Key);
    }
    let above = segments.len().saturating_sub(1);
    let beside = KEYS.iter().filter(|key| fits(key, above));
    let mut names: Vec<&str> = beside.filter_map(|key| key.segments().nth(above)).collect();
    names.dedup();
    Found::Unknown(names)
}
