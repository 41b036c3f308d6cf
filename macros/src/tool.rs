//! `#[tool]` on a function.

use proc_macro2::TokenStream;
use quote::quote;

use crate::check;
use crate::expand;
use crate::function::{Function, ToolFn};
use crate::report::Report;
use crate::rule::Rule;

/// Parses, checks, expands; on an error the function comes out as it is, with the errors beside it.
pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            if is_function(item) {
                // The compiler's own parse of the function comes first, and ends there.
                report.syntax(error);
            } else {
                let message = "`#[tool]` can only be applied to functions";
                report.error(Rule::NotAFunction, first_token(item), message);
            }
            let errors = report.into_tokens();
            return quote!(#item #errors);
        }
    };
    let tool = ToolFn::parse(function, keys, None, &mut report);
    check::check(&tool, &mut report);
    let function = &tool.function;
    if report.is_empty() {
        let definition = expand::function(&tool);
        quote!(#function #definition)
    } else {
        let errors = report.into_tokens();
        quote!(#function #errors)
    }
}

/// Reports whether an item that could not be read was meant to be a function.
fn is_function(item: &TokenStream) -> bool {
    item.clone()
        .into_iter()
        .any(|token| matches!(token, proc_macro2::TokenTree::Ident(ident) if ident == "fn"))
}

/// Returns the token that an error about the whole item is shown at: the first that is no attribute.
pub(crate) fn first_token(item: &TokenStream) -> TokenStream {
    let mut tokens = item.clone().into_iter().peekable();
    while let Some(proc_macro2::TokenTree::Punct(punct)) = tokens.peek() {
        if punct.as_char() != '#' {
            break;
        }
        tokens.next();
        tokens.next();
    }
    tokens.next().map_or_else(TokenStream::new, Into::into)
}
