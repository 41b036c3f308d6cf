//! The tools of a model: drafts, and what it may do with skills in use.

use std::sync::Arc;

use helve_core::tool::ToolContext;
use helve_core::toolset::Toolset;
use helve_skill::{SkillCatalog, SkillFolder, SkillLibrary};
use serde_json::{Value, json};

use super::Project;
use crate::{InstallOptions, SkillManager, SkillSources};

/// The tools on a project, with the skills that are in its folder now.
async fn tools(project: &Project) -> Toolset {
    let folders = SkillFolder::for_project(project.installer.root());
    let folders = folders.into_iter().map(|folder| Arc::new(folder) as Arc<_>);
    let catalog = SkillCatalog::new().with_sources(folders).await;
    let library = Arc::new(SkillLibrary::new(catalog));
    let mut sources = SkillSources::new(project.installer.root());
    sources.github_token = None;
    SkillManager::new(project.installer.clone(), library, sources).into_toolset()
}

async fn call(project: &Project, tool: &str, arguments: Value) -> String {
    let tools = tools(project).await;
    let called = tools
        .call(tool, &arguments.to_string(), &ToolContext::new())
        .await;
    match called {
        Ok(output) => output.text().into_owned(),
        Err(error) => format!("error: {error}"),
    }
}

fn report() -> Value {
    json!({
        "name": "weekly-report",
        "description": "Writes the weekly report: on Mondays, or when it is asked for.",
        "instructions": "Run `scripts/report.sh`.",
        "files": [{ "path": "scripts/report.sh", "content": "#!/bin/sh\necho report\n" }],
        "trigger": "cron: 0 8 * * 1",
    })
}

#[tokio::test]
async fn a_draft_of_a_model_is_not_in_use_before_a_person_accepts_it() {
    let project = Project::new();
    let mut shown = String::new();
    let mut step = |text: String| shown.push_str(&format!("{text}\n"));
    step(call(&project, "list_skills", json!({})).await);
    step(call(&project, "create_skill", report()).await);
    step(call(&project, "list_skills", json!({})).await);
    assert!(!project.exists(".agents"));
    let plan = project
        .installer
        .plan_draft("weekly-report", &InstallOptions::default())
        .unwrap();
    assert_eq!(
        plan.skill.scripts().collect::<Vec<_>>(),
        ["scripts/report.sh"]
    );
    project.installer.install(&plan).unwrap();
    assert!(project.installer.remove_draft("weekly-report").unwrap());
    step(call(&project, "list_skills", json!({})).await);
    let manage = |action: &str| json!({ "name": "weekly-report", "action": action });
    step(call(&project, "manage_skill", manage("pause")).await);
    step(call(&project, "list_skills", json!({})).await);
    step(call(&project, "manage_skill", manage("resume")).await);
    step(
        call(
            &project,
            "manage_skill",
            json!({ "name": "nope", "action": "pause" }),
        )
        .await,
    );
    step(call(&project, "manage_skill", manage("remove")).await);
    step(call(&project, "list_skills", json!({})).await);
    insta::assert_snapshot!(shown, @r#"
    No skills installed.
    drafted the skill `weekly-report` (2 files, the scan found nothing); it is not in use before the user runs `skills accept weekly-report`
    - weekly-report [draft] written by an agent: waits for `skills accept weekly-report`
    - weekly-report [active] trigger: cron(0 8 * * 1): Writes the weekly report: on Mondays, or when it is asked for.
    Skill "weekly-report" paused
    - weekly-report [paused]: by the user
    Skill "weekly-report" resumed
    error: there is no skill `nope` here
    Skill "weekly-report" removed
    No skills installed.
    "#);
}

#[tokio::test]
async fn hostile_drafts_are_refused_and_leave_nothing_behind() {
    let project = Project::new();
    let before = project.everything();
    let mut shown = String::new();
    for (key, value) in [
        ("name", json!("../../x")),
        ("name", json!("Weekly")),
        ("description", json!("x\n---\nname: other")),
        (
            "instructions",
            json!("Use ghp_abcdefghij1234567890abcdefghij123456."),
        ),
        (
            "files",
            json!([{ "path": "a.sh", "content": "export KEY=ghp_abcdefghij1234567890abcdefghij123456" }]),
        ),
        (
            "files",
            json!([{ "path": "../../.bashrc", "content": "x" }]),
        ),
        ("files", json!([{ "path": "SKILL.md", "content": "x" }])),
        ("files", json!([{ "path": ".env", "content": "TOKEN=x" }])),
        (
            "files",
            json!([{ "path": "a", "content": "x" }, { "path": "A", "content": "x" }]),
        ),
    ] {
        let mut arguments = report();
        arguments[key] = value;
        let told = call(&project, "create_skill", arguments).await;
        shown.push_str(&format!(
            "{key}: {}\n",
            told.lines().take(2).collect::<Vec<_>>().join(" / ")
        ));
        let _ = project.installer.remove_draft("weekly-report");
    }
    insta::assert_snapshot!(shown, @"
    name: error: the skill in `../../x` is refused: it breaks the specification / error[SK0113]: `.` is not allowed in a name: lower-case letters, digits and `-` are
    name: error: the skill in `Weekly` is refused: it breaks the specification / error[SK0133]: `W` is an upper-case letter, which a name may not have
    description: drafted the skill `weekly-report` (2 files, the scan found nothing); it is not in use before the user runs `skills accept weekly-report`
    instructions: error: the file `SKILL.md` is refused: it contains a secret (github-pat); write where it is found instead
    files: error: the file `a.sh` is refused: it contains a secret (generic-secret); write where it is found instead
    files: error: the file `../../.bashrc` is refused: the path leaves its folder
    files: error: the file `SKILL.md` is refused: `SKILL.md` is there twice
    files: error: the file `.env` is refused: `.env` is never installed
    files: error: the file `A` is refused: `a` differs from it by case alone
    ");
    let names = |paths: Vec<String>| {
        paths
            .into_iter()
            .filter(|path| !path.starts_with("data/"))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(project.everything()), names(before));
    for source in [
        "/etc",
        "./x",
        "mcp:docs",
        "pdf",
        "file:///etc/passwd",
        "../x.zip",
    ] {
        let told = call(&project, "install_skill", json!({ "source": source })).await;
        assert!(told.starts_with("error: "), "{source}: {told}");
    }
}
