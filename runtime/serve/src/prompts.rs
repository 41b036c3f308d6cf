//! Prompts: templates of messages that the user of a client selects by name and fills with arguments.

mod argument;
mod message;
pub(super) mod requests;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

pub(super) use argument::SuggestFn;
pub use argument::{PromptArgument, PromptArguments};
pub use message::PromptMessage;

use helve_core::tool::{ToolContext, ToolError};

/// A prompt: a name, its arguments, and a function that writes its messages.
///
/// ```
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
    /// Creates a prompt with a name, a description, and the function that writes its messages.
    ///
    /// The function may request input of the client through [`cx.client()`](ToolContext::client), as a tool may.
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

    /// Sets the title, a name for display.
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

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    pub(super) fn find_argument(&self, argument: &str) -> Option<&PromptArgument> {
        self.arguments.iter().find(|known| known.name() == argument)
    }

    /// Returns the name of the first required argument without a value.
    pub(super) fn find_missing(&self, values: &PromptArguments) -> Option<&str> {
        let mut required = self.arguments.iter().filter(|known| known.is_required());
        required
            .find(|known| values.get(known.name()).is_none())
            .map(PromptArgument::name)
    }

    pub(super) async fn write(
        &self,
        context: &ToolContext,
        arguments: PromptArguments,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        (self.write)(context, arguments).await
    }

    pub(super) fn to_rmcp(&self) -> rmcp::model::Prompt {
        let arguments = self.arguments.iter().map(PromptArgument::to_rmcp);
        let arguments = Some(arguments.collect::<Vec<_>>()).filter(|all| !all.is_empty());
        let prompt = rmcp::model::Prompt::new(&self.name, Some(&self.description), arguments);
        match &self.title {
            Some(title) => prompt.with_title(title),
            None => prompt,
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

/// The prompts of a server: a list that can be replaced while it is served.
///
/// Clones share the list. Clients that listen are notified at once of a change.
#[derive(Clone)]
pub struct Prompts(Arc<watch::Sender<Arc<[Arc<Prompt>]>>>);

impl Prompts {
    /// Creates a list. If several prompts have the same name, the first one is used.
    pub fn new(prompts: impl IntoIterator<Item = Prompt>) -> Self {
        Self(Arc::new(watch::Sender::new(sorted(prompts))))
    }

    /// Replaces the list.
    pub fn replace(&self, prompts: impl IntoIterator<Item = Prompt>) {
        self.0.send_replace(sorted(prompts));
    }

    /// Returns the prompts, sorted by name.
    #[must_use]
    pub fn list(&self) -> Arc<[Arc<Prompt>]> {
        self.0.borrow().clone()
    }

    /// Returns the prompt of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Prompt>> {
        let prompts = self.0.borrow();
        let index = prompts.binary_search_by(|prompt| prompt.name.as_str().cmp(name));
        index.ok().map(|index| prompts[index].clone())
    }

    /// Returns a receiver that is notified when the list is replaced.
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
