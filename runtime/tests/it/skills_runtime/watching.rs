//! Folders that change from turn to turn.

use std::fs;
use std::sync::Arc;

use helve_runtime::skill::{SkillError, SkillFilter, SkillLibrary};

use crate::skills_runtime::fixture::{Fixture, names};

#[tokio::test]
async fn a_refresh_gives_a_new_snapshot_only_where_something_changed() {
    let world = Fixture::new();
    world.skill("pdf", "# PDF");
    let library = SkillLibrary::new(world.catalog().await);
    assert!(library.refresh().await.is_none());
    let before = library.current();

    world.skill("csv", "# CSV");
    let now = library.refresh().await.unwrap();
    assert_eq!(names(&now), ["csv", "pdf"]);
    assert_eq!(names(&before), ["pdf"], "a snapshot stays what it was");
    assert!(library.refresh().await.is_none());

    world.write("project/.agents/skills/csv/references/a.md", "a");
    let now = library.refresh().await.unwrap();
    assert!(now.get("csv").unwrap().file("references/a.md").is_some());

    fs::remove_dir_all(world.path("project/.agents/skills/pdf")).unwrap();
    assert_eq!(names(&library.refresh().await.unwrap()), ["csv"]);
    fs::remove_dir_all(world.path("project/.agents")).unwrap();
    assert!(library.refresh().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_folder_that_is_made_later_is_seen() {
    let world = Fixture::new();
    let library = SkillLibrary::new(world.catalog().await);
    assert!(library.current().is_empty());
    world.skill_in("home/.claude/skills", "pdf", "# PDF");
    assert_eq!(names(&library.refresh().await.unwrap()), ["pdf"]);
}

#[tokio::test]
async fn a_narrowed_library_follows_the_whole_one() {
    let world = Fixture::new();
    world.skill("pdf", "# PDF");
    let library = SkillLibrary::new(world.catalog().await);
    let narrowed = library.filtered(&SkillFilter::without(["pdf"]));
    assert!(narrowed.current().is_empty());
    world.skill("csv", "# CSV");
    library.refresh().await.unwrap();
    assert_eq!(names(&narrowed.current()), ["csv"]);
    assert_eq!(narrowed.revision(), library.revision());
}

#[tokio::test]
async fn the_same_bytes_in_a_new_file_are_the_same_version() {
    let world = Fixture::new();
    world.skill("pdf", "# PDF");
    let catalog = world.catalog().await;
    world.skill("pdf", "# PDF!").skill("pdf", "# PDF");
    let now = catalog.refresh().await.unwrap();
    let digest =
        |catalog: &helve_runtime::skill::SkillCatalog| catalog.get("pdf").unwrap().digest();
    assert_eq!(digest(&now), digest(&catalog));
}

#[tokio::test]
async fn a_file_that_changed_in_the_turn_is_not_given_for_the_one_that_was_listed() {
    let world = Fixture::new();
    world
        .skill("pdf", "# PDF")
        .write("project/.agents/skills/pdf/a.md", "before");
    let library = Arc::new(SkillLibrary::new(world.catalog().await));
    let catalog = library.current();
    let pdf = catalog.get("pdf").unwrap();
    world.write("project/.agents/skills/pdf/a.md", "after!");
    let error = pdf.read("a.md").await.unwrap_err();
    assert!(matches!(error, SkillError::Changed { .. }));
    insta::assert_snapshot!(error, @r#"`a.md` of the skill `pdf` changed after the skills were loaded; try again in the next turn, which reloads them"#);
    fs::remove_file(world.path("project/.agents/skills/pdf/a.md")).unwrap();
    assert!(matches!(
        pdf.read("a.md").await,
        Err(SkillError::Changed { .. })
    ));
    let now = library.refresh().await.unwrap();
    let gone = now.get("pdf").unwrap().read("a.md").await.unwrap_err();
    assert!(matches!(gone, SkillError::NoSuchFile { .. }));
}
