//! Checks for contradictory keys.

use crate::attribute::ToolKeys;
use crate::function::ToolFn;
use crate::report::Report;
use crate::rule::Rule;

impl ToolKeys {
    fn declares_risk(&self, wanted: &str) -> bool {
        self.risk.as_ref().is_some_and(|(_, risk)| risk == wanted)
    }
}

pub(super) fn read_only(tool: &ToolFn, report: &mut Report) {
    let keys = &tool.keys;
    if !matches!(keys.read_only, Some((_, true))) {
        return;
    }
    if let Some((key, true)) = &keys.destructive {
        report.error(
            Rule::ReadOnlyAndDestructive,
            key,
            "`read_only` and `destructive` contradict each other: remove one",
        );
    }
    if let Some((key, false)) = &keys.idempotent {
        let message = "a `read_only` tool can be called again: `idempotent = false` contradicts it";
        report.error(Rule::ReadOnlyNotIdempotent, key, message);
    }
    if let Some((key, _)) = &keys.risk
        && keys.declares_risk("high")
    {
        let message =
            "a `read_only` tool is not of high risk: drop `read_only` if a call does harm";
        report.error(Rule::ReadOnlyHighRisk, key, message);
    }
}

pub(super) fn cached(tool: &ToolFn, report: &mut Report) {
    let keys = &tool.keys;
    if let Some(key) = &keys.cached
        && !matches!(keys.read_only, Some((_, true)))
    {
        let message =
            "what a `cached` tool did would not be done again: say `read_only`, or drop `cached`";
        report.error(Rule::CachedNotReadOnly, key, message);
    }
}

pub(super) fn destructive(tool: &ToolFn, report: &mut Report) {
    let keys = &tool.keys;
    if !matches!(keys.destructive, Some((_, true))) {
        return;
    }
    if let Some((key, _)) = &keys.risk
        && keys.declares_risk("low")
    {
        report.error(
            Rule::DestructiveLowRisk,
            key,
            "a `destructive` tool is not of low risk: write \"medium\" or \"high\"",
        );
    }
    if let Some((key, concurrency)) = &keys.concurrency
        && concurrency == "parallel"
    {
        let message = "a `destructive` tool runs alone: drop `concurrency = \"parallel\"`";
        report.error(Rule::DestructiveParallel, key, message);
    }
}

pub(super) fn network(tool: &ToolFn, report: &mut Report) {
    if let Some((key, false)) = &tool.keys.open_world
        && tool.keys.requires.words.contains(&"net")
    {
        let message = "a tool that requires `net` reaches an open world: drop `open_world = false`";
        report.error(Rule::ClosedWorldNetwork, key, message);
    }
}

pub(super) fn risk(tool: &ToolFn, report: &mut Report) {
    if let (Some((key, _)), Some(_)) = (&tool.keys.risk, &tool.keys.risk_with) {
        report.error(
            Rule::RiskTwice,
            key,
            "`risk_with` judges every call: drop `risk`",
        );
    }
}

pub(super) fn blocking(tool: &ToolFn, report: &mut Report) {
    let Some(key) = &tool.keys.blocking else {
        return;
    };
    if tool.is_async() {
        report.error(
            Rule::BlockingAsync,
            key,
            "an `async fn` does not block: drop `blocking`, or make it a plain `fn`",
        );
    }
    if matches!(tool.return_type(), Some(syn::Type::ImplTrait(_))) {
        report.error(
            Rule::BlockingStream,
            key,
            "a `blocking` tool returns a value, not a stream: drop `blocking`",
        );
    }
}
