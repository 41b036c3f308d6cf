//! The storage of a call's arguments between parsing and use.

use std::any::Any;

use crate::support::lock::Mutex;
use crate::tool::argument::Slot;
use crate::tool::parameter::Parameter;
use crate::tool::parser::{self, ParseRejection};

/// The number of parameters for whose slots nothing is allocated.
const FEW_PARAMETERS: usize = 8;

/// The arguments of one call, parsed once.
///
/// Generated code has the arguments in local variables. It takes them from this storage, and puts back those that the
/// call still needs.
pub struct StoredArguments {
    parameters: &'static [Parameter],
    values: Mutex<ArgumentValues>,
}

struct ArgumentValues {
    /// One value per parameter, each the `Option` of its slot.
    values: Vec<Box<dyn Any + Send>>,
    /// Whether the values are in this storage, and not in the slots of generated code.
    are_stored: bool,
}

impl StoredArguments {
    pub(crate) fn read(
        parameters: &'static [Parameter],
        text: &str,
    ) -> Result<Self, ParseRejection> {
        let empty = parameters
            .iter()
            .map(|parameter| (parameter.kind.new_storage)());
        let mut values: Vec<Box<dyn Any + Send>> = empty.collect();
        let mut slots = values.iter_mut().map(|value| -> Slot<'_, '_> {
            let value: &mut (dyn Any + Send) = &mut **value;
            Slot::Value(value)
        });
        if parameters.len() <= FEW_PARAMETERS {
            let mut few: [Slot<'_, '_>; FEW_PARAMETERS] =
                std::array::from_fn(|_| slots.next().unwrap_or(Slot::Probe));
            parser::parse(parameters, text, &mut few[..parameters.len()])?;
        } else {
            let mut slots: Vec<Slot<'_, '_>> = slots.collect();
            parser::parse(parameters, text, &mut slots)?;
        }
        let values = ArgumentValues {
            values,
            are_stored: true,
        };
        Ok(Self {
            parameters,
            values: Mutex::new(values),
        })
    }

    /// Moves the values into slots; reports whether the values were stored.
    pub(crate) fn take(&self, slots: &mut [Slot<'_, '_>]) -> bool {
        let mut values = self.values.lock();
        let are_stored = std::mem::replace(&mut values.are_stored, false);
        if are_stored {
            self.exchange(&mut values, slots);
        }
        are_stored
    }

    /// Moves the values from slots back into the storage.
    pub(crate) fn restore(&self, slots: &mut [Slot<'_, '_>]) {
        let mut values = self.values.lock();
        self.exchange(&mut values, slots);
        values.are_stored = true;
    }

    fn exchange(&self, values: &mut ArgumentValues, slots: &mut [Slot<'_, '_>]) {
        let slots = values.values.iter_mut().zip(slots);
        for (parameter, (value, slot)) in self.parameters.iter().zip(slots) {
            (parameter.kind.exchange)(&mut **value, slot);
        }
    }
}

impl std::fmt::Debug for StoredArguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredArguments")
    }
}
