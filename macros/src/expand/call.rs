//! Generates the functions of a tool, which parse the arguments and then call, check, or match a rule.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{GenericArgument, Path, PathArguments, Type};

use super::arguments::{self, borrow_argument, local, pass, span_of, without_self};
use super::declaration::stream_item;
use crate::function::ToolFn;
use crate::parameter::{Parameter, ParameterKind};

/// Generates the function that runs the body.
pub(super) fn call(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let parse = arguments::parse(tool, private);
    let started = if tool.keys.blocking.is_some() {
        blocking(tool, private)
    } else if tool.runs_at_once() {
        at_once(tool, private)
    } else {
        inline(tool, private)
    };
    mixed! {
        fn __helve_call<'a>(
            __helve_call: #private::Invocation<'a>,
            __helve_slot: &mut ::core::task::Poll<#private::ToolResult>,
        ) -> ::core::result::Result<#private::StartedCall<'a>, #private::Mistakes> {
            use #private::{IntoStartedCall as _, SplitPlain as _, ViaBox as _, ViaInto as _, ViaSerialize as _, ViaState as _, ViaStream as _, box_call as __helve_boxed};
            #parse
            ::core::result::Result::Ok(#started)
        }
    }
}

/// Generates the future of an `async fn`, or of a `fn` that does not block.
fn inline(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let take = arguments::take(tool, private, false);
    let scope = tool
        .host_parameters()
        .next()
        .map(|_| mixed!(let __helve_context = &__helve_call.scoped_context();));
    let receiver = tool.receiver().map(|_| {
        let owner = &tool.owner;
        mixed!(let __helve_self = #private::method_owner::<#owner>().receiver(__helve_call.receiver, __helve_call.context)?;)
    });
    let host = host(tool, private);
    let invoke = invoke(tool);
    let wait = tool.is_async().then(|| mixed!(.await));
    let context = mixed!(__helve_call.context);
    let (value, error) = conversions(tool, private, &context);
    let body = mixed! {
        #take
        #scope
        #receiver
        #host
        match #private::ReturnValue(#invoke #wait).split() {
            ::core::result::Result::Ok(__helve_value) => #value.await,
            ::core::result::Result::Err(__helve_error) => #error,
        }
    };
    // The block has the span of the function's name, where errors about a future that is not `Send` are shown.
    quote_spanned!(tool.ident().span()=> __helve_boxed(async move { #body }))
}

/// Generates the result of a body that never waits and borrows nothing: it needs no future.
fn at_once(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let take = arguments::take(tool, private, false);
    let invoke = match (invoke(tool), tool.is_async()) {
        (invoke, false) => invoke,
        (invoke, true) => mixed!(#private::poll_once(#invoke)),
    };
    let (value, error) = conversions(tool, private, &mixed!(__helve_call.context));
    quote_spanned! {tool.span()=>
        {
            #take
            match #private::ReturnValue(#invoke).split() {
                ::core::result::Result::Ok(__helve_value) => #value.into_started(__helve_slot),
                ::core::result::Result::Err(__helve_error) => #private::StartedCall::done(#error, __helve_slot),
            }
        }
    }
}

/// Generates the future of a `fn` that runs on the blocking pool and owns all its data.
fn blocking(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let take = arguments::take(tool, private, true);
    let (bound, receiver) = match tool.receiver() {
        None => (None, None),
        Some(_) => {
            let owner = &tool.owner;
            let bound = mixed!(let __helve_bound = __helve_call.shared_receiver(););
            let receiver = mixed!(
                let __helve_self = #private::method_owner::<#owner>().receiver(__helve_bound.as_ref(), __helve_context)?;
            );
            (Some(bound), Some(receiver))
        }
    };
    let host = host(tool, private);
    let owned: Vec<TokenStream> = tool.model_parameters().map(shadow_owned).collect();
    let invoke = invoke(tool);
    let (value, error) = conversions(tool, private, &mixed!(__helve_context));
    quote_spanned! {tool.span()=>
        {
            #take
            #bound
            __helve_boxed(#private::blocking::run(__helve_call.scoped_context(), move |__helve_context| {
                #(#owned)*
                #receiver
                #host
                match #private::ReturnValue(#invoke).split() {
                    ::core::result::Result::Ok(__helve_value) => #private::blocking::expect_ready(#value),
                    ::core::result::Result::Err(__helve_error) => #error,
                }
            }))
        }
    }
}

/// Moves an argument into the closure, whether the function takes it by value or by reference.
fn shadow_owned(parameter: &Parameter) -> TokenStream {
    let (cfgs, local) = (&parameter.cfgs, local(parameter));
    mixed!(#(#cfgs)* let #local = #local;)
}

/// Generates the look-up of host state.
fn host(tool: &ToolFn, private: &TokenStream) -> TokenStream {
    let lookups = tool.host_parameters().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(parameter));
        match &parameter.kind {
            ParameterKind::OptionalHost(inner) => {
                let inner = without_self(tool, inner);
                quote_spanned!(span_of(&parameter.written)=> #(#cfgs)* let #local = #private::host_parameter::<#inner>().find(__helve_context)?;)
            }
            ParameterKind::Host(inner) => {
                let inner = without_self(tool, inner);
                quote_spanned!(span_of(&parameter.written)=> #(#cfgs)* let #local = #private::host_parameter::<#inner>().get(__helve_context)?;)
            }
            _ => mixed!(),
        }
    });
    mixed!(#(#lookups)*)
}

fn invoke(tool: &ToolFn) -> TokenStream {
    let path = path(tool);
    let receiver = tool.receiver().map(|_| mixed!(__helve_self,));
    let arguments = tool.parameters.iter().map(|parameter| {
        let (cfgs, argument) = (&parameter.cfgs, pass(parameter));
        mixed!(#(#cfgs)* #argument)
    });
    mixed!(#path(#receiver #(#arguments),*))
}

/// Generates the path of the function, or of the method on its type.
pub(super) fn path(tool: &ToolFn) -> TokenStream {
    let ident = tool.ident();
    match &tool.owner {
        None => mixed!(#ident),
        Some(owner) => mixed!(<#owner>::#ident),
    }
}

/// Generates the conversion of value and error into a result; errors have the span of the user's type.
fn conversions(
    tool: &ToolFn,
    private: &TokenStream,
    context: &TokenStream,
) -> (TokenStream, TokenStream) {
    let (value_span, error_span) = match tool.return_type() {
        None => (tool.ident().span(), tool.ident().span()),
        Some(Type::ImplTrait(stream)) => {
            let span = stream_item(stream).map_or_else(|| stream.span(), Spanned::span);
            (span, span)
        }
        Some(returned) => match result_arguments(returned) {
            (Some(value), Some(error)) => (value.span(), error.span()),
            (Some(value), None) => (value.span(), returned.span()),
            _ => (returned.span(), returned.span()),
        },
    };
    // An unsatisfied bound is shown at the method's name, which therefore has the span of the user's type.
    let output = Ident::new("output", value_span);
    let into_tool_error = Ident::new("into_tool_error", error_span);
    let value = mixed!(#private::SuccessValue(::core::option::Option::Some(__helve_value)).#output(#context));
    let error = mixed! {
        ::core::result::Result::Err(#private::ErrorValue(::core::option::Option::Some(__helve_error)).#into_tool_error())
    };
    (value, error)
}

/// Returns the type arguments of a type that looks like a `Result`.
fn result_arguments(returned: &Type) -> (Option<&Type>, Option<&Type>) {
    let Type::Path(path) = returned else {
        return (None, None);
    };
    let Some(last) = path.path.segments.last() else {
        return (None, None);
    };
    if !last.ident.to_string().ends_with("Result") {
        return (None, None);
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return (None, None);
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    });
    (types.next(), types.next())
}

/// Generates the function that computes the facts of a call, if the tool has functions for that.
pub(super) fn facts(tool: &ToolFn, private: &TokenStream) -> Option<TokenStream> {
    let keys = &tool.keys;
    if keys.risk_with.is_none() && keys.check.is_none() && keys.suggest_rules.is_none() {
        return None;
    }
    let parse = arguments::parse(tool, private);
    let take = arguments::take(tool, private, false);
    let risk = keys.risk_with.as_ref().map(|path| {
        let (function, lent) = helper_call(tool, path, private, &[], &mixed!(#private::Risk));
        quote_spanned!(span_of(path)=> __helve_facts.risk = #function(#lent);)
    });
    let check = keys.check.as_ref().map(|path| {
        let (context, check) = (mixed!(&#private::ToolContext), mixed!(#private::Check));
        let (function, lent) = helper_call(tool, path, private, &[context], &check);
        quote_spanned!(span_of(path)=> #private::CheckResult::put(#function(&__helve_call.scoped_context(), #lent), &mut __helve_facts);)
    });
    let suggest = keys.suggest_rules.as_ref().map(|path| {
        let rules = mixed!(::std::vec::Vec<::std::string::String>);
        let (function, lent) = helper_call(tool, path, private, &[], &rules);
        quote_spanned!(span_of(path)=> __helve_facts.suggested_rules = #function(#lent);)
    });
    let restore = arguments::restore(tool, private);
    Some(mixed! {
        fn __helve_facts<'a>(
            __helve_call: #private::Invocation<'a>,
        ) -> ::core::result::Result<#private::Facts, #private::Mistakes> {
            #parse
            #take
            let mut __helve_facts = __helve_call.facts();
            #risk
            #check
            #suggest
            #restore
            ::core::result::Result::Ok(__helve_facts)
        }
    })
}

/// Generates the function that matches a rule against a call, if the tool has its own rules.
pub(super) fn match_rule(tool: &ToolFn, private: &TokenStream) -> Option<TokenStream> {
    let path = tool.keys.match_rule.as_ref()?;
    let first = [mixed!(&#private::ToolContext), mixed!(&str)];
    let coverage = mixed!(#private::Coverage);
    let (function, lent) = helper_call(tool, path, private, &first, &coverage);
    let parse = arguments::parse(tool, private);
    let take = arguments::take(tool, private, false);
    let matches =
        quote_spanned!(span_of(path)=> #function(__helve_call.context, __helve_rule, #lent));
    let restore = arguments::restore(tool, private);
    Some(mixed! {
        fn __helve_match_rule<'a>(
            __helve_call: #private::Invocation<'a>,
            __helve_rule: &str,
        ) -> ::core::result::Result<#private::Coverage, #private::Mistakes> {
            #parse
            #take
            let __helve_covered = #private::Into::into(#matches);
            #restore
            ::core::result::Result::Ok(__helve_covered)
        }
    })
}

/// The most parameters of a helper function whose number is checked; `FitsSignature` has as many implementations.
const CHECKED_PARAMETERS: usize = 8;

/// Generates a helper function, and the borrowed arguments in their order. Both have the span of the function's name in
/// the attribute, which is the cause of an error if the signature does not match.
fn helper_call(
    tool: &ToolFn,
    path: &Path,
    private: &TokenStream,
    first: &[TokenStream],
    output: &TokenStream,
) -> (TokenStream, TokenStream) {
    let path = without_self(tool, path);
    let types = first.iter().cloned().chain(
        tool.model_parameters()
            .map(|parameter| arguments::borrowed_type(tool, parameter)),
    );
    let types: Vec<_> = types.collect();
    let is_fixed = tool
        .model_parameters()
        .all(|parameter| parameter.cfgs.is_empty());
    let function = if is_fixed && types.len() <= CHECKED_PARAMETERS {
        let any = types.iter().map(|_| mixed!(_,));
        let check =
            mixed!(#private::check_signature::<fn(#(#types),*) -> #output, (#(#any)*), _, _>);
        let check = respan(check, path.span());
        quote_spanned!(span_of(&path)=> #check(#path))
    } else {
        path.clone()
    };
    let arguments = tool.model_parameters().map(|parameter| {
        let (cfgs, argument) = (
            &parameter.cfgs,
            respan(borrow_argument(parameter), path.span()),
        );
        mixed!(#(#cfgs)* #argument)
    });
    let arguments = mixed!(#(#arguments),*);
    (function, arguments)
}

/// Changes the span of tokens without changing their hygiene.
fn respan(tokens: TokenStream, to: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(to));
            token
        })
        .collect()
}
