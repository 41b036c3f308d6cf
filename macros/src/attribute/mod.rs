//! The keys of `#[tool]` and `#[arg]`.

mod arg;
mod reader;
mod requires;
mod tool;

pub(crate) use arg::{ArgDefault, ArgKeys};
pub(crate) use tool::ToolKeys;

use syn::Path;

use crate::report::Report;
use crate::rule::Rule;
use reader::Entry;

/// The keys of `#[data]`.
pub(crate) struct DataKeys {
    pub(crate) krate: Path,
    /// Whether keys that the type does not have are ignored.
    pub(crate) allow_unknown: bool,
}

impl DataKeys {
    pub(crate) fn parse(tokens: proc_macro2::TokenStream, report: &mut Report) -> Self {
        let (mut krate, mut allow_unknown) = (None, None);
        let entries = Entry::read_all(tokens, &["crate", "allow_unknown"], report);
        for entry in Entry::once_each(entries, &[], report) {
            if entry.name() == "crate" {
                krate = entry.path(report);
            } else {
                allow_unknown = entry.flag(report);
            }
        }
        Self {
            krate: krate.unwrap_or_else(default_crate),
            allow_unknown: allow_unknown.unwrap_or_default(),
        }
    }
}

/// Parses the keys of `#[tools]`, which accepts only `crate = path`.
pub(crate) fn crate_key(tokens: proc_macro2::TokenStream, report: &mut Report) -> Path {
    let mut krate = None;
    let entries = Entry::read_all(tokens, &["crate"], report);
    for entry in Entry::once_each(entries, &[], report) {
        krate = entry.path(report);
    }
    krate.unwrap_or_else(default_crate)
}

/// The path of helve unless the dependency is renamed.
pub(crate) fn default_crate() -> Path {
    syn::parse_quote!(::helve)
}

/// Reports an empty text.
fn not_empty(entry: &Entry, text: Option<String>, report: &mut Report) -> Option<String> {
    match text {
        Some(text) if text.trim().is_empty() => {
            report.error(
                Rule::EmptyText,
                &entry.key,
                format!(
                    "`{}` is empty: write it, or leave the key out",
                    entry.name()
                ),
            );
            None
        }
        text => text,
    }
}
