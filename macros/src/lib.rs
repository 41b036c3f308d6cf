//! The attribute macros of [helve](https://docs.rs/helve): [`macro@tool`], [`macro@tools`] and [`macro@data`]. Depend on
//! `helve`, not on this crate.
//!
//! Their documentation is below `docs`; its examples need helve, whose doctests run them.
//!
//! An expansion has three steps: `function` parses the function, `check` applies the rules, and `expand` generates the
//! definition. Errors are collected and reported together. The function itself is always emitted unchanged, so that
//! one mistake results in one error.

mod attribute;
mod check;
mod data;
mod docs;
mod expand;
mod function;
mod incomplete;
mod parameter;
mod report;
mod rule;
mod tool;
mod toolset;

use proc_macro::TokenStream;

/// Makes a function a tool that a model can call.
///
#[doc = include_str!("../docs/tool.md")]
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(keys.into(), &item.into()).into()
}

/// Makes the `#[tool]` methods of an `impl` block tools.
///
#[doc = include_str!("../docs/tools.md")]
#[proc_macro_attribute]
pub fn tools(keys: TokenStream, item: TokenStream) -> TokenStream {
    toolset::expand(keys.into(), item.into()).into()
}

/// Makes a struct or an enum something that a model can supply and that a tool can return.
///
#[doc = include_str!("../docs/data.md")]
#[proc_macro_attribute]
pub fn data(keys: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(keys.into(), &item.into()).into()
}
