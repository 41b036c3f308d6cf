//! Random conversations, summed up at random places, by a model that does it well, badly or not at all.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use helve::agent::Agent;
use helve::model::{Model, ModelError, ModelEvent, ModelRequest};
use helve::transcript::{ContentBlock, Message, MessagePart};
use proptest::prelude::*;
use serde_json::json;

use crate::context::{Place, calling, say, saying};

/// What happens in one round.
#[derive(Debug, Clone)]
enum Round {
    /// A tool is called, and so many tokens are said to be used.
    Call(&'static str, u64),
    /// The model asks for a summary.
    Compress(u64),
}

/// What comes of a summary.
#[derive(Debug, Clone, Copy)]
enum Summary {
    Good,
    Empty,
    Long,
    Failed,
}

#[derive(Debug, Clone)]
struct Said {
    rounds: Vec<Round>,
    /// Whether another process goes on behind it.
    reloads: bool,
}

/// A model that says what it is told to, and looks at every request.
struct Watching {
    replies: Mutex<VecDeque<Vec<ModelEvent>>>,
    summaries: Mutex<VecDeque<Summary>>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    prefix: Option<String>,
    /// What the user said last.
    says: String,
    summaries: usize,
    wrong: Vec<String>,
}

impl Model for Watching {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let mut seen = self.seen.lock().unwrap();
        seen.check_pairs(&request.messages);
        // A request for a summary has no tools, and asks for it in the end.
        if request.tools.is_empty() {
            seen.summaries += 1;
            let summary = self.summaries.lock().unwrap().pop_front();
            return stream::iter(summed_up(summary.unwrap_or(Summary::Good))).boxed();
        }
        seen.check(request);
        let reply = self.replies.lock().unwrap().pop_front();
        let reply = reply.unwrap_or_else(|| saying("Done.", 100));
        stream::iter(reply.into_iter().map(Ok)).boxed()
    }
}

fn summed_up(summary: Summary) -> Vec<Result<ModelEvent, ModelError>> {
    let said = |text: &str| saying(text, 100).into_iter().map(Ok).collect();
    match summary {
        Summary::Good => said("In short."),
        Summary::Empty => said(" "),
        Summary::Long => said(&"word ".repeat(20_000)),
        Summary::Failed => vec![Err(ModelError::provider("down"))],
    }
}

impl Seen {
    fn check(&mut self, request: &ModelRequest) {
        let tools: Vec<_> = request
            .tools
            .iter()
            .filter(|tool| tool.name != "compress_history")
            .map(|tool| json!([tool.name, &*tool.description, tool.input_schema.value()]))
            .collect();
        let prefix = json!([request.system.as_deref(), tools]).to_string();
        if *self.prefix.get_or_insert_with(|| prefix.clone()) != prefix {
            self.wrong.push(format!("another prefix: {prefix}"));
        }
        let last = request
            .messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::User { content } => content.last().and_then(ContentBlock::as_text),
                _ => None,
            });
        if last != Some(self.says.as_str()) {
            self.wrong
                .push(format!("the user said {:?}, not {last:?}", self.says));
        }
    }

    /// Each call has its result right behind it, and no result stands alone.
    fn check_pairs(&mut self, messages: &[Message]) {
        for (at, message) in messages.iter().enumerate() {
            let next = messages.get(at + 1);
            let is_sound = match message {
                Message::Assistant(reply) => {
                    let calls: Vec<_> = reply.calls().map(|call| &call.id).collect();
                    calls.is_empty()
                        || matches!(next, Some(Message::Tool { content })
                            if content.iter().map(|result| &result.call_id).eq(calls))
                }
                Message::Tool { .. } => matches!(
                    at.checked_sub(1).map(|before| &messages[before]),
                    Some(Message::Assistant(reply)) if reply.content.iter().any(|part| matches!(part, MessagePart::ToolCall(_)))
                ),
                _ => true,
            };
            if !is_sound {
                self.wrong.push(format!("torn at {at}: {messages:?}"));
            }
        }
        if !matches!(messages.first(), Some(Message::User { .. })) {
            self.wrong.push("the user does not begin".to_owned());
        }
    }
}

fn round() -> impl Strategy<Value = Round> {
    let tokens = prop_oneof![3 => 100_u64..4_000, 1 => 5_000_u64..7_900, 1 => 8_000_u64..12_000];
    let tool = prop::sample::select(vec!["look", "change", "fetch"]);
    prop_oneof![
        6 => (tool, tokens.clone()).prop_map(|(tool, tokens)| Round::Call(tool, tokens)),
        1 => tokens.prop_map(Round::Compress),
    ]
}

fn said() -> impl Strategy<Value = Said> {
    let rounds = prop::collection::vec(round(), 0..12);
    (rounds, any::<bool>()).prop_map(|(rounds, reloads)| Said { rounds, reloads })
}

fn summaries() -> impl Strategy<Value = Vec<Summary>> {
    let summary = prop_oneof![
        3 => Just(Summary::Good),
        1 => Just(Summary::Empty),
        1 => Just(Summary::Long),
        1 => Just(Summary::Failed),
    ];
    prop::collection::vec(summary, 0..12)
}

/// `HELVE_SOAK` multiplies the conversations.
fn cases() -> u32 {
    let soak = std::env::var("HELVE_SOAK").ok();
    let soak = soak.and_then(|text| text.parse().ok());
    64 * soak.unwrap_or(1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pairs_stay_whole_and_the_user_is_heard(conversation in prop::collection::vec(said(), 1..5), summaries in summaries()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(conversation, summaries))?;
    }
}

async fn check(all: Vec<Said>, summaries: Vec<Summary>) -> Result<(), TestCaseError> {
    let model = Arc::new(Watching {
        replies: Mutex::default(),
        summaries: Mutex::new(summaries.into()),
        seen: Mutex::default(),
    });
    let agent = Agent::with_model("main", model.clone())
        .instructions("You help.")
        .toolset(crate::context::toolset())
        .context_window(10_000);
    let place = Place::new();
    let mut conversation = place.begin().await;
    for (number, said) in all.into_iter().enumerate() {
        let says = format!("Wish {number}.");
        model.seen.lock().unwrap().says.clone_from(&says);
        let replies = said.rounds.iter().enumerate();
        let replies = replies.map(|(at, round)| reply(round, &format!("c{number}.{at}")));
        *model.replies.lock().unwrap() = replies.collect();
        let report = say(&agent, &mut conversation, &says).await;
        prop_assert_eq!(report.text(), "Done.");
        let live = conversation.messages().to_vec();
        if said.reloads {
            conversation = place.reload(conversation).await;
            prop_assert_eq!(conversation.messages(), live);
        }
    }
    let seen = model.seen.lock().unwrap();
    prop_assert!(seen.wrong.is_empty(), "{:#?}", seen.wrong);
    Ok(())
}

fn reply(round: &Round, id: &str) -> Vec<ModelEvent> {
    match round {
        Round::Call("fetch", tokens) => calling("fetch", id, &json!({ "url": id }), *tokens),
        Round::Call(tool, tokens) => calling(tool, id, &json!({ "path": id }), *tokens),
        // Another note each time: the same call over and over ends a turn.
        Round::Compress(tokens) => calling("compress_history", id, &json!({ "keep": id }), *tokens),
    }
}
