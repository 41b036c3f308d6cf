//! Tools that use the models of the host, and what that costs.

use std::sync::Arc;

use helve::agent::Agent;
use helve::agent::turn::{Bounds, EndReason};
use helve::model::{
    LendsModels as _, ModelError, ModelEvent, ModelTier, Price, Prices, ScriptedModel, StopReason,
};
use helve::prelude::*;
use helve::transcript::{Cost, Message, ReplySource, Usage};
use serde_json::json;

/// Asks the model of a tier, and fails afterwards if that is wished.
#[tool(read_only)]
async fn ask(
    /// The tier.
    tier: &str,
    /// Whether to fail.
    #[arg(default)]
    fails: bool,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let tier = ModelTier::ALL.into_iter().find(|each| each.name() == tier);
    let model = cx.model(tier.unwrap_or(ModelTier::Small));
    let name = model
        .name()
        .map_or("a model".to_owned(), ToString::to_string);
    let text = model.ask("Which model are you?").await;
    let text = text.map_err(|error| ToolError::failed(error.to_string()))?;
    if fails {
        return Err(ToolError::failed("the tool fails"));
    }
    Ok(format!("{name}: {text}"))
}

/// A reply of a model with a price, of 1,000 tokens of input and 100 of output.
fn saying(model: &str) -> ScriptedModel {
    ScriptedModel::new().reply_with([
        ModelEvent::ReplyStarted(ReplySource::new("test", "acme", model)),
        ModelEvent::TextDelta {
            text: format!("I am {model}."),
        },
        ModelEvent::Usage(Usage::new(1_000, 100)),
        ModelEvent::Stop {
            reason: StopReason::EndTurn,
        },
    ])
}

fn agent(main: &Arc<ScriptedModel>) -> Agent {
    // A thousandth of a cent per token.
    let price = Price::new(Cost::from_micros(10_000_000), Cost::from_micros(10_000_000));
    Agent::new("main", Arc::clone(main))
        .toolset(toolset![ask])
        .prices(Prices::new().model("acme/s", price))
}

/// The result of the only call of a turn.
fn result_of(main: &ScriptedModel) -> String {
    let requests = main.requests();
    let last = requests.last().and_then(|request| request.messages.last());
    match last {
        Some(Message::Tool { content }) => {
            let text = content[0].content[0].as_text();
            text.unwrap_or_default().to_owned()
        }
        other => panic!("no result: {other:?}"),
    }
}

#[tokio::test]
async fn a_tool_uses_the_model_of_a_tier_and_pays_for_it() {
    let small = ScriptedModel::new().call("ask", json!({ "tier": "small" }));
    let main = Arc::new(small.say("Done."));
    let agent = agent(&main).small_model(saying("s"));
    let (messages, context) = (vec![Message::user("Go.")], ToolContext::new());
    let report = agent.run(messages, &context, |_| {}).await;
    assert_eq!(report.text(), "Done.");
    assert_eq!(result_of(&main), "a model: I am s.");
    assert_eq!(report.totals.cost, Cost::from_micros(11_000));
    assert_eq!(report.totals.usage, Usage::new(1_000, 100));
    // The bound on model calls is one of the agent's own.
    assert_eq!(report.totals.model_calls, 2);
}

#[tokio::test]
async fn a_failed_call_is_paid_for_and_ends_the_turn() {
    for bounds in [
        Bounds::new(10).cost(Cost::from_micros(11_000)),
        Bounds::new(10).tokens(1_100),
    ] {
        let fails = json!({ "tier": "small", "fails": true });
        let main = Arc::new(ScriptedModel::new().call("ask", fails).say("Done."));
        let agent = agent(&main).small_model(saying("s")).bounds(bounds);
        let (messages, context) = (vec![Message::user("Go.")], ToolContext::new());
        let report = agent.run(messages, &context, |_| {}).await;
        let ends = [Some(EndReason::Cost), Some(EndReason::Tokens)];
        assert!(ends.contains(&report.end()), "{report:?}");
        assert_eq!(report.totals.cost, Cost::from_micros(11_000));
        assert_eq!(main.remaining(), 1);
    }
}

#[tokio::test]
async fn the_main_model_stands_in_for_the_tiers_that_write() {
    for tier in ["small", "vision"] {
        let main = ScriptedModel::new().call("ask", json!({ "tier": tier }));
        let main = Arc::new(main.say("I am the main model.").say("Done."));
        agent(&main).ask("Go.").await.unwrap();
        assert_eq!(result_of(&main), "a model: I am the main model.");
    }
}

#[tokio::test]
async fn an_embedding_model_has_a_name_and_writes_nothing() {
    let main = ScriptedModel::new().call("ask", json!({ "tier": "embed" }));
    let main = Arc::new(main.say("Done."));
    let agent = agent(&main).embedding_model("acme/e".parse().unwrap());
    agent.ask("Go.").await.unwrap();
    insta::assert_snapshot!(result_of(&main), @"an embedding model writes no text");
}

#[tokio::test]
async fn a_call_outside_of_an_agent_has_no_models() {
    let context = ToolContext::new();
    let refused: Result<String, ModelError> = context.model(ModelTier::Small).ask("Hello?").await;
    let error = refused.unwrap_err();
    insta::assert_snapshot!(error, @"no agent makes this call, and only an agent has models");
}
