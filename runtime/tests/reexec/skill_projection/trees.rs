//! Trees of any shape come out as they went in.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::skill_projection::fixture::{CacheDir, TestSkill, test};

pub(crate) fn tests() -> Vec<Trial> {
    vec![test("any_tree_round_trips", any_tree_round_trips)]
}

fn any_tree_round_trips() {
    let soak = std::env::var("HELVE_SOAK").ok();
    let cases = soak.and_then(|cases| cases.parse().ok()).unwrap_or(32);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let room = CacheDir::new();
    let run = runner.run(&any_skill(), |given| {
        given.project(&room.cache());
        given.assert_whole(&room.cache());
        // The second time it is found, and it is still whole.
        given.project(&room.cache());
        given.assert_whole(&room.cache());
        let other = CacheDir::new();
        given.project(&other.cache());
        given.assert_whole(&other.cache());
        Ok(())
    });
    run.unwrap();
}

fn any_skill() -> impl Strategy<Value = TestSkill> {
    // Few names, so that files and folders meet; some that sort before and after `/`.
    let name = prop_oneof![
        "[a-c]",
        "[a-c]-[a-c]",
        "[a-c]\\.[a-c]",
        "\\.[a-c]",
        "é[ a-c~]"
    ];
    let path = prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"));
    let contents = prop::collection::vec(any::<u8>(), 0..200);
    let file = (path, (contents, any::<bool>()));
    let files = prop::collection::vec(file, 0..20);
    ("[a-z]{1,8}", files).prop_map(|(name, files)| {
        let mut kept: BTreeMap<String, (Vec<u8>, bool)> = BTreeMap::new();
        for (path, file) in files {
            let inside = |one: &str, other: &str| one.starts_with(&format!("{other}/"));
            if kept
                .keys()
                .all(|other| !inside(other, &path) && !inside(&path, other))
            {
                kept.insert(path, file);
            }
        }
        TestSkill { name, files: kept }
    })
}
