//! The front matter of a command, as Claude Code reads it: a value is one line, which may contain `: `, or a block.

/// The fields that are read. Others are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) description: Option<String>,
    pub(super) argument_hint: Option<String>,
    pub(super) model: Option<String>,
    /// The tools to which the command is limited, as they are written; `None` if it is not limited.
    pub(super) allowed_tools: Option<Vec<String>>,
    /// What is wrong with it.
    pub(super) problems: Vec<String>,
}

/// The keys that are read.
const KEYS: [&str; 4] = ["allowed-tools", "argument-hint", "description", "model"];

/// A field: its key, its value on the same line, and the lines below it.
struct FrontMatterField<'t> {
    line: usize,
    key: &'t str,
    value: &'t str,
    block: Vec<&'t str>,
}

impl FrontMatter {
    /// Parses the front matter of a text. Returns the byte offset of what follows it, too.
    pub(super) fn parse(text: &str) -> (Self, usize) {
        let mut front_matter = Self::default();
        let Some(rest) = text.strip_prefix("---\n") else {
            return (front_matter, 0);
        };
        let mut offset = text.len() - rest.len();
        let mut lines = Vec::new();
        for line in rest.split_inclusive('\n') {
            offset += line.len();
            if line.trim_end() == "---" {
                front_matter.read_fields(&lines);
                return (front_matter, offset);
            }
            lines.push(line.trim_end());
        }
        let problem = "the front matter has no closing `---`, and is part of the prompt";
        front_matter.problems.push(problem.to_owned());
        (front_matter, 0)
    }

    fn read_fields(&mut self, lines: &[&str]) {
        let mut seen: Vec<&str> = Vec::new();
        for field in self.split_fields(lines) {
            let key = field.key;
            if !KEYS.contains(&key) {
                continue;
            }
            if seen.contains(&key) {
                self.problem(
                    field.line,
                    &format!("`{key}` is set twice; the first value is used"),
                );
                continue;
            }
            seen.push(key);
            match key {
                "description" => self.description = self.text(&field),
                "argument-hint" => self.argument_hint = self.text(&field),
                "model" => self.model = self.text(&field),
                "allowed-tools" => self.allowed_tools = Some(self.list(&field)),
                _ => {}
            }
        }
    }

    fn split_fields<'t>(&mut self, lines: &[&'t str]) -> Vec<FrontMatterField<'t>> {
        let mut fields: Vec<FrontMatterField<'t>> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            // The opening line is the first.
            let number = index + 2;
            let is_inside =
                line.is_empty() || line.starts_with([' ', '\t', '#']) || line.starts_with("- ");
            if is_inside {
                if let Some(field) = fields.last_mut()
                    && !line.starts_with('#')
                {
                    field.block.push(line.trim());
                }
                continue;
            }
            let parts = line.split_once(':');
            match parts.filter(|(key, _)| !key.contains(char::is_whitespace)) {
                Some((key, value)) => fields.push(FrontMatterField {
                    line: number,
                    key,
                    value: value.trim(),
                    block: Vec::new(),
                }),
                None => self.problem(number, "expected `KEY: VALUE`"),
            }
        }
        fields
    }

    fn problem(&mut self, line: usize, problem: &str) {
        self.problems.push(format!("line {line}: {problem}"));
    }

    /// Returns the value of a text field; a block is joined into one line.
    fn text(&mut self, field: &FrontMatterField<'_>) -> Option<String> {
        let is_block = field.value.is_empty() || field.value.starts_with(['|', '>']);
        let text = if is_block {
            field.block.join(" ").trim().to_owned()
        } else {
            unquote(field.value).to_owned()
        };
        if text.is_empty() {
            self.problem(field.line, &format!("`{}` has no value", field.key));
            return None;
        }
        Some(text)
    }

    /// Returns the value of a list field: names with commas between them, or one on each line of a block.
    fn list(&mut self, field: &FrontMatterField<'_>) -> Vec<String> {
        let mut names = split_names(field.value);
        for line in &field.block {
            match line.strip_prefix("- ") {
                Some(name) => names.extend(split_names(name)),
                None if line.is_empty() => {}
                None => self.problem(
                    field.line,
                    &format!("`{}` is not a list of tools", field.key),
                ),
            }
        }
        if names.is_empty() {
            let problem = format!("`{}` names no tool, so the command has none", field.key);
            self.problem(field.line, &problem);
        }
        names
    }
}

/// Splits names at the commas outside of parentheses.
fn split_names(text: &str) -> Vec<String> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let mut depth = 0_usize;
    let parts = inner.unwrap_or(text).split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let names = parts.map(|name| unquote(name.trim()).to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

fn unquote(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_front_matter_is_read() {
        let text = "---\ndescription: Fix an issue: read it first\nargument-hint: [number] [priority]\n\
                    allowed-tools: Bash(git diff:*, -x), Read\nmodel: 'sonnet'\ncategory: other\n---\nFix $1.\n";
        let (front_matter, start) = FrontMatter::parse(text);
        assert_eq!(&text[start..], "Fix $1.\n");
        insta::assert_debug_snapshot!(front_matter, @r#"
        FrontMatter {
            description: Some(
                "Fix an issue: read it first",
            ),
            argument_hint: Some(
                "[number] [priority]",
            ),
            model: Some(
                "sonnet",
            ),
            allowed_tools: Some(
                [
                    "Bash(git diff:*, -x)",
                    "Read",
                ],
            ),
            problems: [],
        }
        "#);
    }

    #[test]
    fn blocks_are_read() {
        let text = "---\ndescription: >\n  Two\n  lines\nallowed-tools:\n  - Read\n- Grep\n---\nx";
        let (front_matter, _) = FrontMatter::parse(text);
        assert_eq!(front_matter.description.as_deref(), Some("Two lines"));
        assert_eq!(
            front_matter.allowed_tools,
            Some(vec!["Read".to_owned(), "Grep".to_owned()])
        );
        assert_eq!(front_matter.problems, Vec::<String>::new());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let text =
            "---\nmodel:\nallowed-tools:\nno key here\ndescription: a\ndescription: b\n---\nx";
        let (front_matter, _) = FrontMatter::parse(text);
        assert_eq!(front_matter.allowed_tools, Some(Vec::new()));
        assert_eq!(front_matter.description.as_deref(), Some("a"));
        insta::assert_snapshot!(front_matter.problems.join("\n"), @"
        line 4: expected `KEY: VALUE`
        line 2: `model` has no value
        line 3: `allowed-tools` names no tool, so the command has none
        line 6: `description` is set twice; the first value is used
        ");
        let (open, start) = FrontMatter::parse("---\nmodel: x\n");
        assert_eq!((start, open.problems.len()), (0, 1));
    }
}
