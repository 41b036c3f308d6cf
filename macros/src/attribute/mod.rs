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

/// Parses the keys of `#[tools]` and `#[data]`: `crate = path`, and one of the given flags. Returns whether it is set.
pub(crate) fn crate_key(
    tokens: proc_macro2::TokenStream,
    flags: &[&str],
    report: &mut Report,
) -> (Path, bool) {
    let (mut krate, mut flag) = (None, None);
    let entries = Entry::read_all(tokens, &[&["crate"][..], flags].concat(), report);
    for entry in Entry::once_each(entries, &[], report) {
        if entry.key == "crate" {
            krate = entry.path(report);
        } else {
            flag = entry.flag(report);
        }
    }
    let krate = krate.unwrap_or_else(default_crate);
    (krate, flag.unwrap_or_default())
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
