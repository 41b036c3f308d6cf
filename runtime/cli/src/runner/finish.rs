//! The messages and the exit code at the end of a turn.

use std::process::ExitCode;

use crate::app_context::AppContext;
use crate::{exit, state_hint};
use helve_agent::turn::EndReason;
use helve_agent::{TurnReport, TurnStatus};
use helve_core::transcript::SessionId;
use helve_terminal::{output, screen};

/// Prints the commands that continue the session, and returns the exit code of a turn. The error is printed if no
/// person has seen it among the events.
pub(crate) fn report_turn(
    app: &AppContext,
    report: &TurnReport,
    session: Option<&SessionId>,
    is_program: bool,
) -> ExitCode {
    let binary = app.binary();
    if let (TurnStatus::Ended(reason), Some(error)) = (&report.status, &report.error)
        && (is_program || !screen::can_redraw())
    {
        output::note(&format!("error: {reason}: {error}"));
    }
    match (&report.status, session) {
        (TurnStatus::Ended(EndReason::Finished), _) => ExitCode::SUCCESS,
        (TurnStatus::Ended(EndReason::Interrupted), _) => ExitCode::from(exit::INTERRUPTED),
        (TurnStatus::Ended(_), _) => ExitCode::from(exit::FAILED),
        (
            TurnStatus::Waiting {
                approvals,
                external,
            },
            Some(session),
        ) => {
            for call in approvals {
                output::note(&format!(
                    "waiting for approval: run `{binary} sessions answer {session} {call} allow|reject`"
                ));
            }
            for call in external {
                output::note(&format!(
                    "waiting for a result: run `{binary} sessions result {session} {call} JSON`"
                ));
            }
            output::note(&format!("then resume: run `{binary} resume {session}`"));
            ExitCode::from(exit::WAITING)
        }
        (_, session) => {
            let why = report.error.as_deref();
            let why = why.unwrap_or("the turn waits for an answer");
            output::note(&format!("error: the turn cannot continue: {why}"));
            if let Some(session) = session {
                output::note(&state_hint::state_folder_hint(None, app.package.name));
                output::note(&format!(
                    "help: resume the recorded part with `{binary} resume {session}`"
                ));
            }
            ExitCode::from(exit::FAILED)
        }
    }
}
