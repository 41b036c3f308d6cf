//! What the check of a call computed, for the body of the same call.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value that a check computed, on its way to the body of the call that was judged by it.
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

/// Facts are compared by what they say of a call.
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
