//! Explains why a text is not in a file, if it only differs in white space.

use std::fmt::Write as _;

/// The greatest number of lines of each text that are shown.
const MAX_SHOWN_LINES: usize = 20;

/// The greatest number of line comparisons before the search is given up.
const MAX_COMPARISONS: usize = 2_000_000;

/// Describes where a text is if white space is ignored; returns `None` if there is no match.
pub(super) fn explain(text: &str, old: &str, path: &str) -> Option<String> {
    let wanted: Vec<&str> = old.lines().collect();
    let plain: Vec<String> = wanted.iter().map(|line| collapse_spaces(line)).collect();
    if plain.iter().all(String::is_empty) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let at = find(&lines, &plain)?;
    let end = (at + wanted.len()).min(lines.len());
    let mut message = format!(
        "`old_string` is not in `{path}`, but line {} has it with other spaces (· is a space, → a tab, ¶ the end of a \
         line)\n\n`old_string`:\n",
        at + 1
    );
    show(&mut message, &wanted);
    let _ = write!(message, "\n`{path}`, lines {} to {end}:\n", at + 1);
    show(&mut message, &lines[at..end]);
    message.push_str("\nCopy the spaces and tabs as they stand in the file.");
    Some(message)
}

/// Finds matching lines: the text may start within its first line, and end within its last line.
fn find(lines: &[&str], wanted: &[String]) -> Option<usize> {
    let (first, rest) = wanted.split_first()?;
    let mut compared = 0;
    (0..lines.len()).find(|at| {
        compared += 1;
        if compared > MAX_COMPARISONS || at + wanted.len() > lines.len() {
            return false;
        }
        let start = collapse_spaces(lines[*at]);
        let Some((last, middle)) = rest.split_last() else {
            return start.contains(&**first);
        };
        let fits = |(line, wanted): (&&str, &String)| {
            compared += 1;
            collapse_spaces(line) == *wanted
        };
        start.ends_with(&**first)
            && lines[at + 1..].iter().zip(middle).all(fits)
            && collapse_spaces(lines[at + rest.len()]).starts_with(&**last)
    })
}

/// Replaces runs of white space by one space, and trims the line.
fn collapse_spaces(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn show(message: &mut String, lines: &[&str]) {
    for line in lines.iter().take(MAX_SHOWN_LINES) {
        let visible: String = line.chars().take(400).map(visible).collect();
        let _ = writeln!(message, "  {visible}¶");
    }
    if lines.len() > MAX_SHOWN_LINES {
        let _ = writeln!(message, "  … {} more", lines.len() - MAX_SHOWN_LINES);
    }
}

fn visible(c: char) -> char {
    match c {
        ' ' => '·',
        '\t' => '→',
        '\u{a0}' => '⍽',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn finds_what_differs_in_spaces_only() {
        for (text, old, line) in [
            ("f {\n\tx = 1;\n}\n", "    x = 1;", 2),
            ("a \nb\n", "a\nb", 1),
            ("one\nif x {\n  a\n}\n", "if x {\n    a\n}", 2),
        ] {
            let says = explain(text, old, "a").unwrap();
            assert!(says.contains(&format!("line {line} has it")), "{says}");
        }
        assert_eq!(explain("hello\n", "not there", "a"), None);
        assert_eq!(explain("a\n\nb", "\n \n", "a"), None);
    }
}
