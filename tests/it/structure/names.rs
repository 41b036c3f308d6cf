//! Holds the names of types and functions: each type name once in a package, no function that is named by a pronoun or a
//! participle, and none of the names that were given up.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::{for_each_package, workspace};

/// Names that say neither what a function does nor what it makes.
const NO_VERBS: [&str; 8] = [
    "bear", "found", "given", "kept", "of", "said", "there", "told",
];

/// What was renamed: a file or a folder, and the identifiers that it no longer has.
const RENAMED: &str = include_str!("renamed.txt");

/// Types that are defined once for each platform, each in a module of its own.
const OF_A_PLATFORM: [&str; 3] = ["Folder", "NoSymlinks", "RootDir"];

#[test]
fn a_type_name_is_defined_once_in_a_package() {
    for_each_package(|_, source, package| {
        let mut types: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        package.root().for_each(&mut |module, _| {
            let file = module.file.strip_prefix(source).unwrap();
            for name_of_type in &module.types {
                let files = types.entry(name_of_type.as_str()).or_default();
                files.insert(file.display().to_string());
            }
        });
        types.retain(|name, files| files.len() > 1 && !OF_A_PLATFORM.contains(name));
        let twice = types.into_iter().map(|(name, files)| {
            format!(
                "`{name}` is defined in {}",
                Vec::from_iter(files).join(", ")
            )
        });
        twice.collect()
    });
}

#[test]
fn a_function_is_named_by_what_it_does() {
    for_each_package(|_, source, package| {
        let mut problems = Vec::new();
        package.root().for_each(&mut |module, _| {
            let file = module.file.strip_prefix(source).unwrap();
            let named = module
                .functions
                .iter()
                .filter(|name| NO_VERBS.contains(&name.as_str()));
            problems.extend(named.map(|name| format!("{}: `fn {name}`", file.display())));
        });
        problems
    });
}

/// Adds the identifiers of a source to `names`, those in the arguments of macros among them.
fn add_identifiers(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => drop(names.insert(name.to_string())),
            TokenTree::Group(group) => add_identifiers(group.stream(), names),
            _ => {}
        }
    }
}

/// Calls a function with each file at a path or below it.
pub(super) fn for_each_file(path: &Path, call: &mut dyn FnMut(&Path)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            for_each_file(&entry.unwrap().path(), call);
        }
    } else {
        call(path);
    }
}

/// Returns where an identifier stands that was given up there.
fn given_up(list: &str, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let Some(path) = words.next() else { continue };
        let identifiers: BTreeSet<&str> = words.collect();
        let path = root.join(path);
        let mut files = 0;
        for_each_file(&path, &mut |file| {
            if file.extension().is_none_or(|extension| extension != "rs") {
                return;
            }
            files += 1;
            let text = fs::read_to_string(file).unwrap();
            let mut names = BTreeSet::new();
            add_identifiers(text.parse().unwrap(), &mut names);
            let old = names
                .iter()
                .filter(|name| identifiers.contains(name.as_str()));
            found.extend(old.map(|name| format!("{}: `{name}`", file.display())));
        });
        // An empty folder is gone too: git does not track it.
        assert!(
            files > 0,
            "the list names {}, which is gone",
            path.display()
        );
    }
    found
}

#[test]
fn what_was_renamed_stays_renamed() {
    let found = given_up(RENAMED, workspace());
    assert!(found.is_empty(), "these names were given up: {found:#?}");
}

/// Proof that the test above can fail.
#[test]
fn a_name_that_was_given_up_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.rs"),
        "fn f() { println!(\"{}\", Old::new()) }",
    )
    .unwrap();
    assert_eq!(given_up(". Old Other", folder.path()).len(), 1);
    assert!(given_up(". Older\n# a.rs f", folder.path()).is_empty());
}
