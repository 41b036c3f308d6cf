//! The demonstration, as a user sees it in a pipe.

use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

/// The commands of the program that the tests start.
const COMMANDS: [&str; 5] = ["demo", "run", "schedule", "daemon", "memory"];

/// Runs the tests, unless this process is a program that they started.
pub(crate) fn run() -> Option<ExitCode> {
    let command = std::env::args().nth(1);
    if command.is_some_and(|command| COMMANDS.contains(&&*command)) {
        return None;
    }
    let test = Trial::test("sessions_of_a_butler", sessions_of_a_butler);
    Some(libtest_mimic::run(&Arguments::from_args(), vec![test]).exit_code())
}

fn sessions_of_a_butler() -> Result<(), Failed> {
    let mut demo = Command::new(std::env::current_exe()?);
    let output = demo.arg("demo").stdin(Stdio::null()).output()?;
    let text = String::from_utf8([output.stdout, output.stderr].concat())?;
    let lines: Vec<String> = text.lines().map(redact).collect();
    insta::assert_snapshot!(lines.join("\n"), @"");
    assert!(output.status.success(), "{}", output.status);
    Ok(())
}

/// Replaces what differs from run to run: the folder, ids of sessions and changes, and the next weekday.
fn redact(line: &str) -> String {
    line.trim_end().to_owned()
}
