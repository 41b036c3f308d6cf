//! Skills that come with groups.

use std::sync::Arc;

use helve::Toolset;
use helve::agent::exposure::{ToolExposure, ToolGroup};
use helve::agent::{Agent, TurnStatus};
use helve::permission::{Mode, Policy};
use helve::skill::{EmbeddedFile, EmbeddedSkill, SkillCatalog, SkillLibrary, SkillSet};
use helve::toolset::{ExternalTool, ToolFilter};
use serde_json::json;

use crate::offer::{ToolCallLog, answers, calling, offered, run};

/// Makes a library of skills of these names.
fn library(names: &[&str]) -> Arc<SkillLibrary> {
    let skill = |name: &&str| {
        let front_matter = format!("---\nname: {name}\ndescription: About {name}.\n---\n");
        let source: &'static str = leak(format!("{front_matter}How to {name}."));
        let file = EmbeddedFile::new("SKILL.md", source.as_bytes(), [1; 32], false, true);
        let about: &'static str = leak(format!("About {name}."));
        let name: &'static str = leak((*name).to_owned());
        EmbeddedSkill::new(name, about, source, front_matter.len(), leak(vec![file]))
    };
    let skills: Vec<_> = names.iter().map(skill).collect();
    let set: &'static SkillSet = leak(SkillSet::new("app", "skills", leak(skills)));
    Arc::new(SkillLibrary::new(SkillCatalog::new().with(set).unwrap()))
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn repair(ran: &ToolCallLog) -> ToolGroup {
    ToolGroup::new("repair", "Repairs.")
        .tools(ran.tools(["drill"]))
        .instructions("Wear glasses.")
        .skills(library(&["mend", "weld"]))
        .off()
}

/// Writes down what a request says of a tool.
fn described(request: &helve::model::ModelRequest, name: &str) -> String {
    let tool = request.tools.iter().find(|tool| tool.name.as_str() == name);
    tool.unwrap().description.to_string()
}

#[tokio::test]
async fn the_skills_of_a_group_are_there_while_it_is_on() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("load_skill", json!({ "name": "mend" })),
        ("reset_tools", json!({ "repair": true })),
        ("load_skill", json!({ "name": "mend" })),
        (
            "read_skill_file",
            json!({ "skill": "weld", "path": "SKILL.md" }),
        ),
        ("load_skill", json!({ "name": "cook" })),
        ("reset_tools", json!({})),
        (
            "read_skill_file",
            json!({ "skill": "weld", "path": "SKILL.md" }),
        ),
        ("load_skill", json!({ "name": "fly" })),
    ]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(SkillLibrary::tools(&library(&["cook"])))
        .instructions("Be kind.")
        .tool_exposure(ToolExposure::new().group(repair(&ran)).unwrap());
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: the skill `mend` is in the tool group `repair`, which is off: call `reset_tools` with `repair` set to true first
    The groups of tools that are on now: repair.
    <tool-instructions>
    <group name="repair">Wear glasses.
    <available_skills>
      <skill><name>mend</name><description>About mend.</description></skill>
      <skill><name>weld</name><description>About weld.</description></skill>
    </available_skills></group>
    </tool-instructions>
    <skill name="mend">
    How to mend.
    </skill>
         1	---
         2	name: weld
         3	description: About weld.
         4	---
         5	How to weld.

    <skill name="cook">
    How to cook.
    </skill>
    All groups of tools are off now.
    error: the skill `weld` is in the tool group `repair`, which is off: call `reset_tools` with `repair` set to true first
    error: unknown skill `fly`; the skills are: cook
    "#);
    let requests = model.requests();
    insta::assert_snapshot!(described(&requests[0], "load_skill"), @r#"
    Gives the whole instructions of one of the available skills.

    Call it as soon as a task fits a skill's description, before anything else, and follow what it says.
    "#);
    insta::assert_snapshot!(described(&requests[2], "load_skill"), @r#"
    Gives the whole instructions of one of the available skills.

    Call it as soon as a task fits a skill's description, before anything else, and follow what it says.

    Those of the tool groups that are on:
    <available_skills>
      <skill><name>mend</name><description>About mend.</description></skill>
      <skill><name>weld</name><description>About weld.</description></skill>
    </available_skills>
    "#);
    // The prefix of the conversation is the same all the time.
    for request in &requests {
        assert_eq!(request.system, requests[0].system);
    }
}

#[tokio::test]
async fn a_group_may_have_nothing_but_skills() {
    let model = calling([("load_skill", json!({ "name": "mend" }))]);
    let group = ToolGroup::new("repair", "Repairs.").skills(library(&["mend"]));
    let agent = Agent::with_model("main", model.clone())
        .tool_exposure(ToolExposure::new().group(group).unwrap());
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    <skill name="mend">
    How to mend.
    </skill>
    "#);
    assert_eq!(
        offered(&model.requests()[0]),
        ["load_skill", "read_skill_file", "reset_tools"]
    );
}

#[tokio::test]
async fn a_filter_that_excludes_the_tool_excludes_the_skills() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("reset_tools", json!({ "repair": true })),
        ("load_skill", json!({ "name": "mend" })),
    ]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(Toolset::empty())
        .tool_exposure(ToolExposure::new().group(repair(&ran)).unwrap())
        .filter(ToolFilter::new().without(["load_skill", "read_skill_file"]));
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    The groups of tools that are on now: repair.
    <tool-instructions>
    <group name="repair">Wear glasses.</group>
    </tool-instructions>
    error: unknown tool `load_skill`
    "#);
    assert_eq!(offered(&model.requests()[1]), ["drill", "reset_tools"]);
}

#[tokio::test]
async fn an_agent_whose_skills_are_loaded_elsewhere_has_those_of_its_groups_too() {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let elsewhere = ExternalTool::new("load_skill", "Asks the office.", schema).unwrap();
    let model = calling([
        ("load_skill", json!({ "name": "mend" })),
        ("load_skill", json!({ "name": "cook" })),
    ]);
    let group = ToolGroup::new("repair", "Repairs.").skills(library(&["mend"]));
    let agent = Agent::with_model("main", model)
        .toolset(Toolset::from_tools([Arc::new(elsewhere) as _]))
        .policy(Policy::new(Mode::Bypass))
        .tool_exposure(ToolExposure::new().group(group).unwrap());
    let report = run(&agent, "Mend it, then cook.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    <skill name="mend">
    How to mend.
    </skill>
    "#);
    assert!(
        matches!(report.status, TurnStatus::Waiting { .. }),
        "{:?}",
        report.status
    );
}
