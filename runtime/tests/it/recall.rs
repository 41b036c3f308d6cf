//! How often the suggester by words offers the one right tool of ten thousand, when nobody says its name.
//!
//! Run with `-- --nocapture` to see the figures. The bars keep recall from falling. Of the three hundred questions one half
//! was read while the index was made, and figures were compared on both; the hundred held out were run once, at the end.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod bounds;
pub(crate) mod corpus;

use std::sync::Arc;

use corpus::Question;
use helve::Tool;
use helve::agent::exposure::{LexicalSuggester, Suggester as _, SuggestionRequest};
use helve::schema::Dialect;
use helve::toolset::Toolset;
use helve::transcript::{Message, ToolName};

/// How many tools are suggested.
const OFFERED: usize = 10;

/// Suggests tools for what a user says.
async fn suggested(suggester: &LexicalSuggester, tools: &Toolset, said: &str) -> Vec<ToolName> {
    let request = SuggestionRequest::new(&[Message::user(said)], tools.clone(), OFFERED);
    suggester.suggest(&request).await
}

/// Returns the questions whose tool was not suggested.
async fn missed(tools: &Toolset, questions: &[Question]) -> Vec<String> {
    let suggester = LexicalSuggester::new();
    let mut missed = Vec::new();
    for Question { question, tool } in questions {
        let names = suggested(&suggester, tools, question).await;
        assert!(names.len() <= OFFERED);
        if !names.iter().any(|name| name.as_str() == tool) {
            missed.push(format!("{tool}: {question}"));
        }
    }
    missed
}

/// Prints the recall over some questions, and holds it to a bar.
async fn hold(what: &str, questions: &[Question], bar: f64) {
    let tools = Toolset::from_tools(corpus::tools());
    let missed = missed(&tools, questions).await;
    let recall = 1.0 - missed.len() as f64 / questions.len() as f64;
    println!(
        "recall at {OFFERED} of {} tools, {what}: {recall:.3} ({} of {}), bar {bar}",
        tools.tools().len(),
        questions.len() - missed.len(),
        questions.len(),
    );
    assert!(recall >= bar, "{recall:.3}, missed:\n{}", missed.join("\n"));
}

#[tokio::test]
async fn recall_does_not_fall() {
    hold("300 questions", &corpus::questions(), 0.9).await;
}

#[tokio::test]
async fn recall_on_questions_that_nothing_was_tuned_to_does_not_fall() {
    hold("100 held out", &corpus::held_out(), 0.9).await;
}

/// Estimates what tools cost a request: four bytes of their JSON are about a token.
fn tokens<'a>(tools: impl IntoIterator<Item = &'a Arc<dyn Tool>>) -> usize {
    let bytes = |tool: &Arc<dyn Tool>| {
        let spec = tool.spec();
        let schema = spec.input_schema.render(Dialect::OpenAi);
        let shown = serde_json::json!({ "name": &*spec.name, "description": &*spec.description });
        shown.to_string().len() + schema.len()
    };
    tools.into_iter().map(bytes).sum::<usize>() / 4
}

#[tokio::test]
async fn what_is_sent_is_a_small_part_of_all() {
    let tools = Toolset::from_tools(corpus::tools());
    let suggester = LexicalSuggester::new();
    let questions = corpus::questions();
    let mut sent = 0;
    for Question { question, .. } in &questions {
        let names = suggested(&suggester, &tools, question).await;
        let shown: Vec<_> = names.iter().filter_map(|name| tools.get(name)).collect();
        sent += tokens(&shown);
    }
    let (each, all) = (sent / questions.len(), tokens(&tools.tools()));
    println!(
        "tokens of tools in a request: about {each} of {all}, one in {}",
        all / each.max(1)
    );
    assert!(each > 0 && each * 500 <= all, "{each} of {all}");
}
