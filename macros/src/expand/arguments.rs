//! Generates the table of parameters, and the slots that the parser fills.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Lit, Type};

use crate::attribute::{ArgDefault, ArgKeys};
use crate::function::ToolFn;
use crate::parameter::{Parameter, ParameterKind};

/// Generates the table; errors about types that the model cannot supply have the span of the type.
pub(super) fn table(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let rows = tool.model_parameters().map(|parameter| {
        let cfgs = &parameter.cfgs;
        let row = row(tool, parameter, private);
        mixed!(#(#cfgs)* #row)
    });
    mixed!(static __HELVE_PARAMETERS: &[#private::Parameter] = &[#(#rows),*];)
}

fn row(tool: &ToolFn, parameter: &Parameter, private: &TokenStream) -> TokenStream {
    let (name, description) = (parameter.name(), parameter.text());
    let kind = kind(tool, parameter, private);
    let mut fields = mixed!(name: #name, description: #description, kind: #kind,);
    if let Some((key, default)) = &parameter.keys.default {
        let default = default_value(tool, parameter, default, key.span(), private);
        fields.extend(mixed!(default: ::core::option::Option::Some(#default),));
    }
    if !parameter.keys.examples.is_empty() {
        let examples = parameter.keys.examples.iter().map(|example| {
            quote_spanned!(span_of(example)=> || { use #private::NoJson as _; (&#private::DefaultJson(#example)).json() })
        });
        fields.extend(mixed!(examples: &[#(#examples),*],));
    }
    if let Some(constraints) = constraints(&parameter.keys, private) {
        fields.extend(mixed!(constraints: #constraints,));
    }
    mixed!(#private::Parameter { #fields ..#private::Parameter::DEFAULT })
}

fn kind(tool: &ToolFn, parameter: &Parameter, private: &TokenStream) -> TokenStream {
    match &parameter.kind {
        ParameterKind::Text => mixed!(&#private::ParameterKind::TEXT),
        ParameterKind::OptionalText => mixed!(&#private::ParameterKind::OPTIONAL_TEXT),
        ParameterKind::Slice(element) => {
            let element = without_self(tool, element);
            quote_spanned!(span_of(&parameter.written)=> &<#element as #private::ToolArg>::LIST)
        }
        _ => {
            let owned = owned_type(tool, parameter);
            quote_spanned!(span_of(&parameter.written)=> &<#owned as #private::ToolArg>::KIND)
        }
    }
}

/// Returns the type that the slot of a parameter contains.
fn owned_type(tool: &ToolFn, parameter: &Parameter) -> TokenStream {
    match &parameter.kind {
        ParameterKind::Slice(element) => {
            let element = without_self(tool, element);
            quote_spanned!(span_of(&parameter.written)=> ::std::vec::Vec<#element>)
        }
        ParameterKind::Value(written)
        | ParameterKind::Host(written)
        | ParameterKind::OptionalHost(written) => without_self(tool, written),
        ParameterKind::Text | ParameterKind::OptionalText => mixed!(),
    }
}

fn default_value(
    tool: &ToolFn,
    parameter: &Parameter,
    default: &ArgDefault,
    key: Span,
    private: &TokenStream,
) -> TokenStream {
    let span = Span::mixed_site().located_at(key);
    let is_literal =
        matches!(default, ArgDefault::Expr(Expr::Lit(text)) if matches!(text.lit, Lit::Str(_)));
    let ty = match parameter.kind {
        ParameterKind::OptionalText if !is_literal => mixed!(::core::option::Option<&'static str>),
        ParameterKind::Text | ParameterKind::OptionalText => mixed!(&'static str),
        _ => owned_type(tool, parameter),
    };
    // Errors about the type are shown at the span of the call: the key, or the text.
    let value = match default {
        ArgDefault::Trait => {
            let make = quote_spanned!(key=> __HelveDefault::make());
            mixed!({ use #private::DefaultTrait as __HelveDefault; let value: #ty = #make; value })
        }
        ArgDefault::Expr(Expr::Lit(text)) if matches!(text.lit, Lit::Str(_)) => {
            let make = quote_spanned!(text.span()=> __HelveDefault::make(#text));
            mixed!({ use #private::DefaultText as __HelveDefault; let value: #ty = #make; value })
        }
        ArgDefault::Expr(expr) => quote_spanned!(span_of(expr)=> { let value: #ty = #expr; value }),
    };
    let fill = match parameter.kind {
        ParameterKind::OptionalText if !is_literal => {
            mixed!(if let ::core::option::Option::Some(text) = #value { #private::default_slot::fill_text(slot, text) })
        }
        ParameterKind::Text | ParameterKind::OptionalText => {
            mixed!(#private::default_slot::fill_text(slot, #value))
        }
        _ => mixed!(#private::default_slot::fill(slot, #value)),
    };
    let slot = Ident::new("slot", Span::mixed_site());
    quote_spanned! {span=>
        #private::DefaultValue {
            fill: |#slot| { #fill },
            json: || { use #private::NoJson as _; (&#private::DefaultJson(#value)).json() },
        }
    }
}

pub(super) fn constraints(keys: &ArgKeys, private: &TokenStream) -> Option<TokenStream> {
    let mut fields = TokenStream::new();
    let mut field = |name: &str, value: Option<TokenStream>| {
        if let Some(value) = value {
            let name = format_ident!("{name}");
            fields.extend(mixed!(#name: ::core::option::Option::Some(#value),));
        }
    };
    field(
        "min",
        keys.min.as_ref().map(|(_, value)| value.to_token_stream()),
    );
    field(
        "max",
        keys.max.as_ref().map(|(_, value)| value.to_token_stream()),
    );
    field(
        "min_len",
        keys.min_len
            .as_ref()
            .map(|(_, value)| value.to_token_stream()),
    );
    field(
        "max_len",
        keys.max_len
            .as_ref()
            .map(|(_, value)| value.to_token_stream()),
    );
    field(
        "pattern",
        keys.pattern
            .as_ref()
            .map(|(_, value)| value.to_token_stream()),
    );
    (!fields.is_empty())
        .then(|| mixed!(#private::Constraints { #fields ..#private::Constraints::NONE }))
}

/// Generates one local variable per parameter, and the call of the parser that fills them.
pub(super) fn parse(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let locals = tool.model_parameters().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(parameter));
        match parameter.kind {
            ParameterKind::Text | ParameterKind::OptionalText => {
                mixed!(#(#cfgs)* let mut #local: ::core::option::Option<#private::Cow<'_, str>> = ::core::option::Option::None;)
            }
            _ => {
                let owned = owned_type(tool, parameter);
                quote_spanned!(span_of(&parameter.written)=> #(#cfgs)* let mut #local: ::core::option::Option<#owned> = ::core::option::Option::None;)
            }
        }
    });
    let slots = slots(tool, private);
    mixed! {
        #(#locals)*
        if let ::core::result::Result::Err(__helve_mistakes) = __helve_call.parse(&mut [#(#slots),*]) {
            return ::core::result::Result::Err(__helve_mistakes);
        }
    }
}

/// Generates one slot per parameter, each of which borrows its local variable.
fn slots(tool: &ToolFn, private: &TokenStream) -> Vec<TokenStream> {
    let slots = tool.model_parameters().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(parameter));
        match parameter.kind {
            ParameterKind::Text | ParameterKind::OptionalText => {
                mixed!(#(#cfgs)* #private::Slot::Text(&mut #local))
            }
            _ => mixed!(#(#cfgs)* #private::Slot::value(&mut #local)),
        }
    });
    slots.collect()
}

/// Generates the statements that move the arguments out of their slots; `owned` if they outlive the call's text.
pub(super) fn take(tool: &ToolFn, private: &TokenStream, owned: bool) -> TokenStream {
    let takes = tool.model_parameters().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(parameter));
        let value = match (&parameter.kind, owned) {
            (ParameterKind::OptionalText, false) => return mixed!(),
            (ParameterKind::OptionalText, true) => mixed!(#local.map(#private::Cow::into_owned)),
            (ParameterKind::Text, true) => mixed!(#private::take(#local).into_owned()),
            _ => mixed!(#private::take(#local)),
        };
        mixed!(#(#cfgs)* let #local = #value;)
    });
    mixed!(#(#takes)*)
}

/// Generates the statements that put the arguments back, for later functions of the same call.
pub(super) fn restore(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let locals = tool.model_parameters().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(parameter));
        match parameter.kind {
            // This argument was not moved out of its slot.
            ParameterKind::OptionalText => mixed!(),
            _ => {
                mixed!(#(#cfgs)* let mut #local = ::core::option::Option::Some(#local);)
            }
        }
    });
    let slots = slots(tool, private);
    mixed! {
        #(#locals)*
        __helve_call.restore_arguments(&mut [#(#slots),*]);
    }
}

/// Generates an argument in the form that the function takes.
pub(super) fn pass(parameter: &Parameter) -> TokenStream {
    let local = local(parameter);
    match &parameter.kind {
        ParameterKind::Value(_) | ParameterKind::Host(_) | ParameterKind::OptionalHost(_) => {
            mixed!(#local)
        }
        ParameterKind::Text | ParameterKind::Slice(_) => mixed!(&*#local),
        ParameterKind::OptionalText => mixed!(#local.as_deref()),
    }
}

/// Generates an argument in the form that helper functions of the tool borrow.
pub(super) fn borrow_argument(parameter: &Parameter) -> TokenStream {
    match &parameter.kind {
        ParameterKind::Value(_) => {
            let local = local(parameter);
            mixed!(&#local)
        }
        _ => pass(parameter),
    }
}

/// Generates the type of an argument in the form that helper functions of the tool borrow.
pub(super) fn borrowed_type(tool: &ToolFn, parameter: &Parameter) -> TokenStream {
    match &parameter.kind {
        ParameterKind::Text => mixed!(&str),
        ParameterKind::OptionalText => mixed!(::core::option::Option<&str>),
        ParameterKind::Slice(element) => {
            let element = without_self(tool, element);
            mixed!(&[#element])
        }
        _ => {
            let owned = owned_type(tool, parameter);
            mixed!(&#owned)
        }
    }
}

/// Returns the name of a parameter's local variable, which cannot clash with the user's names.
pub(super) fn local(parameter: &Parameter) -> Ident {
    let name = parameter.ident.to_string();
    Ident::new(
        &format!("__helve_arg_{}", name.trim_start_matches("r#")),
        Span::mixed_site().located_at(parameter.ident.span()),
    )
}

/// Returns the span of the user's tokens, with the macro's own hygiene.
pub(super) fn span_of(written: &impl ToTokens) -> Span {
    Span::mixed_site().located_at(written.span())
}

/// Replaces `Self` in a type that is used outside of the `impl` block.
pub(super) fn without_self(tool: &ToolFn, written: &impl ToTokens) -> TokenStream {
    match &tool.owner {
        None => written.to_token_stream(),
        Some(owner) => replace_self(written.to_token_stream(), owner),
    }
}

fn replace_self(tokens: TokenStream, owner: &Type) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            proc_macro2::TokenTree::Ident(ident) if ident == "Self" => owner.to_token_stream(),
            proc_macro2::TokenTree::Group(group) => {
                let mut replaced =
                    proc_macro2::Group::new(group.delimiter(), replace_self(group.stream(), owner));
                replaced.set_span(group.span());
                proc_macro2::TokenTree::Group(replaced).into()
            }
            other => other.into(),
        })
        .collect()
}
