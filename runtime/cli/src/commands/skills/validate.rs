//! `skills validate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use helve_skill_format::{Collection, Options, Profile, SKILL_MD, Severity};
use serde_json::json;

use crate::exit::WRONG_USAGE;
use crate::{exit, output, sanitize};
use helve_skill::scan::{ScanFinding, scan_skill};

const PROFILES: [(&str, Profile); 4] = [
    ("spec", Profile::Spec),
    ("skills-ref", Profile::SkillsRef),
    ("mcp", Profile::Mcp),
    ("lenient", Profile::Lenient),
];

pub(super) fn command() -> Command {
    let path = Arg::new("path")
        .value_name("PATH")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The folder of a skill, or a folder of skills");
    let profile = Arg::new("profile")
        .long("profile")
        .value_name("PROFILE")
        .default_value("spec")
        .value_parser(PROFILES.map(|(name, _)| name))
        .help("The set of rules to validate against");
    Command::new("validate")
        .about("Validate a skill or a folder of skills, and report all problems")
        .after_help(
            "The exit code is 1 if there are errors. Warnings and scan findings do not change it.",
        )
        .arg(path)
        .arg(profile)
}

pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let Some(path) = matches.get_one::<PathBuf>("path") else {
        return ExitCode::from(WRONG_USAGE);
    };
    let profile = matches.get_one::<String>("profile");
    let profile = profile.map_or("", String::as_str);
    let profile = PROFILES.iter().find(|(name, _)| *name == profile);
    let profile = profile.map_or(Profile::Spec, |(_, profile)| *profile);
    let folder = skill_folder(path);
    if !folder.is_dir() {
        output::note(&format!(
            "error: `{}` is not a skill folder",
            path.display()
        ));
        return ExitCode::from(WRONG_USAGE);
    }
    let found = read_skills(folder, &Options::new().profile(profile));
    let findings = scan_skills(&found);
    if matches.get_flag("json") {
        output::line(&as_json(&found, &findings));
    } else {
        output::print(&as_text(&found, &findings));
    }
    match found.has_errors() {
        true => ExitCode::from(exit::FAILED),
        false => ExitCode::SUCCESS,
    }
}

/// Returns the folder of a skill; the path may also be the path of its SKILL.md.
fn skill_folder(path: &Path) -> &Path {
    let is_manifest = path.is_file() && path.file_name().is_some_and(|name| name == SKILL_MD);
    let above = path.parent().filter(|_| is_manifest);
    match above {
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
        None => path,
    }
}

/// Reads a single skill, or a folder of skills.
fn read_skills(folder: &Path, options: &Options) -> Collection {
    let shown = folder.to_string_lossy();
    let shown = shown.trim_end_matches('/');
    let names = [SKILL_MD, "skill.md", "skill.yaml"];
    // The name of a folder has to be known: it is that of the skill.
    let real = folder.canonicalize();
    let folder = real.as_deref().unwrap_or(folder);
    if names.iter().any(|name| folder.join(name).is_file()) {
        helve_skill_format::read_skill(folder, shown, options)
    } else {
        helve_skill_format::read(folder, shown, options)
    }
}

/// Scans the skills like at their use, and adds the skill to each finding.
fn scan_skills(found: &Collection) -> Vec<ScanFinding> {
    let mut findings = Vec::new();
    for skill in &found.skills {
        findings.extend(scan_skill(skill).into_iter().map(|mut finding| {
            finding.path = format!("{}/{}", skill.folder, finding.path);
            finding
        }));
    }
    findings
}

fn as_text(found: &Collection, findings: &[ScanFinding]) -> String {
    let mut text = String::new();
    for problem in &found.problems {
        for line in problem.to_string().lines() {
            text.push_str(&sanitize::one_line(line));
            text.push('\n');
        }
        text.push('\n');
    }
    for finding in findings {
        for line in finding.to_string().lines() {
            text.push_str(&sanitize::one_line(line));
            text.push('\n');
        }
        text.push('\n');
    }
    let count = |severity| {
        let of_it = found
            .problems
            .iter()
            .filter(|problem| problem.severity == severity);
        of_it.count()
    };
    let counted = |number: usize, word: &str| match number {
        1 => format!("1 {word}"),
        more => format!("{more} {word}s"),
    };
    text + &format!(
        "{}; {}, {}, {}\n",
        counted(found.skills.len(), "valid skill"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(findings.len(), "scan finding"),
    )
}

fn as_json(found: &Collection, findings: &[ScanFinding]) -> String {
    let problems = found.problems.iter().map(|problem| {
        json!({
            "severity": problem.severity.to_string(),
            "code": problem.code.to_string(),
            "skill": problem.skill,
            "path": problem.path,
            "line": problem.at.map(|at| at.line),
            "column": problem.at.map(|at| at.column),
            "message": problem.message,
            "help": problem.help,
        })
    });
    let findings = findings.iter().map(|finding| {
        json!({
            "severity": finding.severity.to_string(),
            "rule": finding.rule,
            "path": finding.path,
            "line": finding.line,
            "message": finding.message,
            "help": finding.help,
        })
    });
    let shown = json!({
        "skills": found.skills.iter().map(|skill| &skill.name).collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&shown).unwrap_or_default()
}
