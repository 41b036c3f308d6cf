//! Keys that are typed while live lines stand there are not written between them.

use std::io::{IsTerminal, stdin};

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

/// The terminal writes no typed keys, until this is dropped. What is typed is there for whoever reads next.
#[derive(Debug)]
pub(crate) struct NoEcho {
    saved: Termios,
}

impl NoEcho {
    /// Begins, where a person sits at the terminal and it is this program that they type for.
    pub(crate) fn enable() -> Option<Self> {
        let stdin = stdin();
        // Whoever changes the terminal from the background is stopped.
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
