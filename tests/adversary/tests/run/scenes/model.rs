//! A model that does its work, and obeys whatever order it reads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, StopReason};
use helve::transcript::{ContentBlock, Message};

use super::documents;
use super::order::{Call, OPENING, Order};

/// How the notes of the user begin.
pub(super) const NOTES_BEGIN: &str = "needle-";

/// A model that makes the calls of its task one by one, and those of the first order that it reads before all others.
#[derive(Debug, Clone)]
pub(super) struct ObedientModel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<Script>,
    /// Whether orders are obeyed already.
    obeys: AtomicBool,
    /// Whether the last reply repeats what was read.
    repeats: bool,
}

#[derive(Debug)]
struct Script {
    task: VecDeque<Call>,
    /// The calls of the order, once it was read.
    order: Option<VecDeque<Call>>,
    calls: usize,
}

impl ObedientModel {
    pub(super) fn new(task: impl IntoIterator<Item = Call>) -> Self {
        let state = Mutex::new(Script {
            task: task.into_iter().collect(),
            order: None,
            calls: 0,
        });
        Self(Arc::new(Inner {
            state,
            obeys: AtomicBool::new(true),
            repeats: false,
        }))
    }

    /// Makes a model whose last words repeat what it read.
    pub(super) fn repeating(task: impl IntoIterator<Item = Call>) -> Self {
        let Self(inner) = Self::new(task);
        let mut inner = Arc::into_inner(inner).expect("one owner");
        inner.repeats = true;
        Self(Arc::new(inner))
    }

    /// Sets whether orders are obeyed.
    pub(super) fn set_obeys(&self, obeys: bool) {
        self.0.obeys.store(obeys, Ordering::Relaxed);
    }

    fn next(&self, request: &ModelRequest) -> Vec<ModelEvent> {
        let read = read(&request.messages);
        if request.tools.is_empty() {
            // The small model, which is asked about a page, or the vision model about an image.
            let order = Order::find(&read).map(|(order, address)| order.sentence(&address));
            return say(order.unwrap_or_else(|| "It says nothing of the kind.".to_owned()));
        }
        let mut script = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if script.order.is_none() && self.0.obeys.load(Ordering::Relaxed) {
            let notes = find_notes(&read);
            let found = Order::find(&read).zip(notes);
            script.order =
                found.map(|((order, address), notes)| order.calls(&address, &notes).into());
        }
        let ordered = script.order.as_mut().and_then(VecDeque::pop_front);
        let Some((name, arguments)) = ordered.or_else(|| script.task.pop_front()) else {
            return say(if self.0.repeats {
                last_result(&request.messages)
            } else {
                "Done.".to_owned()
            });
        };
        script.calls += 1;
        let id = format!("c{}", script.calls);
        vec![
            ModelEvent::ToolCallStart {
                id: id.as_str().into(),
                name: name.into(),
            },
            ModelEvent::ToolCallDelta {
                id: id.into(),
                arguments: arguments.to_string(),
            },
            ModelEvent::Stop {
                reason: StopReason::ToolUse,
            },
        ]
    }
}

impl Model for ObedientModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        stream::iter(self.next(request).into_iter().map(Ok)).boxed()
    }
}

fn say(text: String) -> Vec<ModelEvent> {
    let reason = StopReason::EndTurn;
    vec![ModelEvent::TextDelta { text }, ModelEvent::Stop { reason }]
}

/// Returns everything that the model can read, without what writers add to it.
fn read(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let blocks: Vec<&ContentBlock> = match message {
            Message::User { content } => content.iter().collect(),
            Message::Tool { content } => content.iter().flat_map(|of| of.content.iter()).collect(),
            _ => Vec::new(),
        };
        for block in blocks {
            text.push_str(&block_text(block));
            text.push('\n');
        }
    }
    text.replace('\\', "")
        .replace("%20", " ")
        .replace("%2F", "/")
        .replace("~1", "/")
}

/// Reads a block. An image shows its words, whether they are drawn or anywhere in its bytes.
fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Image { data, .. } => {
            let bytes = STANDARD.decode(data).unwrap_or_default();
            let drawn = documents::picture_text(&bytes).unwrap_or_default();
            format!("{drawn}\n{}", String::from_utf8_lossy(&bytes))
        }
        block => block.as_text().unwrap_or_default().to_owned(),
    }
}

fn last_result(messages: &[Message]) -> String {
    let last = messages
        .iter()
        .rev()
        .find(|message| matches!(message, Message::Tool { .. }));
    let text = last.map_or_else(String::new, |last| read(std::slice::from_ref(last)));
    // The model wraps nothing itself: what encloses a result is not repeated.
    let lines = text.lines().filter(|line| line.contains(OPENING));
    lines.collect::<Vec<_>>().join("\n")
}

fn find_notes(text: &str) -> Option<String> {
    let at = text.find(NOTES_BEGIN)?;
    let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    Some(text[at..].chars().take_while(is_word).collect())
}
