//! The judgement of a case: it runs outside first, then in the sandbox.

use crate::escape::case::{EscapeCase, Expected, Proof};
use crate::escape::fixture::EscapeWorld;
use crate::escape::listeners::contains;
use crate::escape::plain_runner::{EscapeRun, PlainRunner, Runner};
use crate::escape::sandbox_runner::IsolatedRunner;
use crate::escape::user_suite::UserSuite;

/// What became of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It worked outside, and not in the sandbox.
    Denied,
    /// It worked outside and in the sandbox.
    Works,
    /// It does not even work outside, for this reason; the sandbox saw it all the same.
    Impossible(String),
    /// It gets through, as is known, for this reason.
    KnownGap(&'static str),
}

/// One run of a case.
struct Attempt {
    ran: EscapeRun,
    worked: bool,
}

impl Attempt {
    fn run(
        case: &EscapeCase,
        half: &'static UserSuite,
        runner: &dyn Runner,
    ) -> Result<Self, String> {
        let mut world = EscapeWorld::new(half);
        (case.setup)(&mut world);
        let ran = runner.run(&world, &case.full_script(), case.terminal)?;
        let worked = match case.proof {
            Proof::PrintsReached => {
                contains(&ran.stdout, format!("reached {}", world.nonce).as_bytes())
            }
            Proof::PrintsSecret => contains(&ran.stdout, half.secret.as_bytes()),
            Proof::PrintsValue(what) => {
                what(&world).is_some_and(|what| contains(&ran.stdout, &what))
            }
            Proof::ContactsListener => world.has_contacted_listener(),
            Proof::WritesNonce(path) => std::fs::read(world.workspace.join(path))
                .is_ok_and(|bytes| contains(&bytes, world.nonce.as_bytes())),
            Proof::ChangesState(check) => check(&mut world),
        };
        let this = Self { ran, worked };
        match this.last_line_after("broken: ") {
            Some(what) => Err(format!("the case is broken: {what}")),
            None => Ok(this),
        }
    }

    /// Returns the rest of the last line that starts like this.
    fn last_line_after(&self, start: &str) -> Option<String> {
        let text = String::from_utf8_lossy(&self.ran.stdout);
        text.lines()
            .rev()
            .find_map(|line| line.strip_prefix(start).map(str::to_owned))
    }

    fn render(&self) -> String {
        format!(
            "{}\n--- stdout\n{}--- stderr\n{}",
            self.ran.end,
            String::from_utf8_lossy(&self.ran.stdout),
            String::from_utf8_lossy(&self.ran.stderr)
        )
    }
}

/// Judges a case.
pub(crate) fn judge_case(case: &EscapeCase, half: &'static UserSuite) -> Result<Verdict, String> {
    let mut outside = Attempt::run(
        case,
        half,
        &PlainRunner {
            own_namespace: false,
        },
    )?;
    if !outside.worked && case.privileged.is_some() && !half.root {
        // Whoever may make a user namespace is root in it: there it has to be refused all the same.
        let own = Attempt::run(
            case,
            half,
            &PlainRunner {
                own_namespace: true,
            },
        )?;
        if own.worked {
            outside = own;
        }
    }
    let reason = match outside.worked {
        true => None,
        false => Some(explain_impossible(case, half, &outside)?),
    };
    let inside = Attempt::run(case, half, &IsolatedRunner)?;
    if !contains(&inside.ran.stdout, b"tried") {
        return Err(format!(
            "in the sandbox not even a program ran: {}",
            inside.render()
        ));
    }
    if let Some(known) = case.known_gap.filter(|_| inside.worked) {
        return Ok(Verdict::KnownGap(known));
    }
    match (case.expected, reason) {
        (Expected::Denied, _) if inside.worked => {
            Err(format!("it got through: {}", inside.render()))
        }
        (_, Some(reason)) => Ok(Verdict::Impossible(reason)),
        (Expected::Denied, None) => match inside.last_line_after("missing: ") {
            Some(tool) => Err(format!(
                "`{tool}` is not there in the sandbox, so nothing was tried"
            )),
            None => Ok(Verdict::Denied),
        },
        (Expected::Works, None) if inside.worked => Ok(Verdict::Works),
        (Expected::Works, None) => Err(format!(
            "it does not work in the sandbox: {}",
            inside.render()
        )),
    }
}

/// Says why a case does not work outside of a sandbox either, in the kernel's or the table's words.
fn explain_impossible(
    case: &EscapeCase,
    half: &UserSuite,
    outside: &Attempt,
) -> Result<String, String> {
    if let Some(tool) = outside.last_line_after("missing: ") {
        return Ok(format!("{tool} is not installed"));
    }
    if let Some(why) = case.privileged.filter(|_| !half.root) {
        return Ok(why.to_owned());
    }
    match outside.last_line_after("refused: ") {
        Some(refused) if case.expected == Expected::Denied => Ok(refused),
        _ => Err(format!(
            "it does not work outside of a sandbox, and nothing says why: {}",
            outside.render()
        )),
    }
}
