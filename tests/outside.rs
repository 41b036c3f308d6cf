//! Crates outside the workspace use helve as a stranger would: the real cargo builds each, and its binary runs.
//!
//! They share one target folder of their own below the workspace's, so that nothing is compiled twice and no build waits
//! for the one that runs this test. Their versions are the workspace's, so nothing is fetched.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// A target on which linking libc statically is possible without a cross compiler.
const STATIC_TARGET: &str = "x86_64-unknown-linux-gnu";

/// A package below `tests/crates`, and how it is built.
#[derive(Default)]
struct Build<'a> {
    package: &'a str,
    folder: &'a str,
    profile: Option<&'a str>,
    target: Option<&'a str>,
    rustflags: &'a str,
    /// Whether it does without its default features.
    small: bool,
}

/// A program that was built.
struct Program(PathBuf);

/// What a program did.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")
}

/// Starts cargo in a crate outside, free of what the cargo around this test was told.
fn cargo(folder: &str, subcommand: &str) -> Command {
    let folder = workspace().join("tests/crates").join(folder);
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg(subcommand)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    for inherited in [
        "CARGO_BUILD_TARGET",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "RUSTFLAGS",
    ] {
        cargo.env_remove(inherited);
    }
    cargo
}

/// Gives a crate outside the versions of the workspace; one test at a time, since several use one crate.
fn lock_versions(folder: &str) {
    static ONE_AT_A_TIME: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut done = ONE_AT_A_TIME
        .lock()
        .expect("no test panics while it copies");
    if done.insert(folder.to_owned()) {
        let to = workspace()
            .join("tests/crates")
            .join(folder)
            .join("Cargo.lock");
        fs::copy(workspace().join("Cargo.lock"), to).expect("the lock file can be copied");
    }
}

impl Build<'_> {
    /// Builds the package, and gives its program where it has one.
    fn run(&self) -> Program {
        lock_versions(self.folder);
        let mut cargo = cargo(self.folder, "build");
        cargo
            .args(["--quiet", "--package", self.package, "--target-dir"])
            .arg(target_folder());
        if let Some(profile) = self.profile {
            cargo.args(["--profile", profile]);
        }
        if let Some(target) = self.target {
            cargo.args(["--target", target]);
        }
        if self.small {
            cargo.arg("--no-default-features");
        }
        if !self.rustflags.is_empty() {
            cargo.env("RUSTFLAGS", self.rustflags);
        }
        let output = cargo.output().expect("cargo starts");
        assert!(
            output.status.success(),
            "`{}` does not build:\n{}",
            self.package,
            String::from_utf8_lossy(&output.stderr)
        );
        let program = target_folder()
            .join(self.target.unwrap_or_default())
            .join(self.profile.unwrap_or("debug"))
            .join(self.package);
        Program(program)
    }
}

impl Program {
    fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Ran {
        run(Command::new(&self.0).args(arguments))
    }

    /// Returns the names that `tools` lists.
    fn tools(&self) -> Vec<String> {
        self.run(["tools"]).succeeded().names()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Returns the first word of every line.
    fn names(&self) -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        self.out.lines().filter_map(first).collect()
    }
}

fn run(command: &mut Command) -> Ran {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
        .into()
}

const STRANGER: Build<'_> = Build {
    package: "stranger",
    folder: "user",
    profile: None,
    target: None,
    rustflags: "",
    small: false,
};

/// The tools of the pack of files, and the one of the crate.
const FILE_TOOLS_AND_OWN: [&str; 9] = [
    "apply_patch",
    "edit_file",
    "glob",
    "grep",
    "list_dir",
    "price",
    "read_file",
    "size",
    "write_file",
];

#[test]
fn helve_alone_is_enough_for_nested_data_and_an_enum() {
    let app = STRANGER.run();
    assert_eq!(app.tools(), FILE_TOOLS_AND_OWN);
    let parcels = r#"[{"grams": 1500, "to": {"street": "Main Street 1", "code": 8000}}]"#;

    let flags = app.run(["call", "price", "--parcels", parcels, "--speed", "Express"]);
    assert_eq!(
        flags.succeeded().out,
        "{\"cents\":900,\"to\":\"Main Street 1, 8000\"}\n"
    );
    let json = app.run(["call", "price", &format!("{{\"parcels\": {parcels}}}")]);
    assert_eq!(
        json.succeeded().out,
        "{\"cents\":300,\"to\":\"Main Street 1, 8000\"}\n"
    );

    let wrong = app.run([
        "call",
        "price",
        r#"{"parcels": [{"grams": -1, "to": {}}], "speed": "Expres"}"#,
    ]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    for place in ["`/parcels/0/grams`", "`/parcels/0/to/street`", "`/speed`"] {
        assert!(wrong.err.contains(place), "{place} in {}", wrong.err);
    }
    assert!(wrong.err.contains("did you mean \"Express\"?"));
}

#[test]
fn a_library_of_tools_compiles_the_core_and_no_feature() {
    Build {
        package: "library",
        folder: "library",
        ..Build::default()
    }
    .run();
    let tree =
        run(cargo("library", "tree").args(["--edges", "normal", "--prefix", "none"])).succeeded();
    let crates: BTreeSet<String> = tree
        .names()
        .into_iter()
        .filter(|name| name != "library")
        .collect();
    println!("a library of tools compiles {} crates", crates.len());
    for heavy in [
        "clap",
        "rustix",
        "rmcp",
        "reqwest",
        "ignore",
        "saphyr-parser",
    ] {
        assert!(!crates.contains(heavy), "{heavy} is in {crates:?}");
    }
    assert!(crates.contains("helve"));
    assert!(crates.len() <= 50, "{} crates: {crates:?}", crates.len());
}

#[test]
fn a_renamed_helve_serves_a_crate_that_forbids_unsafe_code() {
    let app = Build {
        package: "renamed",
        folder: "renamed",
        ..Build::default()
    }
    .run();
    assert_eq!(
        app.tools(),
        [
            "also_count_words",
            "count_words",
            "greet",
            "load_skill",
            "owner",
            "read_file"
        ]
    );
    let own = app.run(["call", "read_file"]);
    assert_eq!(own.succeeded().out, "an open book\n");
    let skills = app.run(["skills"]).succeeded();
    assert!(
        skills.out.starts_with("greeting  How to greet people."),
        "{}",
        skills.out
    );

    let person = r#"{"name": "ada", "volume": "Loud"}"#;
    let greeting = app.run(["call", "greet", "--person", person, "--times", "2"]);
    assert_eq!(greeting.succeeded().out, "HELLO ADA, HELLO ADA\n");
    let owner = app.run(["call", "owner"]);
    assert_eq!(owner.succeeded().out, "Ada\n");
    let words = app.run(["call", "also_count_words", "--text", "one two"]);
    assert_eq!(words.succeeded().out, "2\n");
    let often = app.run(["call", "greet", "--person", person, "--times", "4"]);
    assert_eq!(often.code, Some(2), "{often:?}");
    assert!(often.err.contains("`/times`"), "{}", often.err);
}

#[test]
fn a_tool_of_another_crate_is_listed_and_cannot_be_called_unless_its_pack_is_granted() {
    let app = Build {
        package: "packed",
        folder: "packed",
        ..Build::default()
    }
    .run();
    assert_eq!(app.tools(), ["double", "panics", "welcome"]);
    let all = app.run(["tools", "--all"]).succeeded();
    assert_eq!(
        all.names(),
        [
            "double",
            "linked_only",
            "panics",
            "read_result",
            "welcome",
            "wipe"
        ]
    );
    for (tool, package) in [("linked_only", "linked"), ("wipe", "bystander")] {
        let line = all.out.lines().find(|line| line.starts_with(tool));
        let origin = format!("not granted; from {package}");
        assert!(
            line.is_some_and(|line| line.contains(&origin)),
            "{}",
            all.out
        );
        let call = app.run(["call", tool]);
        assert_eq!((call.code, &*call.out), (Some(2), ""), "{call:?}");
        assert!(
            call.err.contains(&format!("there is no tool `{tool}`")),
            "{}",
            call.err
        );
    }
    let double = app.run(["call", "double", "--number", "-21"]);
    assert_eq!(double.succeeded().out, "-42\n");

    let doctor = app.run(["doctor"]);
    for pack in [
        "bystander: 0 of 1 granted",
        "granted: 1 of 1 granted",
        "linked: 0 of 1 granted",
        "packed: 2 of 2 granted",
        "panics: one in a tool is a failed call",
    ] {
        assert!(doctor.out.contains(pack), "{pack} in {}", doctor.out);
    }
    let panic = app.run(["call", "panics"]);
    assert_eq!(panic.code, Some(1), "{panic:?}");
    assert!(panic.err.contains("the tool panicked"), "{}", panic.err);
}

#[test]
fn two_tools_of_one_name_stop_the_app_and_both_places_are_shown() {
    let app = Build {
        package: "twins",
        folder: "packed",
        ..Build::default()
    }
    .run();
    for arguments in [vec!["tools"], vec!["call", "linked_only"], vec!["doctor"]] {
        let refused = app.run(arguments);
        assert_eq!((refused.code, &*refused.out), (Some(1), ""), "{refused:?}");
        for place in ["linked/src/lib.rs:", "twins/src/main.rs:"] {
            let line = refused.err.lines().find(|line| line.contains(place));
            let number = line.and_then(|line| line.rsplit(':').next()?.strip_suffix(')'));
            assert!(
                number.is_some_and(|number| number.parse::<u32>().is_ok()),
                "{place} in {}",
                refused.err
            );
        }
    }
}

#[test]
fn fat_lto_strip_and_abort_keep_every_tool() {
    let app = Build {
        package: "packed",
        folder: "packed",
        profile: Some("shipped"),
        ..Build::default()
    }
    .run();
    assert_eq!(app.tools(), ["double", "panics", "welcome"]);
    let all = app.run(["tools", "--all"]).succeeded();
    assert_eq!(
        all.names(),
        [
            "double",
            "linked_only",
            "panics",
            "read_result",
            "welcome",
            "wipe"
        ]
    );
    let double = app.run(["call", "double", "--number", "21"]);
    assert_eq!(double.succeeded().out, "42\n");

    let doctor = app.run(["doctor"]);
    assert!(
        doctor
            .out
            .contains("panics: one in a tool ends the process"),
        "{}",
        doctor.out
    );
    let panic = app.run(["call", "panics"]);
    assert_eq!(
        (panic.code, &*panic.out),
        (None, ""),
        "a signal ends it: {panic:?}"
    );
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn a_static_binary_works_alone_in_an_empty_root() {
    let app = Build {
        target: Some(STATIC_TARGET),
        rustflags: "-C target-feature=+crt-static",
        // A second build of TLS in C would take longer than all else here.
        small: true,
        ..STRANGER
    }
    .run();
    let root = tempfile::tempdir().expect("a folder for the root");
    fs::copy(&app.0, root.path().join("stranger")).expect("the program can be copied");
    let Some(chroot) = chroot() else {
        println!("ran nothing: neither `chroot` nor `unshare -r chroot` is allowed here");
        return;
    };
    let inside = |arguments: &[&str]| {
        let mut command = Command::new(chroot[0]);
        command.args(&chroot[1..]).arg(root.path()).arg("/stranger");
        run(command.args(arguments))
    };
    let tools = inside(&["tools"]).succeeded();
    assert_eq!(tools.names(), FILE_TOOLS_AND_OWN);
    let parcels = r#"[{"grams": 1000, "to": {"street": "Main Street 1"}}]"#;
    let price = inside(&["call", "price", "--parcels", parcels]).succeeded();
    assert_eq!(price.out, "{\"cents\":200,\"to\":\"Main Street 1\"}\n");
    let note = root.path().join("note");
    fs::write(note, "one\ntwo\n").expect("the note can be written");
    let grep = inside(&["call", "grep", "--pattern", "tw", "--path", "."]).succeeded();
    assert!(grep.out.contains("two"), "{}", grep.out);
    let size = inside(&["call", "size", "--path", "stranger"]).succeeded();
    let expected = fs::metadata(&app.0).expect("the program is there").len();
    assert_eq!(size.out, format!("{expected}\n"));
    let outside = inside(&["call", "size", "--path", "../etc/passwd"]);
    assert_eq!(outside.code, Some(1), "{outside:?}");
}

/// Finds a way to change the root that is allowed here: as root, or as root of a user namespace.
fn chroot() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["chroot"], &["unshare", "-r", "chroot"]];
    ways.into_iter().find(|way| {
        // `/` is a root in which anything that works outside works.
        Command::new(way[0])
            .args(&way[1..])
            .args(["/", "true"])
            .output()
            .is_ok_and(|output| output.status.success())
    })
}
