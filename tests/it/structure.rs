//! Holds the structure of every package of the workspace: floors, circles, sizes, and the picture in ARCHITECTURE.md.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod circles;
mod imports;
mod metadata;
mod module;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use circles::circles;
use imports::Package;
use metadata::Workspace;
use module::Module;
use names::for_each_file;

/// The most files that may use each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The most lines of a package, without its tests.
const LARGEST_PACKAGE: usize = 25_000;

/// The most lines of the packages that a library of tools compiles.
const LARGEST_LIBRARY: usize = 25_000;

/// The most lines of the package that only re-exports others.
const LARGEST_RUNTIME: usize = 299;

/// The floors, from the lowest: a package depends on packages of lower floors alone.
const FLOORS: [&[&str]; 14] = [
    &[
        "helve-catalog",
        "helve-macros",
        "helve-markdown",
        "helve-new",
        "helve-pdf",
        "helve-skill-format",
        "helve-shell",
    ],
    &["helve-core", "helve-skills-derive"],
    &[
        "helve-model",
        "helve-net",
        "helve-secrets",
        "helve-storage",
        "helve-tool-search",
        "helve-untrusted",
    ],
    &[
        "helve-host",
        "helve-permission",
        "helve-results",
        "helve-skill",
        "helve-state",
    ],
    &[
        "helve-agent",
        "helve-image",
        "helve-mcp",
        "helve-remote",
        "helve-skill-install",
        "helve-text-index",
    ],
    &[
        "helve-agents",
        "helve-hooks",
        "helve-jobs",
        "helve-schedule",
        "helve-memory",
        "helve-serve",
        "helve-session-search",
        "helve-terminal",
        "helve-testing",
    ],
    &["helve-settings"],
    &["helve-cli"],
    &["helve-runtime"],
    &[
        "helve-tools-ask-user",
        "helve-tools-check-code",
        "helve-tools-files",
        "helve-tools-github",
        "helve-tools-http",
        "helve-tools-image",
        "helve-tools-schedule",
        "helve-tools-session-search",
        "helve-tools-memory",
        "helve-tools-shell",
        "helve-tools-todo",
        "helve-tools-web",
        "helve-tools-web-search",
    ],
    &["helve-tools"],
    &["helve"],
    &["assistant", "butler", "helve-interop", "research", "team"],
    &["helve-adversary"],
];

/// Packages of one subject each, whose modules are no floors: `no_circle_has_more_than_three_files` holds them.
const WITHOUT_FLOORS: [&str; 7] = [
    "helve-agent",
    "helve-mcp",
    "helve-model",
    "helve-results",
    "helve-serve",
    "helve-skill",
    "helve-tools-files",
];

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the first name of a file's path below the root of its package's source.
fn top(file: &Path, source: &Path) -> String {
    let below = file.strip_prefix(source).unwrap();
    let first = below.components().next().unwrap().as_os_str();
    Path::new(first).with_extension("").display().to_string()
}

fn for_each_package(mut call: impl FnMut(&str, &Path, &Package) -> Vec<String>) {
    let workspace = Workspace::read();
    let problems: Vec<_> = workspace
        .libraries()
        .flat_map(|(name, root)| {
            // Elsewhere, `helve` is another package.
            let text = fs::read_to_string(root).unwrap();
            let aliases: &[&str] = match text.contains("extern crate self as helve;") {
                true => &["helve"],
                false => &[],
            };
            let package = Package::read(root, aliases);
            let problems = call(name, root.parent().unwrap(), &package);
            problems
                .into_iter()
                .map(move |problem| format!("{name}: {problem}"))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_package_depends_on_lower_floors() {
    let workspace = Workspace::read();
    let floor = |name: &str| {
        let found = FLOORS.iter().position(|floor| floor.contains(&name));
        found.unwrap_or_else(|| panic!("`{name}` is on no floor"))
    };
    for (package, dependency) in workspace.dependencies() {
        assert!(
            floor(dependency) < floor(package),
            "`{package}` depends on `{dependency}`, which is no floor below it"
        );
    }
}

#[test]
fn no_module_imports_upwards() {
    for_each_package(|name, source, package| {
        if WITHOUT_FLOORS.contains(&name) {
            return Vec::new();
        }
        let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut arrows = Vec::new();
        for (file, used) in package.graph() {
            for used in used {
                let (from, to) = (top(&file, source), top(&used, source));
                if from != to {
                    arrows.push((from.clone(), to.clone(), file.clone(), used));
                    modules.entry(from).or_default().insert(to);
                }
            }
        }
        let circles = circles(&modules);
        let circles = circles.iter().map(|circle| {
            let inside = arrows
                .iter()
                .filter(|(from, to, ..)| circle.contains(from) && circle.contains(to));
            let lines = inside.map(|(.., file, used)| {
                format!("\n    {} uses {}", file.display(), used.display())
            });
            format!(
                "the modules {circle:?} use each other{}",
                lines.collect::<String>()
            )
        });
        circles.collect()
    });
}

#[test]
fn no_circle_has_more_than_three_files() {
    for_each_package(|_, source, package| {
        let circles = circles(&package.graph());
        let large = circles
            .iter()
            .filter(|circle| circle.len() > LARGEST_CIRCLE);
        let names = |circle: &Vec<PathBuf>| {
            let names = circle
                .iter()
                .map(|file| file.strip_prefix(source).unwrap().display().to_string());
            names.collect::<Vec<_>>().join(", ")
        };
        large
            .map(|circle| format!("these files use each other: {}", names(circle)))
            .collect()
    });
}

/// Counts the lines of a package, without its tests.
fn lines_of(package: &Package) -> usize {
    lines_of_files(package.root(), |_| true)
}

/// Counts the lines of the modules that are looked at, and of those below them.
fn lines_of_files(root: &Module, is_counted: fn(&Module) -> bool) -> usize {
    let (mut files, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(module) = open.pop() {
        files.insert(module.file.clone());
        open.extend(module.children.values().filter(|child| is_counted(child)));
    }
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts.map(|text| lines_without_tests(&text)).sum()
}

/// Counts the lines of a file outside of `#[cfg(test)] mod tests { … }` and of the examples in the documentation, which
/// are tests.
fn lines_without_tests(text: &str) -> usize {
    let mut lines = text.lines().peekable();
    let (mut count, mut is_example) = (0, false);
    while let Some(line) = lines.next() {
        let is_module = |next: &&str| next.starts_with("mod ") && next.ends_with('{');
        if line == "#[cfg(test)]" && lines.next_if(is_module).is_some() {
            lines.by_ref().find(|line| *line == "}");
            continue;
        }
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let is_fence = doc.is_some_and(|doc| doc.trim_start().starts_with("```"));
        is_example = doc.is_some() && is_example != is_fence;
        if !is_example && !is_fence {
            count += 1;
        }
    }
    count
}

#[test]
fn lines_of_tests_are_not_counted() {
    let text = "//! A.\n//! ```\n//! a\n//! ```\na\n#[cfg(test)]\nmod tests {\n    b\n}\nc\n#[cfg(test)]\nuse d;\n";
    assert_eq!(lines_without_tests(text), 5);
}

/// `outside::a_library_of_tools_compiles_the_core_and_no_feature` holds which packages these are, and that none of their
/// features is on. The facade is not counted: it is re-exports, most of them of other features.
#[test]
fn a_library_of_tools_compiles_25_000_lines_at_most() {
    let compiled = ["helve-core", "helve-macros", "helve-runtime"];
    let mut lines = BTreeMap::new();
    for_each_package(|name, _, package| {
        if compiled.contains(&name) {
            let compiled = lines_of_files(package.root(), |module| !module.is_optional);
            lines.insert(name.to_owned(), compiled);
        }
        Vec::new()
    });
    assert_eq!(lines.len(), compiled.len(), "{lines:?}");
    assert!(
        lines.values().sum::<usize>() <= LARGEST_LIBRARY,
        "{lines:?}"
    );
}

#[test]
fn a_package_has_25_000_lines_at_most() {
    for_each_package(|name, _, package| {
        let lines = lines_of(package);
        let most = if name == "helve-runtime" {
            LARGEST_RUNTIME
        } else {
            LARGEST_PACKAGE
        };
        (lines > most)
            .then(|| format!("{lines} lines"))
            .into_iter()
            .collect()
    });
}

#[test]
fn the_picture_of_the_packages_is_that_of_the_manifests() {
    let page = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let (_, picture) = page.split_once("```mermaid\n").unwrap();
    let (picture, _) = picture.split_once("```").unwrap();
    let expected = Workspace::read().picture();
    assert_eq!(
        picture, expected,
        "ARCHITECTURE.md: put this between its fences:\n{expected}"
    );
}

/// Returns the file or folder that a word of ARCHITECTURE.md names, if it names one.
fn named_path(word: &str) -> Option<PathBuf> {
    let is_path = |c: char| c.is_ascii_alphabetic() || "_-./".contains(c);
    let is_named = word.ends_with(".rs") || word.ends_with('/');
    let (first, rest) = word.trim_end_matches('/').split_once('/')?;
    if !is_named || !word.chars().all(is_path) {
        return None;
    }
    let source = workspace().join("runtime").join(first).join("src");
    Some(if source.is_dir() {
        source.join(rest)
    } else {
        workspace().join(word)
    })
}

#[test]
fn the_files_that_the_page_names_exist() {
    let page = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let named: Vec<_> = page.split('`').filter_map(named_path).collect();
    assert!(named.len() > 80, "{}", named.len());
    let missing: Vec<_> = named.iter().filter(|path| !path.exists()).collect();
    assert!(missing.is_empty(), "these are gone: {missing:#?}");
}

/// Returns the identifiers of a word of ARCHITECTURE.md that names a type, a function or a constant.
fn named_items(word: &str) -> Option<Vec<&str>> {
    let is_identifier = |part: &str| {
        let mut characters = part.chars();
        characters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let items: Vec<_> = word.split("::").collect();
    let is_item = items.len() > 1 || word.contains('_') || word.contains(char::is_uppercase);
    (is_item && items.iter().all(|item| is_identifier(item))).then_some(items)
}

/// Each item is looked for in all files: `Type::function` has to be in one file.
#[test]
fn the_items_that_the_page_names_exist() {
    let page = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let mut missing: Vec<_> = page.split('`').filter_map(named_items).collect();
    assert!(missing.len() > 80, "{}", missing.len());
    let mut find = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let is_separator = |c: char| c != '_' && !c.is_ascii_alphanumeric();
        let words: BTreeSet<&str> = text.split(is_separator).collect();
        missing.retain(|items| !items.iter().all(|item| words.contains(item)));
    };
    for folder in [
        "tests",
        "runtime",
        "tools",
        "macros",
        "skills-derive",
        "examples",
        ".ci",
    ] {
        for_each_file(&workspace().join(folder), &mut |file: &Path| {
            let is_read = file.extension().is_some_and(|extension| extension == "rs");
            if is_read || folder == ".ci" {
                find(file);
            }
        });
    }
    assert!(missing.is_empty(), "these are gone: {missing:?}");
}

/// Proof that the tests above can fail.
#[test]
fn circles_are_found() {
    let graph = [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("c", "d"),
        ("d", "e"),
        ("e", "d"),
    ];
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in graph {
        uses.entry(from).or_default().insert(to);
    }
    assert_eq!(circles(&uses), [vec!["a", "b", "c"], vec!["d", "e"]]);
}

/// Paths are followed through re-exports, groups, globs and the tokens of macro calls.
#[test]
fn imports_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; pub use b::Inner;");
    write(
        "a.rs",
        "use crate::{Inner as Other, b::{self, *}}; fn f(_: Other) { println!(\"{}\", b::deep::g()); Deep; }",
    );
    write(
        "b.rs",
        "mod deep; pub use deep::{Inner, Deep}; #[cfg(test)] mod tests { use crate::a::f; }",
    );
    write(
        "b/deep.rs",
        "pub struct Inner; pub struct Deep; pub fn g() { super::super::a::f() }",
    );
    let package = Package::read(&folder.path().join("lib.rs"), &[]);
    let graph = package.graph();
    let names = |name: &str| -> Vec<String> {
        let used = graph[&folder.path().join(name)].iter();
        used.map(|file| {
            file.strip_prefix(folder.path())
                .unwrap()
                .display()
                .to_string()
        })
        .collect()
    };
    assert_eq!(names("a.rs"), ["b/deep.rs"]);
    assert_eq!(names("b/deep.rs"), ["a.rs"]);
    assert!(names("lib.rs").is_empty() && names("b.rs").is_empty());
}
