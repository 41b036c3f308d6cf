//! A value that the check of a call passes to the body of the same call.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value that a check computed, for the body of the call that the check judged.
#[derive(Clone)]
pub(crate) struct CheckValue(Arc<dyn Any + Send + Sync>);

impl CheckValue {
    pub(crate) fn new(value: impl Any + Send + Sync) -> Self {
        Self(Arc::new(value))
    }

    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// Facts are compared by their other fields, so all values are equal.
impl PartialEq for CheckValue {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CheckValue {}

impl fmt::Debug for CheckValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JudgedValue")
    }
}
