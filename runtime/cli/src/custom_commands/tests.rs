//! Which commands there are, and what they are called.

use std::path::Path;

use super::{CustomCommands, files};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

fn listed(commands: &CustomCommands) -> String {
    let mut text = String::new();
    for (name, command) in commands.named(|name| name == "help") {
        let (origin, description) = (command.origin(), command.description());
        text.push_str(&format!("/{name} ({origin}): {description}\n"));
    }
    text
}

#[test]
fn commands_have_the_shortest_name_that_is_free() {
    let root = tempfile::tempdir().expect("a folder");
    let (home, project) = (root.path().join("home"), root.path().join("home/project"));
    write(&project, ".git/HEAD", "");
    write(&project, ".agents/commands/review.md", "Review it.\nWell.");
    write(&project, ".claude/commands/review.md", "Another.");
    write(
        &project,
        ".claude/commands/help.md",
        "---\ndescription: Helps\n---\nHelp.",
    );
    write(&project, ".claude/commands/web/build.md", "Build the site.");
    write(&project, ".claude/commands/app/build.md", "Build the app.");
    write(&project, ".claude/commands/README.txt", "No command.");
    write(
        &project,
        ".claude/commands/empty.md",
        "---\nmodel: x\n---\n\n",
    );
    write(&project, ".claude/commands/two words.md", "x");
    write(&project, ".claude/commands/long.md", &"x".repeat(40_000));
    write(&home, ".claude/commands/review.md", "My own.");
    write(
        &home,
        ".claude/commands/note.md",
        "\u{feff}---\r\nmodel:\r\n---\r\nNote.\r\n",
    );
    let inside = project.join("src");
    std::fs::create_dir(&inside).expect("a folder");
    write(&inside, ".claude/commands/review.md", "Nearest.");
    let commands = files::read(&inside, Some(&home));
    insta::assert_snapshot!(listed(&commands), @"
    /review (project): Nearest.
    /build (project:app): Build the app.
    /project:help (project): Helps
    /web:build (project:web): Build the site.
    /note (user): Note.
    /user:review (user): My own.
    ");
    let notes = commands
        .notes()
        .join("\n")
        .replace(&root.path().display().to_string(), "ROOT");
    insta::assert_snapshot!(notes, @"
    `ROOT/home/project/.claude/commands/empty.md` defines no command: it has no prompt
    `ROOT/home/project/.claude/commands/long.md` defines no command: it is larger than 32 KiB
    `ROOT/home/project/.claude/commands/two words.md` defines no command: its name has other characters than letters, digits, `-`, `_` and `.`
    `ROOT/home/project/.agents/commands/review.md` is not used: another file defines the same command
    `ROOT/home/project/.claude/commands/review.md` is not used: another file defines the same command
    `ROOT/home/.claude/commands/note.md`: line 2: `model` has no value
    ");
    let found = commands.get("project:web:build").expect("a command");
    assert_eq!(found.body(), "Build the site.");
    assert!(commands.get("web").is_none());
}

#[test]
fn the_home_folder_has_the_commands_of_the_user() {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), ".claude/commands/note.md", "Note.");
    let commands = files::read(home.path(), Some(home.path()));
    insta::assert_snapshot!(listed(&commands), @"/note (user): Note.");
}
