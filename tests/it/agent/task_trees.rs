//! Trees of agents at random: what each is given, what all use, and where a journal may end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::stream::{self, StreamExt};
use helve::agent::Conversation;
use helve::agent::session::{
    Entry, History, MemoryStore, SessionStore, Sessions, TimestampedEntry,
};
use helve::agent::turn::{CallState, Record, Turn};
use helve::model::StopReason;
use helve::permission::{Label, Mode, Policy};
use helve::transcript::{CallId, TurnId, Usage};
use proptest::prelude::*;

use super::labels::page;
use super::support::{Log, begin, resume, say, session};
use super::*;

/// Marks a key once; what it is called with does not matter.
#[tool(destructive)]
fn stamp(cx: &ToolContext, log: &Log) -> &'static str {
    log.add(cx.idempotency_key().unwrap());
    "stamped"
}

/// A model that knows what to say from what was said, so that another process goes on with it.
#[derive(Clone)]
struct Planned {
    rounds: Arc<Vec<Vec<(String, serde_json::Value)>>>,
    replies: Arc<AtomicU32>,
}

impl Model for Planned {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        self.replies.fetch_add(1, Ordering::Relaxed);
        let is_reply = |message: &&Message| matches!(message, Message::Assistant(_));
        let round = request.messages.iter().filter(is_reply).count();
        let mut events = Vec::new();
        match self.rounds.get(round) {
            Some(calls) => {
                for (index, (tool, arguments)) in calls.iter().enumerate() {
                    let id = CallId::from(format!("c{round}.{index}"));
                    let name = tool.as_str().into();
                    events.push(ModelEvent::ToolCallStart {
                        id: id.clone(),
                        name,
                    });
                    let arguments = arguments.to_string();
                    events.push(ModelEvent::ToolCallDelta { id, arguments });
                }
                let reason = StopReason::ToolUse;
                events.push(ModelEvent::Stop { reason });
            }
            None => {
                let text = format!("Done after {round}.");
                events.push(ModelEvent::TextDelta { text });
                let reason = StopReason::EndTurn;
                events.push(ModelEvent::Stop { reason });
            }
        }
        events.insert(0, ModelEvent::Usage(Usage::new(7, 3)));
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}

/// An agent of a tree: what it does first, and who works for it then.
#[derive(Debug, Clone)]
struct Node {
    tools: Vec<bool>,
    below: Vec<Node>,
    /// Whether the first of those works twice.
    again: bool,
    bounds: Bounds,
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let few = |most: u32| proptest::option::weighted(0.3, 0..most);
    let tokens = proptest::option::weighted(0.3, 1..200_u64);
    (1..16_u32, few(8), tokens, few(5), 0..4_u32, 1..4_u32).prop_map(
        |(calls, tool_calls, tokens, delegates, depth, parallel)| {
            let bounds = Bounds::new(calls).tool_calls(tool_calls).tokens(tokens);
            bounds.delegates(delegates).depth(depth).parallel(parallel)
        },
    )
}

fn tree() -> impl Strategy<Value = Node> {
    let node = |below: BoxedStrategy<Vec<Node>>| {
        let tools = prop::collection::vec(any::<bool>(), 0..3);
        (tools, below, any::<bool>(), bounds()).prop_map(|(tools, below, again, bounds)| Node {
            tools,
            below,
            again,
            bounds,
        })
    };
    let leaf = node(Just(Vec::new()).boxed());
    leaf.prop_recursive(4, 20, 3, move |inner| {
        node(prop::collection::vec(inner, 0..4).boxed())
    })
}

impl Node {
    fn agent(&self, name: &str, replies: &Arc<AtomicU32>) -> Agent {
        let mut first = Vec::new();
        for is_page in &self.tools {
            let url = json!({ "url": "https://lib.example/1" });
            first.push(match is_page {
                true => ("page".to_owned(), url),
                false => ("add".to_owned(), json!({ "a": 1, "b": 2 })),
            });
        }
        let child = |at: usize| format!("{name}{at}");
        let task = |at: usize| {
            let task = json!({ "agent": child(at), "prompt": "Go.", "label": child(at) });
            ("task".to_owned(), task)
        };
        let all = (0..self.below.len()).map(task).collect();
        let again = self
            .again
            .then(|| (0..self.below.len().min(1)).map(task).collect());
        let rounds = [first, all].into_iter().chain(again);
        let model = Planned {
            rounds: Arc::new(rounds.filter(|round| !round.is_empty()).collect()),
            replies: Arc::clone(replies),
        };
        let agent = Agent::new(name, model)
            .toolset(toolset![add, page])
            .policy(Policy::new(Mode::Bypass))
            .bounds(self.bounds.clone());
        let below = self.below.iter().enumerate();
        below.fold(agent, |agent, (at, node)| {
            agent.delegate(node.agent(&child(at), replies))
        })
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

/// Checks that a turn has given no more than it had.
fn check_grants(turn: &Turn, open: &[Turn]) {
    let works = |child: &&Turn| {
        let call = child.origin().parent_call.as_ref();
        call.is_some_and(|call| {
            call.turn == turn.origin().turn && turn.state(call.call) == Some(CallState::Running)
        })
    };
    let (bounds, totals) = (turn.bounds(), turn.totals());
    let given = || open.iter().filter(works).map(Turn::bounds);
    let model_calls: u32 = given().map(|bounds| bounds.model_calls).sum();
    assert!(totals.model_calls + model_calls <= bounds.model_calls);
    if let Some(most) = bounds.delegates {
        let delegates: u32 = given().map(|bounds| bounds.delegates.unwrap()).sum();
        assert!(totals.delegates + delegates <= most);
    }
    for child in given() {
        assert!(
            child.model_calls > 0 && child.tokens != Some(0),
            "nothing is refused"
        );
        assert!(
            bounds.tokens.is_none() || child.tokens.is_some(),
            "never unlimited"
        );
        assert!(bounds.tool_calls.is_none() || child.tool_calls.is_some());
        assert!(child.depth < bounds.depth || bounds.depth == 0);
    }
}

async fn check_tree(root: &Node) {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let replies = Arc::default();
    let agent = root.agent("a", &replies);
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert!(report.end().is_some());
    assert_eq!(report.totals.model_calls, replies.load(Ordering::Relaxed));
    assert_eq!(
        report.totals.tokens(),
        u64::from(report.totals.model_calls) * 10
    );
    let (mut history, mut delegates) = (History::new(), 0);
    let mut labels: BTreeMap<TurnId, Label> = BTreeMap::new();
    let id = session();
    let visit = sessions.visit(&id, u64::MAX, |line| {
        let before = history.clone();
        history.apply(line);
        let state = &history.session_state;
        for turn in &state.open_turns {
            assert!(!turn.next().is_empty());
            check_grants(turn, &state.open_turns);
        }
        match &line.entry {
            Entry::TurnStarted(started) => {
                if let Some(call) = &started.parent_call {
                    delegates += 1;
                    assert!(started.turn.matches('/').count() <= root.bounds.depth as usize);
                    let caller = state.turn(&call.turn).unwrap();
                    let begun = state.turn(&started.turn).unwrap();
                    assert!(begun.label().covers(caller.label()));
                    labels.insert(started.turn.clone(), started.label.clone());
                    let most = caller.bounds().tokens;
                    assert!(most.is_none_or(|most| started.bounds.tokens.unwrap() <= most));
                }
            }
            Entry::Record(recorded) => {
                if let Record::Finished { call, outcome } = &recorded.record {
                    let turn = state.turn(&recorded.turn).unwrap();
                    let child = TurnId::from(turn.address(*call).to_string());
                    if let Some(label) = labels.get(&child) {
                        assert!(outcome.label().covers(label));
                        let child = before.session_state.turn(&child).unwrap();
                        assert_eq!(outcome.used, *child.totals());
                    }
                    assert!(turn.label().covers(&outcome.label()));
                }
            }
            _ => {}
        }
    });
    visit.await.unwrap();
    if root.bounds.delegates.is_some() {
        assert_eq!(report.totals.delegates, delegates);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_tree_of_agents_gives_more_than_it_has_and_all_that_is_used_counts_once(root in tree()) {
        block_on(check_tree(&root));
    }
}

/// An agent whose two delegates work side by side, each with a call that may not run twice.
fn stamping(log: &Log) -> (Agent, ToolContext) {
    let planned = |rounds: &[&[(&str, serde_json::Value)]]| {
        let round = |calls: &&[(&str, serde_json::Value)]| {
            let calls = calls.iter();
            calls
                .map(|(tool, arguments)| ((*tool).to_owned(), arguments.clone()))
                .collect()
        };
        Planned {
            rounds: Arc::new(rounds.iter().map(round).collect()),
            replies: Arc::default(),
        }
    };
    let helper = |name: &str, a: i64| {
        let sum = json!({ "a": a, "b": 1 });
        let model = planned(&[&[("add", sum)], &[("stamp", json!({}))]]);
        Agent::new(name, model).toolset(toolset![add, stamp])
    };
    let task = |agent: &str| json!({ "agent": agent, "prompt": "Stamp it." });
    let both = [("task", task("left")), ("task", task("right"))];
    let main = Agent::new("main", planned(&[&both]))
        .approver(FixedApprover(Decision::allow_once()))
        .delegate(helper("left", 1))
        .delegate(helper("right", 2));
    (main, helve::testing::context_with(log.clone()))
}

/// What a journal says was asked of models and of tools, by the keys of the calls.
fn done(entries: &[TimestampedEntry]) -> BTreeSet<String> {
    let record = |(_, entry): &TimestampedEntry| match entry {
        Entry::Record(recorded) => {
            let is_done = matches!(
                recorded.record,
                Record::ModelDone { .. } | Record::Planned { .. }
            );
            let keys = recorded.keys.join(" ");
            is_done.then(|| format!("{} {keys}", recorded.record.name()))
        }
        _ => None,
    };
    entries.iter().filter_map(record).collect()
}

async fn entries(sessions: &Sessions) -> Vec<TimestampedEntry> {
    let mut entries = Vec::new();
    let id = session();
    let visit = sessions.visit(&id, u64::MAX, |line| {
        entries.push((line.at, line.entry.clone()));
    });
    visit.await.unwrap();
    entries
}

#[tokio::test]
async fn a_process_that_dies_after_any_record_of_two_tasks_leaves_the_same_to_do() {
    let sessions = Sessions::new(MemoryStore::new());
    let (agent, context) = stamping(&Log::default());
    say(&agent, &mut begin(&sessions).await, &context).await;
    let whole = entries(&sessions).await;
    let expected = done(&whole);
    assert_eq!(expected.len(), 8 + 6);
    let begun = |entry: &TimestampedEntry| matches!(entry.1, Entry::TurnStarted(_));
    let first = whole.iter().position(begun).unwrap() + 1;
    for end in first..whole.len() {
        let store = MemoryStore::new();
        let writer = store.create(&session(), whole[..end].to_vec()).await;
        drop(writer.unwrap());
        let sessions = Sessions::new(store);
        let mut conversation = Conversation::from(sessions.load(&session()).await.unwrap());
        let log = Log::default();
        let (agent, context) = stamping(&log);
        let report = resume(&agent, &mut conversation, &context).await;
        assert_eq!(report.end(), Some(EndReason::Finished), "after {end}");
        let all = entries(&sessions).await;
        assert_eq!(done(&all), expected, "after {end}");
        // What had been started was not started again.
        let started = whole[..end].iter().filter_map(|(_, entry)| match entry {
            Entry::Record(recorded) => match &recorded.record {
                Record::Started { .. } => Some(recorded.keys.clone()),
                _ => None,
            },
            _ => None,
        });
        let started: BTreeSet<String> = started.flatten().map(|key| format!("s/{key}")).collect();
        let again: Vec<_> = log
            .lines()
            .into_iter()
            .filter(|key| started.contains(key))
            .collect();
        assert!(again.is_empty(), "after {end}: {again:?}");
        assert_eq!(report.totals.model_calls, 8, "after {end}");
    }
}
