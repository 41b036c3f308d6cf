//! Generates the attributes of serde and schemars that `#[arg]` on a field of `#[data]` stands for.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, DeriveInput, Expr, Lit, LitStr, parse_quote};

use super::arguments::constraints;
use crate::attribute::ArgDefault;
use crate::parameter::Parameter;

/// Generates the attributes of one field, and the function that returns its default.
///
/// `variant` is the name of the variant that the field belongs to, and empty in a struct.
pub(crate) fn field(
    data: &DeriveInput,
    variant: &str,
    field: &Parameter,
    private: &TokenStream,
) -> (Vec<Attribute>, Option<TokenStream>) {
    let keys = &field.keys;
    let mut attributes = Vec::new();
    if let Some(name) = &keys.name {
        attributes.push(parse_quote!(#[serde(rename = #name)]));
    }
    if let Some(text) = &keys.description {
        attributes.push(parse_quote!(#[schemars(description = #text)]));
    }
    for example in &keys.examples {
        // A literal text would be read as the path of a function.
        let example = if is_text(example) {
            quote!(&#example)
        } else {
            quote!(#example)
        };
        attributes.push(parse_quote!(#[schemars(example = #example)]));
    }
    if let Some(constraints) = constraints(keys, private) {
        attributes.push(parse_quote!(#[schemars(transform = #constraints)]));
    }
    let default = keys.default.as_ref().and_then(|(key, default)| {
        let (attribute, function) = default_value(data, variant, field, (key, default), private);
        attributes.push(attribute);
        function
    });
    (attributes, default)
}

/// Generates the attribute of a default, and the function that returns an expression.
fn default_value(
    data: &DeriveInput,
    variant: &str,
    field: &Parameter,
    (key, default): (&Ident, &ArgDefault),
    private: &TokenStream,
) -> (Attribute, Option<TokenStream>) {
    let ArgDefault::Expr(default) = default else {
        let flag = quote_spanned!(key.span()=> default);
        return (parse_quote!(#[serde(#flag)]), None);
    };
    let name = field.ident.to_string();
    let name = name.trim_start_matches("r#");
    let function = format_ident!("__helve_default{variant}_{name}");
    let (owner, written) = (&data.ident, &field.written);
    let (generics, arguments, bounds) = data.generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let path = quote!(#owner #turbofish::#function).to_string();
    let path = LitStr::new(&path.replace(' ', ""), key.span());
    let value = if is_text(default) {
        quote!(<#written as #private::DefaultText>::make(#default))
    } else {
        quote!(#default)
    };
    let allow = super::allow();
    let function = quote! {
        #allow
        impl #generics #owner #arguments #bounds {
            fn #function() -> #written { #value }
        }
    };
    (parse_quote!(#[serde(default = #path)]), Some(function))
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(text) if matches!(text.lit, Lit::Str(_)))
}
