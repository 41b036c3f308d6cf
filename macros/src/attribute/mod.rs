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

/// Parses the keys of `#[tools]` and `#[data]`, which accept only `crate = path`.
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

/// Parses a text that is not empty.
fn not_empty(entry: &Entry, report: &mut Report) -> Option<String> {
    match entry.literal(report) {
        Some(text) if text.value().trim().is_empty() => {
            report.error(
                Rule::EmptyText,
                &text,
                format!(
                    "`{}` is empty: write it, or leave the key out",
                    entry.name()
                ),
            );
            None
        }
        text => text.map(|text| text.value()),
    }
}
