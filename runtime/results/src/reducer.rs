//! Reducers: functions that shorten a long result without losing what the model needs.
//!
//! A [`ResultReducer`] is a pure function of a call and the text that the call returned. It runs after the redaction of
//! secrets and before the cut to the budget, so that the failures of a test run remain and not its first characters.
//! The whole text is [spilled](super::Spill), and a notice instructs the model how to read it.
//!
//! [`Reducers::built_in`] has reducers for the tools that come with helve.
//!
//! ```
//! use helve::results::reducer::{ReducedText, Reducers, ReducerContext};
//!
//! let reducers = Reducers::new();
//! let guard = reducers.register("list_orders", |_: &ReducerContext<'_>, text: &str| {
//!     Some(ReducedText::new(format!("{} orders", text.lines().count())))
//! })?;
//! let call = ReducerContext::new("list_orders", "{}");
//! let reduced = reducers.reduce(&call, "order 1\norder 2\norder 3");
//! assert_eq!(reduced.unwrap().text(), "3 orders");
//!
//! drop(guard);
//! assert!(reducers.reduce(&call, "order 1\norder 2\norder 3").is_none());
//! # Ok::<(), helve::results::reducer::DuplicateReducer>(())
//! ```

mod command;
mod file;
mod git_status;
mod install;
mod lines;
mod long;
mod registry;
mod shell;
mod test_run;

use serde_json::Value;

pub use command::CommandKind;
pub use registry::{DuplicateReducer, ReducerGuard, Reducers};

/// Shortens the results of a tool.
///
/// A reducer is a pure function: the same context and text give the same result. The result is used only if it is shorter.
/// A panic leaves the text as it is.
pub trait ResultReducer: Send + Sync {
    /// Returns a shorter text, or `None` to leave the text unchanged. A reducer receives neither errors nor structured
    /// content as its text.
    fn reduce(&self, call: &ReducerContext<'_>, text: &str) -> Option<ReducedText>;

    /// Returns the name of the reducer in error messages; the name of its type by default.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

impl<F> ResultReducer for F
where
    F: Fn(&ReducerContext<'_>, &str) -> Option<ReducedText> + Send + Sync,
{
    fn reduce(&self, call: &ReducerContext<'_>, text: &str) -> Option<ReducedText> {
        self(call, text)
    }
}

/// The context of a reducer: the call that returned the text.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ReducerContext<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The JSON of the arguments, as written by the model.
    pub arguments: &'a str,
    /// The JSON of the structured content beside the text, if there is any. A reducer does not change it.
    pub structured: Option<&'a str>,
    /// The number of the turn in its session, from 0.
    pub turn_number: u32,
}

impl<'a> ReducerContext<'a> {
    /// Creates the context of a call in the first turn, without structured content.
    #[must_use]
    pub fn new(tool: &'a str, arguments: &'a str) -> Self {
        Self {
            tool,
            arguments,
            structured: None,
            turn_number: 0,
        }
    }

    /// Sets the structured content beside the text.
    #[must_use]
    pub fn structured(mut self, json: Option<&'a str>) -> Self {
        self.structured = json;
        self
    }

    /// Sets the number of the turn in its session, from 0.
    #[must_use]
    pub fn turn_number(mut self, number: u32) -> Self {
        self.turn_number = number;
        self
    }

    /// Returns an argument; `None` if it is missing or `null`.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<Value> {
        let mut arguments: Value = serde_json::from_str(self.arguments).ok()?;
        let argument = arguments.get_mut(name).map(Value::take);
        argument.filter(|argument| !argument.is_null())
    }

    /// Returns an argument that is a string.
    #[must_use]
    pub fn text_argument(&self, name: &str) -> Option<String> {
        match self.argument(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }
}

/// The shortened text of a reducer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducedText {
    text: String,
    /// Whether an empty text is intended.
    allows_empty: bool,
}

impl ReducedText {
    /// Shortens to the given text. An empty text is ignored unless the original text is empty, too.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            allows_empty: false,
        }
    }

    /// Shortens to an empty text.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            text: String::new(),
            allows_empty: true,
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn may_replace(&self, text: &str) -> bool {
        let is_lost = self.text.trim().is_empty() && !self.allows_empty && !text.trim().is_empty();
        !is_lost && self.text.chars().count() < text.chars().count()
    }
}
