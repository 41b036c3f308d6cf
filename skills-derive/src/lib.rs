//! The macros `include_skills!` and `include_agents!` of [helve](https://docs.rs/helve): depend on `helve`, not on this crate.
//!
//! The macro checks a folder of [Agent Skills](https://agentskills.io) and embeds it at compile time: it walks the
//! folder, reads and checks each skill, and either reports all problems at once or generates one static table. Agent files
//! are embedded in the same way.

mod agents;
mod blobs;
mod expand;
mod request;

use std::path::{Path, PathBuf};

use helve_skill_format::{Collection, Options, codes};
use proc_macro2::TokenStream;
use syn::LitStr;

use blobs::Blobs;
use request::Request;

/// Embeds the skills of a folder. `helve::include_skills!` calls this macro with the path of the crate that contains
/// `__private`.
#[proc_macro]
pub fn include_skills_impl(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let embedded =
        syn::parse::<Request>(input).and_then(|request| embed(&request, &package(&request)?));
    embedded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Embeds the agent files of a folder. `helve::include_agents!` calls this macro with the path of the crate that contains
/// `__private`.
#[proc_macro]
pub fn include_agents_impl(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let embedded =
        syn::parse::<agents::AgentsRequest>(input).and_then(|request| agents::embed(&request));
    embedded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Returns the folder of the package that is being compiled.
fn package(request: &Request) -> syn::Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.ok_or_else(|| {
        let message = "include_skills!: CARGO_MANIFEST_DIR is not set: build with cargo";
        syn::Error::new(request.folder.span(), message)
    })
}

fn embed(request: &Request, package: &Path) -> syn::Result<TokenStream> {
    let blame = |message: String| syn::Error::new(request.folder.span(), message);
    let folder = request.folder.value();
    let folder = normalise(&folder).map_err(blame)?;
    let options = Options::default()
        .profile(request.profile)
        .exclude(request.exclude.iter().map(LitStr::value));
    let found = helve_skill_format::read(&package.join(folder), folder, &options);
    if let Some(message) = found.errors_message("include_skills!") {
        return Err(syn::Error::new(
            offending_argument(request, &found).span(),
            message,
        ));
    }
    let blobs = Blobs::collect(folder, &found.skills, request.compress).map_err(blame)?;
    Ok(expand::expand(request, folder, &found.skills, &blobs))
}

/// Returns the argument that an error refers to: an invalid pattern, or else the folder.
fn offending_argument<'r>(request: &'r Request, found: &Collection) -> &'r LitStr {
    let is_wrong = |pattern: &&LitStr| {
        let quoted = format!("`{}`", pattern.value());
        let mut errors = found.errors();
        errors.any(|error| error.code == codes::EXCLUDE_PATTERN && error.message.contains(&quoted))
    };
    let pattern = request.exclude.iter().find(is_wrong);
    pattern.unwrap_or(&request.folder)
}

/// Normalises a path for messages and for embedding: relative, without `./` and a trailing `/`.
fn normalise(folder: &str) -> Result<&str, String> {
    if Path::new(folder).has_root() {
        let message =
            "include_skills!: the path must be relative to the folder of the package's Cargo.toml";
        return Err(message.to_owned());
    }
    match folder.trim_start_matches("./").trim_end_matches('/') {
        "" | "." => Err(
            "include_skills!: name the folder that holds the skills, as in \"skills\"".to_owned(),
        ),
        folder => Ok(folder),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
