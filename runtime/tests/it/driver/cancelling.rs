//! A turn that is interrupted stops whatever it is at, within a tenth of a second.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use helve::State;
use helve::agent::turn::EndReason;
use helve::agent::{Agent, CallSite, Hook, Next, TurnReport};
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, ScriptedModel};
use helve::prelude::*;
use helve::transcript::Message;
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What a test looks at: that something has begun, and that it is gone.
#[derive(Default)]
struct Watch {
    begun: Notify,
    dropped: AtomicBool,
    process: AtomicU32,
}

/// Tells when it is dropped.
struct Guard<'w>(&'w Watch);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::SeqCst);
    }
}

/// Never ends, and never looks whether it should.
#[tool]
async fn deaf(watch: &Watch) {
    let _guard = Guard(watch);
    watch.begun.notify_one();
    std::future::pending().await
}

/// A process that ends with whoever owns it.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for a process.
#[tool]
async fn process(watch: &Watch) -> std::io::Result<String> {
    let mut command = Command::new("sleep");
    let child = command.arg("60").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = Owned(child.spawn()?);
    watch.process.store(child.0.id(), Ordering::SeqCst);
    watch.begun.notify_one();
    loop {
        if let Some(status) = child.0.try_wait()? {
            return Ok(status.to_string());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Begins a reply and says no more.
struct Silent(Arc<Watch>);

impl Model for Silent {
    fn reply<'a>(&'a self, _: &'a ModelRequest) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let guard = Guard(&self.0);
        let first = futures_util::stream::iter([Ok(ModelEvent::TextDelta {
            text: "Well".into(),
        })]);
        let silence = futures_util::stream::poll_fn(move |_| {
            guard.0.begun.notify_one();
            std::task::Poll::Pending
        });
        first.chain(silence).boxed()
    }
}

/// Waits in front of a call.
struct Slow(Arc<Watch>);

impl Hook for Slow {
    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        async move {
            let _guard = Guard(&self.0);
            self.0.begun.notify_one();
            std::future::pending::<()>().await;
            next.run(context).await
        }
        .boxed()
    }
}

/// Interrupts a turn once something has begun, and says how long it took to end.
async fn interrupted(agent: Agent, watch: &Arc<Watch>) -> TurnReport {
    let mut state = State::new();
    state.insert_arc(watch.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let interrupt = async {
        watch.begun.notified().await;
        let at = Instant::now();
        context.cancellation().cancel();
        at
    };
    let turn = agent.run(vec![Message::user("go")], &context, |_| {});
    let (report, at) = tokio::join!(turn, interrupt);
    let took = at.elapsed();
    assert!(took < Duration::from_millis(100), "it took {took:?}");
    assert_eq!(report.end(), Some(EndReason::Interrupted));
    report
}

fn calling(tool: &str) -> Agent {
    let allow = helve::permission::Policy::new(helve::permission::Mode::Bypass);
    Agent::new("main", ScriptedModel::new().call(tool, json!({})))
        .toolset(toolset![deaf, process])
        .policy(allow)
}

fn result(report: &TurnReport) -> String {
    let results = report.messages.iter().find_map(|message| match message {
        Message::Tool { content } => content[0].content[0].as_text(),
        _ => None,
    });
    results.unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_model_in_the_middle_of_a_reply() {
    let watch = Arc::new(Watch::default());
    let report = interrupted(Agent::new("main", Silent(watch.clone())), &watch).await;
    assert!(
        watch.dropped.load(Ordering::SeqCst),
        "the stream is dropped"
    );
    assert_eq!(report.text(), "Well");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_look() {
    let watch = Arc::new(Watch::default());
    let report = interrupted(calling("deaf"), &watch).await;
    assert!(watch.dropped.load(Ordering::SeqCst), "the tool is dropped");
    insta::assert_snapshot!(result(&report), @"the call was cancelled; it may have taken effect: check before you repeat it");
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_waits() {
    let watch = Arc::new(Watch::default());
    let report = interrupted(calling("deaf").hook(Slow(watch.clone())), &watch).await;
    assert!(watch.dropped.load(Ordering::SeqCst), "the hook is dropped");
    insta::assert_snapshot!(result(&report), @"the call was cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_delegate_at_work() {
    let watch = Arc::new(Watch::default());
    let helper = Agent::new("helper", Silent(watch.clone())).description("helps");
    let task = json!({ "agent": "helper", "prompt": "help" });
    let allow = helve::permission::Policy::new(helve::permission::Mode::Bypass);
    let agent = Agent::new("main", ScriptedModel::new().call("task", task))
        .delegate(helper)
        .policy(allow);
    interrupted(agent, &watch).await;
    assert!(
        watch.dropped.load(Ordering::SeqCst),
        "the delegate's stream is dropped"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_a_tool_owns() {
    let watch = Arc::new(Watch::default());
    interrupted(calling("process"), &watch).await;
    let process = watch.process.load(Ordering::SeqCst);
    assert_ne!(process, 0);
    let gone = !std::path::Path::new(&format!("/proc/{process}")).exists();
    assert!(gone, "no orphan is left");
}
