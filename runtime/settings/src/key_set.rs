//! The keys that the settings of an app may have: those that are built in, and those that packs declare.

use std::sync::Arc;

use super::key::Key;
use super::keys::KEYS;
use super::location::KeyPath;

/// The keys that settings may have: the built-in ones and those that packs declare.
#[derive(Debug, Clone, Default)]
pub struct KeySet {
    declared: Arc<[Arc<Key>]>,
}

pub enum KeyLookup {
    Key(Arc<Key>),
    Table,
    /// Nothing: these are the names that could stand there.
    Unknown(Vec<String>),
}

impl KeySet {
    /// Adds the keys that packs declare to those that are built in.
    pub fn with_declared(declared: impl IntoIterator<Item = Key>) -> Self {
        Self {
            declared: declared.into_iter().map(Arc::new).collect(),
        }
    }

    /// Returns the keys.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Key>> {
        KEYS.iter().chain(&*self.declared)
    }

    /// Returns the names that keys have in the last segment of a place, without those that a user chooses.
    pub fn fixed_names(&self, place: &KeyPath) -> Vec<String> {
        let segments: Vec<&str> = place.segments().collect();
        let Some((_, above)) = segments.split_last() else {
            return Vec::new();
        };
        let fitting = self.iter().filter_map(|key| {
            let mut own = key.segments();
            let fits = above
                .iter()
                .all(|given| own.next().is_some_and(|own| own == "*" || own == *given));
            fits.then(|| own.next())?
        });
        let fixed = fitting.filter(|name| *name != "*");
        let mut names: Vec<String> = fixed.map(str::to_owned).collect();
        names.dedup();
        names
    }

    /// Finds what stands at a place.
    pub fn look_up(&self, place: &KeyPath) -> KeyLookup {
        let segments: Vec<&str> = place.segments().collect();
        let fits = |key: &Key, length: usize| {
            let own: Vec<&str> = key.segments().collect();
            own.len() >= length
                && std::iter::zip(&own, &segments[..length])
                    .all(|(own, given)| *own == "*" || own == given)
        };
        let among = self.iter().filter(|key| fits(key, segments.len()));
        let mut among = among.peekable();
        if among.peek().is_some() {
            let whole = among.find(|key| key.segments().count() == segments.len());
            return whole.map_or(KeyLookup::Table, |key| KeyLookup::Key(key.clone()));
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
pub fn is_built_in(name: &str) -> bool {
    KEYS.iter().any(|key| key.segments().next() == Some(name))
}
