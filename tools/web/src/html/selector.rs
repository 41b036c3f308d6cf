//! The part of CSS selectors that names parts of a page.

use super::dom::{Dom, NodeId};
use super::measure::Measures;

/// The greatest number of elements that are returned.
const MAX_ELEMENTS: usize = 1_000;

/// A selector: alternatives, of which one has to match.
#[derive(Debug)]
pub(super) struct Selector(Vec<Vec<Step>>);

/// An element of a selector, and how it relates to the one before it.
#[derive(Debug)]
struct Step {
    /// Whether it has to be a child of the element before it.
    is_child: bool,
    conditions: Vec<Condition>,
}

#[derive(Debug)]
enum Condition {
    Name(String),
    Id(String),
    Class(String),
    Attribute(String, Option<(char, String)>),
}

impl Selector {
    /// Parses a selector.
    ///
    /// # Errors
    /// Says what is not understood.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > 512 {
            return Err("it is longer than 512 characters".to_owned());
        }
        let alternatives = text.split(',').map(parse_steps);
        Ok(Self(alternatives.collect::<Result<_, _>>()?))
    }

    /// Returns the elements that match and that a reader sees, without those within another one.
    pub(super) fn find(&self, dom: &Dom, measures: &Measures) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut open = vec![Dom::ROOT];
        while let Some(id) = open.pop() {
            if measures.get(id).is_invisible || found.len() >= MAX_ELEMENTS {
                continue;
            }
            if self.0.iter().any(|steps| matches(dom, id, steps)) {
                found.push(id);
                continue;
            }
            let start = open.len();
            open.extend(dom.children(id));
            open[start..].reverse();
        }
        found
    }
}

fn matches(dom: &Dom, id: NodeId, steps: &[Step]) -> bool {
    let Some((last, before)) = steps.split_last() else {
        return true;
    };
    if !last
        .conditions
        .iter()
        .all(|condition| condition.matches(dom, id))
    {
        return false;
    }
    if before.is_empty() {
        return true;
    }
    let mut above = dom.parent(id);
    while let Some(parent) = above {
        if matches(dom, parent, before) {
            return true;
        }
        if last.is_child {
            return false;
        }
        above = dom.parent(parent);
    }
    false
}

impl Condition {
    fn matches(&self, dom: &Dom, id: NodeId) -> bool {
        let attribute = |name: &str| dom.attribute(id, name);
        let has_word =
            |text: &str, word: &str| text.split_ascii_whitespace().any(|one| one == word);
        match self {
            Self::Name(name) => name == "*" && dom.element(id).is_some() || dom.name(id) == name,
            Self::Id(wanted) => attribute("id") == Some(wanted),
            Self::Class(class) => attribute("class").is_some_and(|text| has_word(text, class)),
            Self::Attribute(name, None) => attribute(name).is_some(),
            Self::Attribute(name, Some((operator, wanted))) => {
                attribute(name).is_some_and(|value| match operator {
                    '^' => value.starts_with(&**wanted),
                    '$' => value.ends_with(&**wanted),
                    '*' => value.contains(&**wanted),
                    '~' => has_word(value, wanted),
                    _ => value == wanted,
                })
            }
        }
    }
}

fn parse_steps(text: &str) -> Result<Vec<Step>, String> {
    let mut parser = SelectorParser { rest: text.trim() };
    let mut steps = Vec::new();
    let mut is_child = false;
    while !parser.rest.is_empty() {
        let conditions = parser.conditions()?;
        if conditions.is_empty() {
            return Err(parser.unknown());
        }
        steps.push(Step {
            is_child,
            conditions,
        });
        let rest = parser.rest.trim_start();
        let after = rest.strip_prefix('>');
        is_child = after.is_some();
        parser.rest = after.unwrap_or(rest).trim_start();
    }
    if steps.is_empty() || is_child || steps.len() > 8 {
        return Err(
            "it names no element, or too many; write one such as `main > div.content`".to_owned(),
        );
    }
    Ok(steps)
}

struct SelectorParser<'a> {
    rest: &'a str,
}

impl SelectorParser<'_> {
    /// Parses the conditions on one element.
    fn conditions(&mut self) -> Result<Vec<Condition>, String> {
        let mut conditions = Vec::new();
        loop {
            let next = self.rest.chars().next();
            let condition = match next {
                Some('#') => Condition::Id(self.word(1)?),
                Some('.') => Condition::Class(self.word(1)?),
                Some('[') => self.attribute()?,
                Some('*') if conditions.is_empty() => {
                    self.rest = &self.rest[1..];
                    Condition::Name("*".to_owned())
                }
                Some(c) if conditions.is_empty() && c.is_ascii_alphabetic() => {
                    Condition::Name(self.word(0)?.to_ascii_lowercase())
                }
                None | Some('>') => return Ok(conditions),
                Some(c) if c.is_whitespace() => return Ok(conditions),
                Some(_) => return Err(self.unknown()),
            };
            conditions.push(condition);
        }
    }

    fn word(&mut self, skip: usize) -> Result<String, String> {
        let text = &self.rest[skip..];
        let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
        let end = text.find(is_end).unwrap_or(text.len());
        if end == 0 {
            return Err(self.unknown());
        }
        let word = text[..end].to_owned();
        self.rest = &text[end..];
        Ok(word)
    }

    fn attribute(&mut self) -> Result<Condition, String> {
        let Some((inner, rest)) = self.rest[1..].split_once(']') else {
            return Err("a `[` is not closed".to_owned());
        };
        let condition = match inner.split_once('=') {
            None => Condition::Attribute(inner.trim().to_ascii_lowercase(), None),
            Some((name, value)) => {
                let operator = name.chars().last().filter(|c| "^$*~".contains(*c));
                let name = name.trim_end_matches(['^', '$', '*', '~']).trim();
                let value = value.trim().trim_matches(['"', '\'']);
                let test = (operator.unwrap_or('='), value.to_owned());
                Condition::Attribute(name.to_ascii_lowercase(), Some(test))
            }
        };
        self.rest = rest;
        Ok(condition)
    }

    fn unknown(&self) -> String {
        let rest: String = self.rest.chars().take(20).collect();
        format!(
            "`{rest}` is not understood; selectors have names, `#id`, `.class`, `[attribute=value]`, blanks, `>` and commas"
        )
    }
}
