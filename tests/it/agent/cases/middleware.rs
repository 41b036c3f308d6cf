//! Hooks of an agent, where other projects have middleware.

use helve::agent::{CallSite, Hook, ModelSite, Next};
use helve::model::{Reply, StopReason};
use helve::permission::Verdict;
use helve::tool::ToolResult;
use helve::transcript::{AssistantMessage, MessagePart, Origin, Usage};

use super::super::support::Log;
use super::*;

type NextReply<'a> = Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>;

/// Changes what the model is sent and says: the first hook does it on the outside.
struct ShoutingHook(&'static str);

impl Hook for ShoutingHook {
    fn system_prompt<'a>(
        &'a self,
        _origin: &'a Origin,
        prompt: String,
        next: Next<'a, String, String>,
    ) -> BoxFuture<'a, String> {
        async move { next.run(format!("{prompt}[{}]", self.0)).await }.boxed()
    }

    fn model_call<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: NextReply<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        async move {
            let mut request = ModelRequest::clone(&request);
            request
                .messages
                .push(Message::user(format!("({})", self.0)));
            let mut reply = next.run(Arc::new(request)).await?;
            for part in &mut reply.message.content {
                if let MessagePart::Text { text } = part {
                    text.push_str(self.0);
                }
            }
            Ok(reply)
        }
        .boxed()
    }
}

/// Has no opinion on anything.
struct SilentHook;

impl Hook for SilentHook {}

fn sent(request: &ModelRequest) -> Vec<String> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::User { content } => Some(content[0].as_text()?.to_owned()),
        _ => None,
    });
    texts.collect()
}

async fn run(agent: &Agent) -> helve::agent::TurnReport {
    let prompt = vec![Message::user("go")];
    agent.run(prompt, &ToolContext::new(), |_| {}).await
}

#[tokio::test]
async fn a_hook_changes_what_the_model_is_sent_and_says() {
    let model = Arc::new(ScriptedModel::new().say("Hi"));
    let agent = Agent::with_model("main", model.clone()).hook(ShoutingHook("!"));
    assert_eq!(run(&agent).await.text(), "Hi!");
    assert_eq!(sent(&model.requests()[0]), ["go", "(!)"]);
}

#[tokio::test]
async fn an_inner_hook_passes_on_what_an_outer_one_changed() {
    let model = Arc::new(ScriptedModel::new().say("Hi"));
    let agent = Agent::with_model("main", model.clone())
        .hook(ShoutingHook("!"))
        .hook(SilentHook)
        .hook(ShoutingHook("?"));
    assert_eq!(run(&agent).await.text(), "Hi?!");
    assert_eq!(sent(&model.requests()[0]), ["go", "(!)", "(?)"]);
}

#[tokio::test]
async fn hooks_change_the_instructions_in_their_order() {
    let model = Arc::new(ScriptedModel::new().say("Hi"));
    let agent = Agent::with_model("main", model.clone())
        .instructions("Be kind.")
        .hook(ShoutingHook("outer"))
        .hook(ShoutingHook("inner"));
    run(&agent).await;
    let system = model.requests()[0].system.clone().unwrap();
    assert_eq!(&*system, "Be kind.[outer][inner]");
}

/// Takes the tools out of the requests.
struct ToollessHook;

impl Hook for ToollessHook {
    fn model_call<'a>(
        &'a self,
        _site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: NextReply<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let mut request = ModelRequest::clone(&request);
        request.tools = Arc::from([]);
        next.run(Arc::new(request)).boxed()
    }
}

#[tokio::test]
async fn a_hook_takes_the_tools_out_of_a_request() {
    let model = Arc::new(ScriptedModel::new().say("Hi"));
    let agent = Agent::with_model("main", model.clone())
        .toolset(tools())
        .hook(ToollessHook);
    run(&agent).await;
    assert!(model.requests()[0].tools.is_empty());
}

/// Summarizes without a model.
struct SummaryHook(Log);

impl Hook for SummaryHook {
    fn compaction<'a>(
        &'a self,
        _site: &'a ModelSite,
        _request: Arc<ModelRequest>,
        _next: NextReply<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        self.0.add("summarized");
        let text = "A sum was wanted, says the hook.".to_owned();
        let message = AssistantMessage::new(vec![MessagePart::Text { text }]);
        let (stop, usage) = (StopReason::EndTurn, Usage::default());
        std::future::ready(Ok(Reply {
            message,
            stop,
            usage,
        }))
        .boxed()
    }
}

#[tokio::test]
async fn a_hook_summarizes_in_place_of_the_model() {
    let log = Log::default();
    let call = [
        ModelEvent::ToolCallStart {
            id: "c".into(),
            name: "add".into(),
        },
        ModelEvent::ToolCallDelta {
            id: "c".into(),
            arguments: r#"{"a":1,"b":1}"#.into(),
        },
        ModelEvent::Usage(Usage::new(900, 200)),
        ModelEvent::Stop {
            reason: StopReason::ToolUse,
        },
    ];
    let model = Arc::new(ScriptedModel::new().reply_with(call).say("Two."));
    let agent = Agent::with_model("main", model.clone())
        .toolset(toolset![add])
        .context_window(1_000)
        .hook(SummaryHook(log.clone()));
    assert_eq!(run(&agent).await.text(), "Two.");
    assert_eq!(log.lines(), ["summarized"]);
    assert_eq!(model.used(), 2, "the model wrote no summary");
}

/// Says what the policy decided, and decides something else.
struct VerdictHook(Log, Option<Verdict>);

impl Hook for VerdictHook {
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            let verdict = next.run(()).await;
            let kind = match &verdict {
                Verdict::Allow => "allow",
                Verdict::Ask { .. } => "ask",
                Verdict::Deny { .. } => "deny",
            };
            self.0.add(format!("{}: {kind}", site.call.name));
            self.1.clone().unwrap_or(verdict)
        }
        .boxed()
    }
}

fn calling_three() -> ScriptedModel {
    ScriptedModel::new()
        .calls([
            ("add", json!({ "a": 1, "b": 2 })),
            ("delete", json!({ "path": "a" })),
            ("count", json!({})),
        ])
        .say("Done.")
}

fn without_count() -> Policy {
    let deny = vec!["count".parse().unwrap()];
    let rules = Rules {
        deny,
        ..Rules::default()
    };
    Policy::new(Mode::Default).rules(rules)
}

#[tokio::test]
async fn a_hook_sees_each_verdict_of_the_policy() {
    let log = Log::default();
    let agent = Agent::new("main", calling_three())
        .toolset(tools())
        .policy(without_count())
        .hook(VerdictHook(log.clone(), None));
    run(&agent).await;
    let mut lines = log.lines();
    lines.sort();
    assert_eq!(lines, ["add: allow", "count: deny", "delete: ask"]);
}

#[tokio::test]
async fn a_hook_decides_in_place_of_the_policy() {
    let denied = Verdict::Deny {
        reason: "closed".into(),
    };
    for (verdict, failures) in [(denied, 3), (Verdict::Allow, 0)] {
        let agent = Agent::new("main", calling_three())
            .toolset(tools())
            .policy(without_count())
            .hook(VerdictHook(Log::default(), Some(verdict)));
        let results = results(&run(&agent).await.messages);
        let failed = results.iter().filter(|result| result.starts_with('!'));
        assert_eq!(failed.count(), failures, "{results:?}");
    }
}

/// Lets no call through.
struct ClosingHook;

impl Hook for ClosingHook {
    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        _context: ToolContext,
        _next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        std::future::ready(Err(ToolError::failed("closed today"))).boxed()
    }
}

#[tokio::test]
async fn a_hook_refuses_a_call_that_a_person_allowed() {
    let script = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("Done.");
    let agent = Agent::new("main", script)
        .toolset(tools())
        .approver(FixedApprover(Decision::allow_once()))
        .hook(ClosingHook);
    let results = results(&run(&agent).await.messages);
    assert_eq!(results, ["!closed today"]);
}
