//! `#[tools]` on an `impl` block: methods as tools, and `T::toolset(Arc<T>)`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, Meta, Path, Token, Type, braced};

use crate::attribute::{self, ToolKeys};
use crate::check;
use crate::expand;
use crate::function::{Function, ToolFn};
use crate::incomplete;
use crate::report::Report;
use crate::rule::Rule;
use crate::tool::first_token;

/// An `impl` block in which only the functions that are tools are parsed.
struct ToolsBlock {
    attributes: Vec<Attribute>,
    generics: Generics,
    trait_path: Option<Path>,
    owner: Type,
    items: Vec<BlockItem>,
}

enum BlockItem {
    Tool {
        function: Box<Function>,
        keys: TokenStream,
    },
    Other(TokenStream),
}

pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let (krate, _) = attribute::crate_key(keys, &[], &mut report);
    let block = match syn::parse2::<ToolsBlock>(item.clone()) {
        Ok(block) => block,
        Err(error) if first_token(&item).to_string() == "impl" => return unread(item, &error),
        Err(_) => {
            report.error(
                Rule::ToolsNotImpl,
                first_token(&item),
                "`#[tools]` can only be applied to `impl` blocks",
            );
            let errors = report.into_tokens();
            return quote!(#item #errors);
        }
    };
    block.check(&mut report);
    let ToolsBlock {
        attributes,
        generics,
        trait_path: of_trait,
        owner,
        items,
    } = block;
    let of_trait = of_trait.map(|path| quote!(#path for));
    let mut members = TokenStream::new();
    let mut tools = Vec::new();
    for item in items {
        match item {
            BlockItem::Other(tokens) => members.extend(tokens),
            BlockItem::Tool { function, keys } => {
                let mut tool = ToolFn::parse(*function, keys, Some(owner.clone()), &mut report);
                tool.keys.krate = crate_path(&tool.keys, &krate);
                check::check(&tool, &mut report);
                tool.function.to_tokens(&mut members);
                tools.push(tool);
            }
        }
    }
    let block = quote!(#(#attributes)* impl #generics #of_trait #owner { #members });
    if report.is_empty() {
        let definitions = expand::methods(&krate, &owner, &tools);
        quote!(#block #definitions)
    } else {
        let errors = report.into_tokens();
        quote!(#block #errors)
    }
}

/// Reports the error of the parser, and emits the block for the compiler, which usually reports an error too. The
/// `#[tool]` attributes are removed, because they have no meaning outside of a parsed block.
fn unread(item: TokenStream, error: &syn::Error) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let mut is_incomplete = false;
    if let Some(token) = tokens.last_mut()
        && let TokenTree::Group(body) = token
    {
        let (members, found) = incomplete::function(without_tool_attributes(body.stream()));
        is_incomplete = found;
        *token = incomplete::with_stream(body, members);
    }
    let item: TokenStream = tokens.into_iter().collect();
    if is_incomplete {
        return item;
    }
    let error = error.to_compile_error();
    quote!(#item #error)
}

fn without_tool_attributes(members: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in members {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::Bracket
            && matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#')
            && syn::parse2::<Meta>(group.stream()).is_ok_and(|meta| is_tool(meta.path()))
        {
            kept.pop();
        } else {
            kept.push(token);
        }
    }
    kept.into_iter().collect()
}

/// Returns the `crate` path: that of the method takes precedence over that of the block.
fn crate_path(keys: &ToolKeys, block: &Path) -> Path {
    if keys.krate == attribute::default_crate() {
        block.clone()
    } else {
        keys.krate.clone()
    }
}

impl ToolsBlock {
    fn check(&self, report: &mut Report) {
        if let Some(of_trait) = &self.trait_path {
            let message = "`#[tools]` can only be applied to inherent `impl` blocks: call the trait's method from a method there";
            report.error(Rule::ToolsOnTrait, of_trait, message);
        }
        if !self.generics.params.is_empty() {
            let message = "a toolset has one concrete type: name it, or hold a `dyn Trait` inside";
            report.error(Rule::ToolsGeneric, &self.generics, message);
        }
        if !self
            .items
            .iter()
            .any(|item| matches!(item, BlockItem::Tool { .. }))
        {
            report.error(
                Rule::ToolsEmpty,
                &self.owner,
                "no method here is a tool: put `#[tool]` on one",
            );
        }
    }
}

impl Parse for ToolsBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Token![impl]>()?;
        let generics = if input.peek(Token![<]) {
            input.parse()?
        } else {
            Generics::default()
        };
        let mut owner: Type = input.parse()?;
        let mut of_trait = None;
        if input.parse::<Option<Token![for]>>()?.is_some() {
            of_trait = Some(syn::parse2(owner.to_token_stream())?);
            owner = input.parse()?;
        }
        let content;
        braced!(content in input);
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Self {
            attributes,
            generics,
            trait_path: of_trait,
            owner,
            items,
        })
    }
}

impl Parse for BlockItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.fork().call(Attribute::parse_outer)?;
        match attributes
            .iter()
            .find(|attribute| is_tool(attribute.path()))
        {
            None => Ok(Self::Other(
                input.parse::<syn::ImplItem>()?.into_token_stream(),
            )),
            Some(attribute) => {
                let keys = match &attribute.meta {
                    Meta::List(list) => list.tokens.clone(),
                    _ => TokenStream::new(),
                };
                let item: syn::ImplItem = input.parse()?;
                let mut function: Function = syn::parse2(item.into_token_stream())?;
                function
                    .attributes
                    .retain(|attribute| !is_tool(attribute.path()));
                Ok(Self::Tool {
                    function: Box::new(function),
                    keys,
                })
            }
        }
    }
}

/// Recognises `#[tool]` as well as `#[helve::tool]`.
fn is_tool(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|segment| segment.ident == "tool")
}
