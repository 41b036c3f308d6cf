//! Determines the interpreter of a script, by its `#!` line or its extension.

use std::path::Path;

use helve_core::capability::{CapabilityError, Command};
use helve_core::sandbox::SandboxError;
use helve_core::tool::ToolError;

use crate::runnable;

/// The longest `#!` line that is read, in bytes; kernels do not support longer ones.
const MAX_SHEBANG_BYTES: usize = 256;

/// The program that runs a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Interpreter {
    /// An interpreter, with its arguments before the script.
    Program {
        program: String,
        argument: Option<String>,
    },
    /// The script is executable itself.
    Direct,
}

impl Interpreter {
    /// Determines the interpreter of a script; returns the reason if there is none.
    pub(super) fn detect(script: &str, bytes: &[u8], executable: bool) -> Result<Self, String> {
        if let Some(line) = bytes.strip_prefix(b"#!") {
            return parse_shebang(line).ok_or_else(|| {
                format!("the `#!` line of `{script}` does not name an interpreter")
            });
        }
        match runnable::interpreter(script) {
            Some(program) => Ok(Self::program(program, None)),
            None if executable => Ok(Self::Direct),
            None => {
                let extensions = runnable::INTERPRETERS
                    .iter()
                    .map(|(known, _)| format!("`.{known}`"));
                let extensions: Vec<String> = extensions.collect();
                Err(format!(
                    "`{script}` is not a script: it has no `#!` line, is not executable, and its name does not end with one of {}; \
                     read it with `read_skill_file`",
                    extensions.join(", ")
                ))
            }
        }
    }

    fn program(program: &str, argument: Option<&str>) -> Self {
        Self::Program {
            program: program.to_owned(),
            argument: argument.map(str::to_owned),
        }
    }

    pub(super) fn command(&self, script: &Path, arguments: &[String]) -> Command {
        let script = script.to_string_lossy().into_owned();
        match self {
            Self::Program { program, argument } => {
                let before = argument.iter().cloned().chain([script]);
                Command::new(program.clone(), before.chain(arguments.iter().cloned()))
            }
            Self::Direct => Command::new(script, arguments.iter().cloned()),
        }
    }

    /// Creates the error of a script whose interpreter is missing.
    pub(super) fn start_error(&self, error: CapabilityError, script: &str) -> ToolError {
        if let Self::Program { program, .. } = self
            && let CapabilityError::Failed { source, .. } = &error
            && let Some(
                SandboxError::CannotStart { why, .. } | SandboxError::ProgramNotFound { why, .. },
            ) = source.downcast_ref::<SandboxError>()
        {
            return ToolError::failed(format!(
                "`{script}` needs `{program}`, which cannot be started where commands run: {why}; \
                 install it there, or do without the script"
            ));
        }
        error.into()
    }
}

/// Parses the text after `#!` as the kernel does: a program, and the rest of the line as one argument.
fn parse_shebang(line: &[u8]) -> Option<Interpreter> {
    let end = line.iter().position(|byte| *byte == b'\n');
    let line =
        str::from_utf8(line.get(..end.unwrap_or(line.len()).min(MAX_SHEBANG_BYTES))?).ok()?;
    // Some scripts have CRLF line ends.
    let line = line.trim();
    let (program, argument) = match line.split_once([' ', '\t']) {
        Some((program, argument)) => (program, Some(argument.trim())),
        None => (line, None),
    };
    if program.is_empty() || program.contains('\0') {
        return None;
    }
    // The program after `env` is searched directly, so that the error names a missing program.
    let is_word = |word: &&str| !word.contains([' ', '\t', '=']) && !word.starts_with('-');
    let looked_up = argument.filter(|word| program.ends_with("/env") && is_word(word));
    Some(match looked_up {
        Some(word) => Interpreter::program(word, None),
        None => Interpreter::program(program, argument),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreter_of(script: &str, text: &str) -> String {
        let found = Interpreter::detect(script, text.as_bytes(), false);
        match found.map(|found| found.command(Path::new("/s"), &["a".to_owned()])) {
            Ok(command) => format!("{} {:?}", command.program, command.args),
            Err(why) => why,
        }
    }

    #[test]
    fn the_first_line_comes_before_the_extension() {
        let said = [
            interpreter_of("x.sh", "#!/usr/bin/env python3\r\nprint()"),
            interpreter_of("x", "#! /bin/sh -e  \n"),
            interpreter_of("x", "#!/usr/bin/env -S node --flag\n"),
            interpreter_of("x", "#!/usr/bin/env A=b sh\n"),
            interpreter_of("x.py", "print()"),
            interpreter_of("a.b/x.mjs", ""),
            interpreter_of("x", "#!\n"),
            interpreter_of("x.txt", "hello"),
        ];
        insta::assert_snapshot!(said.join("\n"), @r##"
        python3 ["/s", "a"]
        /bin/sh ["-e", "/s", "a"]
        /usr/bin/env ["-S node --flag", "/s", "a"]
        /usr/bin/env ["A=b sh", "/s", "a"]
        python3 ["/s", "a"]
        node ["/s", "a"]
        the `#!` line of `x` does not name an interpreter
        `x.txt` is not a script: it has no `#!` line, is not executable, and its name does not end with one of `.py`, `.sh`, `.bash`, `.js`, `.mjs`, `.cjs`; read it with `read_skill_file`
        "##);
        let itself = Interpreter::detect("x", b"\x7fELF", true);
        assert_eq!(itself, Ok(Interpreter::Direct));
    }
}
