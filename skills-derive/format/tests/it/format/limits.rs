//! Tests of the limits of reading.

use std::fs;

use helve_skill_format::{Options, Profile, limits};

use crate::format::world::{PDF, World};

/// Creates a sparse file of this number of zero bytes, which takes no disk space.
fn sparse(world: &World, path: &str, bytes: u64) {
    let file = fs::File::create(world.path(path)).unwrap();
    file.set_len(bytes).unwrap();
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let world = World::new(&[("csv/x", ""), ("pdf/SKILL.md", PDF)]);
    sparse(&world, "pdf/big.bin", limits::MAX_FILE + 1);
    sparse(&world, "csv/SKILL.md", limits::MAX_SKILL_MD + 1);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0126]: the file is 1048577 bytes long; at most 1048576 are read
      --> skills/csv/SKILL.md
    error[SK0126]: the file is 16777217 bytes long; at most 16777216 are allowed
      --> skills/pdf/big.bin
    "#);
    let world = world.under(Profile::Lenient);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0126]: the file is 1048577 bytes long; at most 1048576 are read
      --> skills/csv/SKILL.md
    warning[SK0126]: the file is 16777217 bytes long; at most 16777216 are allowed
      --> skills/pdf/big.bin
    "#);
}

#[test]
fn a_skill_that_is_too_large_is_refused_unread() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    for number in 0..5 {
        sparse(&world, &format!("pdf/{number}.bin"), limits::MAX_FILE);
    }
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0155]: the skill's files have 83886134 bytes; at most 67108864 are allowed
      --> skills/pdf
    "#);
}

#[test]
fn a_skill_of_too_many_files_is_refused() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    for number in 0..limits::MAX_FILES {
        sparse(&world, &format!("pdf/{number}"), 0);
    }
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0154]: the skill has more than 4096 files or folders
      --> skills/pdf
       = help: leave out what a model does not need
    "#);
}

#[test]
fn mcp_has_bounds_of_its_own() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("csv/SKILL.md", "---\nname: csv\ndescription: d\n---\n"),
    ]);
    for number in 0..limits::MAX_FILES_MCP {
        sparse(&world, &format!("pdf/{number}"), 0);
    }
    sparse(&world, "csv/big.bin", limits::MAX_SKILL_MCP);
    assert_eq!(world.problems(), "");
    insta::assert_snapshot!(world.under(Profile::Mcp).problems(), @r#"
    error[SK0155]: the skill's files have 16777249 bytes; at most 16777216 are allowed
      --> skills/csv
    error[SK0154]: the skill has more than 512 files or folders
      --> skills/pdf
       = help: leave out what a model does not need
    "#);
}

#[test]
fn folders_may_not_nest_for_ever() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    let deep = vec!["d"; limits::MAX_FOLDER_DEPTH + 1].join("/");
    fs::create_dir_all(world.path(&format!("pdf/{deep}"))).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0157]: the folders nest deeper than 32 levels
      --> skills/pdf/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d
    "#);
}

#[test]
fn a_folder_of_too_many_skills_is_refused() {
    let world = World::new(&[]);
    for number in 0..=limits::MAX_SKILLS {
        fs::create_dir(world.path(&number.to_string())).unwrap();
    }
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0156]: the folder has 8193 subfolders; at most 8192 are read
      --> skills
    "#);
}

#[test]
fn skills_that_are_too_large_together_are_refused() {
    let world = World::new(&[]);
    for skill in 10..30 {
        fs::create_dir(world.path(&format!("s{skill}"))).unwrap();
        let text = format!("---\nname: s{skill}\ndescription: d\n---\n");
        fs::write(world.path(&format!("s{skill}/SKILL.md")), text).unwrap();
        for file in 0..4 {
            let size = limits::MAX_FILE - 100;
            sparse(&world, &format!("s{skill}/{file}.bin"), size);
        }
    }
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0156]: up to `s26` the skills have 85 files and 1140844449 bytes; at most 65536 and 1073741824 are read
      --> skills
       = help: split it into two folders
    "#);
    assert_eq!(world.read().skills.len(), 0);
    let options = Options::new().profile(Profile::Lenient).digests(false);
    let world = world.with(options);
    assert!(world.read().has_errors());
    assert_eq!(world.read().skills.len(), 16);
}

#[test]
fn front_matter_that_is_too_large_is_refused() {
    let text = format!(
        "---\nname: pdf\ndescription: {}\n---\n",
        "x".repeat(limits::MAX_FRONT_MATTER)
    );
    insta::assert_snapshot!(World::new(&[("pdf/SKILL.md", &text)]).problems(), @r#"
    error[SK0108]: the front matter is 65560 bytes long; at most 65536 are read
      --> skills/pdf/SKILL.md:1:1
    "#);
}
