//! Tests of symbolic links: followed within the skill, never out of it, and never in a cycle.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use helve_skill_format::Profile;

use crate::format::world::{PDF, World};

fn paths(world: &World) -> Vec<String> {
    let mut collection = world.read();
    let skill = collection.skills.remove(0);
    skill.files.into_iter().map(|file| file.path).collect()
}

#[test]
fn a_link_inside_the_skill_is_followed() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/docs/a.md", "x"),
        ("pdf/docs/deep/b.md", "y"),
    ]);
    symlink("docs/a.md", world.path("pdf/README.md")).unwrap();
    symlink("docs", world.path("pdf/references")).unwrap();
    symlink("../a.md", world.path("pdf/docs/deep/up.md")).unwrap();
    assert_eq!(world.read().problems, []);
    assert_eq!(
        paths(&world),
        [
            "README.md",
            "SKILL.md",
            "docs/a.md",
            "docs/deep/b.md",
            "docs/deep/up.md",
            "references/a.md",
            "references/deep/b.md",
            "references/deep/up.md"
        ]
    );
}

#[test]
fn a_link_out_of_the_skill_is_refused_wherever_it_stands() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        (
            "shared/SKILL.md",
            "---\nname: shared\ndescription: d\n---\n",
        ),
    ]);
    symlink("../../", world.path("pdf/all")).unwrap();
    symlink("/etc/hostname", world.path("pdf/host")).unwrap();
    symlink("../shared/SKILL.md", world.path("pdf/other.md")).unwrap();
    symlink("pdf", world.path("same")).unwrap();
    // A link beside the skills belongs to no skill, like a file.
    symlink("pdf/SKILL.md", world.path("AGENTS.md")).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0124]: this symbolic link leads out of the skill, to `../../`
      --> skills/pdf/all
       = help: a skill must contain its own files: add a copy here
    error[SK0124]: this symbolic link leads out of the skill, to `/etc/hostname`
      --> skills/pdf/host
       = help: a skill must contain its own files: add a copy here
    error[SK0124]: this symbolic link leads out of the skill, to `../shared/SKILL.md`
      --> skills/pdf/other.md
       = help: a skill must contain its own files: add a copy here
    error[SK0124]: this symbolic link leads out of the skill, to `pdf`
      --> skills/same
       = help: a skill must contain its own files: add a copy here
    "#);
}

#[test]
fn a_link_that_leads_back_is_refused() {
    let world = World::new(&[("pdf/SKILL.md", PDF), ("pdf/a/x", "x"), ("pdf/b/y", "y")]);
    symlink("..", world.path("pdf/a/up")).unwrap();
    symlink("self", world.path("pdf/self")).unwrap();
    // Each link leads to the folder of the other: a walk would not end.
    symlink("../b", world.path("pdf/a/to-b")).unwrap();
    symlink("../a", world.path("pdf/b/to-a")).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0129]: this symbolic link to `../a` forms a cycle
      --> skills/pdf/a/to-b/to-a
       = help: delete it
    error[SK0129]: this symbolic link to `..` forms a cycle
      --> skills/pdf/a/up
       = help: delete it
    error[SK0129]: this symbolic link to `../b` forms a cycle
      --> skills/pdf/b/to-a/to-b
       = help: delete it
    error[SK0129]: this symbolic link to `..` forms a cycle
      --> skills/pdf/b/to-a/up
       = help: delete it
    error[SK0129]: this symbolic link to `self` forms a cycle
      --> skills/pdf/self
       = help: delete it
    "#);
}

#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    symlink("gone.md", world.path("pdf/here.md")).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0130]: this symbolic link leads nowhere, to `gone.md`
      --> skills/pdf/here.md
       = help: delete it, or put the file there
    "#);
}

#[test]
fn at_run_time_what_leads_out_is_left_out_and_a_linked_skill_is_one() {
    let elsewhere = World::new(&[("pdf/SKILL.md", PDF), ("pdf/a.md", "x")]);
    let world = World::new(&[("csv/SKILL.md", "---\nname: csv\ndescription: d\n---\n")]);
    symlink(elsewhere.path("pdf"), world.path("pdf")).unwrap();
    symlink("/etc/hostname", world.path("csv/host")).unwrap();
    let world = world.under(Profile::Lenient);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0124]: this symbolic link leads out of the skill, to `/etc/hostname`
      --> skills/csv/host
       = help: a skill must contain its own files: add a copy here
    "#);
    let skills = world.read().skills;
    let files: Vec<_> = skills
        .iter()
        .map(|skill| (&*skill.name, skill.files.len()))
        .collect();
    assert_eq!(files, [("csv", 1), ("pdf", 2)]);
}

#[test]
fn at_run_time_a_link_to_a_disk_is_not_walked() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]).under(Profile::Lenient);
    symlink("/", world.path("root")).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0123]: the folder has no SKILL.md
      --> skills/root
       = help: add a SKILL.md, or move the folder elsewhere
    "#);
    assert_eq!(world.read().skills.len(), 1);
}

#[test]
fn links_that_multiply_are_bounded() {
    // Every folder contains two links to the next one: 2^20 paths without a limit.
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    for level in 0..20 {
        fs::create_dir(world.path(&format!("pdf/{level}"))).unwrap();
        if level > 0 {
            for side in ["a", "b"] {
                let link = world.path(&format!("pdf/{}/{side}", level - 1));
                symlink(format!("../{level}"), link).unwrap();
            }
        }
    }
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0154]: the skill has more than 4096 files or folders
      --> skills/pdf
       = help: leave out what a model does not need
    "#);
}
