//! Turns off the echo of typed keys while live lines are shown.

use std::io::{IsTerminal, stdin};

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

/// A guard that turns off the echo of typed keys. The keys stay in the input of the terminal for the next reader.
#[derive(Debug)]
pub(crate) struct NoEcho {
    saved: Termios,
}

impl NoEcho {
    /// Turns off the echo if standard input is a terminal and this program is in its foreground.
    pub(crate) fn enable() -> Option<Self> {
        let stdin = stdin();
        // A background process that changes the terminal is stopped.
        if !stdin.is_terminal() || tcgetpgrp(&stdin).ok()? != getpgrp() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO;
        tcsetattr(&stdin, OptionalActions::Now, &quiet).ok()?;
        Some(Self { saved: before })
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.saved);
    }
}
