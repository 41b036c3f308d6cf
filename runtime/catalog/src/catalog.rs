//! The resolution of definitions with the same name.

use crate::{Definition, Layer};

/// The definitions to use, sorted by name without duplicates, and the unused definitions with the reasons.
///
/// `R` is the reason why a definition is invalid, as returned by [`Rules::reject`].
#[derive(Debug, Clone)]
pub struct Catalog<T, R> {
    used: Vec<T>,
    unused: Vec<Unused<T, R>>,
}

/// A definition that is not used.
#[derive(Debug, Clone)]
pub struct Unused<T, R> {
    /// The definition.
    pub definition: T,
    /// The reason why the definition is not used.
    pub reason: Reason<T, R>,
}

/// The reason why a definition is not used.
#[derive(Debug, Clone)]
pub enum Reason<T, R> {
    /// A filter excludes the name.
    Excluded,
    /// The definition is invalid.
    Rejected(R),
    /// Another definition with the same name is used: one of a higher layer, an earlier one of the same layer, or an
    /// embedded one that the rules do not allow to be shadowed.
    Shadowed {
        /// The definition that is used.
        by: T,
    },
}

/// Determines which definitions may be used.
pub trait Rules<T> {
    /// The reason why a definition is invalid.
    type Rejection;

    /// Returns whether definitions with a name may be used at all.
    fn includes(&self, name: &str) -> bool;

    /// Returns the reason why a definition is invalid; `None` if it is valid.
    fn reject(&self, definition: &T) -> Option<Self::Rejection>;

    /// Returns whether a definition of a higher layer may shadow an embedded one.
    fn allows_shadowing_embedded(&self) -> bool;
}

impl<T, R> Default for Catalog<T, R> {
    fn default() -> Self {
        Self {
            used: Vec::new(),
            unused: Vec::new(),
        }
    }
}

impl<T: Definition + Clone, R> Catalog<T, R> {
    /// Determines the definitions to use: of several definitions with the same name, that of the highest layer, and
    /// within a layer the first. If that definition is invalid, the next one is used.
    pub fn resolve(mut definitions: Vec<T>, rules: &impl Rules<T, Rejection = R>) -> Self {
        // A stable sort, which is fast if the definitions are already sorted.
        definitions.sort_by(|a, b| {
            let by_name = a.name().cmp(b.name());
            by_name.then_with(|| b.layer().cmp(&a.layer()))
        });
        let mut catalog = Self::default();
        catalog.used.reserve(definitions.len());
        let mut rest = definitions.into_iter().peekable();
        let mut usable = Vec::new();
        while let Some(first) = rest.next() {
            let is_included = rules.includes(first.name());
            let mut next = Some(first);
            while let Some(definition) = next {
                next = rest.next_if(|other| other.name() == definition.name());
                if !is_included {
                    catalog.reject(definition, Reason::Excluded);
                } else if let Some(rejection) = rules.reject(&definition) {
                    catalog.reject(definition, Reason::Rejected(rejection));
                } else {
                    usable.push(definition);
                }
            }
            catalog.choose(&mut usable, rules.allows_shadowing_embedded());
        }
        catalog
    }

    /// Chooses among the valid definitions with the same name, the highest layer first.
    fn choose(&mut self, usable: &mut Vec<T>, may_shadow_embedded: bool) {
        let embedded = usable.iter().position(|one| one.layer() == Layer::Embedded);
        let chosen = embedded.filter(|_| !may_shadow_embedded).unwrap_or(0);
        if chosen >= usable.len() {
            return;
        }
        let used = usable.remove(chosen);
        for definition in usable.drain(..) {
            self.reject(definition, Reason::Shadowed { by: used.clone() });
        }
        self.used.push(used);
    }

    fn reject(&mut self, definition: T, reason: Reason<T, R>) {
        self.unused.push(Unused { definition, reason });
    }

    /// Returns the used definition with a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        let index = self.used.binary_search_by(|one| one.name().cmp(name));
        index.ok().map(|index| &self.used[index])
    }

    /// Returns the definitions that are used, sorted by name.
    pub fn used(&self) -> &[T] {
        &self.used
    }

    /// Returns the definitions that are not used, sorted by name.
    pub fn unused(&self) -> &[Unused<T, R>] {
        &self.unused
    }

    /// Returns the definitions that are used, sorted by name.
    pub fn into_used(self) -> Vec<T> {
        self.used
    }

    /// Returns the names of all definitions, used or not; names may be repeated.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let unused = self.unused.iter().map(|unused| &unused.definition);
        self.used.iter().chain(unused).map(T::name)
    }
}

impl<T: Definition, R> Unused<T, R> {
    /// Returns the definition that is used instead of this one; `None` if there is none, or if both have the same
    /// digest, so that no content is hidden.
    pub fn hidden_by(&self) -> Option<&T> {
        match &self.reason {
            Reason::Shadowed { by } => {
                let is_same = by.layer() != Layer::Embedded
                    && self.definition.layer() != Layer::Embedded
                    && by.digest() == self.definition.digest();
                (!is_same).then_some(by)
            }
            Reason::Excluded | Reason::Rejected(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
