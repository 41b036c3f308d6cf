//! Cases: what an agent should do, as data, and how it is graded. See [`Cases`].

mod answers;
mod call_match;
mod case;
mod case_run;
mod cases;
mod checks;
mod conversation_match;
mod expectation;
mod invariants;
mod model;
mod report;
mod runner;
mod setup;
mod subset;
mod text_match;
mod turns;

pub use answers::{CaseAnswer, CaseDecision};
pub use call_match::{CallMatch, CallsExpectation};
pub use case::Case;
pub use case_run::{CaseRun, ObservedCall};
pub use cases::{Cases, CasesError};
pub use conversation_match::{MessageMatch, RequestMatch};
pub use expectation::{Expectation, UsageLimits};
pub use model::{CaseCall, CaseModel, CaseReply};
pub use report::{CaseFailure, CasesReport};
pub use setup::{CaseSetup, CaseSubject};
pub use text_match::TextMatch;
pub use turns::{CaseAction, CaseNote, CaseTrigger, CaseTurn};

/// Writes a test that runs the cases of files.
///
/// The arguments are the name of the test, the files relative to the manifest of the package, and a function that
/// creates what is tested from a [`CaseSetup`]: an [`Agent`](helve_agent::Agent), or a [`CaseSubject`], which also has a
/// context. A `*` in the last part of the path matches any text.
///
/// All cases run, one after the other, and the test fails with all failures of all cases. It also fails if there is no
/// case. With the environment variable `HELVE_CASES`, only cases run whose id contains its value.
///
/// ```no_run
/// use helve::agent::Agent;
/// use helve::prelude::*;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// helve::testing::cases!(calculations, "tests/cases/*.jsonl", |setup| {
///     Agent::with_model("main", setup.model("main")).toolset(toolset![add])
/// });
/// ```
#[macro_export]
macro_rules! cases {
    ($(#[$attribute:meta])* $name:ident, $files:expr, $subject:expr $(,)?) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            let files = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($files);
            $crate::run_test(&files, $subject);
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "expected the name of the test, its files and a function, as in `cases!(refunds, \"tests/cases/*.jsonl\", |setup| agent)`"
        );
    };
}

/// Runs the cases of files, and panics with their failures.
#[doc(hidden)]
pub fn run_test<S: Into<CaseSubject>>(
    files: &std::path::Path,
    subject: impl Fn(&CaseSetup<'_>) -> S,
) {
    let cases = Cases::load(files).unwrap_or_else(|error| panic!("{error}"));
    let cases = match std::env::var("HELVE_CASES") {
        Ok(wanted) => cases.filter(|case| case.id.contains(&wanted)),
        Err(_) => cases,
    };
    cases.run_blocking(subject).assert_passed();
}
