//! The arguments of a call between the time they are read and the time they are used.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tool::argument::Slot;
use crate::tool::parameter::Parameter;
use crate::tool::parser::{self, Rejected};

/// The arguments of one call, read once.
///
/// Generated code has them in local variables. It takes them from here, and puts back those that a call still needs.
pub struct StoredArguments {
    parameters: &'static [Parameter],
    values: Mutex<Values>,
}

/// One value a parameter, each the `Option` that its slot is; `None` while generated code has them.
type Values = Option<Vec<Box<dyn Any + Send>>>;

impl StoredArguments {
    /// Reads the arguments of a call.
    pub(crate) fn read(parameters: &'static [Parameter], text: &str) -> Result<Self, Rejected> {
        let empty = parameters.iter().map(|parameter| (parameter.kind.empty)());
        let mut values: Vec<Box<dyn Any + Send>> = empty.collect();
        let slots = values.iter_mut().map(|value| -> Slot<'_, '_> {
            let value: &mut (dyn Any + Send) = &mut **value;
            Slot::Value(value)
        });
        let mut slots: Vec<Slot<'_, '_>> = slots.collect();
        parser::parse(parameters, text, &mut slots)?;
        Ok(Self {
            parameters,
            values: Mutex::new(Some(values)),
        })
    }

    /// Moves the values into slots; reports whether they were there.
    pub(crate) fn take(&self, slots: &mut [Slot<'_, '_>]) -> bool {
        let Some(mut values) = self.values().take() else {
            return false;
        };
        self.exchange(&mut values, slots);
        true
    }

    /// Moves the values back out of slots.
    pub(crate) fn restore(&self, slots: &mut [Slot<'_, '_>]) {
        let empty = self.parameters.iter();
        let mut values: Vec<_> = empty.map(|parameter| (parameter.kind.empty)()).collect();
        self.exchange(&mut values, slots);
        *self.values() = Some(values);
    }

    fn exchange(&self, values: &mut [Box<dyn Any + Send>], slots: &mut [Slot<'_, '_>]) {
        let slots = values.iter_mut().zip(slots);
        for (parameter, (value, slot)) in self.parameters.iter().zip(slots) {
            (parameter.kind.exchange)(&mut **value, slot);
        }
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for StoredArguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredArguments")
    }
}
