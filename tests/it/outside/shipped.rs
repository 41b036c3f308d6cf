//! Programs as they are shipped: a static one alone in an empty root and in an empty folder, and one that the linker
//! optimizes as a whole.
//!
//! Such programs share nothing with the tests, so that building them takes minutes: they are built where `HELVE_SHIPPED` is
//! set, as a lane of continuous integration sets it.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::outside::building::{Build, ProcessOutput, Program, run};
use crate::outside::{FILE_TOOLS_AND_OWN, STRANGER, packages};

/// A target on which linking libc statically is possible without a cross compiler.
const STATIC_TARGET: &str = "x86_64-unknown-linux-gnu";

/// Builds the static program, which the tests here share; `None` where that is not asked for.
fn program() -> Option<Program> {
    let build = Build {
        target: Some(STATIC_TARGET),
        profile: Some("shipped"),
        rustflags: "-C target-feature=+crt-static",
        // A second build of TLS in C would take longer than all else here.
        small: true,
        ..STRANGER
    };
    is_asked_for().then(|| build.run())
}

fn is_asked_for() -> bool {
    let asked_for = std::env::var_os("HELVE_SHIPPED").is_some_and(|value| value != "0");
    if !asked_for {
        println!("ran nothing: HELVE_SHIPPED=1 builds programs as they are shipped");
    }
    asked_for
}

/// Copies the program into a folder that has nothing else in it.
fn alone() -> Option<TempDir> {
    let program = program()?;
    let root = tempfile::tempdir().expect("a folder for the root");
    fs::copy(program.0, root.path().join("stranger")).expect("the program can be copied");
    Some(root)
}

/// Runs the program with that folder as the root; `None` if nobody may change the root here.
fn in_empty_root(root: &TempDir) -> Option<impl Fn(&[&str]) -> ProcessOutput> {
    let Some(chroot) = chroot() else {
        println!("ran nothing: neither `chroot` nor `unshare -r chroot` is allowed here");
        return None;
    };
    Some(move |arguments: &[&str]| {
        let mut command = Command::new(chroot[0]);
        command.args(&chroot[1..]).arg(root.path()).arg("/stranger");
        run(command.args(arguments))
    })
}

#[test]
fn a_static_binary_works_alone_in_an_empty_root() {
    let Some(root) = alone() else { return };
    let Some(inside) = in_empty_root(&root) else {
        return;
    };
    let tools = inside(&["tools"]).assert_success();
    assert_eq!(tools.names(), FILE_TOOLS_AND_OWN);
    let parcels = r#"[{"grams": 1000, "to": {"street": "Main Street 1"}}]"#;
    let price = inside(&["call", "price", "--parcels", parcels]).assert_success();
    assert_eq!(price.out, "{\"cents\":200,\"to\":\"Main Street 1\"}\n");
    let note = root.path().join("note");
    fs::write(note, "one\ntwo\n").expect("the note can be written");
    let grep = inside(&["call", "grep", "--pattern", "tw", "--path", "."]).assert_success();
    assert!(grep.out.contains("two"), "{}", grep.out);
    let size = inside(&["call", "size", "--path", "stranger"]).assert_success();
    let program = fs::metadata(root.path().join("stranger"));
    let expected = program.expect("the program is there").len();
    assert_eq!(size.out, format!("{expected}\n"));
    let outside = inside(&["call", "size", "--path", "../etc/passwd"]);
    assert_eq!(outside.code, Some(1), "{outside:?}");
}

#[test]
fn a_static_binary_brings_its_skills_along() {
    let Some(root) = alone() else { return };
    let Some(inside) = in_empty_root(&root) else {
        return;
    };
    let listed = inside(&["skills"]).assert_success();
    assert!(
        listed.out.contains("parcel  Packs and weighs"),
        "{}",
        listed.out
    );
    let loaded = inside(&["call", "load_skill", "--name", "parcel"]).assert_success();
    assert!(loaded.out.contains("Weigh it with"), "{}", loaded.out);
    assert!(loaded.out.contains("scripts/weigh.sh"), "{}", loaded.out);
    let wanted = r#"{"skill": "parcel", "path": "references/tariff.md"}"#;
    let read = inside(&["call", "read_skill_file", wanted]).assert_success();
    assert!(read.out.contains("The sender pays."), "{}", read.out);
}

#[test]
fn a_static_binary_in_an_empty_folder_runs_the_script_of_a_skill() {
    let Some(folder) = alone() else { return };
    let cache = tempfile::tempdir().expect("a folder for what is laid out");
    let wanted = r#"{"skill": "parcel", "script": "scripts/weigh.sh", "arguments": ["30", "12"]}"#;
    let mut command = Command::new(folder.path().join("stranger"));
    command
        .args(["call", "run_skill_script", wanted])
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", cache.path());
    let ran = run(&mut command).assert_success();
    assert!(
        ran.out.contains("42 grams, says the scale of parcel"),
        "{ran:?}"
    );
}

#[test]
fn a_release_knows_nothing_of_the_folder_of_its_skills() {
    let Some(program) = program() else { return };
    let program = fs::read(program.0).expect("the program is there");
    let has = |text: &str| {
        program
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(
        has("Weigh it with"),
        "the skill is there, and would be found"
    );
    let package = packages::user("user");
    let folder = package.to_str().expect("the path is UTF-8");
    assert!(!has(folder), "{folder} is in the program");
}

#[test]
fn fat_lto_strip_and_abort_keep_every_tool() {
    if !is_asked_for() {
        return;
    }
    let app = Build {
        package: "packed",
        folder: "packed",
        profile: Some("shipped"),
        ..Build::default()
    }
    .run();
    assert_eq!(app.tools(), ["double", "panics", "welcome"]);
    let all = app.run(["tools", "--all"]).assert_success();
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
    assert_eq!(double.assert_success().out, "42\n");

    let doctor = app.run(["doctor"]);
    assert!(
        doctor
            .out
            .contains("panics: a panic in a tool aborts the process"),
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
