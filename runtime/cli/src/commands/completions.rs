//! `completions SHELL`: the script that completes command lines in a shell.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::app_context::AppContext;
use crate::flags;
use helve_terminal::output;

/// The scripts ask the program for completions, which include names of tools, skills and sessions. `NAME` stands for
/// the program, and `FUNCTION` for a function of the shell.
const BASH: &str = r#"FUNCTION() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F FUNCTION NAME
"#;

const ZSH: &str = r#"#compdef NAME
FUNCTION() {
    local line
    local -a found
    while IFS= read -r line; do
        if [[ $line == *$'\t'* ]]; then
            found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
            found+=("${line//:/\\:}")
        fi
    done < <("${(Q)words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( $#found )); then
        _describe -V NAME found
    else
        _files
    fi
}
if [[ $funcstack[1] == FUNCTION ]]; then
    FUNCTION "$@"
else
    compdef FUNCTION NAME
fi
"#;

const FISH: &str = r#"function FUNCTION
    set -l words (commandline -opc)
    $words[1] complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c NAME -f -n 'count (FUNCTION) >/dev/null' -a '(FUNCTION)'
"#;

pub(super) fn command() -> Command {
    let shell = Arg::new("shell")
        .required(true)
        .value_parser(value_parser!(Shell));
    Command::new("completions")
        .about("Print the script that completes command lines in a shell")
        .after_help(
            "bash: source <(NAME completions bash)\nzsh:  source <(NAME completions zsh)\nfish: NAME completions fish | \
             source",
        )
        .arg(shell)
}

pub(super) fn run(app: &AppContext, command_line: Command, matches: &ArgMatches) -> ExitCode {
    let script = match matches.get_one::<Shell>("shell") {
        Some(Shell::Bash) => BASH,
        Some(Shell::Zsh) => ZSH,
        Some(Shell::Fish) => FISH,
        Some(shell) => return print_static(app, command_line, *shell),
        None => return ExitCode::FAILURE,
    };
    let name = app.binary();
    let function = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let script = script.replace("FUNCTION", &format!("_{function}"));
    output::print(&script.replace("NAME", name));
    ExitCode::SUCCESS
}

/// Prints a script with the commands and flags of now, the flags of every tool included.
fn print_static(app: &AppContext, command_line: Command, shell: Shell) -> ExitCode {
    let tools = app.tools.granted().tools();
    let caller = format!("{} call", app.binary());
    let mut command = command_line.mut_subcommand("call", |_| {
        Command::new("call").about("Call a tool").subcommands(
            tools
                .iter()
                .map(|tool| flags::command(tool.spec(), &caller)),
        )
    });
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    output::print(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
