//! Fields that are never written: reserved fields, which a newer program may write and this program must not ignore,
//! and fields with their default value.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny};

/// A reserved field. It is never written; a line that contains it is rejected as not understood.
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

/// Reports whether a field has its default value, so that it is omitted.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
