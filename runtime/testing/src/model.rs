//! Models of cases: their scripts, and the requests that they get.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream;
use helve_core::support::lock::Mutex;
use helve_core::transcript::{CallId, Usage};
use helve_model::{
    Model, ModelError, ModelEvent, ModelRequest, ReplayModel, ReplyStream, StopReason,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The model of an agent. In JSON, an array is a script.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CaseModel {
    /// Replies in order.
    Script(Vec<CaseReply>),
    /// A recording, in a file relative to that of the case: `{ "recording": "said.jsonl" }`.
    Recording(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordingFields {
    recording: String,
}

impl<'de> Deserialize<'de> for CaseModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let model = match value.is_array() {
            true => Vec::deserialize(value).map(Self::Script),
            false => {
                RecordingFields::deserialize(value).map(|fields| Self::Recording(fields.recording))
            }
        };
        model.map_err(serde::de::Error::custom)
    }
}

/// A reply of a scripted model. In JSON, a string is a text.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CaseReply {
    /// The text.
    pub say: Option<String>,
    /// The calls, after the text.
    pub calls: Vec<CaseCall>,
    /// The error with which the reply fails, after the text and the calls.
    pub fail: Option<String>,
    /// Whether the reply does not end.
    pub hangs: bool,
    /// The input and the output tokens.
    pub usage: Option<(u64, u64)>,
    /// Why the reply ends; by default because it is complete.
    pub stop: Option<StopReason>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyFields {
    say: Option<String>,
    #[serde(default)]
    calls: Vec<CaseCall>,
    fail: Option<String>,
    #[serde(default)]
    hangs: bool,
    usage: Option<(u64, u64)>,
    stop: Option<StopReason>,
}

impl<'de> Deserialize<'de> for CaseReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::String(text) = value {
            return Ok(Self {
                say: Some(text),
                ..Self::default()
            });
        }
        let ReplyFields {
            say,
            calls,
            fail,
            hangs,
            usage,
            stop,
        } = ReplyFields::deserialize(value).map_err(serde::de::Error::custom)?;
        Ok(Self {
            say,
            calls,
            fail,
            hangs,
            usage,
            stop,
        })
    }
}

/// A call in a scripted reply. The ids of the calls of a model are `call_1`, `call_2` and so on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CaseCall {
    /// The tool.
    pub tool: String,
    /// The arguments: an object, or a text in place of JSON.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

impl CaseReply {
    fn events(&self, calls: &mut usize) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        if let Some(text) = &self.say {
            events.push(ModelEvent::TextDelta { text: text.clone() });
        }
        for call in &self.calls {
            *calls += 1;
            let id = CallId::from(format!("call_{calls}"));
            let name = call.tool.as_str().into();
            events.push(ModelEvent::ToolCallStart {
                id: id.clone(),
                name,
            });
            let arguments = match &call.arguments {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            events.push(ModelEvent::ToolCallDelta { id, arguments });
        }
        if let Some((input, output)) = self.usage {
            events.push(ModelEvent::Usage(Usage::new(input, output)));
        }
        if self.fail.is_none() && !self.hangs {
            let usual = match self.calls.is_empty() {
                true => StopReason::EndTurn,
                false => StopReason::ToolUse,
            };
            let reason = self.stop.unwrap_or(usual);
            events.push(ModelEvent::Stop { reason });
        }
        events
    }
}

/// A model that replies with a script.
#[derive(Debug)]
struct ScriptModel {
    replies: Vec<(Vec<ModelEvent>, CaseReply)>,
    next: AtomicUsize,
}

impl ScriptModel {
    fn new(script: &[CaseReply]) -> Self {
        let mut calls = 0;
        let replies = script.iter();
        let replies = replies.map(|reply| (reply.events(&mut calls), reply.clone()));
        Self {
            replies: replies.collect(),
            next: AtomicUsize::new(0),
        }
    }
}

impl Model for ScriptModel {
    fn reply<'a>(&'a self, _request: &'a ModelRequest) -> ReplyStream<'a> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some((events, reply)) = self.replies.get(index) else {
            let used = self.replies.len();
            return stream::iter([Err(ModelError::ScriptEnded { used })]).boxed();
        };
        let error = reply.fail.as_deref();
        let error = error.map(|text| Err(ModelError::provider(text)));
        let stream = stream::iter(events.iter().cloned().map(Ok).chain(error));
        match reply.hangs {
            true => stream.chain(stream::pending()).boxed(),
            false => stream.boxed(),
        }
    }
}

/// A model of a case, whose requests are kept.
pub(crate) struct ObservedModel {
    inner: Box<dyn Model>,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ObservedModel {
    /// Creates the model of a case whose file is in a folder.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub(crate) fn new(model: &CaseModel, folder: &Path) -> Result<Arc<Self>, String> {
        let inner: Box<dyn Model> = match model {
            CaseModel::Script(script) => Box::new(ScriptModel::new(script)),
            CaseModel::Recording(file) => {
                let model = ReplayModel::open(folder.join(file));
                Box::new(model.map_err(|error| error.to_string())?)
            }
        };
        Ok(Arc::new(Self {
            inner,
            requests: Mutex::default(),
        }))
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().clone()
    }
}

impl Model for ObservedModel {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        self.requests.lock().push(request.clone());
        self.inner.reply(request)
    }
}
