//! Which of two skills of one name stands.

use crate::skills_runtime::fixture::{Fixture, embedded, names};
use helve_runtime::skill::SkillCatalog;

#[tokio::test]
async fn the_project_stands_before_the_user_and_the_earlier_folder_before_the_later() {
    let world = Fixture::new();
    world
        .skill("pdf", "# Of the project")
        .skill_in("project/.claude/skills", "pdf", "# Of the project, too")
        .skill_in("home/.agents/skills", "pdf", "# Of the user")
        .skill_in("home/.agents/skills", "csv", "# Of the user");
    let catalog = world.catalog().await;
    assert_eq!(names(&catalog), ["csv", "pdf"]);
    assert_eq!(
        catalog.get("pdf").unwrap().body(),
        Some("# Of the project\n")
    );
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    the skill `pdf` from the project's folder `/project/.agents/skills` shadows the one from the project's folder `/project/.claude/skills`
    the skill `pdf` from the project's folder `/project/.agents/skills` shadows the one from the user's folder `/home/.agents/skills`
    "#);
}

#[tokio::test]
async fn copies_of_one_version_need_no_word() {
    let world = Fixture::new();
    world
        .skill("pdf", "# PDF")
        .skill_in("project/.claude/skills", "pdf", "# PDF");
    assert_eq!(world.notes(&world.catalog().await), "");
}

#[tokio::test]
async fn an_embedded_skill_gives_way_only_where_it_may_and_never_in_silence() {
    let world = Fixture::new();
    world.skill("pdf", "# Of the project");
    let catalog = SkillCatalog::new().with(embedded(&[("pdf", "# Embedded"), ("web", "# Web")]));
    let catalog = catalog.unwrap().with_sources(world.sources()).await;
    assert_eq!(catalog.get("pdf").unwrap().body(), Some("# Embedded"));
    insta::assert_snapshot!(world.notes(&catalog), @r#"ignored the skill `pdf` from the project's folder `/project/.agents/skills`: `skills` of the package `app` embeds a skill of that name; rename the skill, or allow skills to shadow embedded ones"#);
    let catalog = catalog.shadow_embedded(true);
    assert_eq!(
        catalog.get("pdf").unwrap().body(),
        Some("# Of the project\n")
    );
    assert_eq!(names(&catalog), ["pdf", "web"]);
    insta::assert_snapshot!(world.notes(&catalog), @r#"the skill `pdf` from the project's folder `/project/.agents/skills` shadows the one from `skills` of the package `app`"#);
}
