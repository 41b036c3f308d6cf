//! Generates the constants of a tool; only values that differ from the default are generated.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{GenericArgument, PathArguments, Type, TypeParamBound};

use super::arguments::{span_of, without_self};
use super::call::path;
use crate::attribute::ToolKeys;
use crate::function::ToolFn;
use crate::parameter::{ParameterKind, first_argument};

/// Generates the declaration.
pub(super) fn declaration(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let (name, description) = (tool.name(), tool.description());
    let path = path(tool);
    // The location of the function: `line!()` would be that of the attribute, the same for a whole block of methods.
    let place = tool.ident().span().unwrap();
    let (file, line) = (
        place.file(),
        u32::try_from(place.line()).unwrap_or(u32::MAX),
    );
    let mut fields = quote! {
        name: #name,
        description: #description,
        parameters: __HELVE_PARAMETERS,
        call: __helve_call,
        function: #private::identify_function(&#path),
        package: ::core::env!("CARGO_PKG_NAME"),
        file: #file,
        line: #line,
    };
    fields.extend(annotations(&tool.keys, private));
    fields.extend(keys(&tool.keys, private));
    fields.extend(availability(tool));
    fields.extend(required_state(tool, private));
    fields.extend(output(tool, private));
    quote!(#private::Declaration { #fields ..#private::Declaration::DEFAULT })
}

fn annotations(keys: &ToolKeys, private: &TokenStream) -> Option<TokenStream> {
    let hints = [
        &keys.read_only,
        &keys.destructive,
        &keys.idempotent,
        &keys.open_world,
    ];
    if hints.iter().all(|hint| hint.is_none()) {
        return None;
    }
    let hints = hints.map(|hint| option(hint.as_ref().map(|(_, on)| quote!(#on))));
    Some(quote!(annotations: #private::Annotations::new(#(#hints),*),))
}

fn keys(keys: &ToolKeys, private: &TokenStream) -> TokenStream {
    let mut fields = TokenStream::new();
    let mut some = |name: TokenStream, value: Option<TokenStream>| {
        if let Some(value) = value {
            fields.extend(quote!(#name: ::core::option::Option::Some(#value),));
        }
    };
    some(
        quote!(title),
        keys.title.as_ref().map(|title| quote!(#title)),
    );
    some(
        quote!(group),
        keys.group.as_ref().map(|group| quote!(#group)),
    );
    some(
        quote!(deprecated),
        keys.deprecated.as_ref().map(|why| quote!(#why)),
    );
    some(
        quote!(max_result_chars),
        keys.max_result_chars.map(|most| quote!(#most)),
    );
    some(
        quote!(risk),
        keys.risk
            .as_ref()
            .map(|(_, risk)| variant(private, "Risk", risk)),
    );
    some(
        quote!(concurrency),
        keys.concurrency
            .as_ref()
            .map(|(_, word)| variant(private, "Concurrency", word)),
    );
    some(
        quote!(timeout),
        keys.timeout.map(|timeout| {
            let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            quote!(#private::Duration::from_millis(#millis))
        }),
    );
    let judged = keys.risk_with.is_some() || keys.check.is_some() || keys.suggest_rules.is_some();
    some(quote!(facts), judged.then(|| quote!(__helve_facts)));
    some(
        quote!(match_rule),
        keys.match_rule.as_ref().map(|_| quote!(__helve_match_rule)),
    );
    if keys.always {
        fields.extend(quote!(always: true,));
    }
    if keys.cached.is_some() {
        fields.extend(quote!(cached: true,));
    }
    if keys.untrusted_output {
        fields.extend(quote!(untrusted_output: true,));
    }
    if !keys.examples.is_empty() {
        let examples = &keys.examples;
        fields.extend(quote!(examples: &[#(#examples),*],));
    }
    fields.extend(requires(keys, private));
    fields
}

/// Generates the functions that determine whether the tool is available. They have the spans of the attribute's keys,
/// which are the cause of an error if the signature does not match.
fn availability(tool: &ToolFn) -> TokenStream {
    let mut fields = TokenStream::new();
    if let Some(path) = &tool.keys.available_if {
        let path = without_self(tool, path);
        fields.extend(quote_spanned! {span_of(&path)=>
            available_if: ::core::option::Option::Some(|__helve_context| #path(__helve_context)),
        });
    }
    if let Some(path) = &tool.keys.config_check {
        let path = without_self(tool, path);
        fields.extend(quote_spanned! {span_of(&path)=>
            config_check: ::core::option::Option::Some(|__helve_context| {
                #path(__helve_context).map_err(|__helve_why| ::std::string::ToString::to_string(&__helve_why))
            }),
        });
    }
    fields
}

/// Generates the enum variant for a keyword.
fn variant(private: &TokenStream, of: &str, word: &str) -> TokenStream {
    let mut letters = word.chars();
    let name: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    let (of, name) = (quote::format_ident!("{of}"), quote::format_ident!("{name}"));
    quote!(#private::#of::#name)
}

fn requires(keys: &ToolKeys, private: &TokenStream) -> Option<TokenStream> {
    let requires = &keys.requires;
    let mut fields = TokenStream::new();
    for word in &requires.words {
        let name = quote::format_ident!("{word}");
        fields.extend(quote!(#name: true,));
    }
    for (name, names) in [
        ("hosts", &requires.hosts),
        ("programs", &requires.programs),
        ("secrets", &requires.secrets),
    ] {
        if !names.is_empty() {
            let name = quote::format_ident!("{name}");
            fields.extend(quote!(#name: &[#(#names),*],));
        }
    }
    (!fields.is_empty())
        .then(|| quote!(requires: #private::Requires { #fields ..#private::Requires::NONE },))
}

/// Generates the host state that the tool needs; each entry has the span of its type.
fn required_state(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let needs: Vec<TokenStream> = tool
        .host_parameters()
        .map(|parameter| {
            let (ParameterKind::Host(inner) | ParameterKind::OptionalHost(inner)) = &parameter.kind else { return quote!() };
            let optional = matches!(parameter.kind, ParameterKind::OptionalHost(_));
            let (cfgs, inner) = (&parameter.cfgs, without_self(tool, inner));
            quote_spanned!(span_of(&parameter.written)=> #(#cfgs)* #private::host_parameter::<#inner>().requirement(#optional))
        })
        .collect();
    let mut fields = TokenStream::new();
    if !needs.is_empty() {
        fields.extend(quote!(required_state: &[#(#needs),*],));
    }
    if let (Some(_), Some(owner)) = (tool.receiver(), &tool.owner) {
        let need = mixed!(#private::method_owner::<#owner>().requirement());
        fields.extend(quote!(receiver: ::core::option::Option::Some(#need),));
    }
    fields
}

/// Generates the probe for the schema of the return type.
fn output(tool: &ToolFn, private: &TokenStream) -> Option<TokenStream> {
    let returned = tool.return_type()?;
    let returned = match returned {
        Type::ImplTrait(stream) => stream_item(stream)?,
        written => written,
    };
    let returned = without_lifetimes(without_self(tool, returned));
    Some(quote! {
        output: {
            // A function: the compiler would generate two for a closure.
            fn __helve_output(__helve_outline: &mut #private::OutputSchemaSlot) {
                use #private::{NoSchema as _, ViaSchema as _, ViaResultSchema as _};
                __helve_outline.set((&&&#private::OutputSchemaProbe::<#returned>(::core::marker::PhantomData)).schema());
            }
            __helve_output
        },
    })
}

/// Elides the lifetimes of the function, which are not in scope outside of it.
fn without_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(name) if after_quote && name != "static" => {
                after_quote = false;
                Ident::new("_", name.span()).into()
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_lifetimes(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}

/// Returns the `T` in `impl Stream<Item = Update<T>>`.
pub(super) fn stream_item(stream: &syn::TypeImplTrait) -> Option<&Type> {
    stream.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let PathArguments::AngleBracketed(arguments) = &bound.path.segments.last()?.arguments
        else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(item) if item.ident == "Item" => first_argument(&item.ty),
            _ => None,
        })
    })
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
