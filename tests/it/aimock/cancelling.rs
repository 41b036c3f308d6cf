//! Turns that are cancelled, and what is left of them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt as _};
use helve::State;
use helve::agent::turn::EndReason;
use helve::agent::{Agent, AgentEvent, EventKind};
use helve::model::Providers;
use helve::permission::{Answer, Approver, Decision, Question};
use helve::prelude::*;
use helve::transcript::Message;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::aimock::server::{DEADLINE, Peer, Server};

/// How long a cancelled turn may take to end.
const AT_ONCE: Duration = Duration::from_millis(100);

/// How often it is measured: this machine has other things to do, too.
const TIMES: usize = 5;

/// A child process that has begun.
#[derive(Default)]
struct Begun {
    notify: Notify,
    process: Mutex<Option<u32>>,
}

/// Runs a program that takes its time.
#[tool(destructive)]
async fn run(begun: &Begun) -> Result<String, std::io::Error> {
    let mut program = tokio::process::Command::new("sleep");
    let mut child = program.arg("1000").kill_on_drop(true).spawn()?;
    *begun.process.lock().unwrap() = child.id();
    begun.notify.notify_one();
    Ok(child.wait().await?.to_string())
}

/// Allows everything.
struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

/// Runs a turn, cancels it as soon as `begun` tells, and returns how long it took to end then.
async fn cancel(agent: &Agent, prompt: &str, begun: &Arc<Begun>) -> Duration {
    let mut state = State::new();
    state.insert_arc(begun.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let tells = begun.clone();
    let listener = move |event: AgentEvent| {
        if matches!(event.kind, EventKind::MessageDelta { .. }) {
            tells.notify.notify_one();
        }
    };
    let turn = agent.run(vec![Message::user(prompt)], &context, listener);
    let cancelling = async {
        begun.notify.notified().await;
        context.cancellation().cancel();
        Instant::now()
    };
    let (report, cancelled) = tokio::join!(turn, cancelling);
    let took = cancelled.elapsed();
    assert_eq!(report.end(), Some(EndReason::Interrupted), "{report:?}");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test]
async fn a_reply_that_streams_is_cancelled_at_once() {
    let Some(server) = Server::start("cancelling a reply").await else {
        return;
    };
    let measure = async |peer: Peer<'_>| {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let agent = Agent::new("main", peer.model("mock/model", &[]));
            // A piece comes every 200 ms, and the first one tells.
            times.push(cancel(&agent, "Count without end.", &Arc::default()).await);
        }
        (peer.api, median(times))
    };
    for (api, took) in server.for_each(measure).await {
        println!("{api}: a reply was cancelled within {took:?}");
        assert!(took < AT_ONCE, "{api}: {took:?}");
    }
}

/// Begins a reply, and returns when the client has hung up.
async fn begin_and_wait(listener: TcpListener) -> Instant {
    const BEGINNING: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"One, \"}}]}\n\n";
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 1 << 16];
    let _ = stream.read(&mut request).await.unwrap();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(BEGINNING.as_bytes()).await.unwrap();
    while matches!(stream.read(&mut request).await, Ok(1..)) {}
    Instant::now()
}

/// The mock server does not tell when a client hangs up, so this one is our own; the transport is that of all three.
#[tokio::test]
async fn the_provider_of_a_cancelled_reply_is_hung_up_on_at_once() {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let providers = Providers::new()
            .environment(|_| None)
            .base_url("vllm", base);
        let model = providers.model(&"vllm/model".parse().unwrap()).unwrap();
        let agent = Agent::new("main", model);
        let begun = Arc::default();
        let turn = async {
            let took = cancel(&agent, "Count without end.", &begun).await;
            Instant::now().checked_sub(took).unwrap()
        };
        let both = async { tokio::join!(turn, begin_and_wait(listener)) };
        let both = tokio::time::timeout(DEADLINE, both).await;
        let (cancelled, hung_up) = both.expect("the client hangs up");
        times.push(hung_up.saturating_duration_since(cancelled));
    }
    let took = median(times);
    println!("a provider was hung up on within {took:?}");
    assert!(took < AT_ONCE, "{took:?}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "it looks into /proc")]
#[tokio::test]
async fn a_tool_is_cancelled_at_once_and_leaves_no_child_behind() {
    let Some(server) = Server::start("cancelling a tool").await else {
        return;
    };
    let measure = async |peer: Peer<'_>| {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let agent = Agent::new("main", peer.model("mock/model", &[]));
            let agent = agent.toolset(toolset![run]).approver(Yes);
            let begun = Arc::new(Begun::default());
            times.push(cancel(&agent, "Please run something.", &begun).await);
            let process = begun.process.lock().unwrap().take();
            let gone = tokio::time::timeout(DEADLINE, gone(process.expect("a child")));
            gone.await.expect("the child is gone");
        }
        (peer.api, median(times))
    };
    for (api, took) in server.for_each(measure).await {
        println!("{api}: a tool was cancelled within {took:?}");
        assert!(took < AT_ONCE, "{api}: {took:?}");
    }
}

/// Waits until there is no such process; one that is dead and still has to be taken off the list is none.
async fn gone(process: u32) {
    while let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) {
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
        if state.starts_with('Z') {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
