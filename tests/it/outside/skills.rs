//! A package that embeds skills is built anew when its folder changes, and warned of what is odd in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::outside::building::{Build, ProcessOutput, cargo, run, scratch, workspace, write};
use crate::outside::packages;

/// A copy of the package, whose folder may change.
struct Copy(PathBuf);

impl Copy {
    fn new() -> Self {
        let folder = scratch().join("skilled");
        let _ = fs::remove_dir_all(&folder);
        let original = workspace().join("tests/crates/skilled");
        for file in ["build.rs", "src/main.rs", "skills/pdf/SKILL.md"] {
            let text = fs::read_to_string(original.join(file)).expect("the package is there");
            write(&folder.join(file), &text);
        }
        let manifest = fs::read_to_string(original.join("Cargo.toml"));
        let manifest = manifest.expect("the package has a manifest");
        write(
            &folder.join("Cargo.toml"),
            &packages::manifest_of_user(&manifest),
        );
        fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock"))
            .expect("files can be copied");
        Self(folder)
    }

    fn build(&self) -> Build<'_> {
        Build {
            package: "skilled",
            folder: self.0.to_str().expect("the path is UTF-8"),
            ..Build::default()
        }
    }

    fn lines(&self) -> Vec<String> {
        let ran: ProcessOutput = self.build().program().run::<&str>([]).assert_success();
        ran.out.lines().map(str::to_owned).collect()
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.0.join(path), text);
    }
}

#[test]
fn a_folder_that_is_watched_builds_anew_and_warns_and_drift_is_told() {
    let package = Copy::new();
    let said = package.build().build_output();
    assert!(!said.contains("warning: skilled"), "{said}");
    assert_eq!(package.lines(), ["pdf/SKILL.md 86"]);
    assert!(
        package.build().build_output().contains("Finished"),
        "nothing to do"
    );

    package.write("skills/pdf/references/deep/fields.md", "Fields.\n");
    package.write(
        "skills/csv/SKILL.md",
        "---\nname: csv\ndescription: d\nallowed_tools: Read\n---\n",
    );
    assert_eq!(
        package.lines(),
        [
            "pdf/SKILL.md 86",
            "added: csv/SKILL.md",
            "added: pdf/references/deep/fields.md",
        ]
    );
    let said = package.build().build_output();
    let warned = "warning: skilled@0.1.0: skills/csv/SKILL.md:4:";
    assert!(said.contains(warned), "{said}");
    let files = [
        "csv/SKILL.md 53",
        "pdf/SKILL.md 86",
        "pdf/references/deep/fields.md 8",
    ];
    assert_eq!(package.lines(), files);

    fs::remove_dir_all(package.0.join("skills/csv")).expect("it is there");
    assert_eq!(package.lines()[3..], ["removed: csv/SKILL.md"]);
    assert!(package.build().build_output().contains("Compiling skilled"));
    assert_eq!(package.lines(), files[1..]);
}

#[test]
fn the_build_helper_compiles_without_the_runtime() {
    let mut tree = cargo(workspace(), "tree");
    tree.args([
        "--package",
        "helve",
        "--edges",
        "normal",
        "--prefix",
        "none",
    ])
    .args(["--no-default-features", "--features", "build"]);
    let crates: BTreeSet<String> = run(&mut tree)
        .assert_success()
        .names()
        .into_iter()
        .collect();
    println!("a build script compiles {} crates", crates.len());
    assert!(crates.len() <= 40, "{} crates: {crates:?}", crates.len());
    assert!(crates.contains("helve-skill-format"), "{crates:?}");
    for heavy in ["helve-runtime", "tokio", "serde", "clap"] {
        assert!(!crates.contains(heavy), "{heavy} is in {crates:?}");
    }
}
