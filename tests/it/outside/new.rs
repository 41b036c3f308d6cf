//! `helve new` makes a package that compiles with the published packages, passes its test and runs.

mod workflow;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::outside::building::{Build, ProcessOutput, Program, run, scratch, workspace, write};
use crate::outside::packages;

/// The program, built from its package.
static HELVE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = packages::folder();
    let build = Build {
        package: "helve-new",
        folder: folder.to_str().expect("the path is UTF-8"),
        ..Build::default()
    };
    build.run().0.with_file_name("helve")
});

/// Runs the program in a folder; returns its exit code, and what it prints without the path of the folder.
fn helve_in(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(Command::new(&*HELVE).args(arguments).current_dir(folder));
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

    let mut rustfmt = Command::new(Path::new(env!("CARGO")).with_file_name("rustfmt"));
    let sources = ["build.rs", "src/main.rs", "tests/command_line.rs"];
    rustfmt.args(["--check", "--edition", "2024"]).args(sources);
    run(rustfmt.current_dir(folder.join("texts"))).assert_success();

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
    insta::assert_snapshot!(printed, @r#"
         Created package `weather`
                 src/main.rs                    a tool, and the program
                 skills/shorten-text/SKILL.md   a skill
                 tests/command_line.rs          a test that runs the program
                 .github/workflows/release.yml  static builds of a release

    Next:
        cd weather
        cargo run -- call count_words --text "one two"
        cargo test
    "#);
    let made = here.path().join("weather");
    insta::assert_snapshot!(files(&made).join("\n"), @"
    .github/workflows/release.yml
    .gitignore
    Cargo.toml
    README.md
    build.rs
    skills/shorten-text/SKILL.md
    src/main.rs
    tests/command_line.rs
    ");
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
    insta::assert_snapshot!(manifest, @r#"
    [package]
    name = "weather"
    version = "0.1.0"
    edition = "2024"

    [dependencies]
    helve = { path = "[CHECKOUT]" }

    # `build.rs` needs this feature alone, without the runtime.
    [build-dependencies]
    helve = { path = "[CHECKOUT]", default-features = false, features = ["build"] }

    [profile.release]
    lto = "fat"
    codegen-units = 1
    strip = true
    "#);
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
        "/weather",
        "fn",
        "test",
        "core",
        "build",
        "NUL",
        "helve",
    ];
    let commands: Vec<_> = names.iter().map(|name| vec!["new", "--", *name]).collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(refusals(here.path(), &commands), @r#"
    $ helve new -- 
    error: the package name is empty
    help: try `helve new weather`
    [2]
    $ helve new -- .
    error: invalid character '.' in the package name ".": a name has ASCII letters, digits, `-` and `_`
    help: try `helve new weather`
    [2]
    $ helve new -- _
    error: invalid package name `_`: it has no letter
    help: try `helve new weather`
    [2]
    $ helve new -- -
    error: invalid package name `-`: it has no letter
    help: try `helve new weather`
    [2]
    $ helve new -- 2048
    error: invalid package name `2048`: it has to start with a letter
    help: try `helve new my-2048`
    [2]
    $ helve new -- my app
    error: invalid character ' ' in the package name "my app": a name has ASCII letters, digits, `-` and `_`
    help: try `helve new my-app`
    [2]
    $ helve new -- wetter_für_alle
    error: invalid character 'ü' in the package name "wetter_für_alle": a name has ASCII letters, digits, `-` and `_`
    help: try `helve new wetter_f-r_alle`
    [2]
    $ helve new -- tools/weather
    error: invalid character '/' in the package name "tools/weather": a name has ASCII letters, digits, `-` and `_`
    help: run `helve new weather` in the folder `tools`
    [2]
    $ helve new -- /weather
    error: invalid character '/' in the package name "/weather": a name has ASCII letters, digits, `-` and `_`
    help: try `helve new weather`
    [2]
    $ helve new -- fn
    error: invalid package name `fn`: it is a keyword of Rust
    help: try `helve new my-fn`
    [2]
    $ helve new -- test
    error: invalid package name `test`: it is the name of a library that comes with Rust
    help: try `helve new my-test`
    [2]
    $ helve new -- core
    error: invalid package name `core`: it is the name of a library that comes with Rust
    help: try `helve new my-core`
    [2]
    $ helve new -- build
    error: invalid package name `build`: it is the name of a folder in which cargo builds
    help: try `helve new my-build`
    [2]
    $ helve new -- NUL
    error: invalid package name `NUL`: it is a file name that Windows reserves
    help: try `helve new my-nul`
    [2]
    $ helve new -- helve
    error: invalid package name `helve`: it is the name of the package that the new one depends on
    help: try `helve new my-helve`
    [2]
    "#);
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
    insta::assert_snapshot!(refusals(here.path(), &commands), @"
    $ helve new
    error: the following required arguments were not provided:
      <NAME>

    Usage: helve new <NAME>

    For more information, try '--help'.
    [2]
    $ helve new weather
    error: `[HERE]/weather` already exists
    help: choose another name, or remove it first
    [1]
    $ helve new rain snow
    error: unexpected argument 'snow' found

    Usage: helve new [OPTIONS] <NAME>

    For more information, try '--help'.
    [2]
    $ helve new rain --path nowhere
    error: `nowhere` is no checkout of helve: its `Cargo.toml` cannot be read: No such file or directory (os error 2)
    help: give the folder that has the `Cargo.toml` of helve
    [2]
    $ helve new rain --path other
    error: `other` is no checkout of helve: its `Cargo.toml` is that of another package
    help: give the folder that has the `Cargo.toml` of helve
    [2]
    $ helve new rain --vcs hg
    error: invalid value 'hg' for '--vcs <VCS>'
      [possible values: git, none]

    For more information, try '--help'.
    [2]
    $ helve new rain --lib
    error: unexpected argument '--lib' found

      tip: to pass '--lib' as a value, use '-- --lib'

    Usage: helve new <NAME>

    For more information, try '--help'.
    [2]
    $ helve news rain
    error: unrecognized subcommand 'news'

      tip: a similar subcommand exists: 'new'

    Usage: helve <COMMAND>

    For more information, try '--help'.
    [2]
    $ helve chat
    error: unrecognized subcommand 'chat'

    Usage: helve <COMMAND>

    For more information, try '--help'.
    [2]
    ");
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
        .arg(&*HELVE)
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
