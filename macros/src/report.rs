//! The errors of one expansion, reported together.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::rule::Rule;

/// Collects errors. Each error is reported once.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// Adds an error for a violated rule, at the tokens that violate it.
    pub(crate) fn error(&mut self, _broken: Rule, at: impl ToTokens, message: impl Into<String>) {
        self.errors
            .push(syn::Error::new_spanned(at, message.into()));
    }

    /// Adds an error of the parser, with its own message.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Generates `compile_error!`s for the errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}

/// Returns `did you mean` with the most similar known word, or all known words if none is similar.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|known| (strsim::jaro_winkler(word, known), *known))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    match nearest {
        Some((likeness, near)) if likeness > 0.75 => format!("did you mean `{near}`?"),
        _ => format!(
            "expected {}{}",
            if known.len() > 1 { "one of " } else { "" },
            known
                .iter()
                .map(|known| format!("`{known}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}
