//! Whether the terminal is written to in colours.

use std::env;
use std::io::{IsTerminal, stdout};

/// The colours in which lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colors {
    /// No escape of any style is written.
    #[default]
    None,
    /// The sixteen colours that the user gave the terminal, which are readable on its background whatever that is.
    Terminal,
}

impl Colors {
    /// Returns the colors that standard output supports and the user wants.
    pub fn of_stdout() -> Self {
        Self::decide(stdout().is_terminal(), |name| env::var(name).ok())
    }

    /// `NO_COLOR` and a terminal that knows no escapes rule styles out; `CLICOLOR_FORCE` has them in a pipe too.
    fn decide(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let is_on = |name| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
        let is_off = |name| variable(name).is_some_and(|value| value == "0");
        if is_set("NO_COLOR") {
            Self::None
        } else if is_on("CLICOLOR_FORCE") {
            Self::Terminal
        } else if !is_terminal || is_off("CLICOLOR") || is_dumb(&variable) {
            Self::None
        } else {
            Self::Terminal
        }
    }
}

/// Reports whether standard output is a terminal on which lines can be written anew.
pub fn can_redraw() -> bool {
    stdout().is_terminal() && !is_dumb(&|name: &str| env::var(name).ok())
}

fn is_dumb(variable: &impl Fn(&str) -> Option<String>) -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_has_the_last_word() {
        let decide = |is_terminal, set: &[(&str, &str)]| {
            Colors::decide(is_terminal, |name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(decide(true, &[]), Colors::Terminal);
        assert_eq!(decide(true, &[("NO_COLOR", "")]), Colors::Terminal);
        assert_eq!(decide(false, &[("CLICOLOR_FORCE", "1")]), Colors::Terminal);
        for none in [
            decide(false, &[]),
            decide(true, &[("NO_COLOR", "1")]),
            decide(true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]),
            decide(true, &[("CLICOLOR", "0")]),
            decide(true, &[("TERM", "dumb")]),
            decide(false, &[("CLICOLOR_FORCE", "0")]),
        ] {
            assert_eq!(none, Colors::None);
        }
    }
}
