//! Checks of the parameters.

use quote::ToTokens as _;
use syn::Type;

use super::function::is_name;
use crate::attribute::{ArgDefault, ArgKeys};
use crate::docs;
use crate::function::ToolFn;
use crate::parameter::{Parameter, ParameterKind, format_type, last_is, option_inner};
use crate::report::{Report, suggestion};
use crate::rule::Rule;

/// The maximum number of parameters: the parser records the parameters that it has seen in one 64-bit word.
const MAX_PARAMETERS: usize = 64;

pub(super) fn number(tool: &ToolFn, report: &mut Report) {
    if let Some(parameter) = tool.model_parameters().nth(MAX_PARAMETERS) {
        let message = "a tool takes at most 64 arguments, and models lose count far earlier: group them in a struct";
        report.error(Rule::TooManyParameters, &parameter.ident, message);
    }
}

pub(super) fn names(tool: &ToolFn, report: &mut Report) {
    let mut seen = Vec::new();
    for parameter in tool.model_parameters() {
        let name = parameter.name();
        let at = match &parameter.keys.name {
            Some(written) => written.to_token_stream(),
            None => parameter.ident.to_token_stream(),
        };
        if !is_name(&name) {
            let message = format!(
                "`{name}` is not a valid parameter name: use 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`"
            );
            report.error(Rule::BadParameterName, at, message);
        } else if parameter.cfgs.is_empty() && seen.contains(&name) {
            report.error(
                Rule::DuplicateParameter,
                at,
                format!("duplicate parameter name `{name}`"),
            );
        }
        seen.push(name);
    }
}

pub(super) fn documented(tool: &ToolFn, report: &mut Report) {
    for parameter in tool
        .model_parameters()
        .filter(|parameter| parameter.text().is_empty())
    {
        let name = &parameter.ident;
        let message = if may_be_state(&parameter.written) {
            let written = format_type(&parameter.written);
            format!(
                "`{name}` has no description: take what the app supplies by reference, `{name}: &{written}`; above what the model supplies, write `/// …`"
            )
        } else {
            format!(
                "the model reads what `{name}` means: write `/// …` above it, or `#[arg(description = \"…\")]`"
            )
        };
        report.error(Rule::UndocumentedParameter, name, message);
    }
    let idents: Vec<String> = tool
        .parameters
        .iter()
        .map(|parameter| parameter.ident.to_string())
        .collect();
    // A parameter with an error of its own is missing from the list.
    if idents.len() < tool.function.signature.inputs.len() - usize::from(tool.receiver().is_some())
    {
        return;
    }
    for (name, _) in tool
        .docs
        .arguments
        .iter()
        .filter(|(name, _)| !idents.contains(name))
    {
        let known: Vec<&str> = idents.iter().map(String::as_str).collect();
        let message = format!(
            "`# Arguments` names `{name}`, which is not a parameter; {}",
            suggestion(name, &known)
        );
        match docs::line_about(&tool.function.attributes, name) {
            Some(line) => report.error(Rule::UnknownDocumentedParameter, line, message),
            None => report.error(Rule::UnknownDocumentedParameter, tool.ident(), message),
        }
    }
}

pub(super) fn arguments(tool: &ToolFn, report: &mut Report) {
    const HOST: &str = "`#[arg]` is for what the model supplies, and a reference comes from the host: drop it, or take the value";
    if let Some(attribute) = &tool.arg_on_receiver {
        report.error(Rule::ArgOnHostState, attribute, HOST);
    }
    for parameter in &tool.parameters {
        let keys = &parameter.keys;
        if !parameter.is_from_model() {
            if let Some(attribute) = &keys.attribute {
                report.error(Rule::ArgOnHostState, attribute, HOST);
            }
            continue;
        }
        value(parameter, report);
    }
}

/// Checks the keys of `#[arg]` on a parameter that the model supplies, or on a field.
pub(crate) fn value(parameter: &Parameter, report: &mut Report) {
    wrong_type(parameter, report);
    ranges(&parameter.keys, report);
    pattern(&parameter.keys, report);
    redundant_default(parameter, report);
}

/// Reports whether a type may be one of the app, rather than one of the standard library that a model supplies.
fn may_be_state(written: &Type) -> bool {
    const VALUES: [&str; 12] = [
        "bool", "char", "String", "Option", "Vec", "Box", "HashMap", "BTreeMap", "HashSet",
        "BTreeSet", "PathBuf", "Value",
    ];
    matches!(written, Type::Path(_))
        && !is_number(written)
        && !VALUES.iter().any(|value| last_is(written, value))
}

fn is_number(written: &Type) -> bool {
    const NUMBERS: [&str; 14] = [
        "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    NUMBERS.iter().any(|number| last_is(written, number))
}

/// Checks constraints against types that are recognised by name; other types are left to the schema.
fn wrong_type(parameter: &Parameter, report: &mut Report) {
    let keys = &parameter.keys;
    let inner = match &parameter.kind {
        ParameterKind::Value(written) => option_inner(written).unwrap_or(written),
        _ => &parameter.written,
    };
    let is_number = is_number(inner);
    let is_text = matches!(
        parameter.kind,
        ParameterKind::Text | ParameterKind::OptionalText
    ) || last_is(inner, "String");
    let is_list = matches!(parameter.kind, ParameterKind::Slice(_)) || last_is(inner, "Vec");
    let is_bool = last_is(inner, "bool");
    let mut wrong = |key: &syn::Ident, what: &str, instead: &str| {
        let message = format!(
            "`{key}` is for {what}, and this is `{}`{instead}",
            format_type(inner)
        );
        report.error(Rule::ConstraintOnWrongType, key, message);
    };
    for (key, _) in [&keys.min, &keys.max].into_iter().flatten() {
        if is_text || is_list {
            wrong(key, "numbers", ": a length has `min_len` and `max_len`");
        } else if is_bool {
            wrong(key, "numbers", "");
        }
    }
    for (key, _) in [&keys.min_len, &keys.max_len].into_iter().flatten() {
        if is_number || is_bool {
            wrong(key, "texts and lists", "");
        }
    }
    if let Some((key, _)) = &keys.pattern
        && (is_number || is_bool || is_list)
    {
        wrong(key, "texts", "");
    }
}

fn ranges(keys: &ArgKeys, report: &mut Report) {
    if let (Some((_, min)), Some((key, max))) = (&keys.min, &keys.max)
        && min > max
    {
        report.error(
            Rule::EmptyRange,
            key,
            format!("no number is at least {min} and at most {max}"),
        );
    }
    if let (Some((_, min)), Some((key, max))) = (&keys.min_len, &keys.max_len)
        && min > max
    {
        report.error(
            Rule::EmptyRange,
            key,
            format!("no length is at least {min} and at most {max}"),
        );
    }
    if let Some((written, default)) = keys.default_number() {
        let below = keys.min.as_ref().is_some_and(|(_, min)| default < *min);
        let above = keys.max.as_ref().is_some_and(|(_, max)| default > *max);
        if below || above {
            report.error(
                Rule::DefaultOutOfRange,
                written,
                "the default is not within `min` and `max`",
            );
        }
    }
}

fn pattern(keys: &ArgKeys, report: &mut Report) {
    if let Some((_, pattern)) = &keys.pattern
        && let Err(error) = regex_lite::Regex::new(&pattern.value())
    {
        report.error(
            Rule::BadPattern,
            pattern,
            format!("invalid regular expression: {error}"),
        );
    }
}

fn redundant_default(parameter: &Parameter, report: &mut Report) {
    let optional = matches!(&parameter.kind, ParameterKind::OptionalText)
        || matches!(&parameter.kind, ParameterKind::Value(written) if is_option(written));
    if let Some((key, ArgDefault::Trait)) = &parameter.keys.default
        && optional
    {
        report.error(
            Rule::RedundantDefault,
            key,
            "an `Option` is `None` where the call leaves it out: drop `default`",
        );
    }
}

fn is_option(written: &Type) -> bool {
    option_inner(written).is_some()
}
