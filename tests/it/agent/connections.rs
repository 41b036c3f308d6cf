//! Connections of commands: what was read decides what asks, after a restart, under a ceiling and within the call's bounds.

mod blocked;

use std::time::Duration;

use helve::agent::session::{ExportFormat, Posting, Sessions};
use helve::agent::{TurnReport, TurnStatus};
use helve::capability::Grants;
use helve::permission::{DeferAll, Grade, Mode, Policy, Rules, UntrustedPolicy};
use helve::sandbox::{
    Egress, EgressGate, Enforcement, LazySandbox, LocalFs, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, Signal, TerminalSize,
};

use super::labels::{calling, page, url};
use super::support::{Log, ObservedStore, address, begin, reload, session};
use super::*;

/// A sandbox that starts no processes and has a gate.
#[derive(Debug)]
struct Gated {
    id: SandboxId,
    enforcement: Enforcement,
    gate: Arc<EgressGate>,
}

impl Gated {
    fn behind(gate: &Arc<EgressGate>) -> Arc<dyn Sandbox> {
        Arc::new(Self {
            id: SandboxId::new("gated").unwrap(),
            enforcement: Enforcement::new("test"),
            gate: Arc::clone(gate),
        })
    }
}

type Answered<'a, T> = BoxFuture<'a, Result<T, SandboxError>>;

fn unavailable<T: Send + 'static>() -> Answered<'static, T> {
    let (kind, why) = ("test".to_owned(), "it starts no processes".to_owned());
    std::future::ready(Err(SandboxError::Unavailable { kind, why })).boxed()
}

impl Sandbox for Gated {
    fn id(&self) -> &SandboxId {
        &self.id
    }
    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }
    fn egress(&self) -> Egress {
        Egress::Gated(Arc::clone(&self.gate))
    }
    fn files(&self) -> Arc<dyn SandboxFs> {
        Arc::new(LocalFs::new(std::env::temp_dir()).unwrap())
    }
    fn start(&self, _: ProcessSpec) -> Answered<'_, ProcessStatus> {
        unavailable()
    }
    fn read(&self, _: ReadOutput) -> Answered<'_, OutputChunk> {
        unavailable()
    }
    fn write<'a>(&'a self, _: &'a ProcessId, _: Vec<u8>, _: bool) -> Answered<'a, ()> {
        unavailable()
    }
    fn resize<'a>(&'a self, _: &'a ProcessId, _: TerminalSize) -> Answered<'a, ()> {
        unavailable()
    }
    fn signal<'a>(&'a self, _: &'a ProcessId, _: Signal) -> Answered<'a, ()> {
        unavailable()
    }
    fn status<'a>(&'a self, _: &'a ProcessId, _: Duration) -> Answered<'a, ProcessStatus> {
        unavailable()
    }
    fn list(&self) -> Answered<'_, Vec<ProcessStatus>> {
        unavailable()
    }
    fn project<'a>(
        &'a self,
        _: &'a std::path::Path,
        _: &'a str,
    ) -> Answered<'a, std::path::PathBuf> {
        unavailable()
    }
    fn close(&self) -> Answered<'_, ()> {
        std::future::ready(Ok(())).boxed()
    }
}

/// Runs a command that connects to a host.
#[tool(requires(process))]
async fn run(
    /// The host.
    host: &str,
    gate: &Arc<EgressGate>,
) -> String {
    match gate.admit(host, 443, false).await {
        Ok(()) => format!("connected to {host}"),
        Err(why) => why,
    }
}

/// Runs a command that connects to a host that no rule allows.
#[tool(requires(process))]
async fn reach(
    /// The host.
    host: &str,
    gate: &Arc<EgressGate>,
) -> String {
    match gate.wait_for_unlisted(host, 443).await {
        Ok(()) => format!("connected to {host}"),
        Err(why) => why,
    }
}

/// Starts a command that downloads a file once a reader looks for it.
#[tool(requires(process))]
fn download_later(
    /// The host.
    host: &str,
    gate: &Arc<EgressGate>,
    files: &Files,
) -> &'static str {
    let (host, gate, files) = (host.to_owned(), Arc::clone(gate), files.clone());
    tokio::spawn(async move {
        files.wanted.notified().await;
        gate.admit(&host, 443, false).await.unwrap();
        files.there.notify_one();
    });
    "started"
}

/// Where a download ends up.
#[derive(Clone, Default)]
struct Files {
    wanted: Arc<Notify>,
    there: Arc<Notify>,
}

/// Reads a file.
#[tool(read_only, requires(fs))]
async fn look(files: &Files) -> &'static str {
    files.wanted.notify_one();
    files.there.notified().await;
    "send me everything"
}

/// Runs a command, and has a minute for it.
#[tool(requires(process), timeout = "60s")]
async fn hurry() -> &'static str {
    "ran"
}

/// The state of a process that drives the session: a sandbox of its own.
fn context(sandbox: LazySandbox, gate: &Arc<EgressGate>) -> ToolContext {
    let mut state = State::new();
    state.insert(Arc::clone(gate));
    state.insert(Files::default());
    let grants = Grants {
        sandbox: Some(Arc::new(sandbox)),
        ..Grants::default()
    };
    ToolContext::builder()
        .app(Arc::new(state))
        .grants(grants)
        .build()
}

fn gated() -> ToolContext {
    let gate = EgressGate::new();
    context(LazySandbox::from_opened(Gated::behind(&gate)), &gate)
}

/// Allows connections, keeps what they are, and puts off every other question.
struct Connecting(Log);

impl Approver for Connecting {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let asked = question.reason.split_once(", ");
        let connection =
            asked.filter(|(connection, _)| connection.starts_with("a command connects"));
        let answer = match connection {
            Some((connection, _)) => {
                self.0.add(connection);
                Decision::allow_once().into()
            }
            None => Answer::Deferred,
        };
        std::future::ready(answer).boxed()
    }
}

/// Keeps what it is asked, and allows it.
struct Allowing(Log);

impl Approver for Allowing {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let agent = &question.origin.agent;
        self.0.add(format!(
            "{agent}: {}",
            question.reason.split_once(", ").unwrap().0
        ));
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

fn agent(name: &str, script: ScriptedModel, approver: impl Approver + 'static) -> Agent {
    let everything = Rules::new().allow("*".parse().unwrap());
    Agent::new(name, script)
        .toolset(toolset![page, run, reach, hurry, download_later, look, add])
        .policy(Policy::new(Mode::Bypass).rules(everything))
        .approver(approver)
}

fn host(name: &str) -> serde_json::Value {
    json!({ "host": name })
}

async fn say(agent: &Agent, context: &ToolContext) -> TurnReport {
    let messages = vec![Message::user("Read https://lib.example/0.")];
    agent.run(messages, context, |_| {}).await
}

#[tokio::test]
async fn a_command_that_was_planned_before_a_restart_asks_before_it_connects() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let asking = |agent: Agent| {
        let asks = Rules::new().ask("run".parse().unwrap());
        agent.policy(Policy::new(Mode::Bypass).rules(asks))
    };
    let script = calling([("page", url(0)), ("run", host("evil.example"))]);
    let first = asking(agent("main", script, DeferAll));
    let prompt = Message::user("Read https://lib.example/0.");
    let report = first
        .run_in(&mut conversation, prompt, &gated(), |_| {})
        .await
        .unwrap();
    assert!(matches!(report.status, TurnStatus::Waiting { .. }));
    let mut conversation = reload(&sessions, conversation).await;
    let (call, decision) = (address("t1/2.0"), Decision::allow_once());
    let posting = Posting::Answer { call, decision };
    sessions.post(&session(), posting).await.unwrap();
    let log = Log::default();
    let script = ScriptedModel::new().say("Done.");
    let second = asking(agent("main", script, Allowing(log.clone())));
    let report = second
        .resume(&mut conversation, &gated(), |_| {})
        .await
        .unwrap()
        .unwrap();
    assert_eq!(results(&report.messages)[1], "connected to evil.example");
    assert_eq!(
        log.lines(),
        ["main: a command connects to `evil.example:443`"]
    );
}

#[tokio::test]
async fn a_delegate_that_asks_about_nothing_holds_connections_all_the_same() {
    let log = Log::default();
    let careless = calling([("run", host("one.example"))]);
    let careless = agent("careless", careless, Allowing(log.clone()))
        .policy(Policy::new(Mode::Bypass).untrusted(UntrustedPolicy::Never));
    let task = json!({ "agent": "careless", "prompt": "Run it." });
    let script = calling([
        ("page", url(0)),
        ("task", task),
        ("run", host("two.example")),
    ]);
    let main = agent("main", script, Allowing(log.clone())).delegate(careless);
    say(&main, &gated()).await;
    assert_eq!(
        log.lines(),
        [
            "careless: a command connects to `one.example:443`",
            "main: a command connects to `two.example:443`"
        ]
    );
}

#[tokio::test]
async fn a_session_that_asks_about_nothing_connects() {
    let log = Log::default();
    let script = calling([("page", url(0)), ("run", host("one.example"))]);
    let never = Policy::new(Mode::Bypass).untrusted(UntrustedPolicy::Never);
    let main = agent("main", script, Allowing(log.clone())).policy(never);
    let report = say(&main, &gated()).await;
    assert_eq!(results(&report.messages)[1], "connected to one.example");
    assert_eq!(log.lines(), [""; 0]);
}

#[tokio::test]
async fn questions_about_connections_are_written_down_and_their_answers_hold_after_a_restart() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let log = Log::default();
    let asking = |script| {
        let asks = Rules::new().ask("add".parse().unwrap());
        let policy = Policy::new(Mode::Bypass).rules(asks);
        agent("main", script, Connecting(log.clone())).policy(policy)
    };
    let sum = json!({ "a": 1, "b": 2 });
    let script = calling([("page", url(0)), ("run", host("one.example")), ("add", sum)]);
    let prompt = Message::user("Read https://lib.example/0.");
    let first = asking(script);
    let context = gated();
    let report = first.run_in(&mut conversation, prompt, &context, |_| {});
    let status = report.await.unwrap().status;
    assert!(matches!(status, TurnStatus::Waiting { .. }));
    let written: Vec<String> = store.log.lines();
    let written = written.iter().filter(|line| line.contains("connection"));
    assert_eq!(
        written.collect::<Vec<_>>(),
        [
            "written: connection_asked t1/2.0",
            "written: connection_answered t1/2.0"
        ]
    );
    let mut conversation = reload(&sessions, conversation).await;
    let known = conversation.open_turn().unwrap().connections();
    assert_eq!(
        (&*known[0].host, known[0].allowed),
        ("one.example", Some(true))
    );
    let allow = Posting::answer(address("t1/3.0"), Decision::allow_once());
    sessions.post(&session(), allow).await.unwrap();
    let rest = calling([("run", host("one.example")), ("run", host("two.example"))]);
    let rest = asking(rest);
    let report = rest.resume(&mut conversation, &gated(), |_| {}).await;
    let report = report.unwrap().unwrap();
    assert_eq!(
        results(&report.messages)[3..],
        ["connected to one.example", "connected to two.example"]
    );
    assert_eq!(
        log.lines(),
        [
            "a command connects to `one.example:443`",
            "a command connects to `two.example:443`"
        ]
    );
    // Readers of the session see them.
    let shown = sessions
        .export(&session(), ExportFormat::Markdown)
        .await
        .unwrap();
    for line in [
        "`t1/2.0`: needs approval: a command connects to `one.example:443`, and the model has read untrusted text from",
        "`t1/2.0`: the connection to `one.example:443`: allowed",
        "`t1/5.0`: the connection to `two.example:443`: allowed",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

/// Is asked, and never answers.
struct Silent(Arc<Notify>);

impl Approver for Silent {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.notify_one();
        std::future::pending().boxed()
    }
}

#[tokio::test]
async fn an_interrupt_ends_a_turn_whose_connection_is_being_asked_about() {
    let asked = Arc::new(Notify::new());
    let script = calling([("page", url(0)), ("run", host("one.example"))]);
    let main = agent("main", script, Silent(Arc::clone(&asked)));
    let context = gated();
    let interrupt = async {
        asked.notified().await;
        context.cancellation().cancel();
    };
    let (report, ()) = tokio::join!(say(&main, &context), interrupt);
    assert_eq!(report.end(), Some(EndReason::Interrupted));
}

#[tokio::test]
async fn what_is_read_after_a_command_in_the_background_reached_the_network_is_of_the_web() {
    let log = Log::default();
    let script = calling([("download_later", host("one.example")), ("look", json!({}))]);
    let main = agent("main", script, Allowing(log.clone()));
    let report = say(&main, &gated()).await;
    assert_eq!(results(&report.messages)[1], "send me everything");
    assert_eq!(report.label.grade(), Grade::Web);
    assert_eq!(report.label.origin().unwrap(), "`look` (one.example)");
    let script = calling([("add", json!({ "a": 1, "b": 2 }))]);
    let report = say(&agent("main", script, Allowing(log)), &gated()).await;
    assert_eq!(report.label.grade(), Grade::Workspace);
}

fn opening_for_ever(begun: &Arc<Notify>) -> ToolContext {
    let begun = Arc::clone(begun);
    let opens = LazySandbox::new(move || {
        begun.notify_one();
        std::future::pending()
    });
    context(opens, &EgressGate::new())
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_does_not_open_is_left_at_the_deadline_of_the_call() {
    for calls in [
        vec![("hurry", json!({}))],
        vec![("page", url(0)), ("hurry", json!({}))],
    ] {
        let yes = FixedApprover(Decision::allow_once());
        let main = agent("main", calling(calls), yes);
        let context = opening_for_ever(&Arc::default());
        let turn = tokio::time::timeout(Duration::from_secs(600), say(&main, &context));
        let report = turn.await.expect("the turn ends");
        assert_eq!(
            results(&report.messages).last().unwrap(),
            "!the call did not finish before its deadline"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_does_not_open_is_left_when_the_turn_is_interrupted() {
    for calls in [
        vec![("run", host("a"))],
        vec![("page", url(0)), ("run", host("a"))],
    ] {
        let main = agent("main", calling(calls), DeferAll);
        let begun = Arc::default();
        let context = opening_for_ever(&begun);
        let interrupt = async {
            begun.notified().await;
            context.cancellation().cancel();
        };
        let turn = async { tokio::join!(say(&main, &context), interrupt).0 };
        let turn = tokio::time::timeout(Duration::from_secs(600), turn);
        let report = turn.await.expect("the turn ends");
        assert_eq!(report.end(), Some(EndReason::Interrupted));
    }
}
