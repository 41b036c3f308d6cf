//! `skills validate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command, value_parser};
use helve_skill_format::{Collection, Options, Profile, SKILL_MD, Severity};
use serde_json::{Value, json};

use crate::args;
use crate::exit::{self, CommandResult, WRONG_USAGE};
use helve_skill::scan::{ScanFinding, scan_skill};
use helve_terminal::render::counted;
use helve_terminal::{output, sanitize};

const PROFILES: [(&str, Profile); 4] = [
    ("spec", Profile::Spec),
    ("skills-ref", Profile::SkillsRef),
    ("mcp", Profile::Mcp),
    ("lenient", Profile::Lenient),
];

pub(super) fn command() -> Command {
    let path = args::positional(
        "path",
        "PATH",
        "The folder of a skill, or a folder of skills",
    );
    let profile = args::option("profile", "PROFILE", "The set of rules to validate against")
        .default_value("spec")
        .value_parser(PROFILES.map(|(name, _)| name));
    Command::new("validate")
        .about("Validate a skill or a folder of skills, and report all problems")
        .after_help(
            "The exit code is 1 if there are errors. Warnings and scan findings do not change it.",
        )
        .arg(path.required(true).value_parser(value_parser!(PathBuf)))
        .arg(profile)
}

pub(super) fn run(matches: &ArgMatches) -> CommandResult {
    let Some(path) = matches.get_one::<PathBuf>("path") else {
        return Err(ExitCode::from(WRONG_USAGE));
    };
    let profile = args::text(matches, "profile");
    let profile = PROFILES.iter().find(|(name, _)| *name == profile);
    let profile = profile.map_or(Profile::Spec, |(_, profile)| *profile);
    let folder = skill_folder(path);
    if !folder.is_dir() {
        let message = format_args!("`{}` is not a skill folder", path.display());
        return Err(exit::with_message(WRONG_USAGE, message));
    }
    let found = read_skills(folder, &Options::new().profile(profile));
    let findings = scan_skills(&found);
    if matches.get_flag("json") {
        output::json(&as_json(&found, &findings));
    } else {
        output::print(&as_text(&found, &findings));
    }
    if found.has_errors() {
        Err(ExitCode::from(exit::FAILED))
    } else {
        Ok(ExitCode::SUCCESS)
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
    let problems = found.problems.iter().map(ToString::to_string);
    for described in problems.chain(findings.iter().map(ToString::to_string)) {
        for line in described.lines() {
            text.push_str(&sanitize::one_line(line));
            text.push('\n');
        }
        text.push('\n');
    }
    let count = |severity| {
        let problems = found.problems.iter();
        problems
            .filter(|problem| problem.severity == severity)
            .count()
    };
    text + &format!(
        "{}; {}, {}, {}\n",
        counted(found.skills.len(), "valid skill"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(findings.len(), "scan finding"),
    )
}

fn as_json(found: &Collection, findings: &[ScanFinding]) -> Value {
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
    json!({
        "skills": found.skills.iter().map(|skill| &skill.name).collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
