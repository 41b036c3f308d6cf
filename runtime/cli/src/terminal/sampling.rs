//! Whether an MCP server may have the model write something.

use super::prompt::{TerminalPrompt, prompt_line};
use super::question_text::{self, indent};
use crate::output;
use crate::screen::{Line, Size, theme};
use helve_core::capability::{SamplingRequest as Request, SamplingRole};
use helve_core::transcript::ContentBlock;

/// How many lines of the request are shown at first.
const MAX_LINES: usize = 12;

/// What the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SamplingAnswer {
    Allowed,
    Refused,
}

/// Shows what the model would be asked, and waits for the answer.
pub(crate) async fn ask_sampling(request: &Request, asker: &str) -> SamplingAnswer {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let mut head = Line::styled("? ", theme::QUESTION);
    head.push("May the MCP server ", theme::STRONG);
    head.push(asker, theme::NAME);
    head.push(" have the model write something?", theme::STRONG);
    let mut shown = vec![Line::new()];
    shown.extend(head.wrap(width));
    let matter = request_lines(request);
    for line in matter.iter().take(MAX_LINES) {
        shown.extend(indent(line, width));
    }
    if matter.len() > MAX_LINES {
        let more = format!("… {} more lines: [d] shows all", matter.len() - MAX_LINES);
        shown.extend(indent(&Line::styled(&more, theme::NOTICE), width));
    }
    let about = format!(
        "  At most {} tokens, at your cost; what the model writes goes to that server.",
        request.max_tokens
    );
    shown.extend(Line::styled(&about, theme::DIM).wrap_hanging(width, 2));
    output::lines(&shown);
    loop {
        output::lines(&question_text::render_keys(
            &[("y", "yes, this once"), ("n", "no")],
            width,
        ));
        let line = prompt_line(&mut lines).await;
        let word = line.map(|line| line.trim().to_ascii_lowercase());
        match word.as_deref() {
            Some("y" | "yes") => return SamplingAnswer::Allowed,
            None | Some("n" | "no") => return SamplingAnswer::Refused,
            Some("d") => {
                let all = matter.iter().flat_map(|line| indent(line, width));
                output::lines(&all.collect::<Vec<_>>());
            }
            Some(_) => {}
        }
    }
}

/// Writes the conversation that the model would be handed.
fn request_lines(request: &Request) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |who: &str, text: &str| {
        lines.push(Line::styled(&format!("{who}:"), theme::DIM));
        for line in Line::from_text(text, theme::PLAIN) {
            let mut set_off = Line::styled("  ", theme::PLAIN);
            set_off.append(&line);
            lines.push(set_off);
        }
    };
    if let Some(system) = &request.system_prompt {
        say("told first", system);
    }
    for message in &request.messages {
        let who = match message.role {
            SamplingRole::User => "asked",
            SamplingRole::Assistant => "said by the model",
        };
        for block in &message.content {
            match block {
                ContentBlock::Image { mime_type, .. } | ContentBlock::Audio { mime_type, .. } => {
                    say(who, &format!("[{mime_type}]"));
                }
                block => say(who, block.as_text().unwrap_or("[something else]")),
            }
        }
    }
    lines
}
