//! One prompt to an agent, and the answer as text or as a value.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::answer_format::{AnswerFormat, describe_mistake};
use super::driver::{EventSink, TurnReport, TurnStatus};
use super::event::AgentEvent;
use super::spec::Agent;
use super::turn::EndReason;
use helve_core::schema::Mistakes;
use helve_core::tool::ToolContext;
use helve_core::transcript::{Message, TurnId};

/// A prompt to an agent, which is sent when the value is awaited: the return value of [`Agent::ask`] and
/// [`Agent::ask_for`].
#[must_use = "a prompt is sent when it is awaited"]
pub struct Ask<'a, T = String> {
    agent: &'a Agent,
    prompt: Message,
    context: ToolContext,
    events: EventSink,
    send: SendFn<'a, T>,
}

/// Sends a prompt; which function it is depends on the type of the answer.
type SendFn<'a, T> = fn(Ask<'a, T>) -> BoxFuture<'a, Result<T, AskError>>;

/// Why [`Agent::ask`] or [`Agent::ask_for`] has no answer.
///
/// ```
/// use helve::agent::turn::EndReason;
/// use helve::agent::{Agent, AskError};
/// use helve::model::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let agent = Agent::new("main", ScriptedModel::new().fail("overloaded"));
/// match agent.ask("2 + 3?").await {
///     Err(AskError::Unfinished(report)) => assert_eq!(report.end(), Some(EndReason::ModelFailed)),
///     other => panic!("{other:?}"),
/// }
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The turn ended before the model had answered, or waits for a response from outside of the process. The report has the
    /// reason, and the messages so far.
    Unfinished(Box<TurnReport>),
    /// The answer does not match the requested type, also after the model was told the mistakes.
    InvalidAnswer {
        /// The text of the answer.
        answer: String,
        /// The mistakes in the answer.
        mistakes: Mistakes,
    },
}

impl Agent {
    /// Asks the agent one question, and returns the text of its last reply.
    ///
    /// The agent runs one turn with a [context](Ask::context) without host state; the events of the turn are dropped
    /// unless there is a [closure](Ask::on_event) for them. [`run`](Self::run) continues a conversation, and
    /// [`run_in`](Self::run_in) records it.
    ///
    /// # Errors
    /// [`AskError::Unfinished`] if the turn ended for another reason than that the model had finished.
    ///
    /// ```
    /// use helve::agent::{Agent, AskError};
    /// use helve::model::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), AskError> {
    /// let agent = Agent::new("main", ScriptedModel::new().say("It is 5."));
    /// assert_eq!(agent.ask("2 + 3?").await?, "It is 5.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask(&self, prompt: impl Into<Message>) -> Ask<'_> {
        Ask::new(self, prompt.into(), |ask| {
            let answer = async move { Ok(ask.send_prompt().await?.text()) };
            answer.boxed()
        })
    }

    /// Asks the agent one question, and returns its answer as a value: [`ask`](Self::ask) with structured output.
    ///
    /// `T` is a type with [`#[helve::data]`](macro@helve_core::data), or any other that implements [`DeserializeOwned`]
    /// and [`JsonSchema`]. Its schema is the [output format](helve_model::ModelOptions::output) of the turn. If the
    /// answer does not match the schema, the agent runs one more turn, in which the model is told the mistakes.
    ///
    /// # Errors
    /// [`AskError::Unfinished`] as for [`ask`](Self::ask), and [`AskError::InvalidAnswer`] if the second answer does not
    /// match either.
    ///
    /// ```
    /// use helve::agent::{Agent, AskError};
    /// use helve::model::ScriptedModel;
    ///
    /// /// A city.
    /// #[helve::data]
    /// struct City {
    ///     name: String,
    ///     /// The number of inhabitants.
    ///     inhabitants: u64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), AskError> {
    /// let model = ScriptedModel::new()
    ///     .say(r#"{ "name": "Paris" }"#)
    ///     .say(r#"{ "name": "Paris", "inhabitants": 2100000 }"#);
    /// let agent = Agent::new("main", model);
    /// let city = agent.ask_for::<City>("The capital of France?").await?;
    /// assert_eq!((&*city.name, city.inhabitants), ("Paris", 2_100_000));
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask_for<T>(&self, prompt: impl Into<Message>) -> Ask<'_, T>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        Ask::new(self, prompt.into(), |ask| ask.send_for_value().boxed())
    }
}

impl<'a, T> Ask<'a, T> {
    fn new(agent: &'a Agent, prompt: Message, send: SendFn<'a, T>) -> Self {
        Self {
            agent,
            prompt,
            context: ToolContext::new(),
            events: Arc::new(|_event| {}),
            send,
        }
    }

    /// Sets the context of the turn: the state and the capabilities that the tools need, and the token that cancels the
    /// turn.
    pub fn context(mut self, context: &ToolContext) -> Self {
        self.context = context.clone();
        self
    }

    /// Sets a closure that receives the events as they occur. It must return at once.
    ///
    /// ```
    /// use helve::agent::{Agent, AskError, EventKind};
    /// use helve::model::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), AskError> {
    /// let agent = Agent::new("main", ScriptedModel::new().say("It is 5."));
    /// let show = |event: helve::agent::AgentEvent| {
    ///     if let EventKind::MessageDelta { text } = event.kind {
    ///         print!("{text}");
    ///     }
    /// };
    /// agent.ask("2 + 3?").on_event(show).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_event(mut self, receive: impl Fn(AgentEvent) + Send + Sync + 'static) -> Self {
        self.events = Arc::new(receive);
        self
    }

    async fn send_prompt(self) -> Result<TurnReport, AskError> {
        let prompt = vec![self.prompt];
        run_to_end(self.agent, prompt, &self.context, &self.events).await
    }
}

impl<T: DeserializeOwned + JsonSchema> Ask<'_, T> {
    /// Asks for a value, and once more with the mistakes if the first answer does not match the type.
    async fn send_for_value(self) -> Result<T, AskError> {
        let format = AnswerFormat::for_type::<T>();
        let agent = self.agent.with_output_format(format.output_format());
        let (context, events) = (&self.context, &self.events);
        let report = run_to_end(&agent, vec![self.prompt], context, events).await?;
        let mistakes = match format.parse(&report.text()) {
            Ok(value) => return Ok(value),
            Err(mistakes) => mistakes,
        };
        let mut conversation = report.messages;
        conversation.push(Message::user(format.repair_prompt(&mistakes)));
        let context = context.derive().turn(TurnId::new("t2")).build();
        let report = run_to_end(&agent, conversation, &context, events).await?;
        let answer = report.text();
        format
            .parse(&answer)
            .map_err(|mistakes| AskError::InvalidAnswer { answer, mistakes })
    }
}

impl<'a, T> IntoFuture for Ask<'a, T> {
    type Output = Result<T, AskError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        (self.send)(self)
    }
}

impl<T> fmt::Debug for Ask<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("agent", &self.agent)
            .field("prompt", &self.prompt)
            .finish_non_exhaustive()
    }
}

/// Runs a turn, and returns its report if the model has finished.
async fn run_to_end(
    agent: &Agent,
    conversation: Vec<Message>,
    context: &ToolContext,
    events: &EventSink,
) -> Result<TurnReport, AskError> {
    let events = Arc::clone(events);
    let turn = agent.run(conversation, context, move |event| events(event));
    let report = turn.await;
    match report.end() {
        Some(EndReason::Finished) => Ok(report),
        _ => Err(AskError::Unfinished(Box::new(report))),
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished(report) => write_status(report, f),
            Self::InvalidAnswer { mistakes, .. } => {
                f.write_str("the answer does not match the requested type")?;
                let separators = std::iter::once(": ").chain(std::iter::repeat("; "));
                for (separator, mistake) in separators.zip(mistakes) {
                    write!(f, "{separator}{}", describe_mistake(mistake))?;
                }
                Ok(())
            }
        }
    }
}

fn write_status(report: &TurnReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match &report.status {
        TurnStatus::Ended(reason) => write!(f, "the agent did not finish: {reason}")?,
        TurnStatus::Waiting { .. } => f.write_str(
            "the agent waits for an answer or a result from outside of the process; `Agent::run_in` records such a turn, \
             and `Agent::resume` continues it",
        )?,
        TurnStatus::Unrecorded => f.write_str("the turn could not be recorded")?,
    }
    match &report.error {
        Some(error) => write!(f, ": {error}"),
        None => Ok(()),
    }
}

impl std::error::Error for AskError {}
