//! One line of the table: what is tried, and by what it is seen that it worked.

use helve_runtime::sandbox::Layer;

use crate::escape::fixture::EscapeWorld;

/// An attack, or a piece of ordinary work.
pub(crate) struct EscapeCase {
    /// Its name, unique.
    pub(crate) id: &'static str,
    /// The layer that is to stop it.
    pub(crate) layer: Layer,
    /// What is to become of it in the sandbox.
    pub(crate) expected: Expected,
    /// A shell script; what the test tells it is in its environment.
    pub(crate) script: &'static str,
    /// By what it is seen that it worked: an effect, never an exit code.
    pub(crate) proof: Proof,
    /// The programs that the script runs; where one is not installed, nothing is tried.
    pub(crate) needs: &'static [&'static str],
    /// Why only root can do it outside of a sandbox.
    pub(crate) privileged: Option<&'static str>,
    /// Why it gets through, where that is known and said.
    pub(crate) known_gap: Option<&'static str>,
    /// Whether it runs on a terminal.
    pub(crate) terminal: bool,
    /// What is laid out before it runs.
    pub(crate) setup: fn(&mut EscapeWorld),
}

/// What is to become of a case in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Expected {
    Denied,
    Works,
}

/// By what it is seen that a case worked.
#[derive(Clone, Copy)]
pub(crate) enum Proof {
    /// It printed `reached` and the number of the run, after the thing was done.
    PrintsReached,
    /// It printed the secret.
    PrintsSecret,
    /// It printed what only this knows.
    PrintsValue(fn(&EscapeWorld) -> Option<Vec<u8>>),
    /// A listener outside received the number of the run.
    ContactsListener,
    /// A file of the workspace holds the number of the run.
    WritesNonce(&'static str),
    /// Something outside is different.
    ChangesState(fn(&mut EscapeWorld) -> bool),
}

fn nothing(_: &mut EscapeWorld) {}

/// Describes an attack.
pub(crate) const fn attack(
    layer: Layer,
    id: &'static str,
    proof: Proof,
    script: &'static str,
) -> EscapeCase {
    EscapeCase {
        id,
        layer,
        expected: Expected::Denied,
        script,
        proof,
        needs: &[],
        privileged: None,
        known_gap: None,
        terminal: false,
        setup: nothing,
    }
}

/// Describes work that has to go on in the sandbox.
pub(crate) const fn work(
    id: &'static str,
    needs: &'static [&'static str],
    proof: Proof,
    script: &'static str,
) -> EscapeCase {
    let mut case = attack(Layer::Files, id, proof, script);
    case.expected = Expected::Works;
    case.needs = needs;
    case
}

impl EscapeCase {
    pub(crate) const fn with_programs(mut self, programs: &'static [&'static str]) -> Self {
        self.needs = programs;
        self
    }

    /// Says why only root can do it outside.
    pub(crate) const fn root_only(mut self, why: &'static str) -> Self {
        self.privileged = Some(why);
        self
    }

    /// Says why it may get through, so that this is printed and not hidden.
    pub(crate) const fn with_known_gap(mut self, why: &'static str) -> Self {
        self.known_gap = Some(why);
        self
    }

    pub(crate) const fn on_terminal(mut self) -> Self {
        self.terminal = true;
        self
    }

    /// Says what is laid out before it runs.
    pub(crate) const fn with_setup(mut self, given: fn(&mut EscapeWorld)) -> Self {
        self.setup = given;
        self
    }

    /// The whole script: it says first that it runs, and names what it misses.
    pub(crate) fn full_script(&self) -> String {
        let mut text = String::from("\"$DOORS\" tried\n");
        for program in self.needs {
            text.push_str(&format!(
                "command -v {program} >/dev/null || {{ echo 'missing: {program}'; exit 3; }}\n"
            ));
        }
        text + self.script
    }
}
