//! The attributes of helve.
use proc_macro::TokenStream;
/// t
#[proc_macro_attribute] pub fn tool(_a: TokenStream, i: TokenStream) -> TokenStream { i }
/// t
#[proc_macro_attribute] pub fn tools(_a: TokenStream, i: TokenStream) -> TokenStream { i }
/// t
#[proc_macro_attribute] pub fn data(_a: TokenStream, i: TokenStream) -> TokenStream { i }
