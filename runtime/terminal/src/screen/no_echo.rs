//! Turns off the echo of typed keys while live lines are shown.

use std::io::{IsTerminal, stdin};

use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp,
    tcsetattr,
};

/// A guard that turns off the echo of typed keys. The keys stay in the input of the terminal for the next reader.
#[derive(Debug)]
pub struct NoEcho {
    saved: Termios,
}

impl NoEcho {
    /// Turns off the echo if standard input is a terminal and this program is in its foreground. With `by_key`, each key
    /// can be read at once, and Enter is distinct from Ctrl-J.
    pub fn enable(by_key: bool) -> Option<Self> {
        let stdin = stdin();
        // A background process that changes the terminal is stopped.
        if !stdin.is_terminal() || tcgetpgrp(&stdin).ok()? != getpgrp() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO;
        if by_key {
            quiet.local_modes -= LocalModes::ICANON;
            quiet.input_modes -= InputModes::ICRNL;
            quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
            quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        }
        tcsetattr(&stdin, OptionalActions::Now, &quiet).ok()?;
        Some(Self { saved: before })
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.saved);
    }
}
