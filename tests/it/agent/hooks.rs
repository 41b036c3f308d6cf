//! Hooks: the order of the chain, what leaves the inside out, and what goes wrong in them.

use helve::agent::session::{Posting, Sessions};
use helve::agent::{CallSite, Hook, ModelSite, Next, ToolHook, TurnReport};
use helve::model::{Reply, StopReason};
use helve::permission::Verdict;
use helve::tool::ToolResult;
use helve::transcript::{AssistantMessage, MessagePart, Origin};

use super::support::{
    Log, ObservedStore, address, assert_valid, begin, reload, resume, say, session,
};
use super::*;

/// Says when something goes in and when it comes out.
#[derive(Clone)]
struct LoggingHook(&'static str, Log);

impl LoggingHook {
    async fn around<T>(&self, what: &str, inside: impl Future<Output = T>) -> T {
        self.1.add(format!("{} > {what}", self.0));
        let result = inside.await;
        self.1.add(format!("{} < {what}", self.0));
        result
    }
}

impl Hook for LoggingHook {
    fn reply<'a>(
        &'a self,
        _origin: &'a Origin,
        conversation: Vec<Message>,
        next: Next<'a, Vec<Message>, TurnReport>,
    ) -> BoxFuture<'a, TurnReport> {
        self.around("reply", next.run(conversation)).boxed()
    }

    fn system_prompt<'a>(
        &'a self,
        _origin: &'a Origin,
        prompt: String,
        next: Next<'a, String, String>,
    ) -> BoxFuture<'a, String> {
        let prompt = format!("{prompt}{}", self.0);
        self.around("system prompt", next.run(prompt)).boxed()
    }

    fn model_call<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        self.around("model call", next.run(request)).boxed()
    }

    fn compaction<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        self.around("compaction", next.run(request)).boxed()
    }

    fn permission<'a>(
        &'a self,
        _site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        self.around("permission", next.run(())).boxed()
    }

    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        self.around(&site.call.name, next.run(context)).boxed()
    }
}

#[tokio::test]
async fn the_first_hook_is_the_outermost_at_every_point() {
    let log = Log::default();
    let usage = helve::transcript::Usage::new(900, 200);
    let long = [
        ModelEvent::ToolCallStart {
            id: "c".into(),
            name: "add".into(),
        },
        ModelEvent::ToolCallDelta {
            id: "c".into(),
            arguments: r#"{"a":1,"b":1}"#.into(),
        },
        ModelEvent::Usage(usage),
        ModelEvent::Stop {
            reason: StopReason::ToolUse,
        },
    ];
    let script = ScriptedModel::new()
        .reply_with(long)
        .say("A sum was wanted.")
        .say("Two.");
    let agent = Agent::new("main", script)
        .toolset(toolset![add])
        .context_window(1_000)
        .hook(LoggingHook("outer", log.clone()))
        .hook(ToolHook::new("add", LoggingHook("on add", log.clone())))
        .hook(ToolHook::new(
            "delete",
            LoggingHook("on delete", log.clone()),
        ));
    let sessions = Sessions::new(ObservedStore::default());
    let report = say(&agent, &mut begin(&sessions).await, &ToolContext::new()).await;
    assert_eq!(report.text(), "Two.");
    insta::assert_snapshot!(log.lines().join("\n"), @"
    outer > reply
    outer > system prompt
    outer < system prompt
    outer > model call
    outer < model call
    outer > permission
    on add > permission
    on add < permission
    outer < permission
    outer > add
    on add > add
    on add < add
    outer < add
    outer > compaction
    outer > model call
    outer < model call
    outer < compaction
    outer > model call
    outer < model call
    outer < reply
    ");
}

/// Answers in the place of what is inside.
struct ReplacingHook;

impl Hook for ReplacingHook {
    fn model_call<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        if site.round == 1 {
            return next.run(request);
        }
        let text = "Said by a hook.".to_owned();
        let message = AssistantMessage::new(vec![MessagePart::Text { text }]);
        let (stop, usage) = (StopReason::EndTurn, helve::transcript::Usage::default());
        std::future::ready(Ok(Reply {
            message,
            stop,
            usage,
        }))
        .boxed()
    }

    fn permission<'a>(
        &'a self,
        _site: &'a CallSite,
        _next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        std::future::ready(Verdict::Allow).boxed()
    }

    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        _context: ToolContext,
        _next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        let output = ToolOutput::plain("done by a hook".to_owned());
        std::future::ready(Ok(output)).boxed()
    }
}

#[tokio::test]
async fn a_hook_can_answer_in_the_place_of_what_is_inside() {
    let script = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("never said");
    let agent = Agent::new("main", script)
        .toolset(tools())
        .hook(ReplacingHook);
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(results(&report.messages), ["done by a hook"]);
    assert_eq!(report.text(), "Said by a hook.");
}

/// Says what the model is sent.
struct RequestLogModel(ScriptedModel, Log);

impl Model for RequestLogModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let said = request.messages.iter().map(|message| match message {
            Message::User { content } => content[0].as_text().unwrap_or_default().to_owned(),
            Message::Assistant(reply) if reply.text().is_empty() => "a call".to_owned(),
            Message::Assistant(reply) => reply.text(),
            Message::Tool { .. } => "a result".to_owned(),
            _ => "something else".to_owned(),
        });
        self.1.add(said.collect::<Vec<_>>().join(", "));
        self.0.reply(request)
    }
}

/// Withholds words of the user, and ends the turn where nothing would be left. At first it may never come to a decision.
#[derive(Clone)]
struct RedactingHook {
    begun: Arc<Notify>,
    is_stuck: bool,
}

impl RedactingHook {
    fn new(is_stuck: bool) -> Self {
        let begun = Arc::default();
        Self { begun, is_stuck }
    }
}

impl Hook for RedactingHook {
    fn reply<'a>(
        &'a self,
        _origin: &'a Origin,
        mut conversation: Vec<Message>,
        next: Next<'a, Vec<Message>, TurnReport>,
    ) -> BoxFuture<'a, TurnReport> {
        async move {
            if self.is_stuck {
                self.begun.notify_one();
                std::future::pending::<()>().await;
            }
            let Some(Message::User { content }) = conversation.pop() else {
                panic!("the user's words come last");
            };
            let said = content[0].as_text().unwrap_or_default();
            if said == "hunter2" {
                conversation.push(Message::user("[withheld]"));
                return TurnReport::ended(EndReason::Refused, conversation);
            }
            conversation.push(Message::user(said.replace("hunter2", "[withheld]")));
            next.run(conversation).await
        }
        .boxed()
    }

    fn model_call<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        async move {
            let mut reply = next.run(request).await?;
            for part in &mut reply.message.content {
                if let MessagePart::Text { text } = part {
                    *text = text.replace("hunter2", "[withheld]");
                }
            }
            Ok(reply)
        }
        .boxed()
    }
}

#[tokio::test]
async fn what_a_hook_changed_before_a_crash_is_changed_after_it() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let (context, log) = (ToolContext::new(), Log::default());
    let agent = |script: ScriptedModel| {
        Agent::new("main", RequestLogModel(script, log.clone()))
            .toolset(tools())
            .hook(RedactingHook::new(false))
            .approver(helve::permission::DeferAll)
    };
    let delete = || json!({ "path": "a" });
    let first = agent(ScriptedModel::new().call("delete", delete()));
    let prompt = Message::user("The key is hunter2.");
    let report = first.run_in(&mut conversation, prompt, &context, |_| {});
    assert!(report.await.unwrap().end().is_none());
    let allow = Posting::answer(address("t1/1.0"), Decision::allow_once());
    sessions.post(&session(), allow).await.unwrap();
    let mut conversation = reload(&sessions, conversation).await;
    let rest = agent(ScriptedModel::new().say("You said hunter2."));
    let report = resume(&rest, &mut conversation, &context).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    // What the model says is changed before it is written down.
    assert_eq!(report.text(), "You said [withheld].");
    insta::assert_debug_snapshot!(log.lines(), @r#"
    [
        "The key is [withheld].",
        "The key is [withheld]., a call, a result",
    ]
    "#);
    let conversation = reload(&sessions, conversation).await;
    let Some(Message::Assistant(last)) = conversation.messages().last() else {
        panic!("the reply comes last");
    };
    assert_eq!(last.text(), "You said [withheld].");
}

#[tokio::test]
async fn a_turn_that_a_hook_keeps_out_is_over_before_a_crash_and_after_it() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let (context, log) = (ToolContext::new(), Log::default());
    let agent = |hook: &RedactingHook| {
        let script = ScriptedModel::new().say("You said hunter2.");
        Agent::new("main", RequestLogModel(script, log.clone())).hook(hook.clone())
    };
    let deciding = RedactingHook::new(false);
    let prompt = || Message::user("hunter2");
    let report = agent(&deciding)
        .run_in(&mut conversation, prompt(), &context, |_| {})
        .await;
    assert_eq!(report.unwrap().end(), Some(EndReason::Refused));
    assert!(conversation.open_turn().is_none());
    // The process dies before the hook has decided.
    let stuck = RedactingHook::new(true);
    let main = agent(&stuck);
    let mut turn = Box::pin(main.run_in(&mut conversation, prompt(), &context, |_| {}));
    tokio::select! {
        biased;
        _ = &mut turn => panic!("it never ends"),
        () = stuck.begun.notified() => {}
    }
    drop(turn);
    let mut conversation = reload(&sessions, conversation).await;
    assert!(conversation.open_turn().is_some());
    let report = resume(&agent(&deciding), &mut conversation, &context).await;
    assert_eq!(report.end(), Some(EndReason::Refused));
    assert!(conversation.open_turn().is_none());
    assert_eq!(log.lines(), [""; 0], "the model is never asked");
    let conversation = reload(&sessions, conversation).await;
    assert!(conversation.open_turn().is_none());
    assert_valid(&sessions, conversation.messages()).await;
}

/// Breaks in one place.
struct PanickingHook(&'static str);

impl PanickingHook {
    fn at(&self, place: &str) {
        assert!(self.0 != place, "broken");
    }
}

impl Hook for PanickingHook {
    fn model_call<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        self.at("model call");
        next.run(request)
    }

    fn permission<'a>(
        &'a self,
        _site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        self.at("permission");
        next.run(())
    }

    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        self.at("tool call");
        next.run(context)
    }
}

#[tokio::test]
async fn a_hook_that_panics_costs_what_it_stands_around_and_no_more() {
    let broken = async |place| {
        let script = ScriptedModel::new()
            .call("add", json!({ "a": 1, "b": 1 }))
            .say("So be it.");
        let agent = Agent::new("main", script)
            .toolset(tools())
            .hook(PanickingHook(place));
        agent
            .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
            .await
    };
    for place in ["permission", "tool call"] {
        let report = broken(place).await;
        assert_eq!(
            results(&report.messages),
            ["!a hook panicked: broken"],
            "{place}"
        );
        assert_eq!(report.text(), "So be it.");
    }
    let report = broken("model call").await;
    assert_eq!(report.end(), Some(EndReason::ModelFailed));
    assert!(
        report
            .error
            .unwrap()
            .contains("the model or a hook panicked: broken")
    );
}

/// Waits for ever, before what it stands around or after.
struct BlockingHook {
    before: bool,
    begun: Arc<Notify>,
}

impl BlockingHook {
    async fn stick<T>(&self, inside: impl Future<Output = T>) -> T {
        let inside = match self.before {
            true => None,
            false => Some(inside.await),
        };
        self.begun.notify_one();
        std::future::pending::<()>().await;
        inside.expect("never")
    }
}

impl Hook for BlockingHook {
    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        self.stick(next.run(context)).boxed()
    }

    fn model_call<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        match site.round {
            1 => next.run(request),
            _ => self.stick(next.run(request)).boxed(),
        }
    }
}

#[tokio::test]
async fn a_hook_that_waits_is_waited_for_until_the_turn_is_interrupted() {
    for (before, tool) in [(true, "add"), (false, "add"), (true, "ad"), (false, "ad")] {
        let begun = Arc::new(Notify::new());
        let script = ScriptedModel::new()
            .call(tool, json!({ "a": 1, "b": 1 }))
            .say("Well.");
        let agent = Agent::new("main", script).toolset(tools());
        let agent = agent.hook(BlockingHook {
            before,
            begun: begun.clone(),
        });
        let context = ToolContext::new();
        let interrupt = async {
            begun.notified().await;
            context.cancellation().cancel();
        };
        let turn = agent.run(vec![Message::user("go")], &context, |_| {});
        let (report, ()) = tokio::join!(turn, interrupt);
        assert_eq!(report.end(), Some(EndReason::Interrupted));
        assert_eq!(results(&report.messages).len(), 1);
        assert_eq!(
            helve::transcript::sanitize(report.messages.clone()),
            report.messages
        );
    }
}
