//! Doc comments: what the model reads of a tool and of its parameters.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The docs of a function, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Docs {
    /// The text, without the sections that are for programmers.
    pub(crate) text: String,
    /// The entries of the `# Arguments` section.
    pub(crate) arguments: Vec<(String, String)>,
}

/// Sections that say nothing to a model.
const FOR_PROGRAMMERS: [&str; 4] = ["examples", "example", "panics", "safety"];

impl Docs {
    /// Reads the docs among the attributes of a function.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let text = text_of(attributes);
        let mut docs = Self::default();
        let mut kept = Vec::new();
        let mut section = String::new();
        for line in text.lines() {
            if let Some(heading) = line
                .trim_start()
                .strip_prefix('#')
                .map(|rest| rest.trim_start_matches('#').trim())
            {
                section = heading.to_lowercase();
                if !docs.is_left_out(&section) {
                    kept.push(line);
                }
            } else if section == "arguments" {
                docs.argument_line(line);
            } else if !docs.is_left_out(&section) {
                kept.push(line);
            }
        }
        docs.text = kept.join("\n").trim().to_owned();
        docs
    }

    fn is_left_out(&self, section: &str) -> bool {
        section == "arguments" || FOR_PROGRAMMERS.contains(&section)
    }

    /// Reads `* `name` - what it means` in the ways in which people write it, and the lines that go on with it.
    fn argument_line(&mut self, line: &str) {
        let line = line.trim();
        if let Some((name, text)) = list_item(line) {
            self.arguments.push((name.to_owned(), text.to_owned()));
        } else if let Some((_, text)) = self.arguments.last_mut()
            && !line.is_empty()
        {
            text.push(' ');
            text.push_str(line);
        }
    }
}

/// Finds the attribute that holds the entry of a name.
pub(crate) fn line_about<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    let is_about = |line: &str| list_item(line.trim()).is_some_and(|(entry, _)| entry == name);
    attributes
        .iter()
        .find(|attribute| line_of(attribute).is_some_and(|text| text.lines().any(is_about)))
}

fn list_item(line: &str) -> Option<(&str, &str)> {
    let item = line
        .strip_prefix("* ")
        .or_else(|| line.strip_prefix("- "))?
        .trim_start();
    let item = item.strip_prefix("**").unwrap_or(item);
    let (name, rest) = match item.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => item.split_at(item.find(|c: char| !(c.is_alphanumeric() || c == '_'))?),
    };
    let text = rest
        .trim_start_matches("**")
        .trim_start()
        .trim_start_matches([':', '-', '–', '—']);
    Some((name.trim_end_matches(':'), text.trim()))
}

/// Joins the doc lines among attributes, as they were written.
pub(crate) fn text_of(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line_of).collect();
    let lines = lines
        .iter()
        .flat_map(|line| line.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn line_of(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => text_in(&pair.value),
        _ => None,
    }
}

/// Reads a text, also one that `macro_rules!` hands on in an invisible group.
fn text_in(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        Expr::Group(group) => text_in(&group.expr),
        _ => None,
    }
}
