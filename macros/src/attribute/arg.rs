//! The keys of `#[arg]`.

use proc_macro2::Ident;
use syn::{Attribute, Expr, LitStr, Meta};

use super::not_empty;
use super::reader::{self, Entry, EntryValue};
use crate::report::Report;
use crate::rule::Rule;

/// The keys of the `#[arg(…)]` attributes of one parameter, or of one field.
#[derive(Default)]
pub(crate) struct ArgKeys {
    /// The first of the attributes, if there is any.
    pub(crate) attribute: Option<Attribute>,
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<(Ident, ArgDefault)>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) min: Option<(Ident, f64)>,
    pub(crate) max: Option<(Ident, f64)>,
    pub(crate) min_len: Option<(Ident, usize)>,
    pub(crate) max_len: Option<(Ident, usize)>,
    pub(crate) pattern: Option<(Ident, LitStr)>,
}

/// The value of a parameter that a call omits.
pub(crate) enum ArgDefault {
    /// `ArgDefault::default()`
    Trait,
    /// An expression of the parameter's type, or one that converts into it.
    Expr(Expr),
}

const KNOWN: [&str; 9] = [
    "name",
    "default",
    "description",
    "example",
    "min",
    "max",
    "min_len",
    "max_len",
    "pattern",
];

impl ArgKeys {
    /// Parses the `#[arg]` attributes among the attributes of a parameter.
    pub(crate) fn read(attributes: &[Attribute], report: &mut Report) -> Self {
        let mut keys = Self::default();
        let mut read = Vec::new();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("arg"))
        {
            let tokens = match &attribute.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => {
                    let message = "`#[arg]` says nothing by itself: write a key, `#[arg(min = 1)]`, or drop it";
                    report.error(Rule::ArgWithoutKeys, attribute, message);
                    continue;
                }
            };
            keys.attribute.get_or_insert_with(|| attribute.clone());
            read.extend(Entry::read_all(tokens, &KNOWN, report));
        }
        // A parameter may have several attributes, but each key only once.
        for entry in Entry::once_each(read, &["example"], report) {
            keys.take(&entry, report);
        }
        keys
    }

    fn take(&mut self, entry: &Entry, report: &mut Report) {
        let key = || entry.key.clone();
        match &*entry.name() {
            "name" => self.name = entry.literal(report),
            "description" => self.description = not_empty(entry, report),
            "default" => {
                self.default = match &entry.value {
                    EntryValue::Flag => Some((key(), ArgDefault::Trait)),
                    EntryValue::Expr(expr) => Some((key(), ArgDefault::Expr(expr.clone()))),
                    EntryValue::List(_) | EntryValue::Missing => {
                        entry.wrong(report, "`default` or `default = expression`")
                    }
                };
            }
            "example" => match &entry.value {
                EntryValue::Expr(expr) => self.examples.push(expr.clone()),
                _ => entry.wrong(report, "`example = value`").unwrap_or_default(),
            },
            "min" => self.min = entry.number(report).map(|number| (key(), number)),
            "max" => self.max = entry.number(report).map(|number| (key(), number)),
            "min_len" => self.min_len = entry.count(report).map(|count| (key(), count)),
            "max_len" => self.max_len = entry.count(report).map(|count| (key(), count)),
            _ => self.pattern = entry.literal(report).map(|pattern| (key(), pattern)),
        }
    }

    /// Returns the default if it is a plain number.
    pub(crate) fn default_number(&self) -> Option<(&Expr, f64)> {
        match &self.default {
            Some((_, ArgDefault::Expr(expr))) => reader::number(expr).map(|number| (expr, number)),
            _ => None,
        }
    }
}
