//! Makes the message of a command: acceptance, arguments, command lines and the files that it names.

use helve_core::transcript::ContentBlock;

use super::arguments::{self, Piece};
use super::shell_lines::{self, ShellLineError, ShellLines};
use super::tool_names::AllowedTools;
use super::{CustomCommand, Shown};
use crate::acceptance;
use crate::app_context::AppContext;
use crate::attachments::{self, Reach};
use crate::runner::{CommandLimit, RunOptions};
use helve_permission::acceptances::{AcceptanceError, AcceptanceState};
use helve_terminal::{output, questions, sanitize};

/// The message of a command, and how the turn differs from others.
pub(crate) struct PreparedCommand {
    pub(crate) text: String,
    pub(crate) files: Vec<ContentBlock>,
    /// The tools that the turn is limited to.
    limit: Option<CommandLimit>,
    /// The model of the turn.
    model: Option<String>,
}

/// The reason why a command does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PreparationError {
    #[error(
        "the command of {path} did not run: {state}\nhelp: run `{binary} permissions trust` to review and accept the file"
    )]
    Held {
        path: String,
        state: AcceptanceState,
        binary: &'static str,
    },
    #[error("the command was not accepted, and did not run")]
    Declined,
    #[error(transparent)]
    Acceptance(#[from] AcceptanceError),
    #[error(transparent)]
    ShellLine(#[from] ShellLineError),
}

/// Makes the message of a command. Asks the user to accept a command of the project, and about its command lines, if a
/// terminal is attached.
pub(crate) async fn prepare(
    app: &AppContext,
    options: &RunOptions,
    command: &CustomCommand,
    arguments: &str,
    asks: bool,
) -> Result<PreparedCommand, PreparationError> {
    accept(app, command, asks).await?;
    let tools = app.tools.granted();
    let allowed = command.front_matter.allowed_tools.as_deref();
    let allowed = allowed.map(|entries| AllowedTools::resolve(entries, tools));
    for problem in &command.front_matter.problems {
        output::remark(&format!("{}: {problem}", Shown(&command.path)));
    }
    for problem in allowed.iter().flat_map(AllowedTools::problems) {
        let (path, problem) = (Shown(&command.path), sanitize::one_line(problem));
        output::remark(&format!("{path}: `allowed-tools`: {problem}"));
    }
    let limit = allowed.as_ref().and_then(|allowed| allowed.limit(tools));
    let policy = options.policy.clone();
    let policy = match &limit {
        Some(limit) => limit.narrow(policy),
        None => policy,
    };
    let lines = ShellLines {
        app,
        options,
        policy,
        asks,
    };
    let (mut text, mut own_text) = (String::new(), String::new());
    for piece in arguments::fill(command.body(), arguments) {
        match piece {
            Piece::Text(piece) => {
                text.push_str(&piece);
                own_text.push_str(&piece);
            }
            Piece::Shell(line) => {
                shell_lines::check_allowed(allowed.as_ref(), &line)?;
                text.push_str(&lines.run(&line).await?);
                own_text.push(' ');
            }
        }
    }
    let reach = if command.is_of_project() {
        Reach::Folder
    } else {
        Reach::Anywhere
    };
    // What a command line wrote names no files.
    let model = options.model.name();
    let (files, notes) = attachments::attach(&own_text, &app.folder, reach, model).await;
    notes.iter().for_each(|note| output::remark(note));
    Ok(PreparedCommand {
        text,
        files,
        limit,
        model: command.front_matter.model.clone(),
    })
}

/// Checks that the user has accepted a command; shows it and asks if not.
async fn accept(
    app: &AppContext,
    command: &CustomCommand,
    asks: bool,
) -> Result<(), PreparationError> {
    let acceptances = acceptance::user_store();
    let state = command.state(&acceptances)?;
    if state == AcceptanceState::Accepted {
        return Ok(());
    }
    if !asks {
        return Err(PreparationError::Held {
            path: Shown(&command.path).to_string(),
            state,
            binary: app.binary(),
        });
    }
    let difference = command.difference(&acceptances)?;
    output::print(&difference.to_string());
    let question = match state {
        AcceptanceState::Changed => "The command has changed. Accept it until it changes again?",
        _ => "The project defines this command. Accept it until it changes?",
    };
    if !questions::confirm(question).await {
        return Err(PreparationError::Declined);
    }
    acceptances.accept(&difference)?;
    Ok(())
}

impl PreparedCommand {
    /// Limits the tools of the next turn, and selects its model. A model that cannot be used is told and not selected.
    pub(crate) fn apply(&self, app: &AppContext, options: &mut RunOptions) {
        options.command_limit = self.limit.clone();
        // A recording, or a model of the app, stays.
        let Some(name) = self
            .model
            .as_deref()
            .filter(|_| options.model.name().is_some())
        else {
            return;
        };
        if name == "inherit" {
            return;
        }
        if let Err(error) = options.set_model(app, name) {
            let name = sanitize::one_line(name);
            output::remark(&format!(
                "the model `{name}` of the command is not used: {error}"
            ));
        }
    }
}
