//! Holds `.ci/lanes` against the repository: a change of a file runs the lanes whose tests read it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

type Lanes = BTreeMap<String, BTreeSet<String>>;

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a script of bash in the workspace after `.ci/lanes`, with lines as its input, and returns its lines.
fn after_lanes(script: &str, lines: &[String]) -> Vec<String> {
    let mut bash = Command::new("bash")
        .args(["-euc", &format!(". .ci/lanes\n{script}")])
        .current_dir(workspace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = bash.stdin.take().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = bash.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    let output = String::from_utf8(output.stdout).unwrap();
    output.lines().map(str::to_owned).collect()
}

/// Returns the files of the repository with the lanes that a change of each touches.
fn lanes_of_files() -> Lanes {
    let files = after_lanes(
        "git ls-files 2>/dev/null || find . -type f -not -path './target/*' -not -path './.git/*' | sed 's|^./||'",
        &[],
    );
    let lanes = after_lanes(
        r#"while IFS= read -r path; do echo $(lanes_of "$path"); done"#,
        &files,
    );
    assert_eq!(files.len(), lanes.len());
    let lanes = lanes.iter().map(|line| words(line));
    files.into_iter().zip(lanes).collect()
}

fn words(line: &str) -> BTreeSet<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Lists which tests a lane runs whatever else is set: the lane, the program, and the modules of it; none are all.
fn tests_of_lanes() -> Vec<(String, String, Vec<String>)> {
    let more = fs::read_to_string(workspace().join(".ci/more")).unwrap();
    let more = more.replace("\\\n", " ");
    let mut steps = BTreeMap::new();
    let (mut lane, mut function) = (String::new(), String::new());
    let mut found = Vec::new();
    for line in more.lines() {
        if let Some(name) = line.strip_suffix("() {") {
            function = name.to_owned();
            lane = name
                .strip_prefix("lane_")
                .unwrap_or_default()
                .replace('_', "-");
        } else if let Some(step) = line.strip_prefix("  step ").filter(|_| !lane.is_empty()) {
            let step = step.rsplit(' ').next().unwrap();
            steps.insert(step.to_owned(), lane.clone());
        } else if let Some((_, arguments)) = line.split_once("--test ")
            // What is indented further runs on request alone.
            && line.len() - line.trim_start().len() == 2
        {
            let program = arguments.split_whitespace().next().unwrap().to_owned();
            let modules = arguments
                .split_once(" -- ")
                .map_or("", |(_, modules)| modules);
            let modules = modules.split(" --skip ").next().unwrap().split_whitespace();
            let modules = modules.take_while(|word| !word.starts_with("2>"));
            let modules = modules.map(str::to_owned).collect();
            found.push((function.clone(), program, modules));
        }
    }
    let lane_of = |(function, program, modules)| (steps[&function].clone(), program, modules);
    found.into_iter().map(lane_of).collect()
}

/// Reports whether a file belongs to modules of a test program.
fn is_read_by(file: &str, program: &str, modules: &[String]) -> bool {
    let folder = format!("tests/{program}/");
    let Some(start) = file.find(&folder) else {
        return false;
    };
    let module = &file[start + folder.len()..];
    let is_below = |filter: &String| {
        let path = filter.trim_end_matches("::").replace("::", "/");
        let rest = module.strip_prefix(&*path);
        rest.is_some_and(|rest| rest.starts_with(['.', '/']))
    };
    modules.is_empty() || modules.iter().any(is_below)
}

#[test]
fn a_change_of_a_test_runs_the_lanes_that_run_it() {
    let (files, tests) = (lanes_of_files(), tests_of_lanes());
    let mut wrong = Vec::new();
    for (lane, program, modules) in &tests {
        let read = files
            .iter()
            .filter(|(file, _)| is_read_by(file, program, modules));
        let read: Vec<_> = read.collect();
        assert!(
            !read.is_empty(),
            "{lane} runs no test of {program}: {modules:?}"
        );
        let missed = read.into_iter().filter(|(_, lanes)| !lanes.contains(lane));
        wrong.extend(missed.map(|(file, _)| format!("{file} does not run {lane}")));
    }
    assert_eq!(wrong, [""; 0]);
    // As many as `.ci/more` has, so that a line which is not understood is seen.
    let lanes: BTreeSet<_> = tests.iter().map(|(lane, ..)| lane.as_str()).collect();
    let expected = [
        "messages",
        "models",
        "no-sections",
        "peers-github",
        "peers-mcp",
        "peers-sandbox",
        "peers-skills",
        "peers-web",
        "shipped",
        "soaks",
    ];
    assert_eq!(lanes, BTreeSet::from(expected));
}

#[test]
fn what_every_call_goes_through_runs_the_soaks() {
    let files = lanes_of_files();
    let folders = [
        "agent/src/driver",
        "agent/src/turn",
        "permission/src",
        "core/src/tool",
        "core/src/support",
        "core/src/capability",
    ];
    for folder in folders.map(|folder| format!("runtime/{folder}/")) {
        let inside = files.iter().filter(|(file, _)| file.starts_with(&folder));
        let inside: Vec<_> = inside.collect();
        assert!(!inside.is_empty(), "{folder}");
        for (file, lanes) in inside {
            assert!(lanes.contains("soaks"), "{file}: {lanes:?}");
        }
    }
}

#[test]
fn every_file_has_a_rule_and_every_lane_exists() {
    let all = words(&after_lanes(r#"echo "${lanes_all[*]}""#, &[])[0]);
    for (file, lanes) in lanes_of_files() {
        assert!(lanes.is_subset(&all), "{file}: {lanes:?}");
        // All lanes are those of a file that no rule knows.
        let is_unknown = lanes.len() == all.len() - 1;
        let is_known_to_matter = file.starts_with(".ci/") || file.starts_with(".github/");
        let is_known_to_matter = is_known_to_matter || file == "rust-toolchain.toml";
        assert!(
            !is_unknown || is_known_to_matter || file.starts_with(".cargo/"),
            "{file}"
        );
    }
}
