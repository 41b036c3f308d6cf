//! A crate that forbids unsafe code and denies every lint that generated code could trip over.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    let_underscore_drop,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused,
    unused_extern_crates,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    rust_2018_idioms,
    nonstandard_style,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    redundant_lifetimes,
    variant_size_differences
)]
#![allow(clippy::unused_async, reason = "tools may be async for no reason")]

use helve::prelude::*;

/// Reads.
#[tool(read_only, check = check, match_rule = matches, suggest_rules = suggest, risk_with = risk)]
pub(crate) async fn read(
    /// What.
    what: &str,
    /// How often.
    #[arg(default = 1, min = 1, max = 9, example = 2)]
    times: u32,
    /// Which.
    #[arg(default)]
    unit: Unit,
    cx: &ToolContext,
    clock: Option<&std::sync::Arc<str>>,
) -> Result<Reading, std::io::Error> {
    let _ = (cx.call_id(), clock, unit);
    Ok(Reading {
        what: what.repeat(times as usize),
    })
}

fn check(_: &ToolContext, _: &str, _: &u32, _: &Unit) -> helve::Check {
    helve::Check::Pass
}

fn matches(_: &ToolContext, _: &str, _: &str, _: &u32, _: &Unit) -> bool {
    true
}

fn suggest(_: &str, _: &u32, _: &Unit) -> Vec<String> {
    Vec::new()
}

fn risk(_: &str, _: &u32, _: &Unit) -> helve::Risk {
    helve::Risk::Low
}

/// Is old.
#[tool(deprecated = "use `read`")]
#[deprecated]
fn old() {}

/// What was read.
#[data]
#[derive(Debug)]
pub(crate) struct Reading {
    /// The text.
    pub(crate) what: String,
}

/// A unit.
#[data]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Unit {
    /// Metric.
    #[default]
    Metric,
    /// Imperial.
    Imperial,
}

#[derive(Debug)]
struct Shelf;

#[tools]
impl Shelf {
    /// Reads.
    #[tool]
    async fn shelf(
        &self,
        /// Which.
        unit: Unit,
    ) -> Unit {
        unit
    }

    /// Reads.
    #[tool(blocking)]
    fn slow_shelf(&self) {}
}

#[test]
fn no_lint_trips_over_what_is_generated() {
    assert_eq!(toolset![read, Shelf::shelf].names().len(), 2);
    assert_eq!(Shelf::toolset(std::sync::Arc::new(Shelf)).names().len(), 2);
}
