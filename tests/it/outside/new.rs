//! `helve new` makes a package that compiles with the published packages, passes its test and runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::outside::building::{Build, ProcessOutput, Program, run, scratch, workspace, write};
use crate::outside::packages;

/// Returns the program, built from its package.
fn helve() -> PathBuf {
    let folder = packages::folder();
    let build = Build {
        package: "helve-new",
        folder: folder.to_str().expect("the path is UTF-8"),
        ..Build::default()
    };
    build.run().0.with_file_name("helve")
}

/// Runs the program in a folder; returns its exit code, and what it prints without the path of the folder.
fn helve_in(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(Command::new(helve()).args(arguments).current_dir(folder));
    let printed = (output.out + &output.err).replace(&*folder.to_string_lossy(), "[HERE]");
    (output.code, printed)
}

fn temporary() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Lists the files below a folder, without a repository's own.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() && !path.ends_with(".git") {
                open.push(path);
            } else if path.is_file() {
                let below = path.strip_prefix(folder).expect("it is below the folder");
                found.push(below.display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_new_package_passes_its_test_and_runs() {
    let folder = scratch().join("new");
    let _ = fs::remove_dir_all(&folder);
    packages::write_workspace(&folder, &["texts"]);
    let (code, printed) = helve_in(&folder, &["new", "texts"]);
    assert_eq!(code, Some(0), "{printed}");
    let note = "note: `[HERE]/Cargo.toml` is a workspace; add `texts` to its `members` if they do not cover it\n";
    assert!(printed.contains(note), "{printed}");

    let build = Build {
        package: "texts",
        folder: folder.to_str().expect("the path is UTF-8"),
        ..Build::default()
    };
    let tests = build.test().out;
    assert!(tests.contains("\ntest result: ok. 2 passed;"), "{tests}");

    let texts: Program = build.run();
    let call = texts.run(["call", "count_words", "--text", "one two three"]);
    assert_eq!(call.assert_success().out, "3\n");
    assert!(texts.tools().contains(&"count_words".to_owned()));
    let skills: ProcessOutput = texts.run(["skills"]).assert_success();
    assert!(
        skills.out.contains("\n  shorten-text  Shortens a text"),
        "{}",
        skills.out
    );
}

#[test]
fn what_is_made_is_listed_with_the_next_commands() {
    let here = temporary();
    let (code, printed) = helve_in(here.path(), &["new", "weather"]);
    assert_eq!(code, Some(0), "{printed}");
    insta::assert_snapshot!(printed, @"");
    let made = here.path().join("weather");
    insta::assert_snapshot!(files(&made).join("\n"), @"");
    for file in files(&made) {
        let text = fs::read_to_string(made.join(&file)).expect("the files are text");
        assert!(
            !text.contains("my-tools"),
            "{file} has the name of the template"
        );
    }
    assert!(made.join(".git").is_dir());

    // In a repository, none is made.
    let (code, printed) = helve_in(&made, &["new", "inner"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(!made.join("inner/.git").exists());
}

#[test]
fn a_package_depends_on_a_checkout_that_is_named() {
    let here = temporary();
    let checkout = workspace().to_str().expect("the path is UTF-8");
    let (code, printed) = helve_in(
        here.path(),
        &["new", "weather", "--path", checkout, "--vcs", "none"],
    );
    assert_eq!(code, Some(0), "{printed}");
    assert!(!here.path().join("weather/.git").exists());
    let manifest = fs::read_to_string(here.path().join("weather/Cargo.toml")).expect("a manifest");
    let manifest = manifest.replace(checkout, "[CHECKOUT]");
    insta::assert_snapshot!(manifest, @"");
}

/// Runs commands that are refused, and returns what each prints.
fn refusals(folder: &Path, commands: &[&[&str]]) -> String {
    let mut printed = String::new();
    for arguments in commands {
        let (code, text) = helve_in(folder, arguments);
        printed += &format!(
            "$ helve {}\n{text}[{}]\n",
            arguments.join(" "),
            code.unwrap_or(-1)
        );
    }
    printed
}

#[test]
fn a_name_that_cargo_refuses_is_refused_with_another_one() {
    let here = temporary();
    let names = [
        "",
        ".",
        "_",
        "-",
        "2048",
        "my app",
        "wetter_für_alle",
        "tools/weather",
        "fn",
        "test",
        "core",
        "build",
        "NUL",
        "helve",
    ];
    let commands: Vec<_> = names.iter().map(|name| vec!["new", "--", *name]).collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(refusals(here.path(), &commands), @"");
    assert_eq!(files(here.path()), [""; 0]);

    let long = "a".repeat(65);
    let (code, printed) = helve_in(here.path(), &["new", &long]);
    assert_eq!(code, Some(2));
    assert!(
        printed.contains("it has more than 64 characters"),
        "{printed}"
    );
}

#[test]
fn other_mistakes_say_what_to_do() {
    let here = temporary();
    write(&here.path().join("weather/notes"), "Rain.\n");
    write(
        &here.path().join("other/Cargo.toml"),
        "[package]\nname = \"other\"\n",
    );
    let commands: [&[&str]; 9] = [
        &["new"],
        &["new", "weather"],
        &["new", "rain", "snow"],
        &["new", "rain", "--path", "nowhere"],
        &["new", "rain", "--path", "other"],
        &["new", "rain", "--vcs", "hg"],
        &["new", "rain", "--lib"],
        &["news", "rain"],
        &["chat"],
    ];
    insta::assert_snapshot!(refusals(here.path(), &commands), @"");
    assert_eq!(files(here.path()), ["other/Cargo.toml", "weather/notes"]);
}

#[test]
fn capital_letters_are_warned_of() {
    let here = temporary();
    let (code, printed) = helve_in(here.path(), &["new", "Weather"]);
    assert_eq!(code, Some(0), "{printed}");
    let warning = "warning: the package name `Weather` has capital letters, which rustc warns of; consider `weather`\n";
    assert!(printed.contains(warning), "{printed}");
}

/// The limit lets no file have a byte, as a disk that is full does.
#[cfg(unix)]
#[test]
fn a_package_that_cannot_be_written_leaves_nothing_behind() {
    let here = temporary();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" new weather"])
        .arg(helve())
        .current_dir(here.path());
    let output = run(&mut shell);
    assert_eq!(output.code, Some(1), "{output:?}");
    let said = output
        .err
        .replace(&*here.path().to_string_lossy(), "[HERE]");
    assert_eq!(
        said,
        "error: `[HERE]/weather/Cargo.toml` cannot be written: File too large (os error 27)\n"
    );
    let left = fs::read_dir(here.path())
        .expect("the folder can be read")
        .count();
    assert_eq!(left, 0);
}

#[test]
fn the_scripts_of_the_release_workflow_are_valid() {
    let path = packages::folder_of("helve-new").join("template/.github/workflows/release.yml");
    let workflow = fs::read_to_string(path).expect("the package has it");
    let scripts = scripts_of(&workflow);
    assert_eq!(scripts.len(), 6, "{scripts:?}");
    for script in scripts {
        run(Command::new("bash").args(["-n", "-c", &script])).assert_success();
    }
}

/// Returns the values of `run:`, on its line or indented below it.
fn scripts_of(workflow: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        match line.trim_start().strip_prefix("run: ") {
            Some("|") => {
                let mut script = String::new();
                while let Some(line) = lines.next_if(|line| line.starts_with("          ")) {
                    script += &format!("{}\n", line.trim_start());
                }
                scripts.push(script);
            }
            Some(command) => scripts.push(command.to_owned()),
            None => {}
        }
    }
    scripts
}
