//! Which skills can be used beside which tools.

use helve_runtime::skill::SkillEnvironment;
use serde_json::{Map, Value};

use super::vectors::{Case, Tally, load_topic};

#[test]
fn skills_are_filtered_alike() {
    let Some(cases) = load_topic("skill_filter") else {
        return;
    };
    let mut tally = Tally::new("skill_filter");
    for case in &cases {
        match case.function.rsplit(':').next().unwrap() {
            "filterSkill" => {
                let found = usable(case, &case.input["args"][2]["$set"], &[]);
                tally.compare(case, &found, &case.expected["include"].as_bool().unwrap());
            }
            "checkFallbackForTools" => {
                let found = usable(
                    case,
                    &case.input["args"][1]["$set"],
                    &["required_tools", "env_required", "permissions"],
                );
                tally.compare(case, &found, &case.expected.is_null());
            }
            "checkToolReach" => {
                let found = usable(
                    case,
                    &case.input["args"][1]["$set"],
                    &["fallback_for_tools"],
                );
                tally.compare(case, &found, &case.expected.is_null());
            }
            "checkSkillPermissions" => {
                let found = usable(
                    case,
                    &serde_json::json!(["search_web"]),
                    &["required_tools", "fallback_for_tools"],
                );
                tally.compare(case, &found, &case.expected.is_null());
            }
            other => panic!("{other}"),
        }
    }
    tally.finish(&[]);
}

/// Tells whether the skill of a case can be used beside these tools, where nothing is set and no program is there. The
/// check that was recorded looks at a part of the front matter alone.
fn usable(case: &Case, tools: &Value, unread: &[&str]) -> bool {
    let fields: Map<String, Value> = case.input["args"][0]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| {
            !unread.contains(&key.as_str()) && key.contains('_')
                || key.as_str() == "permissions" && !unread.contains(&"permissions")
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let tools = tools.as_array().unwrap().iter();
    let allowed = case.input["args"][1]["safety"]["allowed_skill_permissions"].clone();
    let may = move |kind: &str, value: &str| match &allowed[kind] {
        Value::Bool(all) => *all,
        Value::Array(some) => some.iter().any(|known| known == value),
        _ => false,
    };
    let here = SkillEnvironment::new()
        .tools(tools.map(|tool| tool.as_str().unwrap()))
        .variables(|_| false)
        .programs(|_| false)
        .reach(may);
    let skill = super::skill("x", &Value::Object(fields)).build();
    here.unmet_requirement(&skill).is_none()
}
