//! The `include_skills!` macro of [helve](https://docs.rs/helve): depend on `helve`, not on this.
//!
//! A folder of [Agent Skills](https://agentskills.io) is checked and embedded at compile time. Walk the folder, read
//! and check each skill, report every problem at once, or write one static table.

mod expand;

use std::path::Path;

use helve_skill_format::Options;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

/// Embeds the skills of a folder. Called by `helve::include_skills!`, with the path of the crate that has `__private`.
#[proc_macro]
pub fn include_skills_impl(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let embedded = syn::parse::<Request>(input).and_then(|request| request.embed());
    embedded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// What the macro was called with.
struct Request {
    krate: syn::Path,
    folder: LitStr,
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(syn::Path::parse_mod_style)?;
        input.parse::<Token![,]>()?;
        Ok(Self {
            krate,
            folder: input.parse()?,
        })
    }
}

impl Request {
    fn embed(&self) -> syn::Result<TokenStream> {
        let blame = |message: String| syn::Error::new(self.folder.span(), message);
        let package = std::env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| {
            blame("include_skills!: CARGO_MANIFEST_DIR is not set: build with cargo".to_owned())
        })?;
        let folder = self.folder.value();
        let folder = normalise(&folder).map_err(blame)?;
        let location = Path::new(&package).join(folder);
        let collection = helve_skill_format::read(&location, folder, &Options::default());
        if let Some(message) = collection.errors_message("include_skills!") {
            return Err(blame(message));
        }
        Ok(expand::expand(
            &self.krate.to_token_stream(),
            folder,
            &collection.skills,
        ))
    }
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
