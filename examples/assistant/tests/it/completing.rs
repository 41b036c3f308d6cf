//! Completions of command lines: the candidates, and the scripts of shells that ask for them.

use std::path::Path;
use std::process::Command;

use crate::config::fixture::ConfigFixture;

/// Returns the candidates for the last word, without their descriptions.
fn complete(place: &ConfigFixture, words: &[&str]) -> Vec<String> {
    let seen = place.run(&[&["complete", "--"], words].concat());
    let found = seen.strip_prefix("exit 0\n").expect("a success");
    let found = found.strip_prefix("--- stdout\n").unwrap_or_default();
    let values = found
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default());
    values.map(str::to_owned).collect()
}

#[test]
fn commands_flags_and_values_are_completed() {
    let place = ConfigFixture::new().with_recording();
    let all = |words: &[&str]| complete(&place, words);
    assert_eq!(all(&["perm"]), ["permissions"]);
    assert_eq!(all(&["permissions", "tr"]), ["trust"]);
    assert_eq!(
        all(&["run", "--no"]),
        ["--no-hooks", "--no-session", "--no-mcp"]
    );
    assert_eq!(all(&["run", "--mode", "e"]), ["explore"]);
    assert_eq!(all(&["run", "--mode=e"]), ["--mode=explore"]);
    assert_eq!(all(&["run", "--mode", "=", "e"]), ["explore"]);
    assert_eq!(all(&["call", "read_"]), ["read_file", "read_skill_file"]);
    assert_eq!(all(&["-C", ".", "call", "--dry-run", "gr"]), ["grep"]);
    assert_eq!(all(&["call", "grep", "--case"]), ["--case-insensitive"]);
    assert_eq!(
        all(&["call", "grep", "--output", ""]),
        ["content", "files", "count"]
    );
    assert_eq!(all(&["permissions", "check", "write"]), ["write_file"]);
    assert_eq!(all(&["permissions", "allow", "glo"]), ["glob"]);
    assert_eq!(all(&["tools", "show", "datet"]), ["datetime"]);
    assert_eq!(all(&["skills", "show", ""]), ["explore-repository"]);
    assert_eq!(all(&["models", "openr"]), ["openrouter"]);
    assert_eq!(all(&["completions", "z"]), ["zsh"]);
    assert!(all(&["call", "read_file", "--path", ""]).is_empty());
    let with_about = place.run(&["complete", "--", "tool"]);
    assert!(with_about.contains("tools\tList the tools"), "{with_about}");
    // The sessions of the user.
    let replay = place.path("says.jsonl").display().to_string();
    place.run(&["run", "Find the harbour.", "--replay", &replay]);
    let sessions = place.run(&["complete", "--", "sessions", "show", ""]);
    assert!(sessions.contains("\tFind the harbour."), "{sessions}");
    assert_eq!(all(&["run", "--session", ""]).len(), 1);
}

#[test]
fn bash_asks_the_program() {
    let place = ConfigFixture::new();
    let script = format!(
        "source <('{0}' completions bash)\nCOMP_WORDS=('{0}' call grep --ca)\nCOMP_CWORD=3\n_assistant '{0}' \
         --ca grep\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\ncomplete -p assistant",
        env!("CARGO_BIN_EXE_assistant")
    );
    let mut command = Command::new("bash");
    command
        .args(["-c", &script])
        .current_dir(place.path("project"))
        .env("HOME", place.path("home"));
    insta::assert_snapshot!(place.output_of(&mut command, b""), @"
    exit 0
    --- stdout
    --case-insensitive
    complete -o bashdefault -o default -F _assistant assistant
    ");
    for shell in ["zsh", "fish"] {
        let script = place.run(&["completions", shell]);
        assert!(script.contains("complete -- "), "{script}");
        assert!(
            !script.contains("NAME") && !script.contains("FUNCTION"),
            "{script}"
        );
    }
    let script = place.run(&["completions", "powershell"]);
    assert!(script.contains("--case-insensitive"), "{script}");
}

/// Runs a script in a shell that finds the program by its name. `None` if the shell is not installed, which is said.
fn run_in(shell: &str, script: &str) -> Option<String> {
    if Command::new(shell).arg("--version").output().is_err() {
        println!(
            "completing: the script of {shell} was not tried, because {shell} is not installed"
        );
        return None;
    }
    let place = ConfigFixture::new();
    let program = Path::new(env!("CARGO_BIN_EXE_assistant"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = program.parent().map(Path::to_owned).into_iter();
    let folders = folders.chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a path");
    let mut command = Command::new(shell);
    command
        .args(["-c", script])
        .current_dir(place.path("project"))
        .env("HOME", place.path("home"))
        .env("PATH", path);
    Some(place.output_of(&mut command, b""))
}

#[test]
fn fish_asks_the_program() {
    let script = "assistant completions fish | source; for line in 'assistant call grep --ca' 'assistant run --mode=e' \
                  'assistant call grep --output '; complete -C $line; end";
    if let Some(seen) = run_in("fish", script) {
        insta::assert_snapshot!(seen, @"
        exit 0
        --- stdout
        --case-insensitive	Whether upper and lower case are the same. [default: false]
        --mode=explore
        content
        count
        files
        ");
    }
}

#[test]
fn zsh_asks_the_program() {
    // An interactive shell in a terminal of its own: each line is typed, and what the tab key adds is awaited.
    let script = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -U compinit; compinit -u -D; source <(assistant completions zsh); print REA""DY'
zpty -r -m shell seen '*READY*'
zpty -w -n shell $'assistant call grep --ca\t'
zpty -r -m shell seen '*--case-insensitive*'
zpty -w -n shell $'\x15assistant run --mode=e\t'
zpty -r -m shell seen '*--mode=explore*'
zpty -w -n shell $'\x15assistant call grep --output \t'
zpty -r -m shell seen '*content*files*count*'
print all
"#;
    if let Some(seen) = run_in("zsh", script) {
        insta::assert_snapshot!(seen, @"
        exit 0
        --- stdout
        all
        ");
    }
}
