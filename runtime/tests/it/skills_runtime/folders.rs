//! Folders of skills: what is read there, and what is said of what is not.

use helve_runtime::skill::{SkillCatalog, SkillFolder};

use crate::skills_runtime::fixture::{Fixture, names};

#[tokio::test]
async fn the_usual_folders_of_project_and_home_are_read() {
    let world = Fixture::new();
    world
        .skill("pdf", "# PDF")
        .skill_in("project/.claude/skills", "csv", "# CSV")
        .skill_in("home/.agents/skills", "notes", "# Notes")
        .skill_in("home/.claude/skills", "web", "# Web")
        .write("project/.agents/skills/README.md", "no skill")
        .write("project/.agents/skills/.hidden/SKILL.md", "no skill")
        .write("project/.agents/skills/pdf/scripts/fill.sh", "#!/bin/sh\n")
        .write("project/.agents/skills/pdf/logo.bin", b"\xff\x00");
    let catalog = world.catalog().await;
    assert_eq!(names(&catalog), ["csv", "notes", "pdf", "web"]);
    assert_eq!(world.notes(&catalog), "");
    assert_eq!(
        world.redact_paths(&catalog.origin("pdf").unwrap()),
        "the project's folder `/project/.agents/skills`"
    );
    let pdf = catalog.get("pdf").unwrap();
    let files: Vec<_> = pdf
        .files()
        .map(|file| (file.path, file.size, file.executable, file.utf8))
        .collect();
    assert_eq!(
        files,
        [
            ("SKILL.md", 47, false, true),
            ("logo.bin", 2, false, false),
            ("scripts/fill.sh", 10, true, true),
        ]
    );
    assert_eq!(pdf.body(), Some("# PDF\n"));
    assert_eq!(&*pdf.read("logo.bin").await.unwrap(), b"\xff\x00");
    assert_eq!(
        pdf.folder(),
        Some(&*world.path("project/.agents/skills/pdf"))
    );
}

#[tokio::test]
async fn a_configured_folder_is_read_and_one_that_is_missing_is_empty() {
    let world = Fixture::new();
    world.skill_in("elsewhere", "pdf", "# PDF");
    for (folder, skills) in [("elsewhere", 1), ("nowhere", 0)] {
        let folder = SkillFolder::from_config(world.path(folder));
        let catalog = SkillCatalog::new()
            .with_source(std::sync::Arc::new(folder))
            .await;
        assert_eq!((catalog.len(), catalog.notes().len()), (skills, 0));
    }
}

#[tokio::test]
async fn a_broken_skill_is_a_note_and_hides_no_other() {
    let world = Fixture::new();
    world
        .skill("good", "# Good")
        .write(
            "project/.agents/skills/anchors/SKILL.md",
            "---\nname: &a anchors\ndescription: d\n---\n",
        )
        .write(
            "project/.agents/skills/bytes/SKILL.md",
            b"---\nname: bytes\ndescription: \xff\n---\n",
        )
        .write(
            "project/.agents/skills/plain/SKILL.md",
            "---\nname: plain\n",
        );
    let catalog = world.catalog().await;
    assert_eq!(names(&catalog), ["good"]);
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    in the project's folder `/project/.agents/skills`: error[SK0106]: anchors (`&…`) are not allowed in front matter
      --> /project/.agents/skills/anchors/SKILL.md:2:7
       = help: write the value out, or quote it if the `&` belongs to the text
    in the project's folder `/project/.agents/skills`: error[SK0110]: SKILL.md is not UTF-8
      --> /project/.agents/skills/bytes/SKILL.md:3:14
    in the project's folder `/project/.agents/skills`: error[SK0118]: the front matter is not closed
      --> /project/.agents/skills/plain/SKILL.md:1:1
       = help: end it with a line that is only `---`
    "#);
}

#[tokio::test]
async fn two_skills_of_one_folder_with_one_name_are_said() {
    let world = Fixture::new();
    let text = "---\nname: pdf\ndescription: d\n---\n";
    world
        .write("project/.agents/skills/a/SKILL.md", text)
        .write("project/.agents/skills/b/SKILL.md", text);
    let catalog = world.catalog().await;
    assert_eq!(catalog.len(), 1);
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    in the project's folder `/project/.agents/skills`: warning[SK0115]: the name is `pdf`, but the folder is `a`
      --> /project/.agents/skills/a/SKILL.md:2:7
       = help: write `name: a`, or rename the folder to `pdf`
    in the project's folder `/project/.agents/skills`: warning[SK0115]: the name is `pdf`, but the folder is `b`
      --> /project/.agents/skills/b/SKILL.md:2:7
       = help: write `name: b`, or rename the folder to `pdf`
    in the project's folder `/project/.agents/skills`: ignored `/project/.agents/skills/b`: `/project/.agents/skills/a` already defines a skill named `pdf`; rename one of them
    "#);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_within_the_project_and_no_further() {
    use std::os::unix::fs::symlink;
    let world = Fixture::new();
    world
        .skill("pdf", "# PDF")
        .skill_in("outside", "secret", "# Secret")
        .skill_in("project/.claude/skills", "own", "# Own");
    let claude = world.path("project/.claude/skills");
    symlink("../../.agents/skills/pdf", claude.join("pdf")).unwrap();
    symlink(world.path("outside/secret"), claude.join("secret")).unwrap();
    symlink("nowhere", claude.join("dangling")).unwrap();
    symlink("loop", claude.join("loop")).unwrap();
    symlink("../..", claude.join("project")).unwrap();
    let catalog = world.catalog().await;
    assert_eq!(names(&catalog), ["own", "pdf"]);
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    in the project's folder `/project/.claude/skills`: `/project/.claude/skills/dangling` is a broken link: No such file or directory (os error 2)
    in the project's folder `/project/.claude/skills`: `/project/.claude/skills/loop` is a broken link: Too many levels of symbolic links (os error 40)
    in the project's folder `/project/.claude/skills`: `/project/.claude/skills/project` links to its own parent `/project`; delete the link
    in the project's folder `/project/.claude/skills`: `/project/.claude/skills/secret` links to `/outside/secret`, outside of `/project`; copy the skill here, or add its folder to the configuration
    "#);
    std::fs::remove_dir_all(world.path("home")).unwrap();
    std::fs::create_dir_all(world.path("home/.agents")).unwrap();
    symlink(world.path("outside"), world.path("home/.agents/skills")).unwrap();
    let catalog = world.catalog().await;
    assert_eq!(names(&catalog), ["own", "pdf"]);
    insta::assert_snapshot!(world.notes(&catalog).lines().last().unwrap(), @r#"in the user's folder `/home/.agents/skills`: ignored `/home/.agents/skills`: it links to `/outside`, outside of `/home`; add that folder to the configuration"#);
}
