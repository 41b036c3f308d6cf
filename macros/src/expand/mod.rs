//! Generates the definition of a tool: constants, and two or three small functions that call the runtime.
//!
//! This module makes no decisions. Generated code is kept small: code that is the same for every tool is an ordinary
//! function of the runtime, which is typed, tested and compiled once.

/// Quotes with the macro's own hygiene: local variables are invisible to the user's code, items and types are not.
macro_rules! mixed {
    ($($tokens:tt)*) => { quote::quote_spanned!(proc_macro2::Span::mixed_site()=> $($tokens)*) };
}

mod arguments;
mod call;
mod declaration;
mod field;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Path, Type};

use crate::function::ToolFn;

pub(crate) use field::field;

/// Generates the definition of a function.
pub(crate) fn function(tool: &ToolFn) -> TokenStream {
    let private = private(&tool.keys.krate);
    let cfgs = tool.cfgs();
    let definition = definition(tool, &private, &format_ident!("__HELVE_TOOL"));
    let allow = allow();
    quote! {
        #(#cfgs)*
        #allow
        const _: () = {
            #definition
        };
    }
}

/// Generates the definitions of methods, and the function that binds the methods to a value.
pub(crate) fn methods(krate: &Path, owner: &Type, tools: &[ToolFn]) -> TokenStream {
    let private = private(krate);
    let modules = tools.iter().map(|tool| {
        let cfgs = tool.cfgs();
        let ident = static_ident(tool);
        let definition = definition(tool, &private, &ident);
        // A function body is a scope, so that the definitions of two methods may have the same inner names.
        quote!(#(#cfgs)* static #ident: &#private::ToolDef = { #definition &#ident };)
    });
    let bound = tools.iter().map(|tool| {
        let (cfgs, ident) = (tool.cfgs(), static_ident(tool));
        quote!(#(#cfgs)* #ident)
    });
    let allow = allow();
    quote! {
        #allow
        const _: () = {
            #(#modules)*
            impl #owner {
                /// Returns the tools of this type, bound to one value.
                #[must_use]
                pub fn toolset(this: #private::Arc<Self>) -> #private::Toolset {
                    #private::method_owner::<#owner>().bind(this, &[#(#bound),*])
                }
            }
        };
    }
}

/// Generates the functions and the static of one tool, and the registration.
fn definition(tool: &ToolFn, private: &TokenStream, ident: &Ident) -> TokenStream {
    let parameters = arguments::table(tool, private);
    let call = call::call(tool, private);
    let facts = call::facts(tool, private);
    let match_rule = call::match_rule(tool, private);
    let declaration = declaration::declaration(tool, private);
    quote! {
        #parameters
        #call
        #facts
        #match_rule
        static #ident: #private::ToolDef = #private::ToolDef::new(#declaration);
        #private::register_tool!(#ident);
    }
}

fn private(krate: &Path) -> TokenStream {
    quote!(#krate::__private)
}

fn static_ident(tool: &ToolFn) -> Ident {
    format_ident!(
        "__HELVE_TOOL_{}",
        tool.ident().to_string().trim_start_matches("r#")
    )
}

/// Disables lints in generated code, which the user cannot fix.
fn allow() -> TokenStream {
    quote! {
        #[allow(
            deprecated,
            non_local_definitions,
            non_upper_case_globals,
            unreachable_code,
            unreachable_patterns,
            unreachable_pub,
            unused_imports,
            unused_qualifications,
            unused_variables,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
    }
}
