//! The keys of `#[tool]`.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use super::reader::{Entry, EntryValue};
use super::requires::Requires;
use super::{default_crate, not_empty};
use crate::report::{Report, suggestion};
use crate::rule::Rule;

/// The keys of `#[tool(…)]`.
pub(crate) struct ToolKeys {
    pub(crate) krate: Path,
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) read_only: Option<(Ident, bool)>,
    pub(crate) destructive: Option<(Ident, bool)>,
    pub(crate) idempotent: Option<(Ident, bool)>,
    pub(crate) open_world: Option<(Ident, bool)>,
    pub(crate) blocking: Option<Ident>,
    pub(crate) risk: Option<(Ident, String)>,
    pub(crate) risk_with: Option<Path>,
    pub(crate) check: Option<Path>,
    pub(crate) match_rule: Option<Path>,
    pub(crate) suggest_rules: Option<Path>,
    pub(crate) concurrency: Option<(Ident, String)>,
    pub(crate) group: Option<String>,
    pub(crate) always: bool,
    pub(crate) cached: Option<Ident>,
    pub(crate) available_if: Option<Path>,
    pub(crate) config_check: Option<Path>,
    pub(crate) untrusted_output: bool,
    pub(crate) max_result_chars: Option<usize>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) requires: Requires,
    pub(crate) examples: Vec<String>,
    pub(crate) deprecated: Option<String>,
}

const KNOWN: [&str; 26] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "blocking",
    "risk",
    "risk_with",
    "check",
    "match_rule",
    "suggest_rules",
    "concurrency",
    "group",
    "always",
    "cached",
    "available_if",
    "config_check",
    "untrusted_output",
    "max_result_chars",
    "timeout",
    "requires",
    "examples",
    "deprecated",
    "crate",
];

impl ToolKeys {
    /// Parses the keys of one attribute.
    pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Self {
        let mut keys = Self::default();
        let entries = Entry::read_all(tokens, &KNOWN, report);
        for entry in Entry::once_each(entries, &[], report) {
            keys.take(&entry, report);
        }
        keys
    }

    fn take(&mut self, entry: &Entry, report: &mut Report) {
        let flag = |report: &mut Report| entry.flag(report).map(|flag| (entry.key.clone(), flag));
        let text = |report: &mut Report| not_empty(entry, report);
        match &*entry.name() {
            "name" => self.name = entry.literal(report),
            "title" => self.title = text(report),
            "description" => self.description = text(report),
            "read_only" => self.read_only = flag(report),
            "destructive" => self.destructive = flag(report),
            "idempotent" => self.idempotent = flag(report),
            "open_world" => self.open_world = flag(report),
            "blocking" => self.blocking = flag(report).and_then(|(key, on)| on.then_some(key)),
            "risk" => {
                self.risk = word(entry, Rule::UnknownRisk, &["low", "medium", "high"], report);
            }
            "risk_with" => self.risk_with = entry.path(report),
            "check" => self.check = entry.path(report),
            "match_rule" => self.match_rule = entry.path(report),
            "suggest_rules" => self.suggest_rules = entry.path(report),
            "concurrency" => {
                self.concurrency = word(
                    entry,
                    Rule::UnknownConcurrency,
                    &["parallel", "exclusive"],
                    report,
                );
            }
            "group" => self.group = text(report),
            "always" => self.always = entry.flag(report).unwrap_or_default(),
            "cached" => self.cached = flag(report).and_then(|(key, on)| on.then_some(key)),
            "available_if" => self.available_if = entry.path(report),
            "config_check" => self.config_check = entry.path(report),
            "untrusted_output" => self.untrusted_output = entry.flag(report).unwrap_or_default(),
            "max_result_chars" => self.max_result_chars = entry.count(report),
            "timeout" => self.timeout = timeout(entry, report),
            "requires" => self.requires = Requires::read(entry, report),
            "examples" => self.examples = entry.texts(report).unwrap_or_default(),
            "deprecated" => self.deprecated = text(report),
            _ => self.krate = entry.path(report).unwrap_or_else(default_crate),
        }
    }
}

impl Default for ToolKeys {
    fn default() -> Self {
        Self {
            krate: default_crate(),
            name: None,
            title: None,
            description: None,
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
            blocking: None,
            risk: None,
            risk_with: None,
            check: None,
            match_rule: None,
            suggest_rules: None,
            concurrency: None,
            group: None,
            always: false,
            cached: None,
            available_if: None,
            config_check: None,
            untrusted_output: false,
            max_result_chars: None,
            timeout: None,
            requires: Requires::default(),
            examples: Vec::new(),
            deprecated: None,
        }
    }
}

/// Parses one of several keywords.
fn word(entry: &Entry, rule: Rule, known: &[&str], report: &mut Report) -> Option<(Ident, String)> {
    let word = entry.literal(report)?.value();
    if known.contains(&&*word) {
        return Some((entry.key.clone(), word));
    }
    if let EntryValue::Expr(value) = &entry.value {
        report.error(
            rule,
            value,
            format!(
                "unknown {} `{word}`; {}",
                entry.name(),
                suggestion(&word, known)
            ),
        );
    }
    None
}

/// Parses `"30s"`, `"500ms"`, `"2m"`.
fn timeout(entry: &Entry, report: &mut Report) -> Option<Duration> {
    let text = entry.literal_like("30s", report)?.value();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => 0,
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(millis))
    {
        Some(millis) if millis > 0 => Some(Duration::from_millis(millis)),
        _ => {
            if let EntryValue::Expr(value) = &entry.value {
                report.error(
                    Rule::BadTimeout,
                    value,
                    "a timeout must be greater than zero, as in \"500ms\", \"30s\" or \"2m\"",
                );
            }
            None
        }
    }
}
