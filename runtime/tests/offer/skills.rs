//! Skills that come with groups.

use std::sync::Arc;

use helve::Toolset;
use helve::agent::Agent;
use helve::agent::offer::{Offering, ToolGroup};
use helve::skill::{EmbeddedFile, EmbeddedSkill, SkillCatalog, SkillLibrary, SkillSet};
use helve::toolset::ToolFilter;
use serde_json::json;

use crate::{Ran, answers, calling, offered, run};

/// Makes a library of skills of these names.
fn library(names: &[&str]) -> Arc<SkillLibrary> {
    let skill = |name: &&str| {
        let front_matter = format!("---\nname: {name}\ndescription: About {name}.\n---\n");
        let source: &'static str = leak(format!("{front_matter}How to {name}."));
        let file = EmbeddedFile::embedded("SKILL.md", source.as_bytes(), [1; 32], false, true);
        let about: &'static str = leak(format!("About {name}."));
        let name: &'static str = leak((*name).to_owned());
        EmbeddedSkill::embedded(name, about, source, front_matter.len(), leak(vec![file]))
    };
    let skills: Vec<_> = names.iter().map(skill).collect();
    let set: &'static SkillSet = leak(SkillSet::new("app", "skills", leak(skills)));
    Arc::new(SkillLibrary::new(SkillCatalog::new().with(set).unwrap()))
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn repair(ran: &Ran) -> ToolGroup {
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
    let ran = Ran::default();
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
        .offering(Offering::new().group(repair(&ran)).unwrap());
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @"");
    let requests = model.requests();
    insta::assert_snapshot!(described(&requests[0], "load_skill"), @"");
    insta::assert_snapshot!(described(&requests[2], "load_skill"), @"");
    // The prefix of the conversation is the same all the time.
    for request in &requests {
        assert_eq!(request.system, requests[0].system);
    }
}

#[tokio::test]
async fn a_group_may_have_nothing_but_skills() {
    let model = calling([("load_skill", json!({ "name": "mend" }))]);
    let group = ToolGroup::new("repair", "Repairs.").skills(library(&["mend"]));
    let agent =
        Agent::with_model("main", model.clone()).offering(Offering::new().group(group).unwrap());
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @"");
    assert_eq!(
        offered(&model.requests()[0]),
        ["load_skill", "read_skill_file", "reset_tools"]
    );
}

#[tokio::test]
async fn a_filter_that_excludes_the_tool_excludes_the_skills() {
    let ran = Ran::default();
    let model = calling([
        ("reset_tools", json!({ "repair": true })),
        ("load_skill", json!({ "name": "mend" })),
    ]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(Toolset::empty())
        .offering(Offering::new().group(repair(&ran)).unwrap())
        .filter(ToolFilter::new().without(["load_skill", "read_skill_file"]));
    let report = run(&agent, "Mend it.").await;
    insta::assert_snapshot!(answers(&report), @"");
    assert_eq!(offered(&model.requests()[1]), ["drill", "reset_tools"]);
}
