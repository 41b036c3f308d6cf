//! Each test of the suites that were read is a case, is tested elsewhere, or does not apply.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use helve::testing::Cases;
use serde::Deserialize;

/// A test of a suite that has no case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    source: String,
    /// The test of helve that has it.
    test: Option<String>,
    /// Why helve does something else.
    differs: Option<String>,
    /// Why it does not apply.
    left_out: Option<String>,
}

#[derive(Default)]
struct Suite {
    same: BTreeSet<String>,
    differing: BTreeSet<String>,
    left_out: BTreeSet<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/agent/cases")
}

fn accounts() -> Vec<Account> {
    let mut accounts = Vec::new();
    for entry in std::fs::read_dir(folder().join("accounts")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        accounts.extend(lines.map(|line| {
            serde_json::from_str::<Account>(line).unwrap_or_else(|error| panic!("{line}: {error}"))
        }));
    }
    accounts
}

/// Returns whether a file below `tests` has a function of the last part of a path.
fn exists(test: &str) -> bool {
    let (file, function) = test.rsplit_once("::").unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.contains(&format!("fn {function}("))
}

#[test]
fn the_tests_of_other_projects_are_accounted_for() {
    let mut suites: BTreeMap<String, Suite> = BTreeMap::new();
    let mut add = |source: &str, kind: fn(&mut Suite) -> &mut BTreeSet<String>| {
        let (suite, name) = source
            .split_once("::")
            .unwrap_or_else(|| panic!("{source}"));
        kind(suites.entry(suite.to_owned()).or_default()).insert(name.to_owned());
    };
    let cases = Cases::load(folder().join("*.jsonl")).unwrap();
    for case in cases.iter() {
        let Some(sources) = &case.source else {
            continue;
        };
        for source in sources.split(" | ") {
            match case.differs {
                Some(_) => add(source, |suite| &mut suite.differing),
                None => add(source, |suite| &mut suite.same),
            }
        }
    }
    for account in accounts() {
        match (&account.test, &account.left_out) {
            (Some(test), None) => {
                assert!(exists(test), "there is no test {test}");
                match account.differs {
                    Some(_) => add(&account.source, |suite| &mut suite.differing),
                    None => add(&account.source, |suite| &mut suite.same),
                }
            }
            (None, Some(_)) => add(&account.source, |suite| &mut suite.left_out),
            _ => panic!("{}: either a test or a reason", account.source),
        }
    }
    let mut table = String::new();
    for (name, suite) in &mut suites {
        // A test of which one part differs, differs.
        let differing = suite.differing.clone();
        suite.same.retain(|name| !differing.contains(name));
        let counted: BTreeSet<_> = suite.same.union(&suite.differing).collect();
        let twice: Vec<_> = suite
            .left_out
            .iter()
            .filter(|name| counted.contains(name))
            .collect();
        assert!(twice.is_empty(), "{name}: {twice:?}");
        let (same, differing, left_out) = (
            suite.same.len(),
            suite.differing.len(),
            suite.left_out.len(),
        );
        let total = same + differing + left_out;
        writeln!(
            table,
            "{name}: {total} = {same} same, {differing} differing, {left_out} left out"
        )
        .unwrap();
    }
    insta::assert_snapshot!(table, @"
    AgentScope/tests/agent_interrupt_test.py: 9 = 9 same, 0 differing, 0 left out
    AgentScope/tests/agent_structured_output_test.py: 8 = 4 same, 2 differing, 2 left out
    AgentScope/tests/hitl_external_execution_test.py: 4 = 4 same, 0 differing, 0 left out
    AgentScope/tests/hitl_mixed_test.py: 3 = 1 same, 2 differing, 0 left out
    AgentScope/tests/hitl_user_confirmation_test.py: 6 = 4 same, 2 differing, 0 left out
    AgentScope/tests/middleware_budget_test.py: 7 = 4 same, 2 differing, 1 left out
    AgentScope/tests/middleware_test.py: 28 = 20 same, 6 differing, 2 left out
    AgentScope/tests/service_subagent_hitl_projector_test.py: 10 = 10 same, 0 differing, 0 left out
    AgentScope/tests/service_team_tools_test.py: 39 = 7 same, 6 differing, 26 left out
    Ethos/extensions/tools-delegation/src/__tests__/background-tools.test.ts: 24 = 6 same, 4 differing, 14 left out
    Ethos/extensions/tools-delegation/src/__tests__/cross-personality.test.ts: 1 = 1 same, 0 differing, 0 left out
    Ethos/extensions/tools-delegation/src/__tests__/delegation.test.ts: 23 = 10 same, 4 differing, 9 left out
    Ethos/extensions/tools-delegation/src/__tests__/task-contract.test.ts: 1 = 1 same, 0 differing, 0 left out
    Ethos/packages/core/src/__tests__/clarify.test.ts: 47 = 15 same, 7 differing, 25 left out
    Ethos/packages/core/src/__tests__/hook-registry.test.ts: 13 = 9 same, 3 differing, 1 left out
    Sage/tests/sagents/agent/test_fibre_orchestrator.py: 12 = 8 same, 3 differing, 1 left out
    Sage/tests/sagents/agent/test_simple_agent_repeat_pattern.py: 37 = 19 same, 1 differing, 17 left out
    Sage/tests/sagents/agent/test_team_orchestrator.py: 8 = 5 same, 3 differing, 0 left out
    Sage/tests/sagents/context/test_user_injections.py: 13 = 7 same, 4 differing, 2 left out
    ");
}
