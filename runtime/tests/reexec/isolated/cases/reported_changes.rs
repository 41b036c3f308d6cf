//! What commands change, and are told of.

use std::fs;
use std::path::Path;

use crate::isolated::fixture::IsolatedWorld;

/// What a command may change, and what runs later or steers an agent, is told with its end, and bounded in number.
pub(super) async fn what_may_change_is_told() {
    let prepare = |folder: &Path| {
        for name in [".github/prompts", "deep/below"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for name in [
            "AGENTS.md",
            "deep/below/flake.nix",
            ".github/prompts/a.md",
            "file",
        ] {
            fs::write(folder.join(name), "before").unwrap();
        }
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    let told = [
        (
            "cat AGENTS.md; echo x > file; touch other.md; mkdir gradle",
            "",
        ),
        (
            "echo x >> AGENTS.md",
            "`AGENTS.md` (an agent reads it as instructions)",
        ),
        (
            "sed -i s/b/c/ deep/below/flake.nix",
            "`deep/below/flake.nix` (it is executed or applied when a shell enters the folder)",
        ),
        (
            "echo {} > a.code-workspace",
            "`a.code-workspace` (an editor executes these files)",
        ),
        (
            "echo {} >> a.code-workspace",
            "`a.code-workspace` (an editor executes these files)",
        ),
        (
            "echo x >> .github/prompts/a.md",
            "`.github/prompts/a.md` (an agent reads it as instructions)",
        ),
        (
            "mkdir new; echo x > new/x; ln new/x new/CLAUDE.md",
            "`new/CLAUDE.md` (an agent reads it as instructions)",
        ),
        (
            "mkdir -p staged/x; echo x > staged/x/y; mv staged gradle; mv gradle/staged gradle/wrapper",
            "`gradle/wrapper/x/y` (a build tool executes or applies it at startup)",
        ),
        (
            "echo x >> gradle/wrapper/x/y",
            "`gradle/wrapper/x/y` (a build tool executes or applies it at startup)",
        ),
    ];
    for (line, names) in told {
        let note = if names.is_empty() {
            String::new()
        } else {
            format!("review these changes: {names}")
        };
        assert_eq!(world.notes_of(line).await, note, "{line}");
        // What the user changes between commands is no news to the user.
        fs::write(world.path().join("AGENTS.md"), "mine").unwrap();
        fs::write(world.path().join("b.code-workspace"), "mine").unwrap();
    }
    let many = "for i in $(seq 1500); do mkdir -p many/$i; : > many/$i/SKILL.md; done";
    let note = world.notes_of(many).await;
    assert!(note.ends_with("… and more than 992 more"), "{note}");
    assert_eq!(note.lines().count(), 1, "{note}");
    world.close().await;
}
