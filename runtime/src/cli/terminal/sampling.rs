//! Whether an MCP server may have the model write something.

use super::asked::{Asked, prompt_line};
use super::wording::{self, set_off};
use crate::capability::{Sampling as Request, SamplingRole};
use crate::cli::output;
use crate::cli::screen::{Line, Size, theme};
use crate::transcript::ContentBlock;

/// How many lines of the request are shown at first.
const LINES: usize = 12;

/// What the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Sampling {
    Allowed,
    Refused,
}

/// Shows what the model would be asked, and waits for the answer.
pub(in crate::cli) async fn may_sample(request: &Request, asker: &str) -> Sampling {
    let mut asked = Asked::begin().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let mut head = Line::of("? ", theme::QUESTION);
    head.push("May the MCP server ", theme::STRONG);
    head.push(asker, theme::NAME);
    head.push(" have the model write something?", theme::STRONG);
    let mut shown = vec![Line::new()];
    shown.extend(head.wrap(width));
    let matter = matter(request);
    for line in matter.iter().take(LINES) {
        shown.extend(set_off(line, width));
    }
    if matter.len() > LINES {
        let more = format!("… {} more lines: [d] shows all", matter.len() - LINES);
        shown.extend(set_off(&Line::of(&more, theme::NOTICE), width));
    }
    let about = format!(
        "  At most {} tokens, at your cost; what the model writes goes to that server.",
        request.max_tokens
    );
    shown.extend(Line::of(&about, theme::DIM).wrap_hanging(width, 2));
    output::lines(&shown);
    loop {
        output::lines(&wording::keys(
            &[("y", "yes, this once"), ("n", "no")],
            width,
        ));
        let line = prompt_line(&mut lines).await;
        let word = line.map(|line| line.trim().to_ascii_lowercase());
        match word.as_deref() {
            Some("y" | "yes") => return Sampling::Allowed,
            None | Some("n" | "no") => return Sampling::Refused,
            Some("d") => {
                let all = matter.iter().flat_map(|line| set_off(line, width));
                output::lines(&all.collect::<Vec<_>>());
            }
            Some(_) => {}
        }
    }
}

/// Writes the conversation that the model would be handed.
fn matter(request: &Request) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |who: &str, text: &str| {
        lines.push(Line::of(&format!("{who}:"), theme::DIM));
        for line in Line::lines(text, theme::PLAIN) {
            let mut set_off = Line::of("  ", theme::PLAIN);
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
