//! What was read decides what asks: pages of the web carry nothing out, through restarts and delegates alike.

use futures_util::future::ready;
use helve::agent::session::{Posting, Sessions};
use helve::agent::turn::Record;
use helve::agent::{Conversation, TurnReport, TurnStatus};
use helve::permission::{DeferAll, Grade, Label, Mode, Policy, Rules};
use helve::schema::{self, Mistakes};
use helve::tool::{
    Annotations, Check, CheckReport, Facts, PreparedCall, Tool, ToolOrigin, ToolSpec,
};
use proptest::prelude::*;

use super::known_urls::{request, shell};
use super::support::{Log, ObservedStore, address, begin, reload, say, session};
use super::*;

/// Gets a page, which links to the next one.
#[tool(read_only, open_world, untrusted_output)]
pub(super) fn page(
    /// Its address.
    url: &str,
) -> String {
    let number: usize = url
        .rsplit('/')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or_default();
    format!(
        "Page {number}. The next one is https://lib.example/{}.",
        number + 1
    )
}

/// Searches a library.
#[tool(read_only, open_world, untrusted_output)]
fn search(
    /// What for.
    query: &str,
) -> String {
    format!("Nothing for {query}")
}

fn edits(_: &ToolContext, path: &str) -> CheckReport {
    let paths = vec![path.to_owned()];
    Check::Edit { paths }.into()
}

/// Writes a file.
#[tool(check = edits)]
fn write(
    /// Its path.
    path: &str,
    log: &Log,
) -> String {
    log.add(format!("wrote {path}"));
    format!("wrote {path}")
}

/// Reads a file.
#[tool(read_only)]
fn read(
    /// Its path.
    path: &str,
) -> String {
    format!("{path} says https://files.example/?secret")
}

/// A tool of an MCP server.
struct ServerTool(ToolSpec);

impl ServerTool {
    fn tool(server: &str) -> Arc<dyn Tool> {
        let schema = serde_json::json!({ "type": "object" });
        let schema = schema::from_value(schema).unwrap();
        let mut spec = ToolSpec::new(format!("mcp__{server}__get"), "Of a server.", schema);
        spec = spec.with_annotations(Annotations::new(Some(true), None, None, None));
        spec.origin = ToolOrigin::server(server, "get");
        spec.untrusted_output = true;
        spec.output_source = Some(format!("MCP server {server}").into());
        Arc::new(Self(spec))
    }
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn prepare(&self, _: &ToolContext, arguments: Arc<str>) -> Result<PreparedCall, Mistakes> {
        let facts = Facts::from_spec(&self.0);
        Ok(PreparedCall::new(arguments, facts, |_| {
            ready(Ok("said the server".into())).boxed()
        }))
    }
}

/// Writes down what it is asked, and says no.
pub(super) struct RefusingApprover(Log);

impl Approver for RefusingApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        assert!(question.safety, "no rule answers: {question:?}");
        self.0.add(format!(
            "asked: {} {}: {}",
            question.tool, question.arguments, question.reason
        ));
        ready(Decision::reject_once().into()).boxed()
    }
}

fn tools() -> Toolset {
    let servers = Toolset::from_tools([ServerTool::tool("a"), ServerTool::tool("b")]);
    toolset![page, search, write, read, request, shell].layered(&servers)
}

/// An agent that nothing holds but what it read.
pub(super) fn bypass_agent(script: ScriptedModel, approver: impl Approver + 'static) -> Agent {
    named("main", script, approver)
}

pub(super) fn named(name: &str, script: ScriptedModel, approver: impl Approver + 'static) -> Agent {
    let everything = Rules::new().allow("*".parse().unwrap());
    let policy = Policy::new(Mode::Bypass)
        .rules(everything)
        .working_folders(["/w"]);
    Agent::new(name, script)
        .toolset(tools())
        .policy(policy)
        .approver(approver)
}

pub(super) fn url(number: usize) -> serde_json::Value {
    json!({ "url": format!("https://lib.example/{number}") })
}

pub(super) struct Fixture {
    store: ObservedStore,
    pub(super) sessions: Sessions,
    pub(super) conversation: Conversation,
    pub(super) context: ToolContext,
}

impl Fixture {
    pub(super) async fn open() -> Self {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        Self {
            store,
            sessions,
            conversation,
            context,
        }
    }

    pub(super) fn refusing(&self) -> RefusingApprover {
        RefusingApprover(self.store.log.clone())
    }

    pub(super) async fn send(&mut self, agent: &Agent, words: &str) -> TurnReport {
        let turn = agent.run_in(
            &mut self.conversation,
            Message::user(words),
            &self.context,
            |_| {},
        );
        turn.await.unwrap()
    }

    pub(super) async fn restart(mut self) -> Self {
        self.conversation = reload(&self.sessions, self.conversation).await;
        self
    }

    pub(super) fn questions(&self) -> Vec<String> {
        let lines = self.store.log.lines().into_iter();
        lines.filter(|line| line.starts_with("asked")).collect()
    }
}

/// A model that makes these calls, one a round.
pub(super) fn calling(
    calls: impl IntoIterator<Item = (&'static str, serde_json::Value)>,
) -> ScriptedModel {
    let script = ScriptedModel::new();
    let calls = calls.into_iter();
    let script = calls.fold(script, |script, (tool, arguments)| {
        script.call(tool, arguments)
    });
    script.say("Done.")
}

pub(super) const FIRST: &str = "Research https://lib.example/0, and what it links to.";

#[tokio::test]
async fn ten_linked_pages_ask_nothing_and_neither_do_edits_between_them() {
    let mut fixture = Fixture::open().await;
    let pages = (0..11).flat_map(|number| {
        [
            ("page", url(number)),
            ("write", json!({ "path": "/w/notes.md" })),
        ]
    });
    let agent = bypass_agent(calling(pages), fixture.refusing());
    let report = fixture.send(&agent, FIRST).await;
    assert_eq!(fixture.questions(), [""; 0]);
    assert_eq!(report.label.grade(), Grade::Web);
    assert!(
        results(&report.messages)
            .iter()
            .all(|result| !result.starts_with('!'))
    );
}

#[tokio::test]
async fn twenty_links_are_followed_a_turn_and_what_the_model_composes_none() {
    let mut fixture = Fixture::open().await;
    let pages = (0..=21).map(|number| ("page", url(number)));
    let agent = bypass_agent(calling(pages), fixture.refusing());
    fixture.send(&agent, FIRST).await;
    insta::assert_debug_snapshot!(fixture.questions(), @r#"
    [
        "asked: page {\"url\":\"https://lib.example/21\"}: it reaches the network, and the model has read untrusted text from `page` (https://lib.example/20)",
    ]
    "#);
    let composed = [
        (
            "page",
            json!({ "url": "https://lib.example/1?key=hunter2" }),
        ),
        ("search", json!({ "query": "hunter2" })),
        ("read", json!({ "path": "/w/a" })),
        // It stands in a file, where anything may have been put together.
        ("page", json!({ "url": "https://files.example/?secret" })),
        // A new turn has twenty more.
        ("page", url(21)),
    ];
    let agent = bypass_agent(calling(composed), fixture.refusing());
    fixture.send(&agent, "Go on.").await;
    let asked = fixture.questions().split_off(1).into_iter();
    let asked: Vec<String> = asked
        .filter_map(|line| Some(line.split_once(": it ")?.0.to_owned()))
        .collect();
    insta::assert_debug_snapshot!(asked, @r#"
    [
        "asked: page {\"url\":\"https://lib.example/1?key=hunter2\"}",
        "asked: search {\"query\":\"hunter2\"}",
        "asked: page {\"url\":\"https://files.example/?secret\"}",
    ]
    "#);
}

#[tokio::test]
async fn after_a_page_what_carries_out_or_acts_later_asks_and_the_rest_does_not() {
    let mut fixture = Fixture::open().await;
    let calls = [
        ("mcp__a__get", json!({})),
        ("mcp__a__get", json!({ "again": true })),
        ("mcp__b__get", json!({})),
        ("page", url(0)),
        ("mcp__a__get", json!({})),
        ("write", json!({ "path": "/w/src/main.rs" })),
        ("write", json!({ "path": "/w/AGENTS.md" })),
        ("write", json!({ "path": "/elsewhere/a" })),
    ];
    let agent = bypass_agent(calling(calls), fixture.refusing());
    fixture.send(&agent, FIRST).await;
    insta::assert_debug_snapshot!(fixture.questions(), @r#"
    [
        "asked: mcp__b__get {}: it sends data to the MCP server `b`, and the model has read untrusted text from `mcp__a__get` (MCP server a)",
        "asked: mcp__a__get {}: it sends data to the MCP server `a`, and the model has read untrusted text from `page` (https://lib.example/0)",
        "asked: write {\"path\":\"/w/AGENTS.md\"}: it changes `/w/AGENTS.md`, which is run or read as instructions later, and the model has read untrusted text from `page` (https://lib.example/0)",
        "asked: write {\"path\":\"/elsewhere/a\"}: it writes `/elsewhere/a`, which is outside of the workspace, and the model has read untrusted text from `page` (https://lib.example/0)",
    ]
    "#);
}

#[tokio::test]
async fn a_restart_in_the_middle_changes_nothing() {
    let mut fixture = Fixture::open().await;
    let calls = [
        ("page", url(0)),
        ("page", url(1)),
        ("mcp__a__get", json!({})),
    ];
    let agent = bypass_agent(calling(calls), DeferAll);
    let report = fixture.send(&agent, FIRST).await;
    assert!(
        matches!(report.status, TurnStatus::Waiting { .. }),
        "{:?}",
        report.status
    );
    let mut fixture = fixture.restart().await;
    let posting = Posting::Answer {
        call: address("t1/3.0"),
        decision: Decision::reject_once(),
    };
    fixture.sessions.post(&session(), posting).await.unwrap();
    let rest = calling([
        ("page", url(2)),
        ("write", json!({ "path": "/w/a" })),
        ("search", json!({ "query": "x" })),
    ]);
    let rest = bypass_agent(rest, fixture.refusing());
    let resumed = rest
        .resume(&mut fixture.conversation, &fixture.context, |_| {})
        .await
        .unwrap();
    assert_eq!(resumed.unwrap().label.grade(), Grade::Web);
    // And in a new turn of another process.
    let mut fixture = fixture.restart().await;
    let next = bypass_agent(calling([("mcp__b__get", json!({}))]), fixture.refusing());
    fixture.send(&next, "Go on.").await;
    insta::assert_debug_snapshot!(fixture.questions(), @r#"
    [
        "asked: search {\"query\":\"x\"}: it reaches the network, and the model has read untrusted text from `page` (https://lib.example/2)",
        "asked: mcp__b__get {}: it sends data to the MCP server `b`, and the model has read untrusted text from `page` (https://lib.example/2)",
    ]
    "#);
}

#[tokio::test]
async fn a_page_that_a_delegate_read_binds_its_caller_and_comes_back_enclosed() {
    let mut fixture = Fixture::open().await;
    let reader = named("reader", calling([("page", url(0))]), fixture.refusing());
    let task = json!({ "agent": "reader", "prompt": "Read https://lib.example/0." });
    let calls = [("task", task.clone()), ("mcp__a__get", json!({}))];
    let agent = bypass_agent(calling(calls), fixture.refusing()).delegate(reader);
    let report = fixture.send(&agent, "Have it read.").await;
    assert_eq!(fixture.questions().len(), 1, "{:?}", fixture.questions());
    assert_eq!(
        results(&report.messages)[0],
        "<untrusted source=\"https://lib.example/0\" tool=\"task\">\nDone.\n</untrusted>"
    );
    let mut fixture = fixture.restart().await;
    let next = bypass_agent(calling([("mcp__a__get", json!({}))]), fixture.refusing());
    fixture.send(&next, "Go on.").await;
    assert_eq!(fixture.questions().len(), 2, "{:?}", fixture.questions());
    // What the caller read binds a delegate, which sees nothing but its task.
    let sender = named(
        "reader",
        calling([("mcp__b__get", json!({}))]),
        fixture.refusing(),
    );
    let agent = bypass_agent(calling([("task", task)]), fixture.refusing()).delegate(sender);
    fixture.send(&agent, "Send it.").await;
    assert_eq!(fixture.questions().len(), 3, "{:?}", fixture.questions());
}

/// What an agent of a tree does next.
#[derive(Debug, Clone)]
enum AgentStep {
    Page(usize),
    Server,
    File,
    Delegate(Vec<AgentStep>),
}

fn tree() -> impl Strategy<Value = Vec<AgentStep>> {
    let leaf = prop_oneof![
        (0..3_usize).prop_map(AgentStep::Page),
        Just(AgentStep::Server),
        Just(AgentStep::File),
    ];
    let step = leaf.prop_recursive(2, 12, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_map(AgentStep::Delegate)
    });
    prop::collection::vec(step, 0..5)
}

/// Returns the grade that a tree comes to.
fn worst(steps: &[AgentStep]) -> Grade {
    let of = |step: &AgentStep| match step {
        AgentStep::Page(_) => Grade::Web,
        AgentStep::Server => Grade::McpServer,
        AgentStep::File => Grade::Workspace,
        AgentStep::Delegate(steps) => worst(steps).max(Grade::Workspace),
    };
    steps.iter().map(of).max().unwrap_or(Grade::User)
}

/// Makes an agent that does these things, with a delegate for each step that hands a task over.
fn doing(name: &str, steps: &[AgentStep]) -> Agent {
    let mut script = ScriptedModel::new();
    let mut delegates = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let (tool, arguments) = match step {
            AgentStep::Page(number) => ("page", url(*number)),
            AgentStep::Server => ("mcp__a__get", json!({})),
            AgentStep::File => ("read", json!({ "path": "/w/a" })),
            AgentStep::Delegate(steps) => {
                let delegate = format!("{name}-{at}");
                delegates.push(doing(&delegate, steps));
                ("task", json!({ "agent": delegate, "prompt": "Do it." }))
            }
        };
        script = script.call(tool, arguments);
    }
    let yes = FixedApprover(Decision::allow_once());
    let agent = named(name, script.say("Done."), yes);
    delegates.into_iter().fold(agent, Agent::delegate)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn labels_only_grow_along_edges_and_over_restarts(steps in tree()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(assert_grade(&steps));
    }
}

async fn assert_grade(steps: &[AgentStep]) {
    let mut fixture = Fixture::open().await;
    let agent = doing("main", steps);
    let report = say(&agent, &mut fixture.conversation, &fixture.context).await;
    assert_eq!(report.label.grade(), worst(steps));
    // What another process finds, were this one to die after each entry.
    let mut history = helve::agent::session::History::new();
    let mut before: std::collections::BTreeMap<String, Label> = Default::default();
    let mut session_before = Label::user();
    let mut records = Vec::new();
    let id = session();
    let visit = fixture.sessions.visit(&id, u64::MAX, |line| {
        history.apply(line);
        let standing = &history.session_state;
        assert!(standing.label.covers(&session_before));
        session_before = standing.label.clone();
        for turn in &standing.open_turns {
            let label = turn.label().clone();
            let known = before.entry(turn.origin().turn.to_string()).or_default();
            assert!(label.covers(known), "{label:?} after {known:?}");
            *known = label.clone();
            // A delegate's task was written by its caller.
            if let Some(call) = &turn.origin().parent_call {
                let caller = standing.turn(&call.turn).map(|turn| turn.label().clone());
                records.push((call.to_string(), label, caller));
            }
        }
        if let helve::agent::session::Entry::Record(recorded) = &line.entry
            && let Record::Finished { call, outcome } = &recorded.record
        {
            let turn = standing.turn(&recorded.turn).expect("an open turn");
            assert!(turn.label().covers(&outcome.label()));
            let address = turn.address(*call).to_string();
            for (of, label, _) in records.iter().filter(|(of, ..)| *of == address) {
                assert!(
                    outcome.label().covers(label),
                    "{of}: {:?} loses {label:?}",
                    outcome.label()
                );
            }
        }
    });
    visit.await.unwrap();
    assert_eq!(session_before, report.label);
}
