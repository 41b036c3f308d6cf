//! The keys that the settings of an app may have: those that are built in, and those that packs declare.

use std::ops::Deref;
use std::sync::Arc;

use super::key::Key;
use super::keys::KEYS;
use super::location::KeyPath;

/// The keys that the settings of an app may have.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeySet {
    declared: Arc<[Arc<Key>]>,
}

/// A key that is built in, or one that a pack declares.
#[derive(Debug, Clone)]
pub(crate) enum KeyRef {
    BuiltIn(&'static Key),
    Declared(Arc<Key>),
}

impl KeyRef {
    /// Reports whether a pack declares the key.
    pub(crate) fn is_declared(&self) -> bool {
        matches!(self, Self::Declared(_))
    }
}

impl Deref for KeyRef {
    type Target = Key;

    fn deref(&self) -> &Key {
        match self {
            Self::BuiltIn(key) => key,
            Self::Declared(key) => key,
        }
    }
}

/// What stands at a place of a file.
pub(super) enum KeyLookup {
    /// A setting.
    Key(KeyRef),
    /// A table of settings.
    Table,
    /// Nothing: these are the names that could stand there.
    Unknown(Vec<String>),
}

impl KeySet {
    /// Adds the keys that packs declare to those that are built in.
    pub(crate) fn with_declared(declared: impl IntoIterator<Item = Key>) -> Self {
        Self {
            declared: declared.into_iter().map(Arc::new).collect(),
        }
    }

    /// Returns the keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = KeyRef> {
        let built_in = KEYS.iter().map(KeyRef::BuiltIn);
        built_in.chain(self.declared.iter().cloned().map(KeyRef::Declared))
    }

    /// Finds what stands at a place.
    pub(super) fn look_up(&self, place: &KeyPath) -> KeyLookup {
        let segments: Vec<&str> = place.segments().collect();
        let fits = |key: &KeyRef, length: usize| {
            let own: Vec<&str> = key.segments().collect();
            own.len() >= length
                && std::iter::zip(&own, &segments[..length])
                    .all(|(own, given)| *own == "*" || own == given)
        };
        let mut among = self
            .iter()
            .filter(|key| fits(key, segments.len()))
            .peekable();
        if among.peek().is_some() {
            let whole = among.find(|key| key.segments().count() == segments.len());
            return whole.map_or(KeyLookup::Table, KeyLookup::Key);
        }
        let above = segments.len().saturating_sub(1);
        let beside = self.iter().filter(|key| fits(key, above));
        let names = beside.filter_map(|key| key.segments().nth(above).map(str::to_owned));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        KeyLookup::Unknown(names)
    }
}

/// Reports whether a name is one that built-in settings stand under.
pub(crate) fn is_built_in(name: &str) -> bool {
    KEYS.iter().any(|key| key.segments().next() == Some(name))
}
