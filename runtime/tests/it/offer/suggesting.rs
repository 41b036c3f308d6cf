//! Who chooses, and that the choice stays while nothing changes.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt as _};
use helve::agent::Agent;
use helve::agent::exposure::{LexicalSuggester, Suggester, SuggestionRequest, ToolExposure};
use helve::model::ScriptedModel;
use helve::transcript::{Message, ToolName};

use crate::offer::{ToolCallLog, calling, numbered, offered, run};

fn animals(ran: &ToolCallLog) -> helve::Toolset {
    let fillers = numbered(20);
    ran.tool("feed_horse", "Gives hay to a horse.")
        .layered(&ran.tool("walk_dog", "Takes a dog out."))
        .layered(&ran.tools(fillers.iter().map(String::as_str)))
}

#[tokio::test]
async fn the_words_of_the_user_choose() {
    let ran = ToolCallLog::default();
    let model = calling([]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(animals(&ran))
        .tool_exposure(ToolExposure::new().always(["tool_01"]));
    run(&agent, "My dogs are restless.").await;
    assert_eq!(
        offered(&model.requests()[0]),
        ["tool_01", "tool_expand_tools", "tool_search", "walk_dog"]
    );
}

#[tokio::test]
async fn a_choice_knows_the_tools_that_it_is_asked_about() {
    let ran = ToolCallLog::default();
    let suggester = LexicalSuggester::new();
    let all = animals(&ran);
    // As with a group that is off: fewer tools of the same source.
    let fewer = all.filtered(|spec| &*spec.name != "walk_dog");
    for (tools, chosen) in [(fewer, ["feed_horse"]), (all, ["walk_dog"])] {
        let said = [Message::user("My dogs are restless.")];
        let request = SuggestionRequest::new(&said, tools, 3);
        assert_eq!(suggester.suggest(&request).await, chosen);
    }
}

#[tokio::test]
async fn the_model_chooses_where_it_is_asked_to() {
    let ran = ToolCallLog::default();
    let model = Arc::new(
        ScriptedModel::new()
            .say("- `feed_horse`\nand perhaps walk_dog, or fly_to_the_moon")
            .say("Done."),
    );
    let agent = Agent::with_model("main", model.clone())
        .toolset(animals(&ran))
        .tool_exposure(ToolExposure::new().suggest_by_model());
    let report = run(&agent, "Hello.").await;
    assert_eq!(report.text(), "Done.");
    let requests = model.requests();
    assert!(requests[0].tools.is_empty());
    assert_eq!(
        offered(&requests[1]),
        ["feed_horse", "tool_expand_tools", "tool_search", "walk_dog"]
    );
    assert_eq!(
        requests[1].messages.len(),
        1,
        "what it was asked stays beside the conversation"
    );
}

#[tokio::test]
async fn a_model_that_fails_to_choose_is_done_without() {
    let ran = ToolCallLog::default();
    let model = Arc::new(ScriptedModel::new().fail("overloaded").say("Done."));
    let agent = Agent::with_model("main", model.clone())
        .toolset(animals(&ran))
        .tool_exposure(ToolExposure::new().suggest_by_model());
    let report = run(&agent, "My dogs are restless.").await;
    assert_eq!(report.text(), "Done.");
    assert_eq!(
        offered(&model.requests()[1]),
        ["tool_expand_tools", "tool_search", "walk_dog"],
        "the words choose instead"
    );
}

/// Suggests what it was told, whatever there is.
struct Fixed(&'static [&'static str]);

impl Suggester for Fixed {
    fn suggest<'a>(&'a self, _: &'a SuggestionRequest) -> BoxFuture<'a, Vec<ToolName>> {
        let names = self.0.iter().map(|name| ToolName::from(*name)).collect();
        future::ready(names).boxed()
    }
}

#[tokio::test]
async fn a_suggester_gets_no_more_than_the_toolset_has() {
    let ran = ToolCallLog::default();
    let model = calling([]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(animals(&ran))
        .tool_exposure(ToolExposure::new().suggester(Fixed(&["root_shell", "tool_02"])));
    run(&agent, "Hello.").await;
    assert_eq!(
        offered(&model.requests()[0]),
        ["tool_02", "tool_expand_tools", "tool_search"]
    );
}
