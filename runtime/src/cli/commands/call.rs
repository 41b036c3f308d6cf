//! `call TOOL`: a person calls a tool; nobody is asked, and what happens is said.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{WRONG_USAGE, block_on, refused};
use crate::cli::assembly::Assembly;
use crate::cli::{flags, output};
use crate::tool::{
    Effects, Facts, Progress, ProgressUpdate, Tool, ToolError, ToolOutput, dispatch,
};
use crate::transcript::ContentBlock;

pub(super) fn command() -> Command {
    // The tool's name and its flags are read apart, once the tool is known; `--help` behind a name is the tool's.
    let words = Arg::new("words")
        .value_name("TOOL [FLAGS]")
        .help("The tool's name and its flags, or its arguments as one JSON object")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    Command::new("call")
        .about("Calls a tool yourself")
        .disable_help_flag(true)
        .arg(words)
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let mut words = matches
        .get_many::<OsString>("words")
        .into_iter()
        .flatten()
        .cloned();
    let name = match words.next().map(|word| word.to_string_lossy().into_owned()) {
        None => return usage(assembly, ExitCode::from(WRONG_USAGE)),
        Some(help) if help == "--help" || help == "-h" => {
            return usage(assembly, ExitCode::SUCCESS);
        }
        Some(name) => name,
    };
    #[cfg(feature = "mcp")]
    if let Err(error) = block_on(crate::cli::mcp::ready(assembly)) {
        return crate::cli::exit::failed(&error);
    }
    let Some(tool) = assembly.tools.granted().get(&name) else {
        output::note(&format!("error: {}", assembly.tools.no_tool(&name)));
        return ExitCode::from(WRONG_USAGE);
    };
    let command = flags::command(tool.spec(), assembly.binary());
    let matches =
        match command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(words)) {
            Ok(matches) => matches,
            Err(error) => return refused(&error),
        };
    match flags::arguments(tool.spec(), &matches) {
        Ok(arguments) => call(assembly, &*tool, &arguments),
        Err(error) => {
            output::note(&format!("error: standard input cannot be read: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Says how tools are called, and which there are.
fn usage(assembly: &Assembly, code: ExitCode) -> ExitCode {
    let binary = assembly.binary();
    let mut text = format!(
        "Calls a tool yourself\n\nUsage: {binary} call TOOL [FLAGS]\n       {binary} call TOOL JSON\n\nTools:\n"
    );
    for tool in assembly.tools.granted().tools() {
        text.push_str(&format!("  {}\n", tool.spec().name));
    }
    text.push_str(&format!(
        "\n`{binary} call TOOL --help` shows a tool's flags.\n"
    ));
    output::print(&text);
    code
}

fn call(assembly: &Assembly, tool: &dyn Tool, arguments: &str) -> ExitCode {
    let progress = Progress::to(|update: ProgressUpdate| {
        for words in [Some(update.text), update.message].into_iter().flatten() {
            if !words.is_empty() {
                output::note(&format!("  {}", words.trim_end_matches('\n')));
            }
        }
    });
    let context = assembly.context().derive().progress(progress).build();
    let name = &tool.spec().name;
    if let Ok(facts) = dispatch::facts(tool, &context, arguments) {
        output::note(&format!(
            "calling `{name}` ({}) in {}",
            effect(&facts),
            assembly.shown_root()
        ));
    }
    match block_on(dispatch::call(tool, &context, arguments)) {
        Ok(Ok(result)) => {
            print(&result);
            ExitCode::SUCCESS
        }
        Ok(Err(error)) => {
            output::note(&format!("error: {error}"));
            ExitCode::from(if matches!(error, ToolError::InvalidArguments(_)) {
                WRONG_USAGE
            } else {
                1
            })
        }
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Says in words what a call may do.
fn effect(facts: &Facts) -> String {
    let effects = Effects::of(&facts.annotations, facts.risk);
    format!("{}, {} risk", effects.does, facts.risk)
}

fn print(result: &ToolOutput) {
    for block in result.content() {
        match &block {
            ContentBlock::Image { mime_type, data } | ContentBlock::Audio { mime_type, data } => {
                output::line(&format!(
                    "[{mime_type}, {} characters of base64]",
                    data.len()
                ));
            }
            ContentBlock::ResourceLink { uri, name, .. } => {
                output::line(&format!("[{name}: {uri}]"));
            }
            block => {
                let text = block.as_text().unwrap_or_default();
                output::print(text);
                if !text.ends_with('\n') {
                    output::line("");
                }
            }
        }
    }
    for artifact in result.artifacts() {
        output::line(&format!(
            "[{} ({}): {}]",
            artifact.name, artifact.mime_type, artifact.uri
        ));
    }
}
