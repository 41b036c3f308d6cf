//! A model with scripted replies, for tests.

use serde_json::Value;

use super::playback::{Playback, RecordedReply};
use super::{Model, ModelEvent, ModelRequest, ReplyStream, StopReason};
use helve_core::support::lock::Mutex;
use helve_core::transcript::CallId;

/// A model for tests, which returns the replies of its script in order and records the requests.
///
/// ```
/// use futures_util::TryStreamExt as _;
/// use helve::model::{Model as _, ModelEvent, ModelRequest, ScriptedModel};
/// use helve::transcript::Message;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::model::ModelError> {
/// let model = ScriptedModel::new()
///     .call("get_weather", json!({"city": "Paris"}))
///     .say("It rains.");
///
/// let request = ModelRequest::new(vec![Message::user("Weather?")]);
/// let events: Vec<ModelEvent> = model.reply(&request).try_collect().await?;
///
/// assert_eq!(events.len(), 3); // the call begins, its arguments, the reply is over
/// assert_eq!(model.used(), 1);
/// assert_eq!(model.requests()[0].messages, [Message::user("Weather?")]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct ScriptedModel {
    playback: Playback,
    calls: usize,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// Creates a model with an empty script.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text reply.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        let text = ModelEvent::TextDelta { text: text.into() };
        self.reply_with([text, ModelEvent::stop(StopReason::EndTurn)])
    }

    /// Adds a reply with one tool call.
    #[must_use]
    pub fn call(self, tool: &str, arguments: Value) -> Self {
        self.calls([(tool, arguments)])
    }

    /// Adds a reply with several tool calls. The ids of calls are `call_1`, `call_2` … over the whole script.
    #[must_use]
    pub fn calls<'t>(mut self, calls: impl IntoIterator<Item = (&'t str, Value)>) -> Self {
        let mut events = Vec::new();
        for (tool, arguments) in calls {
            self.calls += 1;
            let id = CallId::from(format!("call_{}", self.calls));
            events.push(ModelEvent::call(&id, tool));
            events.push(ModelEvent::arguments(&id, arguments.to_string()));
        }
        events.push(ModelEvent::stop(StopReason::ToolUse));
        self.reply_with(events)
    }

    /// Adds a failing reply.
    #[must_use]
    pub fn fail(mut self, error: impl Into<String>) -> Self {
        let reply = RecordedReply::new([], Some(error.into()));
        self.playback.replies.push(reply);
        self
    }

    /// Adds a reply of exactly these events.
    #[must_use]
    pub fn reply_with(mut self, events: impl IntoIterator<Item = ModelEvent>) -> Self {
        let reply = RecordedReply::new(events, None);
        self.playback.replies.push(reply);
        self
    }

    /// Returns the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().clone()
    }

    /// Returns the number of replies that were used.
    #[must_use]
    pub fn used(&self) -> usize {
        self.playback.used_count()
    }

    /// Returns the number of remaining replies.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.playback.replies.len() - self.used()
    }
}

impl Model for ScriptedModel {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        self.requests.lock().push(request.clone());
        self.playback.next_stream()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt as _;
    use serde_json::json;

    use super::*;
    use crate::{Assembler, ModelError, Reply};

    async fn ask(model: &ScriptedModel) -> Result<Reply, ModelError> {
        let events: Vec<_> = model.reply(&ModelRequest::default()).try_collect().await?;
        let mut assembler = Assembler::new();
        for event in events {
            assembler.push(event)?;
        }
        assembler.finish()
    }

    #[tokio::test]
    async fn says_its_script_and_then_says_that_it_ended() {
        let model = ScriptedModel::new()
            .calls([("a", json!({"n": 1})), ("b", json!({}))])
            .fail("overloaded")
            .say("Done.");
        let first = ask(&model).await.unwrap();
        let ids: Vec<_> = first.message.calls().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["call_1", "call_2"]);
        let message = ask(&model).await.unwrap_err().to_string();
        assert!(message.contains("overloaded"), "{message}");
        assert_eq!(model.remaining(), 1);
        assert_eq!(ask(&model).await.unwrap().message.text(), "Done.");
        let message = ask(&model).await.unwrap_err().to_string();
        assert!(message.contains("all 3 replies were used"), "{message}");
        assert_eq!(
            (model.used(), model.remaining(), model.requests().len()),
            (3, 0, 4)
        );
    }
}
