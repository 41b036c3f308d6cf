//! The skins of the onion.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::Hook;

/// What lies inside a hook: the next hook, or the thing itself.
pub struct Next<'a, Input, Output>(Box<dyn FnOnce(Input) -> BoxFuture<'a, Output> + Send + 'a>);

impl<'a, Input, Output> Next<'a, Input, Output> {
    /// Makes the innermost: the thing itself.
    pub fn new(run: impl FnOnce(Input) -> BoxFuture<'a, Output> + Send + 'a) -> Self {
        Self(Box::new(run))
    }

    /// Goes on inside.
    #[must_use = "nothing happens until the future is awaited"]
    pub fn run(self, input: Input) -> BoxFuture<'a, Output> {
        (self.0)(input)
    }
}

impl<Input, Output> fmt::Debug for Next<'_, Input, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// The hooks of an agent, the outermost first.
#[derive(Clone, Default)]
pub(in crate::agent) struct Onion(Vec<Arc<dyn Hook>>);

impl Onion {
    pub(in crate::agent) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::agent) fn push(&mut self, hook: Arc<dyn Hook>) {
        self.0.push(hook);
    }

    /// Returns these hooks with others inside them.
    pub(in crate::agent) fn around_all(&self, inner: &Self) -> Self {
        Self(self.0.iter().chain(&inner.0).cloned().collect())
    }

    /// Lays the hooks around a thing; `enter` says which of their methods stands there.
    pub(in crate::agent) fn around<'a, Input, Output>(
        &'a self,
        inside: Next<'a, Input, Output>,
        enter: impl Fn(&'a dyn Hook, Input, Next<'a, Input, Output>) -> BoxFuture<'a, Output>
        + Copy
        + Send
        + 'a,
    ) -> Next<'a, Input, Output>
    where
        Input: 'a,
        Output: 'a,
    {
        self.0.iter().rev().fold(inside, |next, hook| {
            Next::new(move |input| enter(&**hook, input, next))
        })
    }
}
