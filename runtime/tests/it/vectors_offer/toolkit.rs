//! AgentScope's toolkit: a call of a tool, from the model's text to what the model reads.

use std::sync::{Arc, Mutex};

use futures_core::Stream;
use futures_util::stream;
use helve_runtime::agent::Agent;
use helve_runtime::agent::exposure::{ToolExposure, ToolGroup};
use helve_runtime::prelude::*;
use helve_runtime::skill::{EmbeddedFile, EmbeddedSkill, SkillCatalog, SkillLibrary, SkillSet};
use helve_runtime::tool::{Annotations, Progress, ProgressUpdate, Tool};
use helve_runtime::toolset::DynamicTool;
use serde_json::{Value, json};

use crate::vectors_offer::one_call;
use crate::vectors_offer::vectors::{Case, Tally, load_topic};

#[tokio::test]
async fn toolkit_call() {
    let Some(cases) = load_topic("toolkit_call") else {
        return;
    };
    let mut tally = Tally::new("toolkit_call");
    for case in &cases {
        match case.input["tool_call"]["name"].as_str().unwrap() {
            "Skill" => skill(&mut tally, case).await,
            "count_to_n" => streamed(&mut tally, case, toolset![count_to_n]).await,
            "stream_weather" => streamed(&mut tally, case, toolset![stream_weather]).await,
            name => called(&mut tally, case, name).await,
        }
    }
    tally.finish(&[]);
}

/// Counts, and shows each number as it comes.
#[tool(read_only)]
fn count_to_n(
    /// How far.
    n: u32,
) -> impl Stream<Item = Update<String>> {
    stream::iter((1..=n).map(|number| Update::output(number.to_string())))
}

/// Says that it looks, and then what it saw.
#[tool(read_only)]
fn stream_weather() -> impl Stream<Item = Update<String>> {
    let seen = json!({ "condition": "sunny", "temperature": 22 });
    // As Python writes it.
    let seen = seen.to_string().replace(':', ": ").replace(',', ", ");
    stream::iter([Update::output("checking"), Update::output(seen)])
}

fn arguments(case: &Case) -> Value {
    serde_json::from_str(case.input["tool_call"]["input"].as_str().unwrap()).unwrap()
}

/// Returns the recorded pieces, and the whole that the model reads.
fn recorded(case: &Case) -> (Vec<&str>, &str) {
    let parts = case.expected.as_array().unwrap();
    let (whole, pieces) = parts.split_last().unwrap();
    assert_eq!(whole["state"], "success", "{}", case.id);
    let pieces = pieces.iter().map(|piece| piece["text"].as_str().unwrap());
    (pieces.collect(), whole["text"].as_str().unwrap())
}

/// A tool without a group is called with what the model wrote, and the model reads what it returned, whatever that was.
async fn called(tally: &mut Tally, case: &Case, name: &str) {
    let (_, whole) = recorded(case);
    let (got, says) = (Arc::new(Mutex::new(Vec::new())), whole.to_owned());
    let heard = Arc::clone(&got);
    let schema = json!({ "type": "object" });
    let tool = DynamicTool::new(name, "Does something.", schema, move |_, arguments| {
        heard.lock().unwrap().push(arguments);
        let says = says.clone();
        Box::pin(async { Ok(ToolOutput::plain(says)) })
    });
    let reads = Annotations::new(Some(true), None, None, None);
    let tool = Arc::new(tool.unwrap().with_annotations(reads)) as Arc<dyn Tool>;
    let agent = |agent: Agent| agent.toolset(Toolset::from_tools([tool]));
    let (answer, _) = one_call(agent, name, &arguments(case)).await;
    let got = got.lock().unwrap().clone();
    let expected = (vec![arguments(case)], whole.to_owned());
    tally.compare(case, &(got, answer), &expected);
}

/// What comes piece by piece is shown so, and the model reads the whole.
async fn streamed(tally: &mut Tally, case: &Case, tools: Toolset) {
    let (pieces, whole) = recorded(case);
    let name = case.input["tool_call"]["name"].as_str().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let progress =
        Progress::new(move |update: ProgressUpdate| sink.lock().unwrap().push(update.text));
    let context = ToolContext::builder().progress(progress).build();
    let text = arguments(case).to_string();
    let returned = tools.call(name, &text, &context).await.unwrap();
    let agent = |agent: Agent| agent.toolset(tools);
    let (answer, _) = one_call(agent, name, &arguments(case)).await;
    let found = (
        heard.lock().unwrap().clone(),
        returned.text().into_owned(),
        answer,
    );
    let pieces: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
    tally.compare(case, &found, &(pieces, whole.to_owned(), whole.to_owned()));
}

/// The viewer of skills sees those of a group that is on.
async fn skill(tally: &mut Tally, case: &Case) {
    let (_, whole) = recorded(case);
    let name = arguments(case)["skill"].as_str().unwrap().to_owned();
    let group = case.input["activated_groups"][0].as_str().unwrap();
    let library = SkillCatalog::new().with(set(&name, whole)).unwrap();
    let group = ToolGroup::new(group, "Repairs.").skills(Arc::new(SkillLibrary::new(library)));
    let offering = ToolExposure::new().group(group).unwrap();
    let agent = |agent: Agent| agent.tool_exposure(offering);
    let (answer, _) = one_call(agent, "load_skill", &json!({ "name": name })).await;
    // Ours stands in an element that says whose it is.
    tally.compare(case, &answer.contains(whole), &true);
}

/// Makes a set of one skill.
fn set(name: &str, body: &str) -> &'static SkillSet {
    let front_matter = format!("---\nname: {name}\ndescription: Repairs.\n---\n");
    let source: &'static str = leak(format!("{front_matter}{body}"));
    let file = EmbeddedFile::new("SKILL.md", source.as_bytes(), [1; 32], false, true);
    let name: &'static str = leak(name.to_owned());
    let files: &'static Vec<_> = leak(vec![file]);
    let skill = EmbeddedSkill::new(name, "Repairs.", source, front_matter.len(), files);
    leak(SkillSet::new("app", "skills", leak(vec![skill])))
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
