//! `run` and `demo`: the agent at work, told as it happens.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{WRONG_USAGE, block_on};
use crate::agent::Agent;
use crate::agent::turn::EndReason;
use crate::cli::assembly::Assembly;
use crate::cli::output;
use crate::cli::render::Renderer;
use crate::model::{Model, Recording, ReplayModel};
use crate::transcript::{ContentBlock, Message, TurnId};

pub(super) fn command() -> Command {
    let prompt = Arg::new("prompt")
        .value_name("PROMPT")
        .required(true)
        .help("What the agent should do");
    let replay = Arg::new("replay")
        .long("replay")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Let a recorded model speak in place of a real one");
    Command::new("run")
        .about("Lets the agent do something")
        .arg(prompt)
        .arg(replay)
}

pub(super) fn demo_command() -> Command {
    Command::new("demo")
        .about("Plays a recorded conversation with the real tools; needs no key and no network")
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let prompt = matches
        .get_one::<String>("prompt")
        .cloned()
        .unwrap_or_default();
    let model: Arc<dyn Model> = match matches.get_one::<PathBuf>("replay") {
        None => match &assembly.model {
            Some(model) => model.clone(),
            None => {
                output::note(
                    "error: this app has no model: give it one with `.model(…)`, or play a recording with `--replay FILE`",
                );
                return ExitCode::from(WRONG_USAGE);
            }
        },
        Some(file) => match ReplayModel::open(file) {
            Ok(model) => Arc::new(model),
            Err(error) => {
                output::note(&format!("error: {}: {error}", file.display()));
                return ExitCode::FAILURE;
            }
        },
    };
    drive(assembly, model, vec![Message::user(prompt)])
}

/// Returns the repository around the current folder, which is what recorded conversations are about; else that folder.
pub(super) fn repository() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let repository = here.ancestors().find(|folder| folder.join(".git").exists());
    repository.map_or_else(|| here.clone(), Path::to_owned)
}

pub(super) fn demo(assembly: &Assembly) -> ExitCode {
    let recording = match assembly.demo.map(Recording::parse) {
        Some(Ok(recording)) => recording,
        Some(Err(error)) => {
            output::error(&error);
            return ExitCode::FAILURE;
        }
        None => return ExitCode::from(WRONG_USAGE),
    };
    output::line(&format!(
        "The model's side of this conversation is a recording; the tools run for real, below {}.\n",
        assembly.shown_root()
    ));
    let prompt = recording
        .prompt()
        .unwrap_or("Show what you can do.")
        .to_owned();
    drive(
        assembly,
        Arc::new(ReplayModel::new(recording)),
        vec![Message::user(prompt)],
    )
}

fn drive(assembly: &Assembly, model: Arc<dyn Model>, conversation: Vec<Message>) -> ExitCode {
    let mut agent = Agent::with_model("main", model).toolset(assembly.toolset.clone());
    if let Some(instructions) = instructions(assembly) {
        agent = agent.instructions(instructions);
    }
    if let Some(Message::User { content }) = conversation.last() {
        output::line(&format!(
            "> {}\n",
            content
                .iter()
                .filter_map(ContentBlock::as_text)
                .collect::<String>()
        ));
    }
    let context = assembly.context().derive().turn(TurnId::new("1")).build();
    let renderer = Arc::new(Renderer::default());
    let events = move |event: crate::agent::AgentEvent| renderer.show(&event);
    match block_on(agent.run(conversation, &context, events)) {
        Ok(report) if report.end() == Some(EndReason::Finished) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Joins the app's instructions and the list of its skills.
fn instructions(assembly: &Assembly) -> Option<String> {
    #[cfg(feature = "skills")]
    let skills = (!assembly.skills.is_empty()).then(|| assembly.skills.prompt());
    #[cfg(not(feature = "skills"))]
    let skills: Option<String> = None;
    let parts: Vec<String> = assembly
        .instructions
        .iter()
        .cloned()
        .chain(skills)
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
