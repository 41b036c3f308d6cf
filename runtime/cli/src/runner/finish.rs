//! What is said when a turn is left, and the code to exit with.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use crate::app_context::AppContext;
use crate::{exit, output, state_hint};
use helve_agent::turn::EndReason;
use helve_agent::{TurnReport, TurnStatus};
use helve_core::transcript::SessionId;

/// Says where the conversation is and how to go on, and makes of a report the code to exit with. What went wrong is said
/// where no person has read it among the events.
pub(crate) fn report_turn(
    app: &AppContext,
    report: &TurnReport,
    session: Option<&SessionId>,
    is_program: bool,
) -> ExitCode {
    let binary = app.binary();
    if let (TurnStatus::Ended(reason), Some(error)) = (&report.status, &report.error)
        && (is_program || !std::io::stdout().is_terminal())
    {
        // Who reads standard output is no person, or not now.
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
                    "waiting for an answer: {binary} sessions answer {session} {call} allow|reject"
                ));
            }
            for call in external {
                output::note(&format!(
                    "waiting for a result: {binary} sessions result {session} {call} JSON"
                ));
            }
            output::note(&format!("then go on: {binary} resume {session}"));
            ExitCode::from(exit::WAITING)
        }
        (_, session) => {
            let why = report.error.as_deref().unwrap_or("it waits for somebody");
            output::note(&format!("error: the turn cannot go on: {why}"));
            if let Some(session) = session {
                output::note(&state_hint::for_record_error(app.package.name));
                output::note(&format!(
                    "what is recorded can be gone on with: {binary} resume {session}"
                ));
            }
            ExitCode::from(exit::FAILED)
        }
    }
}
