//! The `include_skills!` macro of [helve](https://docs.rs/helve): depend on `helve`, not on this.
//!
//! A folder of [Agent Skills](https://agentskills.io) is checked and embedded at compile time. Walk the folder, read
//! and check each skill, report every problem at once, or write one static table.

mod blobs;
mod expand;
mod request;

use std::path::{Path, PathBuf};

use helve_skill_format::{Collection, Options, codes};
use proc_macro2::TokenStream;
use syn::LitStr;

use blobs::Blobs;
use request::Request;

/// Embeds the skills of a folder. Called by `helve::include_skills!`, with the path of the crate that has `__private`.
#[proc_macro]
pub fn include_skills_impl(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let embedded =
        syn::parse::<Request>(input).and_then(|request| embed(&request, &package(&request)?));
    embedded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Returns the folder of the package that is compiled.
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

/// Finds the argument that an error is about: a pattern that is none, or else the folder.
fn offending_argument<'r>(request: &'r Request, found: &Collection) -> &'r LitStr {
    let is_wrong = |pattern: &&LitStr| {
        let quoted = format!("`{}`", pattern.value());
        let mut errors = found.errors();
        errors.any(|error| error.code == codes::EXCLUDE_PATTERN && error.message.contains(&quoted))
    };
    let pattern = request.exclude.iter().find(is_wrong);
    pattern.unwrap_or(&request.folder)
}

/// Brings a path to the form in which it is printed and embedded: relative, without `./` and a last `/`.
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
