//! Extracts the links of a Markdown text that may refer to files of the skill.

/// The longest line that is searched, in bytes: prose has no longer lines.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The longest target, in bytes.
const MAX_TARGET_BYTES: usize = 1024;

/// The greatest number of links of one text.
const MAX_LINKS: usize = 4096;

/// A link, with its target as written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) target: String,
    /// The byte offset of the target.
    pub(crate) at: usize,
}

/// The kind of a link's target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    /// A URL, an anchor in the same text, or a placeholder.
    External,
    /// A file outside of the skill.
    Outside,
    /// A path, relative to the skill's folder.
    Inside(String),
}

/// Finds the links after `start`, outside of code: `[text](target)`, `![image](target)` and `[label]: target`.
pub(crate) fn find_links(text: &str, start: usize) -> Vec<Link> {
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    let mut offset = start;
    for line in text[start..].split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if line.len() <= MAX_LINE_BYTES => in_line(line, offset, &mut links),
            _ => {}
        }
        if links.len() >= MAX_LINKS {
            break;
        }
        offset += line.len();
    }
    links
}

/// Finds the links of one line.
fn in_line(line: &str, offset: usize, links: &mut Vec<Link>) {
    let mut push = |at: usize, target: &str| {
        if !target.is_empty() {
            links.push(Link {
                target: target.to_owned(),
                at: offset + at,
            });
        }
    };
    if let Some((at, target)) = definition(line) {
        push(at, target);
        return;
    }
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => at = behind_code(bytes, at),
            b']' if bytes.get(at + 1) == Some(&b'(') => {
                let begin = at + 2;
                let target = destination(&line[begin..]);
                push(begin + target.0, target.1);
                at = begin;
            }
            _ => at += 1,
        }
    }
}

/// Parses `[label]: target`.
fn definition(line: &str) -> Option<(usize, &str)> {
    let label = line.trim_start().strip_prefix('[')?;
    let (label, rest) = label.split_once("]:")?;
    if label.is_empty() || label.contains(['[', ']']) || label.starts_with('^') {
        return None;
    }
    let target = rest.split_whitespace().next()?;
    let target = target.trim_start_matches('<').trim_end_matches('>');
    Some((target.as_ptr() as usize - line.as_ptr() as usize, target))
}

/// Returns the offset after the code span that the backticks at `at` open, or after the backticks if nothing closes
/// them.
fn behind_code(bytes: &[u8], at: usize) -> usize {
    let run = |at: usize| bytes[at..].iter().take_while(|&&byte| byte == b'`').count();
    let opening = run(at);
    let mut next = at + opening;
    while next < bytes.len() {
        match run(next) {
            0 => next += 1,
            closing if closing == opening => return next + closing,
            other => next += other,
        }
    }
    at + opening
}

/// Parses a target up to its closing parenthesis or its title; returns its offset, too.
fn destination(text: &str) -> (usize, &str) {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let text = &text[blanks..];
    if let Some(angled) = text.strip_prefix('<') {
        let end = angled.find(['>', '\n']).unwrap_or(0);
        return (blanks + 1, angled.get(..end).unwrap_or_default());
    }
    let mut depth = 0_usize;
    let end = text
        .bytes()
        .take(MAX_TARGET_BYTES)
        .position(|byte| match byte {
            b'(' => {
                depth += 1;
                false
            }
            b')' if depth == 0 => true,
            b')' => {
                depth -= 1;
                false
            }
            byte => byte.is_ascii_whitespace(),
        });
    (
        blanks,
        end.and_then(|end| text.get(..end)).unwrap_or_default(),
    )
}

/// Resolves a target in a file in the folder `base`.
pub(crate) fn resolve(base: &str, target: &str) -> LinkTarget {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_placeholder =
        path.contains(['{', '}', '$', '<', '>', '*', '|', ' ']) || path.contains("...");
    // A word without a dot or a slash is a placeholder: `[text](url)`.
    if path.is_empty() || is_placeholder || has_scheme(path) || !path.contains(['.', '/']) {
        return LinkTarget::External;
    }
    if path.starts_with("//") {
        return LinkTarget::External;
    }
    let path = percent_decode(path);
    if path.starts_with(['/', '~', '\\']) {
        return LinkTarget::Outside;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." if parts.pop().is_none() => return LinkTarget::Outside,
            "" | "." | ".." => {}
            part => parts.push(part),
        }
    }
    LinkTarget::Inside(parts.join("/"))
}

/// Returns whether a target starts with a URL scheme, such as `https:` or `mailto:`.
fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// Decodes percent-encoded bytes; a text that does not decode to UTF-8 is returned unchanged.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}
