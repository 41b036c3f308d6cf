//! The conversation as tools read it that declare this.

use super::*;

/// Tells what was said so far.
#[tool(read_only, requires(conversation))]
fn recount(cx: &ToolContext) -> Result<String, ToolError> {
    let conversation = cx.conversation()?;
    let lines = conversation.messages().iter().map(|message| match message {
        Message::User { content } => {
            let texts = content.iter().filter_map(ContentBlock::as_text);
            format!("user: {}", texts.collect::<String>())
        }
        Message::Assistant(reply) => {
            let calls: Vec<_> = reply.calls().map(|call| call.name.to_string()).collect();
            format!("assistant: {}", calls.join(" "))
        }
        _ => "results".to_owned(),
    });
    Ok(lines.collect::<Vec<_>>().join("; "))
}

/// Does not say that it reads the conversation.
#[tool(read_only)]
fn pry(cx: &ToolContext) -> Result<usize, ToolError> {
    Ok(cx.conversation()?.messages().len())
}

fn last_result(report: &helve::agent::TurnReport) -> String {
    let results = report
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Tool { content } => content.last(),
            _ => None,
        });
    let texts = results
        .unwrap()
        .content
        .iter()
        .filter_map(ContentBlock::as_text);
    texts.collect()
}

async fn run(script: ScriptedModel) -> helve::agent::TurnReport {
    let agent = Agent::new("main", script).toolset(toolset![add, recount, pry]);
    agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await
}

#[tokio::test]
async fn a_tool_reads_the_conversation_up_to_its_call() {
    let script = ScriptedModel::new()
        .call("add", json!({ "a": 1, "b": 2 }))
        .call("recount", json!({}))
        .say("Done.");
    let report = run(script).await;
    assert_eq!(
        last_result(&report),
        "user: go; assistant: add; results; assistant: recount"
    );
    // What a tool holds of the conversation does not keep the turn from going on.
    assert_eq!(report.text(), "Done.");
}

#[tokio::test]
async fn a_tool_that_does_not_declare_it_is_refused() {
    let script = ScriptedModel::new().call("pry", json!({})).say("Done.");
    let said = last_result(&run(script).await);
    let refusal = "this tool did not declare that it uses the conversation; declare `requires(conversation)` on the tool";
    assert!(said.contains(refusal), "{said}");
}

#[tokio::test]
async fn a_call_that_no_agent_makes_has_no_conversation() {
    let refused = helve::testing::call(recount, json!({})).await.unwrap_err();
    let said = format!("{refused:?}");
    assert!(
        said.contains("this app does not grant access to the conversation"),
        "{said}"
    );
}
