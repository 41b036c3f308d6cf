//! The judgement of a case: it runs outside first, then in the sandbox.

use crate::escape::case::{Case, Expected, Proof};
use crate::escape::half::Half;
use crate::escape::inside::Isolated;
use crate::escape::post::contains;
use crate::escape::run::{Plain, Ran, Runner};
use crate::escape::world::World;

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
    Known(&'static str),
}

/// One run of a case.
struct Attempt {
    ran: Ran,
    worked: bool,
}

impl Attempt {
    fn make(case: &Case, half: &'static Half, runner: &dyn Runner) -> Result<Self, String> {
        let mut world = World::new(half);
        (case.given)(&mut world);
        let ran = runner.run(&world, &case.whole_script(), case.terminal)?;
        let worked = match case.proof {
            Proof::Reaches => contains(&ran.stdout, format!("reached {}", world.nonce).as_bytes()),
            Proof::Reads => contains(&ran.stdout, half.secret.as_bytes()),
            Proof::Shows(what) => what(&world).is_some_and(|what| contains(&ran.stdout, &what)),
            Proof::Sends => world.sent(),
            Proof::Holds(path) => std::fs::read(world.workspace.join(path))
                .is_ok_and(|bytes| contains(&bytes, world.nonce.as_bytes())),
            Proof::Changes(check) => check(&mut world),
        };
        let this = Self { ran, worked };
        match this.says("broken: ") {
            Some(what) => Err(format!("the case is broken: {what}")),
            None => Ok(this),
        }
    }

    /// Returns the rest of the last line that starts like this.
    fn says(&self, start: &str) -> Option<String> {
        let text = String::from_utf8_lossy(&self.ran.stdout);
        text.lines()
            .rev()
            .find_map(|line| line.strip_prefix(start).map(str::to_owned))
    }

    fn show(&self) -> String {
        format!(
            "{}\n--- stdout\n{}--- stderr\n{}",
            self.ran.end,
            String::from_utf8_lossy(&self.ran.stdout),
            String::from_utf8_lossy(&self.ran.stderr)
        )
    }
}

/// Judges a case.
pub(crate) fn judge(case: &Case, half: &'static Half) -> Result<Verdict, String> {
    let mut outside = Attempt::make(
        case,
        half,
        &Plain {
            own_namespace: false,
        },
    )?;
    if !outside.worked && case.privileged.is_some() && !half.root {
        // Whoever may make a user namespace is root in it: there it has to be refused all the same.
        let own = Attempt::make(
            case,
            half,
            &Plain {
                own_namespace: true,
            },
        )?;
        if own.worked {
            outside = own;
        }
    }
    let reason = match outside.worked {
        true => None,
        false => Some(why_impossible(case, half, &outside)?),
    };
    let inside = Attempt::make(case, half, &Isolated)?;
    if !contains(&inside.ran.stdout, b"tried") {
        return Err(format!(
            "in the sandbox not even a program ran: {}",
            inside.show()
        ));
    }
    if let Some(known) = case.known.filter(|_| inside.worked) {
        return Ok(Verdict::Known(known));
    }
    match (case.expected, reason) {
        (Expected::Denied, _) if inside.worked => Err(format!("it got through: {}", inside.show())),
        (_, Some(reason)) => Ok(Verdict::Impossible(reason)),
        (Expected::Denied, None) => match inside.says("missing: ") {
            Some(tool) => Err(format!(
                "`{tool}` is not there in the sandbox, so nothing was tried"
            )),
            None => Ok(Verdict::Denied),
        },
        (Expected::Works, None) if inside.worked => Ok(Verdict::Works),
        (Expected::Works, None) => Err(format!(
            "it does not work in the sandbox: {}",
            inside.show()
        )),
    }
}

/// Says why a case does not work outside of a sandbox either, in the kernel's or the table's words.
fn why_impossible(case: &Case, half: &Half, outside: &Attempt) -> Result<String, String> {
    if let Some(tool) = outside.says("missing: ") {
        return Ok(format!("{tool} is not installed"));
    }
    if let Some(why) = case.privileged.filter(|_| !half.root) {
        return Ok(why.to_owned());
    }
    match outside.says("refused: ") {
        Some(refused) if case.expected == Expected::Denied => Ok(refused),
        _ => Err(format!(
            "it does not work outside of a sandbox, and nothing says why: {}",
            outside.show()
        )),
    }
}
