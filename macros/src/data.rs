//! `#[data]` on a struct or an enum: the three derives, with paths that need no dependency besides helve.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields};

use crate::attribute::DataKeys;
use crate::report::Report;
use crate::rule::Rule;
use crate::tool::first_token;

pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let keys = DataKeys::parse(keys, &mut report);
    let mut refuse_unknown = None;
    match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) if !matches!(input.data, Data::Union(_)) => {
            check(&input, &mut report);
            let refuses = !keys.allow_unknown && can_refuse_unknown(&input);
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
    let krate = keys.krate;
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
    let named: Vec<&Field> = match &input.data {
        Data::Struct(data) => named_fields(&data.fields).collect(),
        Data::Enum(data) => {
            let variants = data.variants.iter();
            variants
                .flat_map(|variant| named_fields(&variant.fields))
                .collect()
        }
        Data::Union(_) => return false,
    };
    let is_flattened = |field: &&Field| has_serde_word(&field.attrs, &["flatten"]);
    let says_so = has_serde_word(&input.attrs, &["deny_unknown_fields", "transparent"]);
    !named.is_empty() && !says_so && !named.iter().any(is_flattened)
}

fn named_fields(fields: &Fields) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| field.ident.is_some())
}

/// Reports whether a `#[serde(…)]` attribute has one of these words without a value.
fn has_serde_word(attributes: &[Attribute], words: &[&str]) -> bool {
    let mut found = false;
    for attribute in attributes {
        if !attribute.path().is_ident("serde") {
            continue;
        }
        // The derive reports attributes that cannot be parsed here.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= words.iter().any(|word| meta.path.is_ident(word));
            if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    found
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
