//! Tasks that agents hand to agents: what is checked, what comes back, what goes on.

use helve::agent::session::Sessions;
use helve::model::{ModelOptions, OutputFormat};
use helve::permission::{Mode, Policy, Rules};

use super::support::{ObservedStore, begin, reload, say, session};
use super::*;

/// A model whose requests are seen from outside.
#[derive(Clone)]
pub(super) struct Shared(pub(super) Arc<ScriptedModel>);

impl Shared {
    fn new(script: ScriptedModel) -> Self {
        Self(Arc::new(script))
    }

    /// What the model read with its request of that number, as text.
    fn read(&self, request: usize) -> Vec<String> {
        let messages = &self.0.requests()[request].messages;
        let text = |message: &Message| match message {
            Message::User { content } => format!("user: {}", content[0].as_text().unwrap()),
            Message::Assistant(reply) => format!("model: {}", reply.text()),
            Message::Tool { .. } => "results".to_owned(),
            other => format!("{other:?}"),
        };
        messages.iter().map(text).collect()
    }
}

impl Model for Shared {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        self.0.reply(request)
    }
}

pub(super) fn agent(name: &str, script: ScriptedModel) -> Agent {
    Agent::new(name, script)
        .toolset(tools())
        .policy(Policy::new(Mode::Bypass))
}

pub(super) fn calling(task: serde_json::Value) -> ScriptedModel {
    ScriptedModel::new().call("task", task).say("Done.")
}

pub(super) async fn answers(agent: &Agent) -> Vec<String> {
    let context = ToolContext::new();
    let report = agent.run(vec![Message::user("go")], &context, |_| {});
    results(&report.await.messages)
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_task_is_told_at_once() {
    let task = json!({
        "agent": "nobody", "prompt": " ", "continue": "t9/1.0", "instructions": "Be brief.",
    });
    let main = agent("main", calling(task))
        .delegate(agent("helper", ScriptedModel::new()))
        .bounds(Bounds::new(5).depth(0))
        .define_agents(false);
    // `instructions` is no argument where agents cannot be defined.
    let read = answers(&main).await;
    assert!(read[0].contains("`/instructions`"), "{read:?}");
    let task = json!({
        "agent": "nobody", "prompt": " ", "continue": "t9/1.0",
    });
    let main = agent("main", calling(task))
        .delegate(agent("helper", ScriptedModel::new()))
        .bounds(Bounds::new(2).depth(0));
    insta::assert_snapshot!(answers(&main).await.join("\n"), @r"
    !the task was not started:
    - there is no agent `nobody`: the agents are `helper`
    - the delegation depth limit is reached: do the task yourself
    - nothing of the bound on model calls is left for another agent: do the task yourself
    - the prompt is empty
    - there is no task `t9/1.0` that is over
    ");
    let task = json!({ "agent": "helper", "prompt": "Go.", "tools": ["add", "fly", "task"] });
    let main = agent("main", calling(task)).delegate(agent("helper", ScriptedModel::new()));
    insta::assert_snapshot!(answers(&main).await.join("\n"), @"!the task was not started: the agent `helper` has no tool `fly`");
}

#[tokio::test]
async fn nothing_left_is_refused_and_never_unlimited() {
    let task = || json!({ "agent": "helper", "prompt": "Go." });
    for (bounds, what) in [
        (Bounds::new(2), "model calls"),
        (Bounds::new(9).delegates(0), "delegated tasks"),
    ] {
        let helper = agent("helper", ScriptedModel::new().say("I did."));
        let main = agent("main", calling(task())).delegate(helper);
        let read = answers(&main.bounds(bounds)).await;
        assert_eq!(
            read,
            [format!(
                "!the task was not started: nothing of the bound on {what} is left for another agent: do the task yourself"
            )]
        );
    }
    // Of two tasks in one reply, one is within the bound.
    let both = ScriptedModel::new()
        .calls([("task", task()), ("task", task())])
        .call("task", task())
        .say("Done.");
    let helper = agent("helper", ScriptedModel::new().say("I did."));
    let main = agent("main", both).delegate(helper);
    let read = answers(&main.bounds(Bounds::new(9).delegates(1))).await;
    let refused = read.iter().filter(|text| text.contains("delegated tasks"));
    assert_eq!((&*read[0], refused.count()), ("I did.", 2), "{read:?}");
}

fn city() -> ModelOptions {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "people": { "type": "integer" } },
        "required": ["city", "people"],
        "additionalProperties": false,
    });
    let schema = helve::schema::from_value(schema).unwrap();
    ModelOptions::new().output(OutputFormat::new("city", schema))
}

#[tokio::test]
async fn an_answer_with_a_schema_is_checked_and_repaired_once() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let script = ScriptedModel::new()
        .say("Oslo has 700,000 people.")
        .say(r#"{"city":"Oslo","people":700000}"#);
    let task = || json!({ "agent": "geographer", "prompt": "Oslo?" });
    let helper = agent("geographer", script).options(city());
    let main = agent("main", calling(task())).delegate(helper);
    let report = say(&main, &mut conversation, &ToolContext::new()).await;
    assert_eq!(
        results(&report.messages),
        [r#"{"city":"Oslo","people":700000}"#]
    );
    assert_eq!(
        report.totals.model_calls, 4,
        "both answers count, each once"
    );
    let mut found = Vec::new();
    let id = session();
    let visit = sessions.visit(&id, u64::MAX, |line| {
        use helve::agent::session::Entry;
        match &line.entry {
            Entry::TurnStarted(started) => found.push(format!("begun {}", started.turn)),
            Entry::TurnEnded(ended) => {
                found.push(format!(
                    "ended {}: {}",
                    ended.turn, ended.totals.model_calls
                ));
            }
            Entry::Record(recorded) => {
                if let helve::agent::turn::Record::Finished { outcome, .. } = &recorded.record {
                    let value = outcome.structured.as_ref().map(ToString::to_string);
                    found.push(format!("{value:?}: {}", outcome.used.model_calls));
                }
            }
            _ => {}
        }
    });
    visit.await.unwrap();
    insta::assert_snapshot!(found.join("\n"), @r#"
    begun t1
    begun t1/1.0
    begun t1/1.0/repair
    Some("{\"city\":\"Oslo\",\"people\":700000}"): 2
    ended t1/1.0/repair: 1
    ended t1/1.0: 1
    ended t1: 4
    "#);
    // A second mistake is an error, with what the agent said.
    let script = ScriptedModel::new().say("Oslo.").say(r#"{"city":"Oslo"}"#);
    let helper = agent("geographer", script).options(city());
    let main = agent("main", calling(task())).delegate(helper);
    insta::assert_snapshot!(answers(&main).await.join("\n"), @r#"!The answer of the agent does not have the required format: `/people`: expected an integer, got nothing; this key is required. Its last message: {"city":"Oslo"}"#);
}

#[tokio::test]
async fn an_agent_that_does_not_finish_is_an_error_with_what_it_used_and_said() {
    let again = |model: ScriptedModel, n: i64| model.call("add", json!({ "a": n, "b": 1 }));
    let busy = (0..9).fold(ScriptedModel::new(), again);
    let task = json!({ "agent": "helper", "prompt": "Count.", "label": "counting" });
    let main = agent("main", calling(task)).delegate(agent("helper", busy).bounds(Bounds::new(2)));
    insta::assert_snapshot!(answers(&main).await.join("\n"), @r"
    !The agent did not finish: the bound on model calls was reached (used: 2 model calls, 2 tool calls, 0 tokens). Its last message: (The turn ended here: the bound on model calls was reached.)

    The address of the task is `t1/1.0`.
    ");
}

#[tokio::test]
async fn a_task_goes_on_where_it_ended_in_a_later_turn_and_another_process() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let first = json!({ "agent": "helper", "prompt": "Remember 7.", "label": "memory" });
    let main = agent("main", calling(first)).delegate(agent(
        "helper",
        ScriptedModel::new()
            .call("add", json!({ "a": 3, "b": 4 }))
            .say("I do."),
    ));
    let report = say(&main, &mut conversation, &ToolContext::new()).await;
    assert_eq!(
        results(&report.messages),
        ["I do. | The address of the task is `t1/1.0`."]
    );
    let mut conversation = reload(&sessions, conversation).await;
    let helper = Shared::new(ScriptedModel::new().say("It was 7."));
    let next = json!({ "agent": "helper", "prompt": "What was it?", "continue": "t1/1.0" });
    let other = json!({ "agent": "other", "prompt": "What was it?", "continue": "t1/1.0" });
    let script = ScriptedModel::new()
        .calls([("task", next), ("task", other)])
        .say("Done.");
    let main = agent("main", script)
        .delegate(Agent::new("helper", helper.clone()))
        .delegate(agent("other", ScriptedModel::new()));
    let report = say(&main, &mut conversation, &ToolContext::new()).await;
    let read = results(&report.messages);
    assert_eq!(
        read[1..],
        [
            "It was 7.",
            "!the task was not started: the agent `helper` worked on the task `t1/1.0`, not `other`"
        ]
    );
    assert_eq!(
        helper.read(0),
        [
            "user: Remember 7.",
            "model: ",
            "results",
            "model: I do.",
            "user: What was it?"
        ]
    );
    // Within a turn that is not recorded, too.
    let task = |more: serde_json::Value| {
        let mut task = json!({ "agent": "helper", "prompt": "Go." });
        task.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        task
    };
    let helper = Shared::new(ScriptedModel::new().say("One.").say("Two."));
    let script = ScriptedModel::new()
        .call("task", task(json!({})))
        .call("task", task(json!({ "continue": "t1/1.0" })))
        .say("Done.");
    let main = agent("main", script).delegate(Agent::new("helper", helper.clone()));
    assert_eq!(answers(&main).await, ["One.", "Two."]);
    assert_eq!(helper.read(1), ["user: Go.", "model: One.", "user: Go."]);
}

#[tokio::test]
async fn only_a_task_of_ones_own_goes_on() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let main = agent(
        "main",
        calling(json!({ "agent": "helper", "prompt": "Go." })),
    )
    .delegate(agent("helper", ScriptedModel::new().say("One.")));
    say(&main, &mut conversation, &ToolContext::new()).await;
    let spying = json!({ "agent": "helper", "prompt": "What was it?", "continue": "t1/1.0" });
    let spy = agent("spy", calling(spying)).delegate(agent("helper", ScriptedModel::new()));
    let (told, context) = (EventLog::default(), ToolContext::new());
    let main = agent("main", calling(json!({ "agent": "spy", "prompt": "Go." }))).delegate(spy);
    let report = main.run_in(
        &mut conversation,
        Message::user("go"),
        &context,
        told.listener(),
    );
    report.await.unwrap();
    let events = told.events();
    let result = events
        .iter()
        .find(|event| event["type"] == "tool_result")
        .unwrap();
    assert_eq!(
        result["content"][0]["text"],
        "the task was not started: the task `t1/1.0` is not one of yours"
    );
}

#[tokio::test]
async fn an_agent_that_forks_reads_what_its_caller_read_up_to_the_call() {
    let helper = Shared::new(ScriptedModel::new().say("I know."));
    let script = ScriptedModel::new()
        .call("add", json!({ "a": 1, "b": 1 }))
        .call("task", json!({ "agent": "helper", "prompt": "And now?" }))
        .say("Done.");
    let forking = Agent::new("helper", helper.clone()).forks_conversation(true);
    let main = agent("main", script).delegate(forking);
    assert_eq!(answers(&main).await, ["2", "I know."]);
    assert_eq!(
        helper.read(0),
        ["user: go", "model: ", "results", "user: And now?"]
    );
}

#[tokio::test]
async fn tasks_side_by_side_are_told_with_their_names_and_what_they_used() {
    let task = |agent: &str| json!({ "agent": agent, "prompt": "Meet.", "label": format!("{agent} meets") });
    let meeting = || ScriptedModel::new().call("meet", json!({})).say("Met.");
    let script = ScriptedModel::new()
        .calls([("task", task("left")), ("task", task("right"))])
        .say("Done.");
    let main = agent("main", script)
        .delegate(agent("left", meeting()))
        .delegate(agent("right", meeting()));
    let told = EventLog::default();
    let mut state = State::new();
    state.insert(Barrier::new(2));
    let context = ToolContext::builder().app(Arc::new(state)).build();
    // Each waits for the other.
    let report = main
        .run(vec![Message::user("go")], &context, told.listener())
        .await;
    assert_eq!(report.totals.model_calls, 6);
    let events = told.events().into_iter();
    let about = events.filter(|event| event["to"].is_string()).map(|event| {
        format!(
            "{} {} {} {}",
            event["type"],
            event["key"],
            event["to"],
            event["label"].as_str().unwrap_or_default()
        )
        .replace('"', "")
    });
    let mut about: Vec<String> = about.collect();
    about.sort();
    insta::assert_snapshot!(about.join("\n"), @r"
    delegate_ended t1/1.0 left 
    delegate_ended t1/1.1 right 
    delegate_started t1/1.0 left left meets
    delegate_started t1/1.1 right right meets
    ");
}

#[tokio::test]
async fn a_call_under_the_earlier_name_of_the_tool_is_understood() {
    let task = json!({ "agent": "helper", "task": "Go." });
    let script = ScriptedModel::new().call("delegate", task).say("Done.");
    let helper = Shared::new(ScriptedModel::new().say("I did."));
    let main = agent("main", script).delegate(Agent::new("helper", helper.clone()));
    assert_eq!(answers(&main).await, ["I did."]);
    assert_eq!(helper.read(0), ["user: Go."]);
    let alone = agent(
        "main",
        ScriptedModel::new()
            .call("delegate", json!({}))
            .say("Done."),
    );
    assert!(answers(&alone).await[0].starts_with("!unknown tool `delegate`"));
}

#[tokio::test]
async fn rules_that_name_the_tool_as_earlier_versions_did_apply() {
    let task = || json!({ "agent": "helper", "prompt": "Go." });
    let main = |rules: Rules| {
        let helper = agent("helper", ScriptedModel::new().say("Gone."));
        let policy = Policy::new(Mode::Bypass).rules(rules);
        agent("main", calling(task()))
            .policy(policy)
            .delegate(helper)
    };
    let rule = |text: &str| text.parse().unwrap();
    for text in ["delegate", "dele*", "task"] {
        let denied = answers(&main(Rules::new().deny(rule(text)))).await;
        let expected = format!("!Tool call denied: the rule `{text}` denies it");
        assert_eq!(denied, [expected]);
        // Nobody answers the question.
        let asked = answers(&main(Rules::new().ask(rule(text)))).await;
        assert!(asked[0].starts_with("!Tool call denied: "), "{asked:?}");
    }
    let other = main(Rules::new().deny(rule("delegates")));
    assert_eq!(answers(&other).await, ["Gone."]);
    // An allow rule answers in a mode that would ask.
    let tool = main(Rules::new());
    let policy = Policy::new(Mode::Default).rules(Rules::new().allow(rule("delegate")));
    assert_eq!(answers(&tool.policy(policy)).await, ["Gone."]);
}
