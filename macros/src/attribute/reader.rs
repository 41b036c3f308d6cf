//! Parses lists of `key`, `key = value` and `key(…)` for any set of keys.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitStr, Path, Token, parenthesized};

use crate::report::{Report, suggestion};
use crate::rule::Rule;

/// A key with its value.
pub(super) struct Entry {
    pub(super) key: Ident,
    pub(super) value: EntryValue,
}

pub(super) enum EntryValue {
    /// A key without a value.
    Flag,
    /// `= expression`
    Expr(Expr),
    /// `=` without an expression.
    Missing,
    /// `(…)`
    List(TokenStream),
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value = if input.peek(syn::token::Paren) {
            let list;
            parenthesized!(list in input);
            EntryValue::List(list.parse()?)
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            if input.is_empty() || input.peek(Token![,]) {
                EntryValue::Missing
            } else {
                EntryValue::Expr(strip_group(input.parse()?))
            }
        } else {
            EntryValue::Flag
        };
        Ok(Self { key, value })
    }
}

impl Entry {
    /// Parses all keys; unknown keys are dropped and reported.
    pub(super) fn read_all(tokens: TokenStream, known: &[&str], report: &mut Report) -> Vec<Self> {
        let parser = Punctuated::<Self, Token![,]>::parse_terminated;
        let entries = match syn::parse::Parser::parse2(parser, tokens) {
            Ok(entries) => entries,
            Err(error) => {
                report.syntax(error);
                return Vec::new();
            }
        };
        let known_only = entries.into_iter().filter(|entry| {
            let name = entry.name();
            let is_known = known.contains(&&*name);
            if !is_known {
                let message = format!("unknown key `{name}`; {}", suggestion(&name, known));
                report.error(Rule::UnknownKey, &entry.key, message);
            }
            is_known
        });
        known_only.collect()
    }

    /// Drops and reports repeated keys, except those that may be repeated.
    pub(super) fn once_each(entries: Vec<Self>, often: &[&str], report: &mut Report) -> Vec<Self> {
        let mut kept: Vec<Self> = Vec::new();
        for entry in entries {
            let name = entry.name();
            if !often.contains(&&*name) && kept.iter().any(|earlier| earlier.key == entry.key) {
                let message = format!("`{name}` stands twice: keep one");
                report.error(Rule::DuplicateKey, &entry.key, message);
            } else {
                kept.push(entry);
            }
        }
        kept
    }

    pub(super) fn name(&self) -> String {
        self.key.to_string()
    }

    /// Parses `key` or `key = true|false`.
    pub(super) fn flag(&self, report: &mut Report) -> Option<bool> {
        match &self.value {
            EntryValue::Flag => Some(true),
            EntryValue::Expr(Expr::Lit(ExprLit {
                lit: Lit::Bool(flag),
                ..
            })) => Some(flag.value),
            _ => self.wrong(report, &format!("`{0}` or `{0} = false`", self.key)),
        }
    }

    /// Parses a text; errors about it are shown at the text.
    pub(super) fn literal(&self, report: &mut Report) -> Option<LitStr> {
        self.literal_like("…", report)
    }

    /// Parses a text; the error has this example of one.
    pub(super) fn literal_like(&self, example: &str, report: &mut Report) -> Option<LitStr> {
        match &self.value {
            EntryValue::Expr(Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            })) => Some(text.clone()),
            _ => self.wrong(report, &format!("`{} = \"{example}\"`", self.key)),
        }
    }

    pub(super) fn path(&self, report: &mut Report) -> Option<Path> {
        match &self.value {
            EntryValue::Expr(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => self.wrong(report, &format!("`{} = path`", self.key)),
        }
    }

    pub(super) fn count(&self, report: &mut Report) -> Option<usize> {
        match &self.value {
            EntryValue::Expr(Expr::Lit(ExprLit {
                lit: Lit::Int(count),
                ..
            })) => match count.base10_parse() {
                Ok(count) => Some(count),
                Err(_) => self.wrong(report, &format!("`{} = 100`", self.key)),
            },
            _ => self.wrong(report, &format!("`{} = 100`", self.key)),
        }
    }

    /// Parses a signed number.
    pub(super) fn number(&self, report: &mut Report) -> Option<f64> {
        let number = match &self.value {
            EntryValue::Expr(expr) => number(expr),
            _ => None,
        };
        number.or_else(|| self.wrong(report, &format!("`{} = 1`", self.key)))
    }

    /// Parses `key = ["…", "…"]`.
    pub(super) fn texts(&self, report: &mut Report) -> Option<Vec<String>> {
        let texts = match &self.value {
            EntryValue::Expr(Expr::Array(array)) => {
                array.elems.iter().map(string).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        texts.or_else(|| self.wrong(report, &format!("`{} = [\"…\"]`", self.key)))
    }

    pub(super) fn wrong<T>(&self, report: &mut Report, right: &str) -> Option<T> {
        let message = format!("`{}` is written {right}", self.key);
        match &self.value {
            EntryValue::Expr(value) => report.error(Rule::WrongValue, value, message),
            EntryValue::List(_) | EntryValue::Flag | EntryValue::Missing => {
                report.error(Rule::WrongValue, &self.key, message)
            }
        }
        None
    }
}

/// Removes the invisible group in which `macro_rules!` passes an expression.
fn strip_group(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => strip_group(*group.expr),
        expr => expr,
    }
}

/// Returns the value of a numeric literal.
pub(super) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => number.base10_parse().ok(),
        Expr::Lit(ExprLit {
            lit: Lit::Float(number),
            ..
        }) => number.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            number(&unary.expr).map(|number| -number)
        }
        _ => None,
    }
}

fn string(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}
