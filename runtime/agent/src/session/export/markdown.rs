//! Exports a session as Markdown, for human readers.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::journal::{Line, Timestamp};
use crate::session::{
    Entry, Fork, SessionMetadata, SessionState, TurnEnded, TurnRecord, TurnStarted,
};
use crate::turn::{Execution, Plan, Purpose, Record, Review, Turn};
use helve_core::transcript::{CallAddress, ContentBlock, Message, MessagePart, Note, SessionId};
use helve_model::describe_author;
use helve_permission::{Decision, Rule, RuleScope, Verdict};
use helve_results::strip_enclosure;

/// Writes a session as Markdown, entry by entry.
pub(super) struct MarkdownWriter {
    text: String,
    state: SessionState,
    written_results: HashSet<CallAddress>,
}

impl MarkdownWriter {
    pub(super) fn new(session: &SessionId) -> Self {
        Self {
            text: format!("# Session {session}\n"),
            state: SessionState::default(),
            written_results: HashSet::new(),
        }
    }

    pub(super) fn add(&mut self, line: &Line<Entry>) {
        let before = self.state.open_turns.clone();
        self.state.apply(line.as_ref(), None);
        match &line.entry {
            Entry::Created(about) => self.write_header(about, line.at),
            Entry::TurnStarted(started) => self.write_turn_start(started, line.at),
            // A stale record changed nothing, and is not part of the conversation.
            Entry::Record(recorded) if before != self.state.open_turns => {
                self.write_record(recorded);
                self.write_results(recorded);
            }
            Entry::RulesGranted { allow, deny } => {
                let rules = render_granted_rules(allow, deny);
                self.write_paragraph(&format!("Rules for the session: {rules}."));
            }
            Entry::RulesRevoked { rules } => {
                self.write_paragraph(&format!("Revoked rules: {}.", render_rules(rules)));
            }
            Entry::Artifact(artifact) => self.write_paragraph(&format!(
                "Stored by `{}`: {} ({} bytes), {}.",
                artifact.call, artifact.name, artifact.bytes, artifact.uri
            )),
            Entry::TurnEnded(ended) => self.write_turn_end(ended),
            Entry::Record(_) | Entry::State { .. } => {}
        }
    }

    pub(super) fn finish(mut self) -> String {
        for call in self.state.waiting_calls() {
            self.write_paragraph(&format!("*`{}` ({}) is waiting.*", call.call, call.tool));
        }
        self.text
    }

    fn write_paragraph(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn write_header(&mut self, about: &SessionMetadata, at: Timestamp) {
        let _ = write!(self.text, "\n- app: {}\n- began: {at}\n", about.app);
        if let Some(folder) = &about.folder {
            let _ = writeln!(self.text, "- folder: `{folder}`");
        }
        if let Some(fork) = &about.forked_from {
            let Fork { session, entry } = fork;
            let _ = writeln!(self.text, "- forked from: {session}, entry {entry}");
        }
    }

    fn write_turn_start(&mut self, started: &TurnStarted, at: Timestamp) {
        let TurnStarted { agent, turn, .. } = started;
        let works_for = started.parent_call.as_ref();
        let works_for = works_for.map_or(String::new(), |call| format!(" for `{call}`"));
        self.write_paragraph(&format!("## Turn {turn}: {agent}{works_for}\n\n{at}"));
        for message in &started.prompt {
            match message {
                Message::User { content } => self.write_message("User", content),
                Message::System { content } => self.write_message("System", content),
                Message::Assistant(reply) => self.write_reply(&reply.content, None),
                Message::Note(note) => self.write_note(note),
                Message::Tool { .. } => {}
            }
        }
    }

    fn write_note(&mut self, note: &Note) {
        let author = describe_author(note.source, &note.name);
        let text = quote(&note.text);
        self.write_paragraph(&format!("**Note from {author}**\n\n{text}"));
    }

    fn write_message(&mut self, who: &str, content: &[ContentBlock]) {
        let text = quote(&render_blocks(content));
        self.write_paragraph(&format!("**{who}**\n\n{text}"));
    }

    /// Writes a reply of the model; `calls` identifies the calls of the reply.
    fn write_reply(&mut self, parts: &[MessagePart], calls: Option<&Turn>) {
        self.write_paragraph("**Assistant**");
        let mut addresses = calls
            .into_iter()
            .flat_map(|turn| turn.calls().map(|(key, _)| turn.address(key)));
        for part in parts {
            let text = match part {
                MessagePart::Text { text } => text.clone(),
                MessagePart::Thinking { text, .. } if text.is_empty() => continue,
                MessagePart::ProviderItem { api, item } => {
                    format!("*for {api} only:*\n\n{}", fence("json", item))
                }
                MessagePart::Thinking { text, .. } => quote(&format!("*thinking:* {text}")),
                MessagePart::ToolCall(call) => {
                    let address = addresses.next().map(|address| format!(" (`{address}`)"));
                    let title = format!("Call of **{}**{}", call.name, address.unwrap_or_default());
                    format!("{title}\n\n{}", fence("json", &call.arguments))
                }
            };
            self.write_paragraph(text.trim_end());
        }
    }

    fn write_record(&mut self, recorded: &TurnRecord) {
        match &recorded.record {
            Record::ModelDone { reply, purpose, .. } if *purpose == Purpose::Reply => {
                let turn = self.state.turn(&recorded.turn).cloned();
                self.write_reply(&reply.message.content, turn.as_ref());
            }
            Record::ModelFailed { error, .. } => {
                self.write_paragraph(&format!("*The model failed: {error}*"));
            }
            Record::Planned { plan, .. } => self.write_plan(recorded, plan),
            Record::Edited { plan, .. } => {
                let arguments = plan
                    .arguments
                    .as_ref()
                    .map_or("", |arguments| arguments.as_str());
                let arguments = fence("json", arguments);
                self.write_call_note(
                    recorded,
                    &format!("the user changed the arguments:\n\n{arguments}"),
                );
            }
            Record::Answered { decision, .. } => {
                self.write_call_note(recorded, &render_decision(decision));
            }
            Record::ConnectionAsked { reason, .. } | Record::FolderAsked { reason, .. } => {
                self.write_call_note(recorded, &format!("needs approval: {reason}"));
            }
            Record::ConnectionAnswered {
                host,
                port,
                decision,
                ..
            } => {
                let decided = render_decision(decision);
                let note = format!("the connection to `{host}:{port}`: {decided}");
                self.write_call_note(recorded, &note);
            }
            Record::FolderAnswered {
                folder, decision, ..
            } => {
                let note = format!("to {folder}: {}", render_decision(decision));
                self.write_call_note(recorded, &note);
            }
            Record::Submitted { .. } => {
                self.write_call_note(recorded, "submitted for external execution")
            }
            Record::Compacted { .. } => {
                let note = "*From here on, the model saw a summary of the messages above.*";
                self.write_paragraph(note);
            }
            Record::Noted { notes } => notes.iter().for_each(|note| self.write_note(note)),
            Record::Reviewed { by, review, .. } => {
                if let Some(what) = render_review(review) {
                    self.write_paragraph(&format!("*The guard `{by}` {what}*"));
                }
            }
            Record::Interrupt => self.write_paragraph("*Interrupted.*"),
            Record::Resumed => self.write_paragraph("*Resumed by another process.*"),
            _ => {}
        }
    }

    fn write_plan(&mut self, recorded: &TurnRecord, plan: &Plan) {
        if let Verdict::Ask { reason, .. } = &plan.verdict {
            self.write_call_note(recorded, &format!("needs approval: {reason}"));
        }
        if let Execution::Delegate { agent } = &plan.execution {
            self.write_call_note(recorded, &format!("delegated to {agent}"));
        }
    }

    fn write_call_note(&mut self, recorded: &TurnRecord, what: &str) {
        let calls: Vec<String> = recorded.calls().map(|call| format!("`{call}`")).collect();
        self.write_paragraph(&format!("{}: {what}", calls.join(", ")));
    }

    /// Writes the results that this record added, including those that the turn created itself.
    fn write_results(&mut self, recorded: &TurnRecord) {
        let Some(turn) = self.state.turn(&recorded.turn).cloned() else {
            return;
        };
        for (key, call) in turn.calls() {
            let address = turn.address(key);
            let Some(outcome) = turn.outcome(key) else {
                continue;
            };
            if !self.written_results.insert(address.clone()) {
                continue;
            }
            let exit = outcome.exit.as_ref().filter(|exit| !exit.is_success());
            let failed = match exit {
                _ if outcome.is_error => ", failed".to_owned(),
                Some(exit) => format!(", {exit}"),
                None => String::new(),
            };
            let result = fence("", &render_blocks(&outcome.content));
            let title = format!("Result of **{}** (`{address}`){failed}", call.name);
            self.write_paragraph(&format!("{title}\n\n{result}"));
        }
    }

    fn write_turn_end(&mut self, ended: &TurnEnded) {
        let TurnEnded { turn, reason, .. } = ended;
        let error = ended.error.as_ref();
        let error = error.map_or(String::new(), |error| format!(": {error}"));
        self.write_paragraph(&format!("*Turn {turn} ended: {reason}{error}*"));
    }
}

fn render_blocks(content: &[ContentBlock]) -> String {
    let blocks: Vec<String> = content.iter().map(render_block).collect();
    blocks.join("\n")
}

fn render_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text } => strip_enclosure(text).to_owned(),
        ContentBlock::Image { mime_type, .. } => format!("[image, {mime_type}]"),
        ContentBlock::Audio { mime_type, .. } => format!("[audio, {mime_type}]"),
        ContentBlock::Resource { resource } => match &resource.text {
            Some(text) => format!("[{}]\n{}", resource.uri, strip_enclosure(text)),
            None => format!("[{}]", resource.uri),
        },
        ContentBlock::ResourceLink { uri, name, .. } => format!("[{name}: {uri}]"),
    }
}

fn render_decision(decision: &Decision) -> String {
    let always = |what: &str, rules: &[Rule], scope: RuleScope| {
        format!(
            "{what} always, {}: {}",
            render_scope(scope),
            render_rules(rules)
        )
    };
    let what = match decision {
        Decision::AllowOnce { .. } => "allowed".to_owned(),
        Decision::RejectOnce { .. } => "rejected".to_owned(),
        Decision::AllowAlways { rules, scope, .. } => always("allowed", rules, *scope),
        Decision::RejectAlways { rules, scope, .. } => always("rejected", rules, *scope),
        Decision::Unanswered { reason } => return format!("not answered: {reason}"),
    };
    match decision.message() {
        Some(message) => format!("{what} (\"{message}\")"),
        None => what,
    }
}

fn render_scope(scope: RuleScope) -> &'static str {
    match scope {
        RuleScope::Session => "in this session",
        RuleScope::Project => "in this project",
        RuleScope::User => "for this user",
    }
}

fn render_rules(rules: &[Rule]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
    rules.join(", ")
}

fn render_granted_rules(allow: &[Rule], deny: &[Rule]) -> String {
    let part = |what: &str, rules: &[Rule]| {
        (!rules.is_empty()).then(|| format!("{what} {}", render_rules(rules)))
    };
    let parts = [part("allow", allow), part("deny", deny)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Formats text as a block quote, so that it is not parsed as a heading.
fn quote(text: &str) -> String {
    let lines = text.trim_end().lines();
    let lines = lines.map(|line| format!("> {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Puts text into a code block with a fence that is longer than any fence in the text.
fn fence(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}")
}

fn render_review(review: &Review) -> Option<String> {
    Some(match review {
        Review::Pass => return None,
        Review::Again { note } => format!("asked for another reply: {note}"),
        Review::Replace { text } => format!("replaced the text: {text}"),
        Review::Block { why } => format!("blocked it: {why}"),
    })
}
