//! The table of a tool's parameters: what the macro writes, and what the parser, the schema and the command line read.

use serde_json::Value;

use crate::schema::{Constraints, ParameterSchema};
use crate::tool::argument::{ParameterKind, Slot};

/// One parameter that the model supplies.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in the schema.
    pub name: &'static str,
    /// What the model reads of it.
    pub description: &'static str,
    #[doc(hidden)]
    pub kind: &'static ParameterKind,
    #[doc(hidden)]
    pub default: Option<DefaultValue>,
    #[doc(hidden)]
    pub examples: &'static [fn() -> Option<Value>],
    /// What its values must keep to, beyond their type.
    pub constraints: Constraints,
}

/// A default: how to fill the slot with it, and how it reads in the schema where its type serialises.
#[derive(Debug, Clone, Copy)]
pub struct DefaultValue {
    #[doc(hidden)]
    pub fill: fn(&mut Slot<'_, '_>),
    #[doc(hidden)]
    pub json: fn() -> Option<Value>,
}

impl Parameter {
    #[doc(hidden)]
    pub const DEFAULT: Self = Self {
        name: "",
        description: "",
        kind: &ParameterKind::TEXT,
        default: None,
        examples: &[],
        constraints: Constraints::NONE,
    };

    /// Reports whether a call has to supply it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.default.is_none() && !self.kind.is_optional()
    }

    pub(crate) fn to_schema(self) -> ParameterSchema<'static> {
        ParameterSchema {
            name: self.name,
            description: self.description,
            schema: self.kind.schema,
            required: self.is_required(),
            default: self.default.and_then(|default| (default.json)()),
            examples: self.examples.iter().filter_map(|make| make()).collect(),
            constraints: self.constraints,
        }
    }
}

pub(crate) mod default_json {
    //! Writes a default into the schema where its type serialises, and leaves it out where it does not.

    use serde::Serialize;
    use serde_json::Value;

    /// Wraps a default value; the method that fits best serialises it.
    #[derive(Debug)]
    pub struct DefaultJson<T>(pub T);

    impl<T: Serialize> DefaultJson<T> {
        /// Serialises the default.
        pub fn json(&self) -> Option<Value> {
            serde_json::to_value(&self.0).ok()
        }
    }

    /// For a type that cannot be serialised.
    pub trait NoJson {
        /// Returns `None`: there is no JSON for it.
        fn json(&self) -> Option<Value>;
    }

    impl<T> NoJson for &DefaultJson<T> {
        fn json(&self) -> Option<Value> {
            None
        }
    }
}

pub mod default_slot {
    //! Fills a slot with a default, by the kind of the slot.

    use std::any::Any;
    use std::borrow::Cow;

    use crate::tool::argument::Slot;

    /// Fills the slot of a type that owns its data.
    pub fn fill<T: Any>(slot: &mut Slot<'_, '_>, value: T) {
        slot.set(value);
    }

    /// Fills the slot of a text.
    pub fn fill_text(slot: &mut Slot<'_, '_>, value: &'static str) {
        slot.set_text(Cow::Borrowed(value));
    }
}
