//! Holds the layout of all tests of the workspace against its manifests: few programs, no file that is forgotten, and one
//! set of features.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The packages that have tests of their own.
const PACKAGES: [&str; 8] = [
    ".",
    "runtime",
    "runtime/shell",
    "tools",
    "skills-derive/format",
    "examples/assistant",
    "tests/adversary",
    "tests/interop",
];

/// Folders below `tests` whose files are compiled by other means: `compiler_messages` and `outside` say which.
const NO_MODULES: [&str; 4] = [
    "tests/ui",
    "tests/crates",
    "tests/adversary",
    "tests/interop",
];

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(package: &Path) -> String {
    fs::read_to_string(package.join("Cargo.toml")).unwrap()
}

/// Returns the files below `tests` that a manifest names as the roots of programs.
fn roots(package: &Path) -> Vec<PathBuf> {
    let manifest = manifest(package);
    let paths = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"")?.strip_suffix('"')?;
        path.starts_with("tests/").then(|| package.join(path))
    });
    paths.collect()
}

/// Adds a file and all that it declares as modules. Modules that are written inside another one have no file.
fn add_modules(file: &Path, owns_folder: bool, found: &mut BTreeSet<PathBuf>) {
    let file = file
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let folder = file.parent().unwrap().to_owned();
    let children = if owns_folder {
        folder.clone()
    } else {
        file.with_extension("")
    };
    let text = fs::read_to_string(&file).unwrap();
    if !found.insert(file) {
        return;
    }
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(given) = line.strip_prefix("#[path = \"") {
            path = given.strip_suffix("\"]").map(|given| folder.join(given));
            continue;
        }
        let visible = ["pub(crate) mod ", "pub mod ", "mod "];
        let declared = visible.iter().find_map(|start| line.strip_prefix(start));
        if let Some(name) = declared.and_then(|rest| rest.strip_suffix(';')) {
            match path.take() {
                Some(path) => add_modules(&path, true, found),
                None => {
                    let beside = children.join(name).with_extension("rs");
                    let inside = children.join(name).join("mod.rs");
                    let is_beside = beside.is_file();
                    add_modules(if is_beside { &beside } else { &inside }, !is_beside, found);
                }
            }
        }
        if !line.starts_with("#[") {
            path = None;
        }
    }
}

/// Lists the Rust files below a folder.
fn add_files(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    if NO_MODULES.iter().any(|other| folder.ends_with(other)) {
        return;
    }
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(path.canonicalize().unwrap());
        }
    }
}

#[test]
fn no_test_file_is_forgotten() {
    let (mut files, mut modules) = (BTreeSet::new(), BTreeSet::new());
    for package in PACKAGES.map(|package| workspace().join(package)) {
        add_files(&package.join("tests"), &mut files);
        for root in roots(&package) {
            add_modules(&root, true, &mut modules);
        }
    }
    assert!(files.len() > 400, "only {} files", files.len());
    let forgotten: Vec<_> = files.difference(&modules).collect();
    assert!(forgotten.is_empty(), "no module declares {forgotten:#?}");
}

#[test]
fn a_package_has_two_programs_of_tests_at_most() {
    for package in PACKAGES {
        let manifest = manifest(&workspace().join(package));
        let listed = manifest.lines().filter(|line| *line == "[[test]]").count();
        assert!((1..=2).contains(&listed), "{package} has {listed}");
        assert!(
            manifest.contains("autotests = false"),
            "{package} finds more by itself"
        );
    }
}

#[test]
fn whatever_builds_the_workspace_builds_every_feature() {
    let facade = manifest(workspace());
    let (_, features) = facade.split_once("[features]\n").unwrap();
    let (features, _) = features.split_once("\n[").unwrap();
    let lists = features.lines().filter_map(|line| line.split_once(" = ["));
    let lists: BTreeMap<&str, Vec<&str>> = lists
        .map(|(name, list)| (name, list.split('"').skip(1).step_by(2).collect()))
        .collect();
    let mut on = BTreeSet::from(["build", "full"]);
    let mut open = vec!["full"];
    while let Some(feature) = open.pop() {
        let named = lists[feature].iter().copied();
        open.extend(named.filter(|name| lists.contains_key(name) && on.insert(name)));
    }
    let all: BTreeSet<&str> = lists.keys().copied().collect();
    assert_eq!(on, all, "`full` and `build` are all features");
    let interop = manifest(&workspace().join("tests/interop"));
    assert!(interop.contains("\nhelve = { workspace = true, features = [\"build\", \"full\"] }\n"));
}
