//! `skills add` and `skills update` at a terminal: what is shown before the question, and what an answer does.

use crate::terminal::pty::{PtyFixture, PtySession};

/// A folder with a skill beside the project.
fn fixture() -> PtyFixture {
    let place = PtyFixture::new();
    for (path, text) in [
        (
            "kit/tea/SKILL.md",
            "---\nname: tea\ndescription: Makes tea, when somebody asks for tea.\n---\n\nBoil water first.\n",
        ),
        ("kit/tea/scripts/boil.sh", "#!/bin/sh\necho boiling\n"),
    ] {
        let path = place.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    place
}

/// Runs a command that asks, and answers; returns the screen and the exit code.
fn answer(place: &PtyFixture, arguments: &[&str], question: &str, answer: &str) -> (String, u32) {
    let path = |below: &str| place.path(below).display().to_string();
    let (home, state) = (path("home"), path("state"));
    let variables = [("HOME", &*home), ("HELVE_STATE", &*state)];
    let binary = env!("CARGO_BIN_EXE_assistant");
    let folder = place.path("project");
    // No path of this machine is so long that a line is broken.
    let mut terminal = PtySession::in_folder(&folder, binary, arguments, &variables, (60, 200));
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
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"");
    assert!(!installed.exists());

    let (screen, code) = answer(&place, &add, "Accept these changes?", "y");
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"");
    assert!(installed.exists());

    // A script that changed is asked about again, with its difference alone.
    std::fs::write(
        place.path("kit/tea/scripts/boil.sh"),
        "#!/bin/sh\necho boiled\n",
    )
    .expect("a file");
    let update = ["skills", "update"];
    let (screen, code) = answer(&place, &update, "Accept these changes?", "n");
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @"");
}
