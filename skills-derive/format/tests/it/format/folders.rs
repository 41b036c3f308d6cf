//! Tests of whole folders: the skills, their order, and the message of all problems.

use helve_skill_format::{Options, read};

use crate::format::world::{PDF, World, rendered};

fn errors(files: &[(&str, &str)]) -> String {
    let message = World::new(files).read().errors_message("include_skills!");
    message.unwrap()
}

#[test]
fn a_good_folder_is_read_in_sorted_order() {
    let world = World::of_bytes(&[
        ("pdf/SKILL.md", PDF.as_bytes()),
        ("pdf/scripts/fill.py", b"#!/usr/bin/env python3\n"),
        ("pdf/scripts-more.txt", b"x"),
        ("pdf/logo.bin", b"\xff\x00"),
        ("pdf/sub/SKILL.md", b"not a skill of its own"),
        (
            "csv/SKILL.md",
            b"---\nname: csv\ndescription: |\n  Reads CSV.\n---\n",
        ),
        ("README.md", b"loose"),
        ("pdf/.DS_Store", b"x"),
        ("pdf/__pycache__/fill.pyc", b"x"),
        ("pdf/node_modules/a/index.js", b"x"),
        (".git/HEAD", b"x"),
    ]);
    let skills = world.read().skills;
    let names: Vec<_> = skills
        .iter()
        .map(|skill| (skill.name.as_str(), skill.description.as_str()))
        .collect();
    assert_eq!(names, [("csv", "Reads CSV."), ("pdf", "Reads PDF files.")]);
    assert_eq!((skills[1].body(), &*skills[1].source), ("# PDF\n", PDF));
    let files: Vec<_> = skills[1]
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.size, file.executable, file.utf8))
        .collect();
    assert_eq!(
        files,
        [
            ("SKILL.md", 54, false, Some(true)),
            ("logo.bin", 2, false, Some(false)),
            ("scripts-more.txt", 1, false, Some(true)),
            ("scripts/fill.py", 23, true, Some(true)),
            ("sub/SKILL.md", 22, false, Some(true)),
        ]
    );
    assert!(skills[1].files.iter().all(|file| file.sha256.is_some()));
}

#[test]
fn all_problems_of_all_skills_are_one_message() {
    let files = [
        ("csv/SKILL.md", "---\nname: CSV\ndescription: d\n---\n"),
        (
            "ok/SKILL.md",
            "---\nname: ok\ndescription: d\nanswer: 42\n---\n",
        ),
        (
            "pdf/SKILL.md",
            "---\nname: pdf\ndescription: Use this when: asked\n---\n",
        ),
        ("scraps/notes.md", "x"),
        ("web/SKILL.md", "---\nname: www\n---\n"),
    ];
    insta::assert_snapshot!(errors(&files), @r#"
    include_skills!: 5 problems in 4 of 5 skills under `skills/`
    error[SK0133]: `C` is an upper-case letter, which a name may not have
      --> skills/csv/SKILL.md:2:7
       = help: write `name: csv`, as the folder is called
    error[SK0102]: unquoted `: ` makes this a nested mapping
      --> skills/pdf/SKILL.md:3:27
       = help: quote it: description: "Use this when: …"
    error[SK0123]: the folder has no SKILL.md
      --> skills/scraps
       = help: add a SKILL.md, or move the folder elsewhere
    error[SK0116]: `description` is missing
      --> skills/web/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    error[SK0115]: the name is `www`, but the folder is `web`
      --> skills/web/SKILL.md:2:7
       = help: write `name: web`, or rename the folder to `www`
    "#);
    let world = World::new(&files);
    insta::assert_snapshot!(world.read().warnings_message("build").unwrap(), @r#"
    build: 1 warning in 1 of 5 skills under `skills/`
    warning[SK0142]: `answer` is not a field of the specification
      --> skills/ok/SKILL.md:4:9
       = help: put it under `metadata`, which takes any `key: value`
    "#);
    let collection = world.read();
    let names: Vec<_> = collection
        .skills
        .iter()
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(
        (names, collection.total, collection.has_errors()),
        (vec!["ok"], 5, true)
    );
}

#[test]
fn the_folder_must_be_there_and_hold_skills() {
    insta::assert_snapshot!(errors(&[]), @r#"
    include_skills!: 1 problem with `skills/`
    error[SK0122]: the folder holds no skills
      --> skills
       = help: a skill is a folder with a SKILL.md, as in `pdf/SKILL.md`
    "#);
    insta::assert_snapshot!(errors(&[("README.md", "x"), ("node_modules/a/SKILL.md", PDF)]), @r#"
    include_skills!: 1 problem with `skills/`
    error[SK0122]: the folder holds no skills
      --> skills
       = help: a skill is a folder with a SKILL.md, as in `pdf/SKILL.md`
    "#);
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    insta::assert_snapshot!(rendered(&read(&world.path("none"), "none", &Options::new())), @r#"
    error[SK0121]: the folder does not exist
      --> none
    "#);
    insta::assert_snapshot!(rendered(&world.read_skill("pdf/SKILL.md")), @r#"
    error[SK0128]: this is not a folder
      --> skills/pdf/SKILL.md
    "#);
}

#[test]
fn a_folder_that_is_nearly_a_skill_is_told_how() {
    insta::assert_snapshot!(errors(&[("pdf/skill.md", PDF), ("vendor/csv/SKILL.md", PDF)]), @r#"
    include_skills!: 2 problems in 2 of 2 skills under `skills/`
    error[SK0123]: the folder has no SKILL.md
      --> skills/pdf
       = help: rename `skill.md` to `SKILL.md`
    error[SK0123]: the folder has no SKILL.md
      --> skills/vendor
       = help: there are skills deeper inside: name this folder instead
    "#);
}

#[test]
fn bytes_that_are_no_text_are_located() {
    let world = World::of_bytes(&[
        ("a/SKILL.md", b"---\nname: a\ndescription: \xff\n---\n"),
        ("b/SKILL.md", b"---\nname: b\ndescription: d\n---\nx\0y\n"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0110]: SKILL.md is not UTF-8
      --> skills/a/SKILL.md:3:14
    error[SK0109]: the file holds a NUL character
      --> skills/b/SKILL.md:5:2
       = help: delete it
    "#);
}

#[test]
fn one_skill_is_read_alone() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/forms.md", "x"),
        ("csv/SKILL.md", "---\nname: csv\n---\n"),
    ]);
    let collection = world.read_skill("pdf");
    assert_eq!(collection.problems, []);
    let skill = &collection.skills[0];
    assert_eq!(
        (&*skill.name, &*skill.folder, skill.files.len()),
        ("pdf", "pdf", 2)
    );
    assert_eq!(skill.location, world.path("pdf"));
    let message = world.read_skill("csv").errors_message("skills validate");
    insta::assert_snapshot!(message.unwrap(), @r#"
    skills validate: 1 problem with `skills/csv/`
    error[SK0116]: `description` is missing
      --> skills/csv/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    "#);
}

#[test]
fn what_is_excluded_is_not_there() {
    let files = [
        ("csv/SKILL.md", "---\nname: csv\n---\n"),
        ("pdf/SKILL.md", PDF),
        ("pdf/art/logo.psd", "x"),
        ("pdf/logo.psd", "x"),
        ("pdf/tests/a/b.md", "x"),
        ("pdf/drafts", "a file"),
        ("pdf/drafts.d/drafts/x", "a folder"),
    ];
    let exclude = ["*.psd", "/csv", "pdf/tests/**", "drafts/"];
    let world = World::new(&files).with(Options::new().exclude(exclude));
    let collection = world.read();
    assert_eq!(
        (collection.problems.as_slice(), collection.total),
        (&[][..], 1)
    );
    let files: Vec<_> = collection.skills[0]
        .files
        .iter()
        .map(|file| &*file.path)
        .collect();
    assert_eq!(files, ["SKILL.md", "drafts"]);
}

#[test]
fn a_pattern_that_is_no_glob_is_a_problem() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    let world = world.with(Options::new().exclude(["a[", "!b", "/"]));
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0158]: `a[` is not a valid exclude pattern: unclosed character class; missing ']'
      --> skills
       = help: write globs as in a .gitignore, without `!`: `*.psd`, `pdf/tests/`, `**/drafts/*.md`
    error[SK0158]: `!b` is not a valid exclude pattern: it excludes nothing
      --> skills
       = help: write globs as in a .gitignore, without `!`: `*.psd`, `pdf/tests/`, `**/drafts/*.md`
    error[SK0158]: `/` is not a valid exclude pattern: it excludes nothing
      --> skills
       = help: write globs as in a .gitignore, without `!`: `*.psd`, `pdf/tests/`, `**/drafts/*.md`
    "#);
}

#[test]
fn a_catalogue_reads_front_matter_alone() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/scripts/fill.py", "#!/usr/bin/env python3\n"),
    ]);
    let world = world.with(Options::new().digests(false));
    let collection = world.read();
    assert_eq!(collection.problems, []);
    let skill = &collection.skills[0];
    let file = skill.file("scripts/fill.py").unwrap();
    assert_eq!(
        (file.sha256, file.utf8, file.executable, file.size),
        (None, None, false, 23)
    );
    let (whole, bytes) = file.inspect().unwrap();
    assert_eq!(
        (whole.utf8, whole.executable, bytes.len()),
        (Some(true), true, 23)
    );
    let all = World::new(&[
        ("pdf/scripts/fill.py", "#!/usr/bin/env python3\n"),
        ("pdf/SKILL.md", PDF),
    ]);
    let read = all.read();
    assert_eq!(
        whole.sha256,
        read.skills[0].file("scripts/fill.py").unwrap().sha256
    );
    assert!(skill.file("none").is_none());
}
