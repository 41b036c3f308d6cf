//! A session without a skill cannot list, load, read or reach it.

use std::sync::Arc;

use helve_runtime::skill::{SkillCatalog, SkillFilter, SkillLibrary};
use helve_runtime::tool::ToolContext;
use proptest::prelude::*;

use crate::skills_runtime::fixture::{Fixture, embedded, names};

const NAMES: [&str; 5] = ["csv", "notes", "pdf", "shell-tool", "web"];

fn world() -> Fixture {
    let world = Fixture::new();
    for name in &NAMES[..4] {
        world.skill(name, "# Body of $ARGUMENTS");
        world.write(
            &format!("project/.agents/skills/{name}/notes.md"),
            "a secret",
        );
    }
    world.write(
        "project/.agents/skills/shell-tool/SKILL.md",
        "---\nname: shell-tool\ndescription: d\ntool: true\n---\n# Tool\n",
    );
    world
}

/// Says everything that a session with this filter can get at of a skill.
async fn reach(library: &Arc<SkillLibrary>, name: &str) -> Vec<&'static str> {
    let catalog = library.current();
    let tools = SkillLibrary::tools(library);
    let cx = ToolContext::new();
    let mut reached = Vec::new();
    let mut note = |way, is_open: bool| {
        if is_open {
            reached.push(way);
        }
    };
    note("list", names(&catalog).iter().any(|known| known == name));
    note(
        "prompt",
        catalog.prompt().contains(&format!("<name>{name}</name>")),
    );
    note("load", catalog.load(name).await.is_ok());
    let arguments = serde_json::json!({ "name": name }).to_string();
    note(
        "load_skill",
        tools.call("load_skill", &arguments, &cx).await.is_ok(),
    );
    for path in ["notes.md", "SKILL.md"] {
        let arguments = serde_json::json!({ "skill": name, "path": path }).to_string();
        note(
            "read_skill_file",
            tools.call("read_skill_file", &arguments, &cx).await.is_ok(),
        );
    }
    note("tool", tools.get(name).is_some());
    reached
}

async fn library() -> (Fixture, SkillLibrary) {
    let world = world();
    let catalog = SkillCatalog::new()
        .with(embedded(&[("web", "# Web")]))
        .unwrap();
    let catalog = catalog.with_sources(world.sources()).await;
    (world, SkillLibrary::new(catalog))
}

#[tokio::test]
async fn what_a_session_has_it_can_reach_in_every_way() {
    let (_world, library) = library().await;
    let library = Arc::new(library.filtered(&SkillFilter::only(["pdf", "shell-tool"])));
    let ways = [
        "list",
        "prompt",
        "load",
        "load_skill",
        "read_skill_file",
        "read_skill_file",
    ];
    assert_eq!(reach(&library, "pdf").await, ways);
    assert_eq!(reach(&library, "shell-tool").await.last(), Some(&"tool"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_a_session_does_not_have_it_cannot_reach(
        only in proptest::option::of(proptest::sample::subsequence(NAMES.to_vec(), 0..5)),
        without in proptest::sample::subsequence(NAMES.to_vec(), 0..5),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (world, library) = library().await;
            let agent = only.as_ref().map_or_else(SkillFilter::all, |only| SkillFilter::only(only.clone()));
            let session = SkillFilter::without(without.clone());
            let library = Arc::new(library.filtered(&agent).filtered(&session));
            for name in NAMES {
                let allowed = only.as_ref().is_none_or(|only| only.contains(&name)) && !without.contains(&name);
                let folder = world.path("project/.agents/skills").join(name);
                let hidden = library.current().hidden_paths().any(|hidden| hidden == folder);
                let reached = reach(&library, name).await;
                assert_eq!(!reached.is_empty(), allowed, "{name}: {reached:?}");
                // What is embedded lies in no folder.
                assert_eq!(hidden, !allowed && name != "web", "{name}");
            }
        });
    }
}

#[tokio::test]
async fn a_folder_that_is_no_skill_is_hidden_like_one() {
    let world = Fixture::new();
    world
        .skill("pdf", "# PDF")
        .write("project/.agents/skills/broken/SKILL.md", "---\n")
        .write("project/.agents/skills/broken/key", "a secret");
    let catalog = world.catalog().await.only(["pdf"]);
    let hidden: Vec<_> = catalog.hidden_paths().collect();
    assert_eq!(hidden, [world.path("project/.agents/skills/broken")]);
    assert_eq!(world.notes(&catalog), "");
}

#[tokio::test]
async fn a_name_in_an_allow_list_that_no_skill_has_is_said() {
    let world = world();
    let catalog = world.catalog().await.only(["pfd", "csv", "weather"]);
    assert_eq!(names(&catalog), ["csv"]);
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    an allow-list names the skill `pfd`, which does not exist; did you mean `pdf`?
    an allow-list names the skill `weather`, which does not exist
    "#);
}

#[test]
fn a_filter_is_a_value_that_is_written_down() {
    for (filter, text) in [
        (SkillFilter::all(), "{}"),
        (SkillFilter::only(["b", "a"]), r#"{"only":["a","b"]}"#),
        (SkillFilter::without(["a"]), r#"{"without":["a"]}"#),
        (SkillFilter::only::<&str>([]), r#"{"only":[]}"#),
    ] {
        assert_eq!(serde_json::to_string(&filter).unwrap(), text);
        assert_eq!(serde_json::from_str::<SkillFilter>(text).unwrap(), filter);
    }
    assert!(serde_json::from_str::<SkillFilter>(r#"{"onyl":["a"]}"#).is_err());
    let none = SkillFilter::only::<&str>([]);
    assert!(!none.allows("a") && SkillFilter::all().allows("a"));
}
