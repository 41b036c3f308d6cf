//! Crates outside the workspace use helve as a stranger would: the real cargo builds each with the packages as they are
//! published, and its binary runs.
//!
//! They share the workspace's target folder, so that what its tests are built of is not compiled again; the cargo that
//! started these tests holds it no longer. Their versions are the workspace's, so nothing is fetched.

#[cfg(target_os = "linux")]
mod archives;
mod building;
mod new;
mod packages;
mod readme;
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod shipped;
mod skills;

use std::collections::BTreeSet;
use std::process::Command;

use building::{Build, cargo, run};

const STRANGER: Build<'_> = Build {
    package: "stranger",
    folder: "user",
    profile: None,
    target: None,
    rustflags: "",
    small: false,
};

/// The tools of the pack of files, those that skills bring, and those of the crate.
const FILE_TOOLS_AND_OWN: [&str; 12] = [
    "apply_patch",
    "edit_file",
    "glob",
    "grep",
    "list_dir",
    "load_skill",
    "price",
    "read_file",
    "read_skill_file",
    "run_skill_script",
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
        flags.assert_success().out,
        "{\"cents\":900,\"to\":\"Main Street 1, 8000\"}\n"
    );
    let json = app.run(["call", "price", &format!("{{\"parcels\": {parcels}}}")]);
    assert_eq!(
        json.assert_success().out,
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
fn a_command_that_was_left_out_names_the_feature_that_has_it() {
    let app = STRANGER.run();
    for (command, feature) in [
        ("mcp", "mcp"),
        ("serve", "serve"),
        ("bundles", "skill-install"),
    ] {
        for arguments in [
            &[command][..],
            &[command, "--help"],
            &[command, "list", "-x"],
        ] {
            let refused = app.run(arguments);
            assert_eq!((refused.code, &*refused.out), (Some(2), ""), "{refused:?}");
            let message = format!(
                "error: this program was built without the command `{command}`: its developer adds it with the feature \
                 `{feature}` of helve (`cargo add helve --features {feature}`)\n"
            );
            assert_eq!(refused.err, message);
        }
    }
    // They are not offered.
    let help = app.run(["--help"]).assert_success().out;
    assert!(!help.contains("serve"), "{help}");
}

#[test]
fn a_library_of_tools_compiles_the_core_and_no_feature() {
    Build {
        package: "library",
        folder: "library",
        ..Build::default()
    }
    .check();
    let tree =
        run(cargo(&packages::user("library"), "tree")
            .args(["--edges", "normal", "--prefix", "none"]))
        .assert_success();
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
        "similar",
        "url",
    ] {
        assert!(!crates.contains(heavy), "{heavy} is in {crates:?}");
    }
    let own = crates.iter().filter(|name| name.starts_with("helve"));
    let core = ["helve", "helve-core", "helve-macros", "helve-runtime"];
    assert_eq!(own.collect::<Vec<_>>(), core);
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
            "greet",
            "load_skill",
            "owner",
            "read_file",
            "read_skill_file",
            "run_skill_script"
        ]
    );
    let own = app.run(["call", "read_file"]);
    assert_eq!(own.assert_success().out, "an open book\n");
    let skills = app.run(["skills"]).assert_success();
    assert!(
        skills.out.contains("\n  greeting  How to greet people."),
        "{}",
        skills.out
    );

    let person = r#"{"name": "ada", "volume": "Loud"}"#;
    let greeting = app.run(["call", "greet", "--person", person, "--times", "2"]);
    assert_eq!(greeting.assert_success().out, "HELLO ADA, HELLO ADA\n");
    let owner = app.run(["call", "owner"]);
    assert_eq!(owner.assert_success().out, "Ada\n");
    let words = app.run(["call", "also_count_words", "--text", "one two"]);
    assert_eq!(words.assert_success().out, "2\n");
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
            call.err.contains(&format!("unknown tool `{tool}`")),
            "{}",
            call.err
        );
    }
    let double = app.run(["call", "double", "--number", "-21"]);
    assert_eq!(double.assert_success().out, "-42\n");

    let doctor = app.run(["doctor"]);
    for pack in [
        "bystander: 0 of 1 granted",
        "granted: 1 of 1 granted",
        "linked: 0 of 1 granted",
        "packed: 2 of 2 granted",
        "panics: a panic in a tool fails the call",
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
    let refused = run(Command::new(app.0.with_file_name("doubled")).arg("tools"));
    assert_eq!((refused.code, &*refused.out), (Some(1), ""), "{refused:?}");
    let advice =
        "several tools have the same name; rename one with `#[tool(name = \"…\")]`\n  `now`";
    assert!(refused.err.contains(advice), "{}", refused.err);
    let places: Vec<_> = refused.err.lines().filter_map(place_of).collect();
    let place = "`now` in twins (twins/src/bin/doubled.rs)";
    assert_eq!(places, [place; 2], "{}", refused.err);
}

/// Reads a line about a tool and where it is written; the number of the line is left out.
fn place_of(line: &str) -> Option<String> {
    let (place, number) = line.trim().strip_suffix(')')?.rsplit_once(':')?;
    number.parse::<u32>().ok()?;
    Some(format!("{place})"))
}
