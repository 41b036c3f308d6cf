//! Fields that are never written: those that a newer program may write, and this one must not read past, and those that
//! have their default.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny};

/// A field that is reserved. It is never written; where it is there, its line is not understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReservedField;

impl<'de> Deserialize<'de> for ReservedField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(D::Error::custom(
            "a field that is reserved for a newer version",
        ))
    }
}

/// Reports whether a field has its default, so that it is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
