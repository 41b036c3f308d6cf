//! `#[data]` on a struct or an enum: the three derives, with paths that need no dependency besides helve.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput};

use crate::attribute;
use crate::report::Report;
use crate::rule::Rule;
use crate::tool::first_token;

pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let krate = attribute::crate_key(keys, &mut report);
    match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) if !matches!(input.data, Data::Union(_)) => check(&input, &mut report),
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
        #[schemars(crate = #schemars)]
        #item
    }
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
