//! Functions with a parameter that its author is still typing.
//!
//! The compiler parses an item before a macro sees it. It reports such a parameter and goes on, so that an error of the
//! macro's own parser would be the second about one mistake.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, FnArg, Token};

/// Returns the tokens without `#[arg]` and the docs of parameters, and whether the compiler has reported a parameter.
pub(crate) fn function(tokens: TokenStream) -> (TokenStream, bool) {
    let (mut out, mut is_incomplete) = (Vec::new(), false);
    // Whether the next group in parentheses is a list of parameters, and the depth of generics before it.
    let (mut in_signature, mut depth, mut after_minus) = (false, 0_i32, false);
    for token in tokens {
        let is_minus = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '-');
        let token = match token {
            TokenTree::Group(group)
                if in_signature && depth == 0 && group.delimiter() == Delimiter::Parenthesis =>
            {
                in_signature = false;
                is_incomplete |= has_incomplete.parse2(group.stream()).unwrap_or(false);
                with_stream(&group, without_attributes(group.stream()))
            }
            TokenTree::Ident(ident) if ident == "fn" && !in_signature => {
                (in_signature, depth) = (true, 0);
                ident.into()
            }
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    '<' => depth += 1,
                    '>' if !after_minus => depth -= 1,
                    _ => {}
                }
                punct.into()
            }
            token => token,
        };
        after_minus = is_minus;
        out.push(token);
    }
    (out.into_iter().collect(), is_incomplete)
}

/// Replaces the tokens inside a group.
pub(crate) fn with_stream(group: &Group, tokens: TokenStream) -> TokenTree {
    let mut replaced = Group::new(group.delimiter(), tokens);
    replaced.set_span(group.span());
    replaced.into()
}

/// Finds a parameter without a type, such as `city` and `city: `.
fn has_incomplete(input: ParseStream<'_>) -> syn::Result<bool> {
    while !input.is_empty() {
        if input.fork().parse::<FnArg>().is_err() {
            input.call(Attribute::parse_outer)?;
            input.call(syn::Pat::parse_single)?;
            input.parse::<Option<Token![:]>>()?;
            let is_incomplete = input.is_empty() || input.peek(Token![,]);
            input.parse::<TokenStream>()?;
            return Ok(is_incomplete);
        }
        input.parse::<FnArg>()?;
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(false)
}

fn without_attributes(parameters: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in parameters {
        let is_helper = matches!(&token, TokenTree::Group(group)
            if group.delimiter() == Delimiter::Bracket
                && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "arg" || name == "doc"));
        if is_helper
            && matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#')
        {
            kept.pop();
        } else {
            kept.push(token);
        }
    }
    if ends_without_type(&kept) {
        // The compiler would report the parameter again: the parenthesis after it is another one now.
        let name = kept.pop();
        kept.extend(quote!(#[allow(unused_variables)] #name: ::core::convert::Infallible));
    }
    kept.into_iter().collect()
}

/// Reports whether the last parameter is a name alone.
fn ends_without_type(parameters: &[TokenTree]) -> bool {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    match parameters {
        [TokenTree::Ident(name)] => name != "self",
        [.., before, TokenTree::Ident(_)] => is_comma(before),
        _ => false,
    }
}
