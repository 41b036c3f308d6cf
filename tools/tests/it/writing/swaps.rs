//! A call is judged, and then its path is led elsewhere: whoever swaps names at the same time gains nothing by it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use helve::BoxFuture;
use helve::agent::{Agent, AgentEvent, EventKind};
use helve::model::ScriptedModel;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question};
use helve::transcript::Message;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::writing::support::Tree;

/// How many calls run in each race.
const ROUNDS: usize = 1_000;

/// How many calls one turn makes.
const CALLS: usize = 20;

/// Denies whatever is asked.
struct Denying;

impl Approver for Denying {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(Decision::reject_once().into()))
    }
}

/// Makes the calls of a turn in a mode that takes edits, with nobody who agrees, and returns the texts of their results.
async fn turn(tree: &Tree, calls: Vec<(&'static str, Value)>) -> Vec<String> {
    let mut model = ScriptedModel::new();
    for (tool, arguments) in calls {
        model = model.call(tool, arguments);
    }
    let results: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&results);
    let agent = Agent::new("main", model.say("Done."))
        .toolset(helve_tools::files())
        .policy(Policy::new(Mode::AcceptEdits))
        .approver(Denying);
    let events = move |event: AgentEvent| {
        if let EventKind::ToolResult { content, .. } = event.kind {
            let text = content.iter().filter_map(|block| block.as_text()).collect();
            told.lock().unwrap().push(text);
        }
    };
    let cx = tree.builder().build();
    agent.run(vec![Message::user("Do it.")], &cx, events).await;
    std::mem::take(&mut *results.lock().unwrap())
}

/// Does something over and over on a thread of its own while calls run, in turns of some calls each.
async fn race(
    tree: &Tree,
    disturb: impl Fn() + Send + 'static,
    call: impl Fn(usize) -> (&'static str, Value),
    mut after: impl FnMut(),
) -> Vec<String> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let disturbing = thread::spawn(move || {
        // Pauses of many lengths, so that some calls are met at each of their steps and some go undisturbed.
        for pause in (0..).map(|nth: u32| nth.wrapping_mul(2_654_435_761) % 4_000) {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            disturb();
            thread::sleep(Duration::from_micros(pause.into()));
        }
    });
    let mut results = Vec::new();
    for round in 0..ROUNDS / CALLS {
        let calls = (0..CALLS).map(|nth| call(round * CALLS + nth)).collect();
        results.extend(turn(tree, calls).await);
        after();
    }
    stop.store(true, Ordering::Relaxed);
    disturbing.join().unwrap();
    results
}

/// Gives each of two names what the other had.
fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// A repository, with a folder and a link to its hooks that can be exchanged.
fn repository() -> (Tree, PathBuf) {
    let tree = Tree::new(&[(".git/hooks/README", "none\n"), ("made/README", "none\n")]);
    let root = tree.root();
    symlink(".git/hooks", root.join("link")).unwrap();
    (tree, root)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with(".helve"))
        .collect();
    names.sort();
    names
}

/// Counts the results that say something.
fn count(results: &[String], text: &str) -> usize {
    results
        .iter()
        .filter(|result| result.contains(text))
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_becomes_a_link_takes_no_file_to_the_hooks() {
    let (tree, root) = repository();
    let (made, link) = (root.join("made"), root.join("link"));
    let disturb = move || exchange(&made, &link);
    let call = |nth| {
        let path = format!("made/pre-commit-{nth}");
        (
            "write_file",
            json!({ "path": path, "content": "#!/bin/sh\n" }),
        )
    };
    let results = race(&tree, disturb, call, || ()).await;
    assert_eq!(names(&root.join(".git/hooks")), ["README"]);
    assert!(count(&results, "reated") > 0, "{results:?}");
    assert!(
        count(&results, "than when the call was judged") > 0,
        "{results:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_appears_as_a_link_takes_no_file_to_the_hooks() {
    let (tree, root) = repository();
    let new = root.join("new");
    let disturb = move || {
        if symlink(".git/hooks", &new).is_ok() {
            let _ = fs::remove_file(&new);
        }
        let _ = fs::remove_dir_all(&new);
    };
    let call = |nth| {
        let path = format!("new/deep-{nth}/pre-commit");
        (
            "write_file",
            json!({ "path": path, "content": "#!/bin/sh\n" }),
        )
    };
    race(&tree, disturb, call, || ()).await;
    assert_eq!(names(&root.join(".git/hooks")), ["README"]);
}

/// Not even for a moment: that would show in when the folder was changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_becomes_a_link_gets_no_folder_elsewhere() {
    let tree = Tree::new(&[(".vscode/README", "none\n"), ("made/README", "none\n")]);
    let root = tree.root();
    symlink(".vscode", root.join("link")).unwrap();
    let (made, link) = (root.join("made"), root.join("link"));
    let changed = || {
        fs::metadata(root.join(".vscode"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = changed();
    let disturb = move || exchange(&made, &link);
    let call = |nth| {
        let path = format!("made/deep-{nth}/tasks.json");
        ("write_file", json!({ "path": path, "content": "{}\n" }))
    };
    let results = race(&tree, disturb, call, || ()).await;
    assert_eq!(names(&root.join(".vscode")), ["README"]);
    assert_eq!(changed(), before);
    assert!(count(&results, "reated") > 0, "{results:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_becomes_a_link_shows_no_secret() {
    let tree = Tree::new(&[("plain", "nothing\n"), (".env", "KEY=needle\n")]);
    let root = tree.root();
    symlink(".env", root.join("link")).unwrap();
    let (plain, link) = (root.join("plain"), root.join("link"));
    let disturb = move || exchange(&plain, &link);
    let call = |_| ("read_file", json!({ "path": "plain" }));
    let results = race(&tree, disturb, call, || ()).await;
    assert_eq!(count(&results, "needle"), 0);
    assert!(count(&results, "nothing") > 0, "{results:?}");
}
