//! `#[tool]` on a function.

use proc_macro2::TokenStream;
use quote::quote;

use crate::check;
use crate::expand;
use crate::function::{Function, ToolFn};
use crate::incomplete;
use crate::report::Report;
use crate::rule::Rule;

/// Parses, checks and expands; on an error the function is emitted unchanged, together with the errors.
pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            if is_function(item) {
                let (item, is_incomplete) = incomplete::function(item.clone());
                if is_incomplete {
                    return item;
                }
                // The compiler reports the same error first, and stops there.
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

/// Reports whether an item that could not be parsed was intended to be a function.
fn is_function(item: &TokenStream) -> bool {
    item.clone()
        .into_iter()
        .any(|token| matches!(token, proc_macro2::TokenTree::Ident(ident) if ident == "fn"))
}

/// Returns the token at which an error about the whole item is shown: the first token after the attributes.
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
