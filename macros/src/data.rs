//! `#[data]` on a struct or an enum: the three derives, with paths that need no dependency besides helve.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Fields};

use crate::attribute;
use crate::report::Report;
use crate::rule::Rule;
use crate::tool::first_token;

pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let (krate, allows_unknown) = attribute::crate_key(keys, &["allow_unknown"], &mut report);
    let mut refuse_unknown = None;
    match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) if !matches!(input.data, Data::Union(_)) => {
            check(&input, &mut report);
            let refuses = !allows_unknown && can_refuse_unknown(&input);
            refuse_unknown = refuses.then(|| quote!(#[serde(deny_unknown_fields)]));
        }
        _ => report.error(
            Rule::DataNotData,
            first_token(item),
            "`#[data]` can only be applied to structs and enums",
        ),
    }
    if !report.is_empty() {
        let errors = report.into_tokens();
        return quote!(#item #errors);
    }
    let private = quote!(#krate::__private);
    let (serde, schemars) = (
        format_path(&quote!(#private::serde)),
        format_path(&quote!(#private::schemars)),
    );
    quote! {
        #[derive(#private::serde::Serialize, #private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #refuse_unknown
        #[schemars(crate = #schemars)]
        #item
    }
}

/// Reports whether serde can refuse unknown keys of a type, and the type does not say so itself: serde cannot where a
/// field is flattened.
fn can_refuse_unknown(input: &DeriveInput) -> bool {
    let all: Vec<&Fields> = match &input.data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(data) => data.variants.iter().map(|one| &one.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let mut fields = all.into_iter().flatten();
    let has_names = fields.clone().any(|field| field.ident.is_some());
    has_names
        && !has_serde_word(&input.attrs, &["deny_unknown_fields", "transparent"])
        && !fields.any(|field| has_serde_word(&field.attrs, &["flatten"]))
}

/// Reports whether a `#[serde(…)]` attribute has one of these words.
fn has_serde_word(attributes: &[Attribute], words: &[&str]) -> bool {
    let own = attributes.iter().filter(|own| own.path().is_ident("serde"));
    let tokens = own.filter_map(|own| Some(own.meta.require_list().ok()?.tokens.clone()));
    let is_word = |token| match token {
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        _ => false,
    };
    tokens.flatten().any(is_word)
}

fn check(input: &DeriveInput, report: &mut Report) {
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"))
    {
        // The compiler reports attributes that cannot be parsed here.
        let _ = attribute.parse_nested_meta(|derived| {
            let last = derived
                .path
                .segments
                .last()
                .map(|segment| segment.ident.to_string())
                .unwrap_or_default();
            if ["Serialize", "Deserialize", "JsonSchema"].contains(&&*last) {
                report.error(
                    Rule::DataDerivedTwice,
                    &derived.path,
                    format!("`#[data]` already derives `{last}`: remove it here"),
                );
            }
            Ok(())
        });
    }
}

/// Formats a path for the `crate` attributes of the derives.
fn format_path(path: &impl ToTokens) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
