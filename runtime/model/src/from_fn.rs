//! A model that is a function.

use futures_util::future::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use serde_json::Value;

use super::{Model, ModelError, ModelEvent, ModelRequest, Reply, ReplyStream, StopReason};
use helve_core::transcript::{AssistantMessage, CallId, MessagePart, ToolCall, ToolName, Usage};

/// Creates a model from a function that returns whole replies: as a [`Reply`], or as text.
///
/// A model that streams its replies implements [`Model`].
///
/// ```
/// use helve::agent::{Agent, AskError};
/// use helve::model;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AskError> {
/// let model = model::from_fn(|request| async move { Ok(format!("{} message", request.messages.len())) });
/// assert_eq!(Agent::new("main", model).ask("How many?").await?, "1 message");
/// # Ok(())
/// # }
/// ```
pub fn from_fn<F, Fut, R>(reply: F) -> impl Model
where
    F: Fn(ModelRequest) -> Fut + Send + Sync,
    Fut: Future<Output = Result<R, ModelError>> + Send + 'static,
    R: Into<Reply>,
{
    FnModel(reply)
}

struct FnModel<F>(F);

impl<F, Fut, R> Model for FnModel<F>
where
    F: Fn(ModelRequest) -> Fut + Send + Sync,
    Fut: Future<Output = Result<R, ModelError>> + Send + 'static,
    R: Into<Reply>,
{
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        let reply = (self.0)(request.clone());
        let events = reply.map(|reply| match reply {
            Ok(reply) => reply.into().into_events().into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        events.map(stream::iter).flatten_stream().boxed()
    }
}

/// Creates a complete reply that is text.
impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self {
            message: AssistantMessage::new(vec![MessagePart::Text { text }]),
            stop: StopReason::EndTurn,
            usage: Usage::default(),
        }
    }
}

/// Creates a complete reply that is text.
impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Reply {
    /// Adds a call of a tool, after whose result the model is called again.
    #[must_use]
    pub fn with_call(
        mut self,
        id: impl Into<CallId>,
        tool: impl Into<ToolName>,
        arguments: &Value,
    ) -> Self {
        let call = ToolCall::new(id, tool, arguments.to_string());
        self.message.content.push(MessagePart::ToolCall(call));
        self.stop = StopReason::ToolUse;
        self
    }

    /// Returns the events that are assembled to this reply.
    fn into_events(self) -> Vec<ModelEvent> {
        let source = self
            .message
            .source
            .map(|source| ModelEvent::ReplyStarted(*source));
        let mut events: Vec<_> = source.into_iter().collect();
        for part in self.message.content {
            push_part(&mut events, part);
        }
        events.push(ModelEvent::Usage(self.usage));
        events.push(ModelEvent::stop(self.stop));
        events
    }
}

fn push_part(events: &mut Vec<ModelEvent>, part: MessagePart) {
    match part {
        MessagePart::Text { text } => events.push(ModelEvent::TextDelta { text }),
        MessagePart::Thinking { text, signature } => {
            events.push(ModelEvent::ThinkingDelta { text });
            let signature = signature.map(|signature| ModelEvent::ThinkingSignature { signature });
            events.extend(signature);
        }
        MessagePart::ToolCall(call) => {
            events.push(ModelEvent::call(&call.id, call.name));
            events.push(ModelEvent::arguments(&call.id, &*call.arguments));
            let id = call.id;
            let signed = |signature| ModelEvent::ToolCallSignature { id, signature };
            events.extend(call.signature.map(signed));
        }
        MessagePart::ProviderItem { api, item } => {
            events.push(ModelEvent::ProviderItem { api, item });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt as _;

    use super::*;
    use crate::Assembler;

    #[tokio::test]
    async fn a_reply_of_a_function_is_the_assembled_reply() {
        let mut call = ToolCall::new("c1", "add", r#"{"a":1}"#);
        call.signature = Some("signed".into());
        let thinking = MessagePart::Thinking {
            text: "Adding.".into(),
            signature: Some("proof".into()),
        };
        let text = MessagePart::Text {
            text: "Let me add.".into(),
        };
        let reply = Reply {
            message: AssistantMessage::new(vec![thinking, text, MessagePart::ToolCall(call)]),
            stop: StopReason::ToolUse,
            usage: Usage::new(10, 2),
        };
        let given = reply.clone();
        let model = from_fn(move |_| std::future::ready(Ok(given.clone())));
        let events: Vec<_> = model
            .reply(&ModelRequest::default())
            .try_collect()
            .await
            .unwrap();
        let mut assembler = Assembler::new();
        for event in events {
            assembler.push(event).unwrap();
        }
        assert_eq!(assembler.finish().unwrap(), reply);
    }

    #[tokio::test]
    async fn an_error_of_a_function_is_that_of_the_reply() {
        let model = from_fn(|_| std::future::ready(Err::<String, _>(ModelError::provider("no"))));
        let request = ModelRequest::default();
        let events: Result<Vec<_>, _> = model.reply(&request).try_collect().await;
        assert_eq!(
            events.unwrap_err().full_message(),
            "the model could not reply: no"
        );
    }
}
