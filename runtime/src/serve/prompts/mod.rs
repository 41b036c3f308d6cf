//! Prompts: what the person at a client starts by a name, with arguments.

pub(super) mod answer;
mod argument;
mod message;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

pub(super) use argument::Suggest;
pub use argument::{PromptArgument, PromptArguments};
pub use message::PromptMessage;

use crate::tool::{ToolContext, ToolError};

/// A prompt: a name, the arguments that it takes, and what writes its messages.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::serve::{Prompt, PromptArgument, PromptMessage};
///
/// let review = Prompt::new("review", "Reviews code.", |_cx, arguments| {
///     Box::pin(async move {
///         let code = arguments.get("code").unwrap_or_default();
///         Ok(vec![PromptMessage::user(format!("Please review:\n{code}"))])
///     })
/// })
/// .argument(PromptArgument::required("code", "What is to be reviewed."));
/// assert_eq!(review.name(), "review");
/// ```
pub struct Prompt {
    name: String,
    title: Option<String>,
    description: String,
    arguments: Vec<PromptArgument>,
    write: Box<Write>,
}

type Written<'a> = BoxFuture<'a, Result<Vec<PromptMessage>, ToolError>>;
type Write = dyn for<'a> Fn(&'a ToolContext, PromptArguments) -> Written<'a> + Send + Sync;

impl Prompt {
    /// Makes a prompt of a name, a description, and what writes its messages.
    ///
    /// It may ask the client, by [`cx.client()`](ToolContext::client), as a tool may.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        write: impl for<'a> Fn(&'a ToolContext, PromptArguments) -> Written<'a> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            arguments: Vec::new(),
            write: Box::new(write),
        }
    }

    /// Sets a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says what the prompt does.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Finds an argument.
    pub(super) fn find(&self, argument: &str) -> Option<&PromptArgument> {
        self.arguments.iter().find(|known| known.name() == argument)
    }

    /// Names the first argument that has to be given and is not.
    pub(super) fn missing(&self, given: &PromptArguments) -> Option<&str> {
        let mut needed = self.arguments.iter().filter(|known| known.is_required());
        needed
            .find(|known| given.get(known.name()).is_none())
            .map(PromptArgument::name)
    }

    pub(super) async fn write(
        &self,
        context: &ToolContext,
        arguments: PromptArguments,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        (self.write)(context, arguments).await
    }

    pub(super) fn shown(&self) -> rmcp::model::Prompt {
        let arguments = self.arguments.iter().map(PromptArgument::shown);
        let arguments: Vec<_> = arguments.collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        let shown = rmcp::model::Prompt::new(&self.name, Some(&self.description), arguments);
        match &self.title {
            Some(title) => shown.with_title(title),
            None => shown,
        }
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("name", &self.name)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// The prompts that are served: a list that can be replaced while it is.
///
/// Clones share the list; clients that listen are told at once that it has changed.
#[derive(Clone)]
pub struct Prompts(Arc<watch::Sender<Arc<[Arc<Prompt>]>>>);

impl Prompts {
    /// Makes a list; of two prompts of one name the earlier stands.
    pub fn new(prompts: impl IntoIterator<Item = Prompt>) -> Self {
        Self(Arc::new(watch::Sender::new(sorted(prompts))))
    }

    /// Puts another list in the place of this one.
    pub fn replace(&self, prompts: impl IntoIterator<Item = Prompt>) {
        self.0.send_replace(sorted(prompts));
    }

    /// Returns the prompts in the order of their names.
    #[must_use]
    pub fn list(&self) -> Arc<[Arc<Prompt>]> {
        self.0.borrow().clone()
    }

    /// Finds a prompt by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Prompt>> {
        let prompts = self.0.borrow();
        let index = prompts.binary_search_by(|prompt| prompt.name.as_str().cmp(name));
        index.ok().map(|index| prompts[index].clone())
    }

    /// Returns what tells of changes.
    pub(super) fn watch(&self) -> watch::Receiver<Arc<[Arc<Prompt>]>> {
        self.0.subscribe()
    }
}

fn sorted(prompts: impl IntoIterator<Item = Prompt>) -> Arc<[Arc<Prompt>]> {
    let mut prompts: Vec<_> = prompts.into_iter().map(Arc::new).collect();
    prompts.sort_by(|a, b| a.name.cmp(&b.name));
    prompts.dedup_by(|later, earlier| later.name == earlier.name);
    prompts.into()
}

impl Default for Prompts {
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for Prompts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prompts = self.list();
        f.debug_set()
            .entries(prompts.iter().map(|prompt| &prompt.name))
            .finish()
    }
}
