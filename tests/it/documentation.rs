//! Holds what documentation says of keys, packages and paths against the sources.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Lists the files below a folder, without those that are built or tested.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            if !["target", "tests", "peers"].contains(&&*name) && !name.starts_with('.') {
                files(&path, extension, found);
            }
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
}

/// Returns the keys in the first column of the tables below a heading of a page.
fn documented(page: &str, heading: &str) -> BTreeSet<String> {
    let (_, section) = page
        .split_once(&format!("# {heading}\n"))
        .unwrap_or_else(|| panic!("no heading `{heading}`"));
    let section = section.split("\n# ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| Some(row.split_once(" |")?.0));
    let codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let keys = codes.map(|code| {
        let end = code.find([' ', '(']);
        end.map_or(code, |end| &code[..end]).to_owned()
    });
    // `risk` has several values, and `default` two forms.
    keys.filter(|key| !key.starts_with('"')).collect()
}

/// Returns the keys that a source of the macros knows.
fn known(source: &str) -> BTreeSet<String> {
    let (_, list) = source.split_once("const KNOWN: [&str; ").unwrap();
    let (_, list) = list.split_once("= [").unwrap();
    let (list, _) = list.split_once("];").unwrap();
    let keys = list.split('"').skip(1).step_by(2);
    keys.map(str::to_owned).collect()
}

#[test]
fn the_pages_of_the_macros_have_all_keys() {
    let page = read("macros/docs/tool.md");
    for (heading, source) in [
        ("Keys of `#[tool(…)]`", "macros/src/attribute/tool.rs"),
        ("Keys of `#[arg(…)]`", "macros/src/attribute/arg.rs"),
    ] {
        assert_eq!(
            documented(&page, heading),
            known(&read(source)),
            "{heading}"
        );
    }
    let others: [(&str, &[&str]); 2] =
        [("data", &["allow_unknown", "crate"]), ("tools", &["crate"])];
    for (name, known) in others {
        let page = read(&format!("macros/docs/{name}.md"));
        let keys = documented(&page, &format!("Keys of `#[{name}(…)]`"));
        let known = known.iter().map(|key| (*key).to_owned());
        assert_eq!(keys, known.collect());
    }
}

/// The macros have their documentation themselves: what is written on a re-export is lost in the pages of `helve`.
#[test]
fn the_macros_are_documented_where_they_are_defined() {
    let source = read("macros/src/lib.rs");
    let tested = read("lib.rs");
    for name in ["tool", "tools", "data"] {
        let include = format!("#[doc = include_str!(\"../docs/{name}.md\")]");
        let defined = format!("{include}\n#[proc_macro_attribute]\npub fn {name}(");
        assert!(source.contains(&defined), "{name}");
        let included = format!("include_str!(\"macros/docs/{name}.md\")");
        assert!(tested.contains(&included), "no doctest runs {name}");
        assert!(read(&format!("macros/docs/{name}.md")).contains("\n```\n"));
    }
    let core = read("runtime/core/src/lib.rs");
    for line in ["data", "tool", "tools"].map(|name| format!("pub use helve_macros::{name};")) {
        let (before, _) = core.split_once(&line).unwrap_or_else(|| panic!("{line}"));
        assert!(!before.lines().last().unwrap().starts_with("///"), "{line}");
    }
}

#[test]
fn docs_rs_shows_every_feature_of_what_is_published() {
    let mut manifests = Vec::new();
    files(workspace(), "toml", &mut manifests);
    manifests.retain(|path| path.ends_with("Cargo.toml"));
    let mut published = 0;
    for path in manifests {
        let manifest = fs::read_to_string(&path).unwrap();
        if !manifest.contains("[package]") || manifest.contains("publish = false") {
            continue;
        }
        published += 1;
        let (_, section) = manifest
            .split_once("[package.metadata.docs.rs]\n")
            .unwrap_or_else(|| panic!("{} says nothing to docs.rs", path.display()));
        let section = section.split("\n[").next().unwrap().trim_end();
        let all = "all-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]";
        assert_eq!(section, all, "{}", path.display());
    }
    assert!(published > 20, "only {published} packages");
}

/// Returns the lines of examples in documentation that a reader sees.
fn shown_examples(source: &str) -> Vec<&str> {
    let (mut inside, mut shown) = (false, Vec::new());
    for line in source.lines().map(str::trim_start) {
        let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let Some(line) = comment.map(str::trim_start) else {
            inside = false;
            continue;
        };
        if line.starts_with("```") {
            inside = !inside;
        } else if inside && !line.starts_with("# ") {
            shown.push(line);
        }
    }
    shown
}

#[test]
fn examples_name_helve_and_none_of_its_packages() {
    let mut sources = Vec::new();
    files(workspace(), "rs", &mut sources);
    // These are used by other programs, too: their examples name them.
    let own = ["runtime/shell/src/lib.rs", "skills-derive/format"];
    let own = own.map(|path| workspace().join(path));
    sources.retain(|path| !own.iter().any(|own| path.starts_with(own)));
    let mut examples = 0;
    for path in sources {
        let source = fs::read_to_string(&path).unwrap();
        for line in shown_examples(&source) {
            examples += 1;
            let internal = line.match_indices("helve_").any(|(at, _)| {
                let rest = line[at..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                rest.starts_with("::")
            });
            assert!(!internal, "{}: {line}", path.display());
        }
    }
    assert!(examples > 500, "only {examples} lines");
}

/// Returns the words in code quotes of a paragraph of the front page that begins so.
fn features_of_front_page(start: &str) -> BTreeSet<String> {
    let page = read("lib.rs").replace("\n//! ", " ").replace("\n//!", "\n");
    let (_, list) = page.split_once(start).unwrap();
    let (list, _) = list.split_once(".\n").unwrap();
    let words = list.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

#[test]
fn the_front_page_has_every_feature() {
    let manifest = read("Cargo.toml");
    let (_, features) = manifest.split_once("\n[features]\n").unwrap();
    let (features, _) = features.split_once("\n[").unwrap();
    let lists: BTreeMap<&str, BTreeSet<&str>> = features
        .lines()
        .filter_map(|line| line.split_once(" = ["))
        .map(|(name, list)| (name, list.split('"').skip(1).step_by(2).collect()))
        .collect();
    // The default features, and those that they turn on.
    let mut on = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(feature) = open.pop() {
        if let Some(list) = lists.get(feature).filter(|_| on.insert(feature)) {
            open.extend(list);
        }
    }
    let off = lists.keys().filter(|name| !on.contains(*name));
    let off: BTreeSet<String> = off.map(|name| (*name).to_owned()).collect();
    on.remove("default");
    let on: BTreeSet<String> = on.into_iter().map(str::to_owned).collect();
    assert_eq!(features_of_front_page("On by default:"), on);
    assert_eq!(features_of_front_page("Off by default:"), off);

    let readme = read("README.md");
    let (_, table) = readme.split_once("\n## Features\n").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| Some((row.split_once('`')?.0, row.ends_with("| yes |"))));
    for (feature, by_default) in rows.clone() {
        assert_eq!(by_default, on.contains(feature), "{feature}");
    }
    let listed: BTreeSet<&str> = rows.map(|(feature, _)| feature).collect();
    assert_eq!(listed.len(), on.len() + off.len());
}

#[test]
fn the_guide_has_every_page_once() {
    let guide = read("guide.rs");
    let mut pages = Vec::new();
    files(&workspace().join("guide"), "md", &mut pages);
    assert!(pages.len() >= 13, "{pages:?}");
    for page in &pages {
        let name = page.file_stem().unwrap().to_string_lossy();
        let module = format!("#[doc = include_str!(\"guide/{name}.md\")]\npub mod {name} {{}}\n");
        assert!(guide.contains(&module), "guide.rs does not include {name}");
        assert!(
            guide.contains(&format!("| [`{name}`] |")),
            "{name} is not listed"
        );
        let lines = fs::read_to_string(page).unwrap().lines().count();
        assert!((40..=120).contains(&lines), "{name} has {lines} lines");
    }
    assert_eq!(guide.matches("include_str!").count(), pages.len());
}
