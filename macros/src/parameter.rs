//! The parameters of a tool, classified by their source: the model or the host.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{
    Attribute, Field, FnArg, GenericArgument, Lifetime, Pat, PatType, PathArguments, Type,
    TypeReference,
};

use crate::attribute::ArgKeys;
use crate::docs;
use crate::report::Report;
use crate::rule::Rule;

/// A parameter.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) description: String,
    pub(crate) keys: ArgKeys,
    pub(crate) kind: ParameterKind,
    /// The type as written.
    pub(crate) written: Type,
}

/// The source of a parameter's value.
pub(crate) enum ParameterKind {
    /// From the model, by value.
    Value(Type),
    /// From the model: `&str`.
    Text,
    /// From the model: `Option<&str>`.
    OptionalText,
    /// From the model: `&[T]`.
    Slice(Type),
    /// From the host: `&T`.
    Host(Type),
    /// From the host, if it exists: `Option<&T>`.
    OptionalHost(Type),
}

impl Parameter {
    /// Parses one parameter of a signature; `None` for the receiver, and for anything that cannot be a parameter.
    pub(crate) fn parse(argument: &FnArg, report: &mut Report) -> Option<Self> {
        let FnArg::Typed(argument) = argument else {
            return None;
        };
        let ident = name(argument, report)?;
        let kind = ParameterKind::from_type(&argument.ty, report)?;
        Some(Self {
            ident,
            cfgs: cfgs(&argument.attrs),
            description: docs::reflow(&docs::doc_text(&argument.attrs)),
            keys: ArgKeys::read(&argument.attrs, report),
            kind,
            written: Type::clone(&argument.ty),
        })
    }

    /// Reads `#[arg]` of a field of `#[data]`, which is a value like one that a parameter takes.
    pub(crate) fn from_field(field: &Field, index: usize, report: &mut Report) -> Self {
        let ident = field.ident.clone();
        Self {
            ident: ident.unwrap_or_else(|| format_ident!("field_{index}")),
            cfgs: Vec::new(),
            description: String::new(),
            keys: ArgKeys::read(&field.attrs, report),
            kind: ParameterKind::Value(field.ty.clone()),
            written: field.ty.clone(),
        }
    }

    /// Reports whether the model supplies the parameter.
    pub(crate) fn is_from_model(&self) -> bool {
        !matches!(
            self.kind,
            ParameterKind::Host(_) | ParameterKind::OptionalHost(_)
        )
    }

    /// Returns the name that the model sees.
    pub(crate) fn name(&self) -> String {
        match &self.keys.name {
            Some(name) => name.value(),
            None => self.ident.unraw().to_string(),
        }
    }

    /// Returns the description for the model.
    pub(crate) fn text(&self) -> &str {
        self.keys
            .description
            .as_deref()
            .unwrap_or(&self.description)
    }
}

/// Returns the `#[cfg]` attributes, which everything that is generated from the item must have.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

fn name(argument: &PatType, report: &mut Report) -> Option<Ident> {
    match &*argument.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        pat => {
            let message = match pat {
                Pat::Wild(_) => {
                    "a tool's parameter has a name, which the model sees: name it, or leave it out"
                }
                _ => {
                    "a tool's parameter has a plain name, which the model sees: take the value apart in the body"
                }
            };
            report.error(Rule::NonIdentifierPattern, pat, message);
            None
        }
    }
}

impl ParameterKind {
    /// Determines the source of a parameter from the syntax of its type; `None` after an error.
    fn from_type(written: &Type, report: &mut Report) -> Option<Self> {
        match written {
            Type::Reference(reference) => Self::from_reference(reference, report),
            Type::Group(group) => Self::from_type(&group.elem, report),
            Type::Paren(paren) => Self::from_type(&paren.elem, report),
            Type::ImplTrait(_) => {
                report.error(
                    Rule::ImplTraitArgument,
                    written,
                    "a tool's parameter has one type, since its schema has: write it out",
                );
                None
            }
            Type::Path(_) if last_is(written, "ToolContext") => {
                report.error(
                    Rule::ContextByValue,
                    written,
                    "the context comes from the host: write `&ToolContext`",
                );
                None
            }
            written => Self::from_value_type(written, report),
        }
    }

    fn from_reference(reference: &TypeReference, report: &mut Report) -> Option<Self> {
        if reference.mutability.is_some() {
            let message = "a tool takes nothing by `&mut`, since calls run side by side: take `&T` and lock inside, or take it by value";
            report.error(Rule::MutableReference, reference, message);
            return None;
        }
        match &*reference.elem {
            inner if is_ident(inner, "str") => Some(Self::Text),
            Type::Slice(slice) => {
                refuse_borrows(&slice.elem, report)?;
                Some(Self::Slice(Type::clone(&slice.elem)))
            }
            Type::Reference(inner) => {
                report.error(
                    Rule::DoubleReference,
                    reference,
                    format!("write `{}`: one reference is enough", format_type(inner)),
                );
                None
            }
            Type::Paren(paren) => {
                let inner = TypeReference {
                    elem: paren.elem.clone(),
                    ..reference.clone()
                };
                Self::from_reference(&inner, report)
            }
            Type::Group(group) => {
                let inner = TypeReference {
                    elem: group.elem.clone(),
                    ..reference.clone()
                };
                Self::from_reference(&inner, report)
            }
            inner => {
                refuse_misread(reference, inner, report)?;
                refuse_named_lifetimes(inner, report)?;
                Some(Self::Host(inner.clone()))
            }
        }
    }

    fn from_value_type(written: &Type, report: &mut Report) -> Option<Self> {
        if let Some(Type::Reference(reference)) = option_inner(written) {
            return match Self::from_reference(reference, report)? {
                Self::Text => Some(Self::OptionalText),
                Self::Slice(element) => {
                    let message = format!(
                        "an optional list is written `Option<Vec<{}>>`",
                        format_type(&element)
                    );
                    report.error(Rule::OptionalSlice, written, message);
                    None
                }
                Self::Host(inner) if last_is(&inner, "ToolContext") => {
                    report.error(
                        Rule::OptionalContext,
                        written,
                        "the context is always there: write `&ToolContext`",
                    );
                    None
                }
                Self::Host(inner) => Some(Self::OptionalHost(inner)),
                other => Some(other),
            };
        }
        refuse_borrows(written, report)?;
        Some(Self::Value(written.clone()))
    }
}

/// Refuses references that would silently become host state although a value of the model was intended.
fn refuse_misread(reference: &TypeReference, inner: &Type, report: &mut Report) -> Option<()> {
    const PRIMITIVES: [&str; 15] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    if last_is(inner, "String") {
        report.error(
            Rule::ReferenceToString,
            reference,
            "write `&str`: other reference parameters are supplied by the host",
        );
        return None;
    }
    if last_is(inner, "Vec") {
        let element = first_argument(inner).map_or_else(|| "T".to_owned(), format_type);
        let message =
            format!("write `&[{element}]`: other reference parameters are supplied by the host");
        report.error(Rule::ReferenceToVec, reference, message);
        return None;
    }
    if PRIMITIVES
        .iter()
        .any(|primitive| is_ident(inner, primitive))
        || is_ident(inner, "isize")
    {
        let message = format!(
            "write `{}`: what is taken by reference comes from the host",
            format_type(inner)
        );
        report.error(Rule::ReferenceToValue, reference, message);
        return None;
    }
    Some(())
}

/// Refuses host state with a named lifetime: the app owns its state.
fn refuse_named_lifetimes(written: &Type, report: &mut Report) -> Option<()> {
    struct NamedLifetimeVisitor(Option<Lifetime>);
    impl<'ast> Visit<'ast> for NamedLifetimeVisitor {
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            if lifetime.ident != "static" && lifetime.ident != "_" {
                self.0.get_or_insert_with(|| lifetime.clone());
            }
        }
        // The lifetimes of `for<'a>` are bound by the type itself.
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
        fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
            if bound.lifetimes.is_none() {
                syn::visit::visit_trait_bound(self, bound);
            }
        }
    }
    let mut named = NamedLifetimeVisitor(None);
    named.visit_type(written);
    match named.0 {
        None => Some(()),
        Some(lifetime) => {
            let message = "host state outlives the call, so it borrows nothing: own the data, or share it in an `Arc`";
            report.error(Rule::BorrowInsideHostState, lifetime, message);
            None
        }
    }
}

/// Refuses borrows in types that the model supplies: there is nothing to borrow from.
fn refuse_borrows(written: &Type, report: &mut Report) -> Option<()> {
    struct BorrowVisitor(Option<TokenStream>);
    impl<'ast> Visit<'ast> for BorrowVisitor {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            self.0.get_or_insert_with(|| reference.to_token_stream());
        }
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            if lifetime.ident != "static" {
                self.0.get_or_insert_with(|| lifetime.to_token_stream());
            }
        }
        // The lifetimes of a function pointer's own type borrow nothing.
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
    }
    let mut borrow = BorrowVisitor(None);
    borrow.visit_type(written);
    match borrow.0 {
        None => Some(()),
        Some(borrow) => {
            let message = "a parameter that the model supplies must own its data: write `String` for `&str` and `Vec<T>` for `&[T]` inside other types";
            report.error(Rule::BorrowInsideValue, borrow, message);
            None
        }
    }
}

/// Returns the type argument of a literal `Option<…>`.
pub(crate) fn option_inner(written: &Type) -> Option<&Type> {
    if last_is(written, "Option") {
        first_argument(written)
    } else {
        None
    }
}

/// Returns the first type argument of a path's last segment.
pub(crate) fn first_argument(written: &Type) -> Option<&Type> {
    let Type::Path(path) = written else {
        return None;
    };
    match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(argument) => Some(argument),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Reports whether a type is a path whose last segment is this name.
pub(crate) fn last_is(written: &Type, name: &str) -> bool {
    matches!(written, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

fn is_ident(written: &Type, name: &str) -> bool {
    matches!(written, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

/// Formats a type as in source code, without the spaces between tokens.
pub(crate) fn format_type(written: &impl ToTokens) -> String {
    let text = written.to_token_stream().to_string();
    text.replace(" < ", "<")
        .replace(" >", ">")
        .replace(" :: ", "::")
        .replace("& ", "&")
        .replace(" ,", ",")
}
