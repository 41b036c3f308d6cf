//! The attributes of [helve](https://docs.rs/helve), which documents them: [`macro@tool`], [`macro@tools`] and
//! [`macro@data`].
//!
//! A function's way through here: `function` parses it into nouns, `check` holds it against the rules, `expand`
//! writes the definition. Errors accumulate and are reported together; whatever happens, the function itself comes out
//! whole, so that one mistake gives one error.

mod attribute;
mod check;
mod data;
mod docs;
mod expand;
mod function;
mod parameter;
mod report;
mod rule;
mod tool;
mod toolset;

use proc_macro::TokenStream;

/// Makes a function a tool that a model can call.
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(keys.into(), &item.into()).into()
}

/// Makes the `#[tool]` methods of an `impl` block tools.
#[proc_macro_attribute]
pub fn tools(keys: TokenStream, item: TokenStream) -> TokenStream {
    toolset::expand(keys.into(), item.into()).into()
}

/// Makes a struct or an enum something that a model can supply and that a tool can return.
#[proc_macro_attribute]
pub fn data(keys: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(keys.into(), &item.into()).into()
}
