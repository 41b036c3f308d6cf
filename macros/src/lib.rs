//! The attributes of [helve](https://docs.rs/helve): [`macro@tool`], [`macro@tools`] and [`macro@data`].
//!
//! A function's way through here: [`function`] parses it into nouns, [`check`] holds it against the rules, [`expand`]
//! writes the definition. Errors accumulate on the way and are told at once; whatever happens, the function itself comes
//! out whole, so that one mistake gives one error.

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
///
/// The name comes from the function, the description from its docs, the schema from its parameters: those by value are
/// the model's, those by reference the host's. See the crate's guide for the keys.
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(keys.into(), &item.into()).into()
}

/// Makes the `#[tool]` methods of an `impl` block tools, and gives the type a `toolset` function.
#[proc_macro_attribute]
pub fn tools(keys: TokenStream, item: TokenStream) -> TokenStream {
    toolset::expand(keys.into(), item.into()).into()
}

/// Makes a struct or an enum something that a model can supply and that a tool can return.
///
/// It derives `Serialize`, `Deserialize` and `JsonSchema` through helve, so that no further dependency is needed.
#[proc_macro_attribute]
pub fn data(keys: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(keys.into(), &item.into()).into()
}
