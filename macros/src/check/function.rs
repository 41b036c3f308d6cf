//! Checks of the function itself.

use syn::{GenericParam, ReceiverKind, Type, TypeParamBound};

use crate::function::ToolFn;
use crate::report::Report;
use crate::rule::Rule;

pub(super) fn shape(tool: &ToolFn, report: &mut Report) {
    let signature = &tool.function.signature;
    if !tool.function.has_body() {
        report.error(
            Rule::NoBody,
            &signature.ident,
            "a tool has a body: put `#[tool]` on the function that does the work",
        );
    }
    if let syn::Safety::Unsafe(unsafety) = &signature.safety {
        report.error(
            Rule::UnsafeFunction,
            unsafety,
            "a model cannot promise what an `unsafe fn` asks for: make it safe",
        );
    }
    if let Some(abi) = &signature.abi {
        report.error(
            Rule::ForeignFunction,
            abi,
            "a tool is a plain Rust function: call the foreign one from it",
        );
    }
    if let Some(constness) = &signature.constness {
        report.error(
            Rule::ConstFunction,
            constness,
            "a tool is not `const`: drop it, or call the const function from a tool",
        );
    }
}

pub(super) fn receiver(tool: &ToolFn, report: &mut Report) {
    let Some(receiver) = tool.receiver() else {
        return;
    };
    if tool.owner.is_none() {
        let message =
            "a method is a tool inside an `impl` block with `#[tools]`: put that on the block";
        report.error(Rule::SelfOutsideTools, receiver, message);
    } else if !is_shared(receiver) {
        let message = "a tool's method takes `&self`, since calls run side by side: lock inside where it changes something";
        report.error(Rule::SelfNotShared, receiver, message);
    }
}

/// Reports whether a receiver is `&self`, with or without a lifetime, or `self: &Self`.
fn is_shared(receiver: &syn::Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, written) => {
            matches!(&**written, Type::Reference(reference) if reference.mutability.is_none())
        }
        _ => false,
    }
}

pub(super) fn generics(tool: &ToolFn, report: &mut Report) {
    let generics = &tool.function.signature.generics;
    if let Some(parameter) = generics
        .params
        .iter()
        .find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
    {
        let message = "a tool has one schema, so it has no type or const parameters: write the type, or one tool a type";
        report.error(Rule::Generic, parameter, message);
    }
}

pub(super) fn name(tool: &ToolFn, report: &mut Report) {
    let name = tool.name();
    if is_name(&name) {
        return;
    }
    let rule =
        "is not a valid tool name: use 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`";
    match &tool.keys.name {
        Some(written) => report.error(Rule::BadName, written, format!("`{name}` {rule}")),
        None => {
            let message = format!("`{name}` {rule}; name it with `#[tool(name = \"…\")]`");
            report.error(Rule::BadName, tool.ident(), message);
        }
    }
}

/// Reports whether every provider accepts a name.
pub(super) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

pub(super) fn docs(tool: &ToolFn, report: &mut Report) {
    if tool.description().is_empty() {
        let message = "the model reads a tool's docs to know when to call it: write `/// …` above it, or `description = \"…\"`";
        report.error(Rule::NoDocs, tool.ident(), message);
    }
}

pub(super) fn return_type(tool: &ToolFn, report: &mut Report) {
    match tool.return_type() {
        Some(Type::Never(never)) => {
            report.error(
                Rule::NeverReturns,
                never,
                "the model waits for a result: return one, or `()`",
            );
        }
        Some(Type::ImplTrait(opaque)) if !is_stream(opaque) => {
            let message = "the only `impl Trait` that a tool returns is `impl Stream<Item = Update<T>>`: name the type";
            report.error(Rule::OpaqueReturn, opaque, message);
        }
        _ => {}
    }
}

fn is_stream(opaque: &syn::TypeImplTrait) -> bool {
    opaque.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "Stream"),
        _ => false,
    })
}
