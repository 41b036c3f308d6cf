//! Elicitation requests of tools and MCP servers.

use serde_json::Map;

use super::form::Field;
use super::input;
use super::own_form;
use super::prompt::{TerminalPrompt, YES_OR_NO, prompt_keys, prompt_line};
use super::question_text::indent;
use crate::screen::{Line, Size, theme};
use crate::{output, sanitize};
use helve_core::capability::{Elicitation, ElicitationRequest, ElicitationResult};

/// The maximum number of lines of a message; the rest is not shown.
const MAX_MESSAGE_LINES: usize = 40;
pub(super) const DECLINE_INPUT: &str = "/no";

/// The reason why the user cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ElicitationError {
    /// The form has a field that a terminal cannot show.
    #[error("the form cannot be shown in a terminal: {0}")]
    Form(String),
    /// The URL is not that of a web page.
    #[error("the URL is not a plain http or https URL")]
    Address,
}

/// Asks the user for what an elicitation requests: a form, or a page to open.
///
/// # Errors
/// The form cannot be shown in a terminal, or the address is not that of a web page.
pub async fn elicit(elicitation: &Elicitation) -> Result<ElicitationResult, ElicitationError> {
    match &elicitation.request {
        ElicitationRequest::Form { schema } => {
            let fields = Field::from_schema(schema).map_err(ElicitationError::Form)?;
            let mut asked = TerminalPrompt::acquire().await;
            if elicitation.requester.is_none() && !fields.is_empty() {
                let message = &elicitation.message;
                return Ok(own_form::fill_in(&mut asked.lines(), message, fields).await);
            }
            Ok(fill_in(&mut asked.lines(), elicitation, &fields).await)
        }
        ElicitationRequest::Url { url, .. } => {
            let host = parse_host(url).ok_or(ElicitationError::Address)?;
            let mut asked = TerminalPrompt::acquire().await;
            Ok(confirm_url(&mut asked.lines(), elicitation, url, host).await)
        }
    }
}

async fn fill_in(
    lines: &mut input::Lines<'_>,
    elicitation: &Elicitation,
    fields: &[Field],
) -> ElicitationResult {
    let width = Size::of_stdout().columns;
    print_head(elicitation, "asks", width);
    if elicitation.requester.is_some() {
        print_note(
            "Your answer is sent to the server. Do not enter secrets.",
            width,
        );
    }
    let keys: &[(&str, &str)] = match fields {
        [] => &YES_OR_NO,
        _ => &[("a", "answer"), ("n", "no")],
    };
    loop {
        match prompt_keys(lines, keys, width).await.as_deref() {
            None => return ElicitationResult::Cancel,
            Some("n" | "N" | "no" | DECLINE_INPUT) => return ElicitationResult::Decline,
            Some("y" | "Y" | "yes" | "a" | "A" | "answer") => break,
            Some(_) => {}
        }
    }
    let mut answer = Map::new();
    if !fields.is_empty() {
        print_note(&format!("Type {DECLINE_INPUT} to decline the form."), width);
    }
    for field in fields {
        print_field(field, width);
        loop {
            let Some(line) = prompt_line(lines).await else {
                return ElicitationResult::Cancel;
            };
            if line.trim() == DECLINE_INPUT {
                return ElicitationResult::Decline;
            }
            match field.parse(&line) {
                Ok(value) => {
                    answer.extend(value.map(|value| (field.name.clone(), value)));
                    break;
                }
                Err(why) => print_note(&format!("Invalid answer: {why}."), width),
            }
        }
    }
    ElicitationResult::Accept(answer)
}

pub(super) fn print_field(field: &Field, width: usize) {
    let mut line = Line::styled("  ", theme::PLAIN);
    line.push(field.title.as_ref().unwrap_or(&field.name), theme::STRONG);
    if let Some(description) = &field.description {
        line.push(": ", theme::PLAIN);
        line.push(&sanitize::first_line(description, 300), theme::PLAIN);
    }
    let mut lines = line.wrap_hanging(width, 4);
    for (index, choice) in field.choices().iter().enumerate() {
        let mut line = Line::styled(&format!("    {} ", index + 1), theme::NAME);
        line.push(choice, theme::PLAIN);
        lines.extend(line.wrap_hanging(width, 6));
    }
    let hint = Line::styled(&format!("    {}", field.hint()), theme::DIM);
    lines.extend(hint.wrap_hanging(width, 4));
    output::lines(&lines);
}

async fn confirm_url(
    lines: &mut input::Lines<'_>,
    elicitation: &Elicitation,
    url: &str,
    host: &str,
) -> ElicitationResult {
    let width = Size::of_stdout().columns;
    print_head(elicitation, "asks you to open a URL", width);
    // The URL is printed on one line regardless of the width, so that it can be copied.
    output::lines(&[
        Line::styled("    ", theme::PLAIN).with(url, theme::NAME),
        Line::styled("  Host: ", theme::DIM).with(host, theme::STRONG),
    ]);
    print_note(
        "The URL is not opened automatically. Answer yes after you have opened it.",
        width,
    );
    loop {
        match prompt_keys(lines, &YES_OR_NO, width).await.as_deref() {
            None => return ElicitationResult::Cancel,
            Some("n" | "N" | "no" | DECLINE_INPUT) => return ElicitationResult::Decline,
            Some("y" | "Y" | "yes") => return ElicitationResult::Accept(Map::new()),
            Some(_) => {}
        }
    }
}

/// Prints the requester and the message.
fn print_head(elicitation: &Elicitation, does: &str, width: usize) {
    let mut head = Line::styled("? ", theme::QUESTION);
    match &elicitation.requester {
        Some(asker) => {
            head.push("The MCP server ", theme::STRONG);
            head.push(asker, theme::NAME);
        }
        None => head.push("A tool", theme::STRONG),
    }
    head.push(&format!(" {does}:"), theme::STRONG);
    let mut lines = vec![Line::new()];
    lines.extend(head.wrap(width));
    let message = Line::from_text(&elicitation.message, theme::PLAIN);
    for line in message.iter().take(MAX_MESSAGE_LINES) {
        lines.extend(indent(line, width));
    }
    if message.len() > MAX_MESSAGE_LINES {
        let more = format!("… {} more lines", message.len() - MAX_MESSAGE_LINES);
        lines.extend(indent(&Line::styled(&more, theme::NOTICE), width));
    }
    output::lines(&lines);
}

pub(super) fn print_note(text: &str, width: usize) {
    output::lines(&Line::styled(&format!("  {text}"), theme::DIM).wrap_hanging(width, 2));
}

/// Returns the host of an address, as a browser reads it. What could be read in two ways has none.
fn parse_host(url: &str) -> Option<&str> {
    let is_plain = url
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme))
        .filter(|_| is_plain)?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // A name before the host is there to be taken for it.
    (!authority.is_empty() && !authority.contains('@')).then_some(authority)
}

#[cfg(test)]
mod tests {
    use super::parse_host;

    #[test]
    fn only_an_address_that_reads_one_way_is_shown() {
        assert_eq!(parse_host("https://a.example/x?y#z"), Some("a.example"));
        assert_eq!(parse_host("http://127.0.0.1:80"), Some("127.0.0.1:80"));
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://",
            "https://bank.example@evil.example/",
            "https://bank.example\\@evil.example/",
            "https://bаnk.example/",
            "https://a.example/\u{1b}[2K",
            "https://a.example/ b",
        ] {
            assert_eq!(parse_host(url), None, "{url}");
        }
    }
}
