//! A model that fails as it is told to.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::StreamExt as _;
use futures_util::stream;
use helve_runtime::model::{
    ApiError, ApiErrorKind, Assembler, Model, ModelError, ModelEvent, ModelName, ModelRequest,
    Reply, Retry, StopReason,
};

type Step = Result<ModelEvent, ModelError>;

/// Gives its replies in order, each once; counts how often it is asked.
pub(crate) struct Script {
    replies: Mutex<VecDeque<Vec<Step>>>,
    name: Option<ModelName>,
    asked: Mutex<usize>,
}

impl Script {
    pub(crate) fn new(replies: impl IntoIterator<Item = Vec<Step>>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().collect()),
            name: None,
            asked: Mutex::new(0),
        }
    }

    pub(crate) fn named(mut self, name: &str) -> Self {
        self.name = Some(name.parse().unwrap());
        self
    }

    pub(crate) fn asked(&self) -> usize {
        *self.asked.lock().unwrap()
    }
}

impl Model for Script {
    fn reply<'a>(&'a self, _request: &'a ModelRequest) -> BoxStream<'a, Step> {
        *self.asked.lock().unwrap() += 1;
        let steps = self.replies.lock().unwrap().pop_front();
        stream::iter(steps.expect("a reply more than is asked for")).boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        self.name.as_ref()
    }
}

pub(crate) fn text(text: &str) -> Step {
    Ok(ModelEvent::TextDelta { text: text.into() })
}

pub(crate) fn call(id: &str) -> Step {
    Ok(ModelEvent::ToolCallStart {
        id: id.into(),
        name: "add".into(),
    })
}

pub(crate) fn stop() -> Step {
    Ok(ModelEvent::Stop {
        reason: StopReason::EndTurn,
    })
}

pub(crate) fn api(kind: ApiErrorKind) -> Step {
    Err(ApiError::new(kind, "acme", "as the script says").into())
}

pub(crate) fn limited(wait: Duration) -> Step {
    let mut error = ApiError::new(ApiErrorKind::RateLimited, "acme", "slow down");
    error.retry_after = Some(wait);
    Err(error.into())
}

/// What came of a reply.
pub(crate) struct Outcome {
    pub(crate) events: Vec<ModelEvent>,
    pub(crate) reply: Result<Reply, ModelError>,
}

impl Outcome {
    pub(crate) fn retries(&self) -> Vec<&Retry> {
        let retries = self.events.iter().filter_map(|event| match event {
            ModelEvent::Retry(retry) => Some(retry),
            _ => None,
        });
        retries.collect()
    }

    pub(crate) fn text(&self) -> String {
        self.reply.as_ref().expect("a reply").message.text()
    }

    pub(crate) fn error(&self) -> String {
        self.reply.as_ref().expect_err("an error").to_string()
    }
}

/// Asks a model, and reads its reply as a driver does.
pub(crate) async fn ask(model: &dyn Model) -> Outcome {
    let request = ModelRequest::default();
    let mut stream = model.reply(&request);
    let (mut events, mut assembler) = (Vec::new(), Assembler::new());
    let reply = loop {
        match stream.next().await {
            Some(Ok(event)) => {
                events.push(event.clone());
                assembler
                    .push(event)
                    .expect("events that follow each other");
            }
            Some(Err(error)) => {
                assert!(stream.next().await.is_none(), "something after an error");
                break Err(error);
            }
            None => break assembler.finish(),
        }
    };
    Outcome { events, reply }
}
