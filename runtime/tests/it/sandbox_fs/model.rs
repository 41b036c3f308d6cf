//! Changes of all kinds against a model of the tree: the same outcome, and after a failure the same tree as before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use helve_runtime::sandbox::{Change, FileVersion, LocalFs, SandboxFs, WriteCondition};
use proptest::prelude::*;

/// What a model knows of a path: a folder, or a file with its contents.
type Tree = BTreeMap<PathBuf, Option<File>>;

/// A file, and which of all that were ever written.
#[derive(Debug, Clone, PartialEq)]
struct File {
    number: usize,
    bytes: Vec<u8>,
}

/// When a change of the model may be made.
#[derive(Debug, Clone, Copy)]
enum When {
    Always,
    Absent,
    /// Where the version is the present one.
    Present,
    /// With the version of another file.
    Stale,
}

#[derive(Debug, Clone)]
enum Step {
    Write(PathBuf, Vec<u8>, When),
    Remove(PathBuf, When),
    Rename(PathBuf, PathBuf, When),
}

fn path() -> impl Strategy<Value = PathBuf> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    prop::collection::vec(name, 1..=3).prop_map(|names| names.iter().collect())
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![
        4 => Just(When::Always),
        1 => Just(When::Absent),
        1 => Just(When::Present),
        1 => Just(When::Stale),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop::collection::vec(any::<u8>(), 0..4);
    prop_oneof![
        4 => (path(), bytes, when()).prop_map(|(path, bytes, when)| Step::Write(path, bytes, when)),
        2 => (path(), when()).prop_map(|(path, when)| Step::Remove(path, when)),
        2 => (path(), path(), when()).prop_map(|(from, to, when)| Step::Rename(from, to, when)),
    ]
}

/// Makes the folders above a path; `None` where a file is in the way.
fn folders(tree: &mut Tree, path: &Path) -> Option<()> {
    let above: Vec<_> = path.ancestors().skip(1).collect();
    for folder in above.into_iter().rev() {
        if folder.as_os_str().is_empty() {
            continue;
        }
        if tree.entry(folder.to_owned()).or_insert(None).is_some() {
            return None;
        }
    }
    Some(())
}

/// Says whether a condition holds of what is at a path; what was there before all changes decides which file is meant.
fn holds(when: When, there: Option<&Option<File>>, before: Option<&Option<File>>) -> bool {
    match when {
        When::Always => true,
        When::Absent => there.is_none(),
        When::Present => matches!(there, Some(Some(_))) && there == before,
        When::Stale => false,
    }
}

/// Does a step in the model.
fn make(tree: &mut Tree, before: &Tree, numbers: &mut usize, step: &Step) -> Option<()> {
    match step {
        Step::Write(path, bytes, when) => {
            let there = tree.get(path);
            let is_folder = matches!(there, Some(None));
            if is_folder || !holds(*when, there, before.get(path)) {
                return None;
            }
            folders(tree, path)?;
            *numbers += 1;
            let file = File {
                number: *numbers,
                bytes: bytes.clone(),
            };
            tree.insert(path.clone(), Some(file));
        }
        Step::Remove(path, when) => {
            let there = tree.get(path)?;
            let inside = |other: &PathBuf| other != path && other.starts_with(path);
            if tree.keys().any(inside) || !holds(*when, Some(there), before.get(path)) {
                return None;
            }
            tree.remove(path);
        }
        Step::Rename(from, to, when) => {
            let there = tree.get(from)?;
            let held = holds(*when, Some(there), before.get(from));
            if !held || to.starts_with(from) || tree.contains_key(to) {
                return None;
            }
            folders(tree, to)?;
            let below = |path: &&PathBuf| path.starts_with(from);
            let moved: Vec<_> = tree.keys().filter(below).cloned().collect();
            for old in moved {
                let node = tree.remove(&old)?;
                let rest = old.strip_prefix(from).ok()?;
                let new: PathBuf = to.iter().chain(rest.iter()).collect();
                tree.insert(new, node);
            }
        }
    }
    Some(())
}

/// Reads the real tree.
fn real(root: &Path, folder: &Path, tree: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_owned();
        if path.is_dir() {
            tree.insert(name, None);
            real(root, &path, tree);
        } else {
            tree.insert(name, Some(fs::read(&path).unwrap()));
        }
    }
}

async fn condition(fs: &LocalFs, path: &Path, when: When) -> WriteCondition {
    match when {
        When::Always => WriteCondition::Always,
        When::Absent => WriteCondition::Absent,
        When::Stale => WriteCondition::Unchanged(FileVersion::new("another")),
        When::Present => {
            let version = fs.metadata(path).await.ok().and_then(|found| found.version);
            WriteCondition::Unchanged(version.unwrap_or_else(|| FileVersion::new("none")))
        }
    }
}

async fn change(fs: &LocalFs, step: &Step) -> Change {
    match step.clone() {
        Step::Write(path, bytes, when) => Change::Write {
            condition: condition(fs, &path, when).await,
            path,
            bytes,
        },
        Step::Remove(path, when) => Change::Remove {
            condition: condition(fs, &path, when).await,
            path,
        },
        Step::Rename(from, to, when) => Change::Rename {
            condition: condition(fs, &from, when).await,
            from,
            to,
        },
    }
}

async fn compare(batches: Vec<Vec<Step>>) {
    let dir = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let fs = LocalFs::new(dir.path()).unwrap();
    let mut model = Tree::new();
    let mut numbers = 0;
    for batch in batches {
        let mut changes = Vec::new();
        for step in &batch {
            changes.push(change(&fs, step).await);
        }
        let mut after = model.clone();
        let mut made = |step| make(&mut after, &model, &mut numbers, step).is_some();
        let expected = batch.iter().all(&mut made);
        let done = fs.apply(changes).await;
        assert_eq!(done.is_ok(), expected, "{batch:?} on {model:?}: {done:?}");
        if expected {
            model = after;
        }
        let mut tree = BTreeMap::new();
        real(dir.path(), dir.path(), &mut tree);
        let bytes = |node: &Option<File>| node.as_ref().map(|file| file.bytes.clone());
        let contents = model.iter().map(|(path, node)| (path.clone(), bytes(node)));
        assert_eq!(tree, contents.collect(), "after {batch:?}: {done:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_batch_does_what_its_changes_do_one_by_one_or_nothing(
        batches in prop::collection::vec(prop::collection::vec(step(), 1..6), 1..8)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(batches));
    }
}
