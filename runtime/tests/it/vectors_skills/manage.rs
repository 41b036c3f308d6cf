//! What a model does with skills, and what becomes of a skill that fails.

use std::path::Path;
use std::sync::Arc;

use helve_runtime::acceptances::Acceptances;
use helve_runtime::skill::{SkillCatalog, SkillFolder, SkillLibrary, SkillSource};
use helve_runtime::skill_install::{
    InstallOptions, SkillInstaller, SkillManager, SkillSources, SkillStatuses,
};
use helve_runtime::{ToolContext, Toolset};
use serde_json::{Value, json};

use super::vectors::{Case, Tally, load_topic};

/// Recorded functions that no skill decides here, with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "SkillSchedulerBridge.syncAll",
        "skills that run by themselves are schedules: runtime/schedule/src/skills",
    ),
    (
        "parseSkillPrompt",
        "a schedule names its skill in a field, and in no text of a prompt",
    ),
];

#[tokio::test]
async fn skills_are_managed_alike() {
    let Some(cases) = load_topic("augure_misc") else {
        return;
    };
    let (mut tally, mut outside) = (Tally::new("augure_misc, skills"), Vec::new());
    for case in &cases {
        let place = tempfile::tempdir().unwrap();
        let installer = SkillInstaller::new(
            &place.path().join("project"),
            place.path().join("data"),
            Acceptances::in_memory(),
        );
        match &*case.function {
            "SkillHealer.onRunComplete" => failing(&mut tally, case, place.path()),
            "list_skills" => listed(&mut tally, case, &installer).await,
            "manage_skill" => managed(&mut tally, case, &installer).await,
            "install_skill" => {
                let said = call(&installer, "install_skill", json!({ "source": "pdf" })).await;
                let is_like =
                    said.is_err_and(|text| text.starts_with("Skills hub is not configured"));
                tally.compare(case, &is_like, &true);
            }
            function => {
                let found = ELSEWHERE.iter().find(|(name, _)| *name == function);
                outside.extend(found.map(|(_, why)| (case.id.clone(), *why)));
            }
        }
    }
    crate::vectors_skills::outside("augure_misc, skills", &outside);
    tally.finish(&[]);
}

/// Records runs, and says after each whether the skill is paused. No model repairs a skill here.
fn failing(tally: &mut Tally, case: &Case, place: &Path) {
    let statuses = SkillStatuses::new(place.join("status.json"));
    let runs = case.input["run_success_sequence"].as_array().unwrap();
    let found: Vec<bool> = runs
        .iter()
        .map(|run| {
            let failure = (*run == false).then_some("exit status 1");
            let status = statuses.record_run("test", place, failure).unwrap();
            status.paused.is_some()
        })
        .collect();
    let recorded = case.expected.as_array().unwrap().iter();
    let recorded: Vec<bool> = recorded.map(|run| run["paused"] == true).collect();
    tally.compare(case, &found, &recorded);
}

/// Lists skills: the name, the status and, of one in use, what starts it.
async fn listed(tally: &mut Tally, case: &Case, installer: &SkillInstaller) {
    let skills = case.input["skills"].as_array().unwrap();
    for skill in skills {
        let trigger = match skill["trigger"]["schedule"].as_str() {
            Some(schedule) => format!("cron: {schedule}"),
            None => "manual".to_owned(),
        };
        let id = skill["id"].as_str().unwrap();
        create(installer, id, &trigger, skill["status"] == "active").await;
    }
    let found = call(installer, "list_skills", json!({})).await.unwrap();
    let recorded = case.expected["output"].as_str().unwrap();
    let Some(skill) = skills.first() else {
        return tally.compare(case, &&*found, &recorded);
    };
    let (id, status) = (
        skill["id"].as_str().unwrap(),
        skill["status"].as_str().unwrap(),
    );
    let trigger = recorded.split_once("trigger: ").unwrap().1;
    let is_like = found.starts_with(&format!("- {id} [{status}]"))
        && (status == "draft" || found.contains(&format!("trigger: {trigger}")));
    match is_like {
        true => tally.agree(case),
        false => tally.differ(case, found),
    }
}

/// Changes the status of a skill: what was answered, in substance.
async fn managed(tally: &mut Tally, case: &Case, installer: &SkillInstaller) {
    let name = case.input["id"].as_str().unwrap();
    if case.input["exists"] == true {
        create(installer, name, "manual", true).await;
    }
    let action = match case.input["action"].as_str().unwrap() {
        "delete" => "remove",
        action => action,
    };
    if action == "resume" {
        let pause = json!({ "name": name, "action": "pause" });
        call(installer, "manage_skill", pause).await.unwrap();
    }
    let arguments = json!({ "name": name, "action": action });
    let said = call(installer, "manage_skill", arguments).await;
    let status = installer.statuses().get(name, installer.root()).unwrap();
    let is_there = installer.skills_folder().join(name).exists();
    let found = (said.is_ok(), status.paused.is_some(), is_there);
    let is_done = case.expected["success"] == true;
    let is_paused = case.expected["status"] == "paused";
    tally.compare(
        case,
        &found,
        &(is_done, is_paused, is_done && action != "remove"),
    );
}

/// Creates a skill as a model does, and accepts it as a person does if it is to be in use.
async fn create(installer: &SkillInstaller, name: &str, trigger: &str, accepts: bool) {
    std::fs::create_dir_all(installer.root()).unwrap();
    let arguments = json!({
        "name": name, "description": "Tests.", "instructions": "Test.", "trigger": trigger,
    });
    call(installer, "create_skill", arguments).await.unwrap();
    if accepts {
        let plan = installer.plan_draft(name, &InstallOptions::default());
        installer.install(&plan.unwrap()).unwrap();
        assert!(installer.remove_draft(name).unwrap());
    }
}

async fn call(installer: &SkillInstaller, tool: &str, arguments: Value) -> Result<String, String> {
    let tools = tools(installer).await;
    let called = tools
        .call(tool, &arguments.to_string(), &ToolContext::new())
        .await;
    match called {
        Ok(output) => Ok(output.text().into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

async fn tools(installer: &SkillInstaller) -> Toolset {
    let folders = SkillFolder::for_project(installer.root()).into_iter();
    let folders = folders.map(|folder| Arc::new(folder) as Arc<dyn SkillSource>);
    let catalog = SkillCatalog::new().with_sources(folders).await;
    let library = Arc::new(SkillLibrary::new(catalog));
    let mut sources = SkillSources::new(installer.root());
    sources.github_token = None;
    SkillManager::new(installer.clone(), library, sources).into_toolset()
}
