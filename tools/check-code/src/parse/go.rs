//! The JSON of `go vet` and `go test`, and the errors of the compiler among it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity, TestCounts};

/// The greatest number of lines of a failed test that are kept.
const MAX_LINES: usize = 60;

/// The analyzers of a package, with what each found.
type VetPackages = BTreeMap<String, BTreeMap<String, VetResult>>;

#[derive(Deserialize)]
#[serde(untagged)]
enum VetResult {
    Found(Vec<VetDiagnostic>),
    Failed { error: String },
}

#[derive(Deserialize)]
struct VetDiagnostic {
    posn: String,
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TestEvent {
    action: String,
    package: Option<String>,
    test: Option<String>,
    output: Option<String>,
}

/// Reads what `go vet -json` writes: a comment for each package, then an object of several lines or errors of the
/// compiler.
pub(super) fn read_vet(text: &str, findings: &mut Findings) {
    let mut object: Option<String> = None;
    for line in text.lines() {
        if line == "{" {
            object = Some(String::new());
        }
        match &mut object {
            Some(json) => {
                json.push_str(line);
                json.push('\n');
                if line == "}" {
                    push_packages(json, findings);
                    object = None;
                }
            }
            None => push_error(line, findings),
        }
    }
}

fn push_packages(json: &str, findings: &mut Findings) {
    let Ok(packages) = serde_json::from_str::<VetPackages>(json) else {
        return;
    };
    for (analyzer, result) in packages.into_values().flatten() {
        match result {
            VetResult::Found(found) => {
                for row in found {
                    let location = Location::parse(&row.posn);
                    let row = Diagnostic::new(Severity::Warning, row.message).at(location);
                    findings.push(row.with_code(Some(&*analyzer)));
                }
            }
            VetResult::Failed { error } => {
                findings.push(Diagnostic::new(Severity::Error, error).with_code(Some(analyzer)));
            }
        }
    }
}

/// Reads an error of the compiler, `./a.go:3:5: message`.
fn push_error(line: &str, findings: &mut Findings) {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    if line.starts_with([' ', '\t', '#']) {
        return;
    }
    let Some((mut location, message)) = Location::parse_prefix(line) else {
        return;
    };
    if let Some(file) = location.file.strip_prefix("./") {
        location.file = file.to_owned();
    }
    if location.file.ends_with(".go") {
        findings.push(Diagnostic::new(Severity::Error, message).at(Some(location)));
    }
}

/// Reads what `go test -json` writes: an event a line, and errors of the compiler.
pub(super) fn read_tests(text: &str, module: Option<&str>, findings: &mut Findings) {
    let mut outputs: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut failed: BTreeSet<(String, String)> = BTreeSet::new();
    let mut counts = TestCounts::default();
    let mut has_tests = false;
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<TestEvent>(line) else {
            push_error(line, findings);
            continue;
        };
        let output = event.output.unwrap_or_default();
        if event.action == "build-output" {
            push_error(output.trim_end(), findings);
        }
        let (Some(package), Some(test)) = (event.package, event.test) else {
            continue;
        };
        has_tests = true;
        match &*event.action {
            "pass" => counts.passed += 1,
            "skip" => counts.skipped += 1,
            "fail" => {
                counts.failed += 1;
                failed.insert((package, test));
            }
            "output" if !is_frame(&output) => {
                let lines = outputs.entry((package, test)).or_default();
                if lines.len() < MAX_LINES {
                    lines.push(output.trim_end().to_owned());
                }
            }
            _ => {}
        }
    }
    if has_tests {
        findings.count_tests(counts);
    }
    for (package, test) in &failed {
        let lines = outputs.get(&(package.clone(), test.clone()));
        let lines = lines.map_or(&[][..], Vec::as_slice);
        let inner = format!("{test}/");
        let is_outer = failed
            .iter()
            .any(|(other, name)| other == package && name.starts_with(&inner));
        // What failed in it says it already.
        if !(is_outer && lines.is_empty()) {
            findings.push(failure(test, lines, &folder(package, module)));
        }
    }
}

/// Reports whether a line is about the course of a test.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("=== ") || line.starts_with("--- ")
}

/// Returns the folder of a package below that of its module.
fn folder(package: &str, module: Option<&str>) -> String {
    let below = module.and_then(|module| package.strip_prefix(module));
    let below = below.map(|below| below.trim_start_matches('/'));
    match below {
        None | Some("") => String::new(),
        Some(below) => format!("{below}/"),
    }
}

/// Returns the row of a failed test: where it says `a_test.go:7: message`, or the first frame of a panic in a test.
fn failure(test: &str, lines: &[String], folder: &str) -> Diagnostic {
    let said = lines.iter().enumerate().find_map(|(at, line)| {
        let (location, message) = Location::parse_prefix(line.trim_start())?;
        location
            .file
            .ends_with(".go")
            .then_some((at, location, message))
    });
    if let Some((at, mut location, message)) = said {
        let mut text = message.to_owned();
        for more in lines[at + 1..]
            .iter()
            .take_while(|line| line.starts_with("     "))
        {
            text.push('\n');
            text.push_str(more.trim());
        }
        location.file = format!("{folder}{}", location.file);
        return Diagnostic::new(Severity::Error, text)
            .at(Some(location))
            .with_code(Some(test));
    }
    let frame = lines
        .iter()
        .find(|line| line.starts_with('\t') && line.contains("_test.go:"));
    let place = frame.and_then(|line| Location::parse(line.split_whitespace().next()?));
    let panic = lines
        .iter()
        .map(|line| line.trim())
        .find(|line| line.starts_with("panic: "));
    let text = panic.or_else(|| lines.first().map(|line| line.trim()));
    Diagnostic::new(Severity::Error, text.unwrap_or("the test failed"))
        .at(place)
        .with_code(Some(test))
}
