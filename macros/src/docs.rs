//! Doc comments, from which the descriptions of tools and parameters are derived.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The parsed docs of a function.
#[derive(Debug, Default)]
pub(crate) struct Docs {
    /// The text, without the sections for programmers.
    pub(crate) text: String,
    /// The entries of the `# Arguments` section.
    pub(crate) arguments: Vec<(String, String)>,
}

/// The titles of sections that are irrelevant to a model.
const FOR_PROGRAMMERS: [&str; 4] = ["examples", "example", "panics", "safety"];

impl Docs {
    /// Parses the docs among the attributes of a function.
    pub(crate) fn from_attributes(attributes: &[Attribute]) -> Self {
        let text = doc_text(attributes);
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
                if !docs.is_programmer_section(&section) {
                    kept.push(line);
                }
            } else if section == "arguments" {
                docs.argument_line(line);
            } else if !docs.is_programmer_section(&section) {
                kept.push(line);
            }
        }
        docs.text = reflow(&kept.join("\n"));
        docs
    }

    fn is_programmer_section(&self, section: &str) -> bool {
        section == "arguments" || FOR_PROGRAMMERS.contains(&section)
    }

    /// Parses `* `name` - description` in its common variants, and the continuation lines.
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

/// Finds the doc attribute with the entry of a name.
pub(crate) fn line_about<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    let is_about = |line: &str| list_item(line.trim()).is_some_and(|(entry, _)| entry == name);
    attributes
        .iter()
        .find(|attribute| doc_line(attribute).is_some_and(|text| text.lines().any(is_about)))
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

/// Joins the lines of each paragraph: line breaks of a wrapped comment are irrelevant to a model and to a terminal of
/// another width. Lists, tables, headings, quotes and code are kept.
pub(crate) fn reflow(text: &str) -> String {
    let mut flowed = String::new();
    let (mut in_code, mut open) = (false, false);
    for line in text.trim().lines() {
        let fence = line.trim_start().starts_with("```");
        let own = in_code || fence || stands_alone(line);
        if !flowed.is_empty() {
            flowed.push(if open && !own { ' ' } else { '\n' });
        }
        flowed.push_str(if open && !own {
            line.trim_start()
        } else {
            line
        });
        in_code ^= fence;
        // A list item continues on the next line; a blank line, a heading, a table or code does not.
        open = !line.trim().is_empty() && (!own || is_list_item(line)) && !in_code && !fence;
    }
    flowed
}

/// Reports whether a line starts a new block.
fn stands_alone(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.is_empty()
        || trimmed.starts_with(['#', '|', '>'])
        || line.starts_with("    ")
        || is_list_item(line)
}

fn is_list_item(line: &str) -> bool {
    let trimmed = line.trim_start();
    let numbered = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    ["* ", "- ", "+ "]
        .iter()
        .any(|mark| trimmed.starts_with(mark))
        || (numbered.len() < trimmed.len()
            && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

/// Joins the doc lines among attributes without changing them.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(doc_line).collect();
    let lines = lines
        .iter()
        .flat_map(|line| line.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => text_in(&pair.value),
        _ => None,
    }
}

/// Returns the text of a string literal, including one in the invisible group of `macro_rules!`.
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

#[cfg(test)]
mod tests {
    use super::reflow;

    #[test]
    fn wrapped_paragraphs_are_joined_and_nothing_else_is() {
        let written = "Finds a thing,\nand says where.\n\n- one\n  goes on\n- two\n\n# Limits\n\n| a |\n| b |\n\n```\nx\n y\n```\nThe end\nof it.";
        let flowed = "Finds a thing, and says where.\n\n- one goes on\n- two\n\n# Limits\n\n| a |\n| b |\n\n```\nx\n y\n```\nThe end of it.";
        assert_eq!(reflow(written), flowed);
    }

    #[test]
    fn what_is_one_line_stays_as_it_is() {
        assert_eq!(reflow("  City name. "), "City name.");
        assert_eq!(reflow(""), "");
    }
}
