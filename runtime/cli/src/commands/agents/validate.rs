//! `agents validate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command, value_parser};
use helve_skill_format::{
    FoundAgentFile, Severity, line_of_name, parse_agent, read_agent_file, read_agent_files,
};
use serde_json::{Value, json};

use crate::agents;
use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult};
use helve_agents::AgentSpec;
use helve_terminal::render::counted;
use helve_terminal::{output, sanitize};

/// The folders that are checked where no path is given.
const DEFAULT_FOLDERS: [&str; 2] = [".agents/agents", ".claude/agents"];

pub(super) fn command() -> Command {
    let path = args::positional(
        "path",
        "PATH",
        "Agent files, or folders of them [default: those of the project]",
    );
    Command::new("validate")
        .about("Validate agent files, and report all problems")
        .after_help(
            "The exit code is 1 if there are errors: such a file defines no agent. Warnings do not change it.",
        )
        .arg(path.num_args(0..).value_parser(value_parser!(PathBuf)))
}

/// A checked file.
struct CheckedFile {
    path: String,
    name: Option<String>,
    problems: Vec<FileProblem>,
}

struct FileProblem {
    severity: Severity,
    /// The line, if there is one.
    line: Option<usize>,
    message: String,
    help: Option<String>,
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let given = matches.get_many::<PathBuf>("path").into_iter().flatten();
    let mut paths: Vec<PathBuf> = given.cloned().collect();
    if paths.is_empty() {
        let own = DEFAULT_FOLDERS.iter().map(|folder| app.folder.join(folder));
        paths = own.filter(|folder| folder.is_dir()).collect();
    }
    let mut files = Vec::new();
    for path in &paths {
        if !path.exists() {
            let message = format_args!("`{}` does not exist", path.display());
            return Err(exit::with_message(exit::WRONG_USAGE, message));
        }
        let found = match path.is_dir() {
            true => read_agent_files(path),
            false => vec![read_agent_file(path)],
        };
        let is_folder = path.is_dir();
        files.extend(found.iter().map(|file| check(app, file, is_folder)));
    }
    if matches.get_flag("json") {
        output::json(&as_json(&files));
    } else {
        output::print(&as_text(&files));
    }
    let mut problems = files.iter().flat_map(|file| &file.problems);
    if problems.any(|problem| problem.severity == Severity::Error) {
        Err(ExitCode::from(exit::FAILED))
    } else {
        Ok(ExitCode::SUCCESS)
    }
}

/// Checks a file. One of a folder that has no name is documentation, which is no error.
fn check(app: &AppContext, file: &FoundAgentFile, is_of_folder: bool) -> CheckedFile {
    let path = shown(&file.path);
    let text = match &file.text {
        Ok(text) => text,
        Err(reason) => {
            let problem = FileProblem {
                severity: Severity::Error,
                line: None,
                message: format!("the file cannot be read: {reason}"),
                help: None,
            };
            return CheckedFile {
                path,
                name: None,
                problems: vec![problem],
            };
        }
    };
    let parsed = parse_agent(text);
    let is_documentation = is_of_folder && parsed.name.is_none();
    let problems = parsed.problems.iter().map(|problem| FileProblem {
        severity: match is_documentation {
            true => Severity::Warning,
            false => problem.severity,
        },
        line: Some(problem.line),
        message: problem.message.clone(),
        help: problem.help.clone(),
    });
    let mut problems: Vec<FileProblem> = problems.collect();
    match AgentSpec::parse(text) {
        Ok(spec) => {
            problems.extend(
                agents::notes(app, &spec)
                    .into_iter()
                    .map(|message| FileProblem {
                        severity: Severity::Warning,
                        line: line_of_name(text, agents::name_in(&message)),
                        message,
                        help: None,
                    }),
            )
        }
        // What the file alone does not show, such as a rule that cannot be read.
        Err(message) if parsed.is_agent() => problems.push(FileProblem {
            severity: Severity::Error,
            line: None,
            message,
            help: None,
        }),
        Err(_) => {}
    }
    CheckedFile {
        path,
        name: parsed.name,
        problems,
    }
}

fn shown(path: &Path) -> String {
    sanitize::one_line(&path.display().to_string()).into_owned()
}

fn as_text(files: &[CheckedFile]) -> String {
    let mut text = String::new();
    for file in files {
        for problem in &file.problems {
            let line = problem
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let (severity, message) = (problem.severity, sanitize::one_line(&problem.message));
            text.push_str(&format!(
                "{severity}: {message}\n  --> {}{line}\n",
                file.path
            ));
            if let Some(help) = &problem.help {
                text.push_str(&format!("   = help: {}\n", sanitize::one_line(help)));
            }
            text.push('\n');
        }
    }
    let is_good = |file: &&CheckedFile| {
        let mut problems = file.problems.iter();
        file.name.is_some() && !problems.any(|problem| problem.severity == Severity::Error)
    };
    let count = |severity| {
        let problems = files.iter().flat_map(|file| &file.problems);
        problems
            .filter(|problem| problem.severity == severity)
            .count()
    };
    text + &format!(
        "{} in {}; {}, {}\n",
        counted(files.iter().filter(is_good).count(), "valid agent"),
        counted(files.len(), "file"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
    )
}

fn as_json(files: &[CheckedFile]) -> Value {
    let files = files.iter().map(|file| {
        let problems = file.problems.iter().map(|problem| {
            json!({
                "severity": problem.severity.to_string(),
                "line": problem.line,
                "message": problem.message,
                "help": problem.help,
            })
        });
        json!({
            "path": file.path,
            "name": file.name,
            "problems": problems.collect::<Vec<_>>(),
        })
    });
    json!({ "files": files.collect::<Vec<_>>() })
}
