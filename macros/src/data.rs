//! `#[data]` on a struct or an enum: the three derives, with paths that need no dependency besides helve, and what
//! `#[arg]` on a field stands for.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields};

use crate::parameter::Parameter;
use crate::report::Report;
use crate::rule::Rule;
use crate::tool::first_token;
use crate::{attribute, check, expand};

pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let (krate, allows_unknown) = attribute::crate_key(keys, &["allow_unknown"], &mut report);
    let mut input = match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) if !matches!(input.data, Data::Union(_)) => input,
        _ => {
            report.error(
                Rule::DataNotData,
                first_token(item),
                "`#[data]` can only be applied to structs and enums",
            );
            let errors = report.into_tokens();
            return quote!(#item #errors);
        }
    };
    let refuses_unknown = !allows_unknown && can_refuse_unknown(&input);
    let refuse_unknown = refuses_unknown.then(|| quote!(#[serde(deny_unknown_fields)]));
    let private = quote!(#krate::__private);
    derived_twice(&input, &mut report);
    let is_derived = report.is_empty();
    let functions = fields(&mut input, &private, &mut report);
    let errors = report.into_tokens();
    if !is_derived {
        return quote!(#input #errors);
    }
    let (serde, schemars) = (
        format_path(&quote!(#private::serde)),
        format_path(&quote!(#private::schemars)),
    );
    quote! {
        #[derive(#private::serde::Serialize, #private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #refuse_unknown
        #[schemars(crate = #schemars)]
        #input
        #functions
        #errors
    }
}

/// Replaces `#[arg]` on the fields; returns the functions of their defaults.
fn fields(input: &mut DeriveInput, private: &TokenStream, report: &mut Report) -> TokenStream {
    let data = input.clone();
    let mut functions = TokenStream::new();
    let mut each = |variant: &str, fields: &mut Fields| {
        for (index, field) in fields.iter_mut().enumerate() {
            if field.attrs.iter().any(is_arg) {
                functions.extend(replace(&data, variant, field, index, private, report));
            }
        }
    };
    match &mut input.data {
        Data::Struct(of) => each("", &mut of.fields),
        Data::Enum(of) => {
            for variant in &mut of.variants {
                let name = variant.ident.to_string().to_lowercase();
                each(
                    &format!("_{}", name.trim_start_matches("r#")),
                    &mut variant.fields,
                );
            }
        }
        Data::Union(_) => {}
    }
    functions
}

fn replace(
    data: &DeriveInput,
    variant: &str,
    field: &mut Field,
    index: usize,
    private: &TokenStream,
    report: &mut Report,
) -> Option<TokenStream> {
    let value = Parameter::from_field(field, index, report);
    check::value(&value, report);
    field.attrs.retain(|attribute| !is_arg(attribute));
    let (attributes, default) = expand::field(data, variant, &value, private);
    field.attrs.extend(attributes);
    default
}

fn is_arg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("arg")
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

/// Reports the traits that `#[data]` derives in a `#[derive]` of the type.
fn derived_twice(input: &DeriveInput, report: &mut Report) {
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
