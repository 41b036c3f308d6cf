//! `skills add` and `skills update` at a terminal: what is shown before the question, and what an answer does.

use crate::terminal::pty::PtyFixture;

/// A folder with a skill beside the project.
fn fixture() -> PtyFixture {
    let skill = "---\nname: tea\ndescription: Makes tea, when a friend asks for tea.\n---\n\nBoil water first.\n";
    PtyFixture::new()
        .with_file("kit/tea/SKILL.md", skill)
        .with_file("kit/tea/scripts/boil.sh", "#!/bin/sh\necho boiling\n")
}

/// Runs a command that asks, and answers; returns the screen and the exit code.
fn answer(place: &PtyFixture, arguments: &[&str], question: &str, answer: &str) -> (String, u32) {
    // No path of this machine is so long that a line is broken.
    let binary = env!("CARGO_BIN_EXE_assistant");
    let mut terminal = place.start_program_in(binary, arguments, (60, 200));
    terminal.wait_for_question(question);
    terminal.type_line(answer);
    terminal.wait_for_exit()
}

#[test]
fn a_skill_is_shown_before_one_question() {
    let place = fixture();
    let add = ["skills", "add", "../kit"];
    let installed = place.path("project/.agents/skills/tea/SKILL.md");
    let (screen, code) = answer(&place, &add, "Accept these changes?", "n");
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"
    tea  Makes tea, when a friend asks for tea.
      source   PLACE/kit
      folder   tea
      digest   SESSION
      files    2, 112 bytes
      license  none named
      scripts  scripts/boil.sh
    the skill `tea` of PLACE/kit
    + file `SKILL.md` (new)
        ---
        name: tea
        description: Makes tea, when a friend asks for tea.
        ---

        Boil water first.
    + file `scripts/boil.sh` (new)
        #!/bin/sh
        echo boiling
    ? Accept these changes?
      [y] yes  [n] no
      > n
    nothing was accepted
    exit 1
    ");
    assert!(!installed.exists());

    let (screen, code) = answer(&place, &add, "Accept these changes?", "y");
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"
    tea  Makes tea, when a friend asks for tea.
      source   PLACE/kit
      folder   tea
      digest   SESSION
      files    2, 112 bytes
      license  none named
      scripts  scripts/boil.sh
    the skill `tea` of PLACE/kit
    + file `SKILL.md` (new)
        ---
        name: tea
        description: Makes tea, when a friend asks for tea.
        ---

        Boil water first.
    + file `scripts/boil.sh` (new)
        #!/bin/sh
        echo boiling
    ? Accept these changes?
      [y] yes  [n] no
      > y
    installed tea in PLACE/project/.agents/skills/tea
    exit 0
    ");
    assert!(installed.exists());

    // A script that changed is asked about again, with its difference alone.
    place.write("kit/tea/scripts/boil.sh", "#!/bin/sh\necho boiled\n");
    let update = ["skills", "update"];
    let (screen, code) = answer(&place, &update, "Accept these changes?", "n");
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"
    tea: 3165c2e6330c -> 052b21b56e09
    the skill `tea` of PLACE/kit
    ~ file `scripts/boil.sh` (changed)
        @@ -1,2 +1,2 @@
         #!/bin/sh
        -echo boiling
        +echo boiled
    tea: its scripts change
    ? Accept these changes?
      [y] yes  [n] no
      > n
    nothing was accepted
    exit 1
    ");
}
