//! What the recall of a suggester is measured against: 10,000 tools, and questions each of which one of them answers.
//!
//! `tools.jsonl` holds about four hundred tools that a person wrote, in the manner of the servers that are about:
//! names of several tastes, descriptions of one to four sentences, some terse, some with jargon. The rest is
//! made by `neighbours.rs` out of `neighbours.txt`: other objects of the same fields, for invented vendors. They
//! stand near the written ones, but none of them answers a question as well.
//!
//! `questions.jsonl` was written from what a user wants, tool by tool with only the name in view, without a look at the
//! code that searches. Of 349 questions the 49 that said most of it in the words of the description were left out, and
//! of those that stayed 34 were put in plainer words. No description was changed once there were questions.
//!
//! `held_out.jsonl` came afterwards: 148 questions, about half of them on tools that have none in the first file, of which
//! 100 were drawn by lot so that as many share no word, one, two and so on with the text of their tool as in the first
//! file. Nothing may be tuned to them: what is found less often there was learned by heart.
//!
//! No question shares a content word with the name of its tool (`rules.rs`).

#![allow(dead_code, reason = "each test takes the part that it needs")]

#[path = "corpus/neighbours.rs"]
mod neighbours;
#[path = "corpus/rules.rs"]
pub(crate) mod rules;

use std::sync::Arc;

use helve::schema::Mistakes;
use helve::tool::PreparedCall;
use helve::toolset::DynamicTool;
use helve::{Tool, ToolContext, ToolOutput, ToolSpec};
use serde_json::Value;

/// How many tools there are in all.
pub(crate) const TOTAL: usize = 10_000;

/// What somebody wants, and the tool that does it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The words of the user.
    pub(crate) question: String,
    /// The name of the one right tool.
    pub(crate) tool: String,
}

/// Returns the questions that the suggester may be improved by.
pub(crate) fn questions() -> Vec<Question> {
    read_questions(include_str!("corpus/questions.jsonl"))
}

/// Returns the questions that are only measured.
pub(crate) fn held_out() -> Vec<Question> {
    read_questions(include_str!("corpus/held_out.jsonl"))
}

/// Returns all tools, by name.
pub(crate) fn tools() -> Vec<Arc<dyn Tool>> {
    tools_with(Vec::new())
}

/// Returns the tools by name, with some in place of as many that are made.
pub(crate) fn tools_with(others: Vec<Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
    let mut tools = written();
    tools.extend(others);
    let missing = TOTAL.saturating_sub(tools.len());
    tools.extend(
        neighbours::tools(missing)
            .into_iter()
            .map(Description::build),
    );
    // The place in the list must not tell which ones are asked for.
    tools.sort_by(|a, b| a.spec().name.cmp(&b.spec().name));
    tools
}

/// Returns the tools that a person wrote.
pub(crate) fn written() -> Vec<Arc<dyn Tool>> {
    lines(include_str!("corpus/tools.jsonl"))
        .map(|mut line| {
            let text = |key: &str| line[key].as_str().expect("it is text").to_owned();
            let description = Description {
                name: text("name"),
                description: text("description"),
                group: text("group"),
                input_schema: line["input_schema"].take(),
            };
            description.build()
        })
        .collect()
}

/// Reads questions, one JSON object a line.
pub(crate) fn read_questions(text: &str) -> Vec<Question> {
    lines(text)
        .map(|line| Question {
            question: line["question"].as_str().expect("it is asked").to_owned(),
            tool: line["tool"].as_str().expect("a tool answers").to_owned(),
        })
        .collect()
}

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
}

/// What a tool of the corpus is made of.
struct Description {
    name: String,
    description: String,
    group: String,
    input_schema: Value,
}

impl Description {
    fn build(self) -> Arc<dyn Tool> {
        let tool = DynamicTool::new(self.name, self.description, self.input_schema, |_, _| {
            Box::pin(async { Ok(ToolOutput::plain(String::new())) })
        });
        let tool = tool.expect("a tool of the corpus has a name and a schema");
        let mut spec = tool.spec().clone();
        spec.group = Some(self.group.into());
        Arc::new(InGroup { spec, tool })
    }
}

/// A tool that names its group.
struct InGroup {
    spec: ToolSpec,
    tool: DynamicTool,
}

impl Tool for InGroup {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        self.tool.prepare(context, arguments)
    }
}
