//! AgentScope's `reset_tools`.

use helve_runtime::agent::Agent;
use helve_runtime::agent::exposure::{BASIC, ToolExposure, ToolGroup};
use serde_json::{Value, json};

use crate::vectors_offer::vectors::{Case, Tally, load_topic};
use crate::vectors_offer::{offered, one_call, tools};

#[tokio::test]
async fn reset_tools() {
    let Some(cases) = load_topic("reset_tools") else {
        return;
    };
    let mut tally = Tally::new("reset_tools");
    for case in &cases {
        match case.function.as_str() {
            "ResetTools.call" => switch(&mut tally, case).await,
            "ResetTools.input_schema" => schema(&mut tally, case).await,
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(&[]);
}

/// A group of a case: its name, what it is for, its instructions.
type Group<'c> = (&'c str, &'c str, Option<&'c str>);

/// Reads the groups in either of their two forms.
fn groups(case: &Case) -> Vec<Group<'_>> {
    let groups = case.input["groups"].as_array().into_iter().flatten();
    let groups = groups.map(|group| {
        let part = |place: usize, key: &str| match group {
            Value::Array(parts) => parts[place].as_str(),
            group => group[key].as_str(),
        };
        (
            part(0, "name").unwrap(),
            part(1, "description").unwrap_or_default(),
            part(2, "instructions"),
        )
    });
    groups.filter(|(name, ..)| *name != BASIC).collect()
}

/// Makes the offering of a case: a group has a tool of its name.
fn offering(case: &Case) -> ToolExposure {
    let before = crate::vectors_offer::texts(&case.input["activated_before"]);
    groups(case).into_iter().fold(
        ToolExposure::new(),
        |offering, (name, about, instructions)| {
            let mut group = ToolGroup::new(name, about).tools(tools([&*format!("of_{name}")]));
            if let Some(instructions) = instructions {
                group = group.instructions(instructions);
            }
            if !before.iter().any(|on| on == name) {
                group = group.off();
            }
            offering.group(group).unwrap()
        },
    )
}

async fn switch(tally: &mut Tally, case: &Case) {
    let offering = offering(case);
    let agent = |agent: Agent| agent.tool_exposure(offering);
    let (answer, requests) = one_call(agent, "reset_tools", &case.input["args"]).await;
    let on: Vec<&str> = groups(case)
        .iter()
        .map(|(name, ..)| *name)
        .filter(|name| offered(&requests[1]).contains(&format!("of_{name}")))
        .collect();
    let mut expected = crate::vectors_offer::texts(&case.expected["activated_after"]);
    expected.sort();
    // What the model reads: which groups are on, and the instructions of those that are new.
    let recorded = case.expected["text"].as_str().unwrap();
    let told = groups(case)
        .into_iter()
        .filter_map(|(.., instructions)| instructions);
    let tells = told
        .map(|text| (text, answer.contains(text)))
        .collect::<Vec<_>>();
    let should = tells
        .iter()
        .map(|(text, _)| (*text, recorded.contains(*text)))
        .collect::<Vec<_>>();
    // Which tools are seen then, one case says too; its input does not hold them.
    let found = json!({ "on": on, "tells": tells });
    let expected = json!({ "on": expected, "tells": should });
    tally.compare(case, &found, &expected);
}

async fn schema(tally: &mut Tally, case: &Case) {
    let offering = offering(case);
    let (_, requests) = one_call(
        |agent| agent.tool_exposure(offering),
        "reset_tools",
        &json!({}),
    )
    .await;
    let reset = requests[0]
        .tools
        .iter()
        .find(|tool| tool.name.as_str() == "reset_tools");
    let found = reset.unwrap().input_schema.value()["properties"]
        .as_object()
        .unwrap();
    let found: Vec<Value> = found
        .iter()
        .map(|(name, schema)| {
            // Ours says besides how the group stands now.
            let about = schema["description"]
                .as_str()
                .unwrap()
                .trim_end_matches(" (Now off.)");
            json!([name, schema["type"], schema["default"], about])
        })
        .collect();
    let expected = case.expected["properties"].as_object().unwrap();
    let expected: Vec<Value> = expected
        .iter()
        .map(|(name, schema)| {
            json!([
                name,
                schema["type"],
                schema["default"],
                schema["description"]
            ])
        })
        .collect();
    tally.compare(case, &found, &expected);
}
