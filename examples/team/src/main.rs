//! A team: an agent that hands out tasks to a coder, a tester and a reviewer, which are files in `agents`.
//!
//! `cargo run -p team -- demo`

mod program;

use std::sync::{Mutex, PoisonError};

use helve::prelude::*;
use program::{Program, ProgramError};

helve::include_agents!("agents");

/// The program that the team works on; each session has one.
#[derive(Default)]
struct Draft(Mutex<Program>);

impl Draft {
    fn read(&self) -> Program {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Replaces the program. Its words are numbers, `+ - * /`, `min`, `max`, `dup` and `swap`, in postfix notation.
#[tool(risk = "low")]
fn write_program(
    /// The words, such as `2 *`.
    text: &str,
    draft: &Draft,
) -> Result<String, ProgramError> {
    let program: Program = text.parse()?;
    let written = program.to_string();
    *draft.0.lock().unwrap_or_else(PoisonError::into_inner) = program;
    Ok(written)
}

/// Returns the words of the program.
#[tool(read_only)]
fn read_program(draft: &Draft) -> String {
    draft.read().to_string()
}

/// Runs the program once for each number, and returns the results in the same order.
#[tool(read_only)]
fn run_program(
    /// The numbers, each of which is the only value on the stack at first.
    numbers: Vec<f64>,
    draft: &Draft,
) -> Result<Vec<f64>, ProgramError> {
    let program = draft.read();
    numbers
        .into_iter()
        .map(|number| program.run(number))
        .collect()
}

fn main() -> std::process::ExitCode {
    helve::app!()
        .session_state(Draft::default)
        .instructions(
            "You lead a team. Give each task to the agent that it is for, and send the program back to the coder until the \
             tester and the reviewer are content.",
        )
        .demo(include_str!("../demo.jsonl"))
        .main()
}
