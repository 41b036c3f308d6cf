//! The parsed function of a tool: its name, its parameters, and its description.

use proc_macro2::{Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, ReturnType, Signature, Token, Type, Visibility};

use crate::attribute::ToolKeys;
use crate::docs::Docs;
use crate::parameter::{self, Parameter, ParameterKind};
use crate::report::Report;

/// A function as written. Its body is not parsed: errors in the body are reported by the compiler.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

/// A function together with its meaning as a tool.
pub(crate) struct ToolFn {
    pub(crate) function: Function,
    pub(crate) keys: ToolKeys,
    pub(crate) docs: Docs,
    pub(crate) parameters: Vec<Parameter>,
    /// An `#[arg]` on `self`, which is an error.
    pub(crate) arg_on_receiver: Option<Attribute>,
    /// The type of a method, inside `#[tools]`.
    pub(crate) owner: Option<Type>,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            defaultness: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Function {
    /// Removes the attributes that only helve understands, so that the rest compiles.
    fn strip_helpers(&mut self) {
        self.attributes
            .retain(|attribute| !attribute.path().is_ident("tool"));
        for argument in &mut self.signature.inputs {
            let attributes = match argument {
                FnArg::Typed(argument) => &mut argument.attrs,
                FnArg::Receiver(receiver) => &mut receiver.attrs,
            };
            attributes.retain(|attribute| {
                !attribute.path().is_ident("arg") && !attribute.path().is_ident("doc")
            });
        }
    }

    pub(crate) fn has_body(&self) -> bool {
        !self.body.is_empty() && self.body.to_string() != ";"
    }
}

/// Reports whether a body contains `await` or a macro, which may expand to it.
fn may_wait(body: &TokenStream) -> bool {
    body.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => may_wait(&group.stream()),
        TokenTree::Ident(ident) => ident == "await",
        TokenTree::Punct(punct) => punct.as_char() == '!' && punct.spacing() == Spacing::Alone,
        TokenTree::Literal(_) => false,
    })
}

/// Reports whether an attribute leaves the body as it is.
fn is_inert(attribute: &Attribute) -> bool {
    const INERT: [&str; 9] = [
        "doc",
        "cfg",
        "allow",
        "warn",
        "deny",
        "expect",
        "must_use",
        "inline",
        "deprecated",
    ];
    INERT.iter().any(|name| attribute.path().is_ident(name))
}

/// Removes the invisible group in which `macro_rules!` passes a type.
fn strip_group(written: &Type) -> &Type {
    match written {
        Type::Group(group) => strip_group(&group.elem),
        written => written,
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attributes,
            visibility,
            defaultness,
            signature,
            body,
        } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #defaultness #signature #body));
    }
}

impl ToolFn {
    /// Parses a function and its keys.
    pub(crate) fn parse(
        mut function: Function,
        keys: TokenStream,
        owner: Option<Type>,
        report: &mut Report,
    ) -> Self {
        let keys = ToolKeys::read(keys, report);
        let docs = Docs::from_attributes(&function.attributes);
        let mut parameters: Vec<_> = function
            .signature
            .inputs
            .iter()
            .filter_map(|argument| Parameter::parse(argument, report))
            .collect();
        for parameter in parameters
            .iter_mut()
            .filter(|parameter| parameter.description.is_empty())
        {
            let name = parameter.ident.unraw().to_string();
            if let Some((_, text)) = docs
                .arguments
                .iter()
                .find(|(documented, _)| *documented == name)
            {
                parameter.description.clone_from(text);
            }
        }
        let receiver = function.signature.receiver();
        let arg_on_receiver = receiver.and_then(|receiver| {
            let mut attributes = receiver.attrs.iter();
            attributes.find(|attribute| attribute.path().is_ident("arg"))
        });
        let arg_on_receiver = arg_on_receiver.cloned();
        function.strip_helpers();
        Self {
            function,
            keys,
            docs,
            parameters,
            arg_on_receiver,
            owner,
        }
    }

    /// Returns the function's name.
    pub(crate) fn ident(&self) -> &Ident {
        &self.function.signature.ident
    }

    /// Returns the name of the tool.
    pub(crate) fn name(&self) -> String {
        match &self.keys.name {
            Some(name) => name.value(),
            None => self.ident().unraw().to_string(),
        }
    }

    /// Returns the description of the tool.
    pub(crate) fn description(&self) -> &str {
        self.keys.description.as_deref().unwrap_or(&self.docs.text)
    }

    pub(crate) fn is_async(&self) -> bool {
        self.function.signature.asyncness.is_some()
    }

    /// Reports whether the body never waits, and its result borrows nothing that the generated function owns.
    ///
    /// The body of an `async fn` never waits if it contains neither `await` nor a macro, and if no attribute can change
    /// it. The result may be a stream behind an alias, which may borrow what is passed by reference.
    pub(crate) fn runs_at_once(&self) -> bool {
        let passes_values = self.receiver().is_none()
            && self
                .parameters
                .iter()
                .all(|parameter| matches!(parameter.kind, ParameterKind::Value(_)));
        let is_stream = matches!(self.return_type(), Some(Type::ImplTrait(_)));
        let waits = self.is_async()
            && (may_wait(&self.function.body) || !self.function.attributes.iter().all(is_inert));
        passes_values && !is_stream && !waits
    }

    pub(crate) fn receiver(&self) -> Option<&syn::Receiver> {
        self.function.signature.receiver()
    }

    pub(crate) fn cfgs(&self) -> Vec<Attribute> {
        parameter::cfgs(&self.function.attributes)
    }

    pub(crate) fn model_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.is_from_model())
    }

    pub(crate) fn host_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| !parameter.is_from_model())
    }

    /// Returns the return type, if there is one.
    pub(crate) fn return_type(&self) -> Option<&Type> {
        match &self.function.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, returned) => Some(strip_group(returned)),
        }
    }

    /// Returns the span of generated code whose errors belong to the function: its name, with the macro's own hygiene,
    /// so that tools in `macro_rules!` work and no local variable shadows a tool.
    pub(crate) fn span(&self) -> Span {
        Span::mixed_site().located_at(self.ident().span())
    }
}
