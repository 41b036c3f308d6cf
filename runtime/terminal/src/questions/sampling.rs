//! Asks the user whether an MCP server may sample the model.

use super::prompt::{TerminalPrompt, prompt_keys};
use super::question_text::indent;
use crate::output;
use crate::screen::{Line, Size, theme};
use helve_core::capability::{SamplingRequest as Request, SamplingRole};
use helve_core::transcript::ContentBlock;

/// The maximum number of lines of the request that are shown at first.
const MAX_LINES: usize = 12;

/// The answer to the question whether an MCP server may use the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingAnswer {
    /// The server may use the model for this request.
    Allowed,
    /// The server may not use the model.
    Refused,
}

/// Shows the request to the model, and waits for the answer.
pub async fn ask_sampling(request: &Request, asker: &str) -> SamplingAnswer {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let mut head = Line::styled("? ", theme::QUESTION);
    head.push("Allow the MCP server ", theme::STRONG);
    head.push(asker, theme::NAME);
    head.push(" to use the model?", theme::STRONG);
    let mut shown = vec![Line::new()];
    shown.extend(head.wrap(width));
    let matter = request_lines(request);
    for line in matter.iter().take(MAX_LINES) {
        shown.extend(indent(line, width));
    }
    if matter.len() > MAX_LINES {
        let hidden = matter.len() - MAX_LINES;
        let more = format!("… {hidden} more lines, press [d] to show all");
        shown.extend(indent(&Line::styled(&more, theme::NOTICE), width));
    }
    let most = request.max_tokens;
    let about = format!("  Up to {most} tokens at your cost; the reply is sent to the server.");
    shown.extend(Line::styled(&about, theme::DIM).wrap_hanging(width, 2));
    output::lines(&shown);
    loop {
        let keys = [("y", "yes, once"), ("n", "no")];
        let word = prompt_keys(&mut lines, &keys, width).await;
        match word.map(|word| word.to_ascii_lowercase()).as_deref() {
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

fn request_lines(request: &Request) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |who: &str, text: &str| {
        lines.push(Line::styled(&format!("{who}:"), theme::DIM));
        let text = Line::from_text(text, theme::PLAIN);
        lines.extend(text.iter().map(|line| line.prefixed("  ", theme::PLAIN)));
    };
    if let Some(system) = &request.system_prompt {
        say("system", system);
    }
    for message in &request.messages {
        let who = match message.role {
            SamplingRole::User => "user",
            SamplingRole::Assistant => "assistant",
        };
        for block in &message.content {
            match block {
                ContentBlock::Image { mime_type, .. } | ContentBlock::Audio { mime_type, .. } => {
                    say(who, &format!("[{mime_type}]"));
                }
                block => say(who, block.as_text().unwrap_or("[unsupported content]")),
            }
        }
    }
    lines
}
