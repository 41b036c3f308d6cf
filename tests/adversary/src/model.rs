//! The model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream::{self, BoxStream, StreamExt as _};
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, OfferedTool, StopReason};
use helve::transcript::Message;

use crate::compose::ArgumentComposer;
use crate::web::{PLAIN, STOLEN};
use crate::{Rng, Targets, Theme};

/// The most calls of one reply.
const MAX_CALLS_PER_REPLY: usize = 4;

/// The tools whose results are text of others.
const WEB_TOOLS: [&str; 5] = [
    "web_fetch",
    "web_search",
    "http_request",
    "github_",
    "view_image",
];

/// A model that calls the tools that it is offered, whatever it is told.
#[derive(Debug)]
pub struct HostileModel {
    targets: Arc<Targets>,
    theme: Theme,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    rng: Rng,
    /// How many calls are left.
    calls_left: usize,
    calls_made: usize,
    /// Makes the words of this model differ from those of others.
    nonce: usize,
}

impl HostileModel {
    /// Makes a model that makes so many calls, and then says that it is done.
    #[must_use]
    pub fn new(rng: Rng, targets: Arc<Targets>, theme: Theme, calls: usize) -> Self {
        let nonce = rng.clone().below(1_000_000_000);
        let state = State {
            rng,
            calls_left: calls,
            calls_made: 0,
            nonce,
        };
        Self {
            targets,
            theme,
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compose(&self, request: &ModelRequest) -> Vec<ModelEvent> {
        let tools = &request.tools;
        let prefix = if has_read_others(&request.messages) {
            STOLEN
        } else {
            PLAIN
        };
        let mut state = self.lock();
        let state = &mut *state;
        let count = (1 + state.rng.below(MAX_CALLS_PER_REPLY)).min(state.calls_left);
        if count == 0 || tools.is_empty() {
            let text = "Done.".to_owned();
            let reason = StopReason::EndTurn;
            return vec![ModelEvent::TextDelta { text }, ModelEvent::Stop { reason }];
        }
        state.calls_left -= count;
        let mut events = Vec::new();
        for _ in 0..count {
            state.calls_made += 1;
            let id = format!("c{}", state.calls_made);
            let word = format!("{prefix}{}-{}", state.nonce, state.calls_made);
            let tool = pick(&mut state.rng, tools, self.theme);
            let mut composer = ArgumentComposer {
                rng: &mut state.rng,
                targets: &self.targets,
                theme: self.theme,
                tool: &tool.name,
                likes_background: &*tool.name == "task",
                word: &word,
            };
            let arguments = composer.compose(tool.input_schema.value()).to_string();
            events.push(ModelEvent::ToolCallStart {
                id: id.as_str().into(),
                name: tool.name.clone(),
            });
            events.push(ModelEvent::ToolCallDelta {
                id: id.into(),
                arguments,
            });
        }
        let reason = StopReason::ToolUse;
        events.push(ModelEvent::Stop { reason });
        events
    }
}

/// Reports whether a page or an answer of the network is in a conversation. The output of commands is enclosed, too, and
/// is as trustworthy as the files of the user.
fn has_read_others(messages: &[Message]) -> bool {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    let mut blocks = results.flatten().flat_map(|result| result.content.iter());
    let is_page = |text: &str| {
        text.starts_with("<untrusted source=")
            && WEB_TOOLS
                .iter()
                .any(|tool| text.contains(&format!(" tool=\"{tool}")))
    };
    blocks.any(|block| block.as_text().is_some_and(is_page))
}

/// Picks a tool by the weights of a theme.
fn pick<'t>(rng: &mut Rng, tools: &'t [OfferedTool], theme: Theme) -> &'t OfferedTool {
    let weight = |tool: &OfferedTool| theme.weight(&tool.name);
    let mut at = rng.below(tools.iter().map(weight).sum());
    for tool in tools {
        match at.checked_sub(weight(tool)) {
            Some(rest) => at = rest,
            None => return tool,
        }
    }
    &tools[0]
}

impl Model for HostileModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let events = self.compose(request);
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}
