//! A session for people.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::agent::session::{About, Entry, Recorded, Standing, TurnEnded, TurnStarted};
use crate::agent::turn::{Execution, Plan, Purpose, Record, Turn};
use crate::permission::{Decision, Rule, RuleScope, Verdict};
use crate::transcript::journal::{Line, Timestamp};
use crate::transcript::{CallAddress, ContentBlock, Message, Part, SessionId};

/// Writes a session down, entry by entry.
pub(super) struct Writer {
    text: String,
    standing: Standing,
    /// The calls whose results are written.
    told: HashSet<CallAddress>,
}

impl Writer {
    pub(super) fn new(session: &SessionId) -> Self {
        Self {
            text: format!("# Session {session}\n"),
            standing: Standing::default(),
            told: HashSet::new(),
        }
    }

    pub(super) fn add(&mut self, line: &Line<Entry>) {
        let before = self.standing.open.clone();
        self.standing.apply(line.as_ref(), None);
        match &line.entry {
            Entry::Created(about) => self.created(about, line.at),
            Entry::TurnStarted(started) => self.turn_started(started, line.at),
            // One that came too late changed nothing, and is no part of the conversation.
            Entry::Record(recorded) if before != self.standing.open => {
                self.record(recorded);
                self.results(recorded);
            }
            Entry::RulesGranted { allow, deny } => {
                self.paragraph(&format!("Rules for the session: {}.", rules(allow, deny)));
            }
            Entry::RulesRevoked { rules } => {
                self.paragraph(&format!("No longer for the session: {}.", list(rules)));
            }
            Entry::Artifact(artifact) => self.paragraph(&format!(
                "Put aside by `{}`: {} ({} bytes), {}.",
                artifact.call, artifact.name, artifact.bytes, artifact.uri
            )),
            Entry::TurnEnded(ended) => self.turn_ended(ended),
            Entry::Record(_) | Entry::State { .. } => {}
        }
    }

    pub(super) fn finish(mut self) -> String {
        let waiting = self.standing.waiting();
        for call in waiting {
            self.paragraph(&format!("*`{}` ({}) is waiting.*", call.call, call.tool));
        }
        self.text
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn created(&mut self, about: &About, at: Timestamp) {
        let _ = write!(self.text, "\n- app: {}\n- began: {at}\n", about.app);
        if let Some(folder) = &about.folder {
            let _ = writeln!(self.text, "- folder: `{folder}`");
        }
        if let Some(fork) = &about.forked_from {
            let _ = writeln!(
                self.text,
                "- goes on from: {}, entry {}",
                fork.session, fork.entry
            );
        }
    }

    fn turn_started(&mut self, started: &TurnStarted, at: Timestamp) {
        let TurnStarted { agent, turn, .. } = started;
        let works_for = started.parent_call.as_ref();
        let works_for = works_for.map_or(String::new(), |call| format!(" for `{call}`"));
        self.paragraph(&format!("## Turn {turn}: {agent}{works_for}\n\n{at}"));
        for message in &started.prompt {
            match message {
                Message::User { content } => self.said("User", content),
                Message::System { content } => self.said("System", content),
                Message::Assistant(reply) => self.reply(&reply.content, None),
                Message::Tool { .. } => {}
            }
        }
    }

    fn said(&mut self, who: &str, content: &[ContentBlock]) {
        let text: Vec<String> = content.iter().map(block).collect();
        self.paragraph(&format!("**{who}**\n\n{}", quoted(&text.join("\n"))));
    }

    /// Writes what the model said; `calls` names its calls.
    fn reply(&mut self, parts: &[Part], calls: Option<&Turn>) {
        self.paragraph("**Assistant**");
        let mut addresses = calls
            .into_iter()
            .flat_map(|turn| turn.calls().map(|(key, _)| turn.address(key)));
        for part in parts {
            let text = match part {
                Part::Text { text } => text.clone(),
                Part::Thinking { text, .. } if text.is_empty() => continue,
                Part::ProviderItem { api, item } => {
                    format!("*for {api} only:*\n\n{}", fenced("json", item))
                }
                Part::Thinking { text, .. } => quoted(&format!("*thinking:* {text}")),
                Part::ToolCall(call) => {
                    let address = addresses.next().map(|address| format!(" (`{address}`)"));
                    let title = format!("Call of **{}**{}", call.name, address.unwrap_or_default());
                    format!("{title}\n\n{}", fenced("json", &call.arguments))
                }
            };
            self.text.push('\n');
            self.text.push_str(text.trim_end());
            self.text.push('\n');
        }
    }

    fn record(&mut self, recorded: &Recorded) {
        match &recorded.record {
            Record::ModelDone { reply, purpose, .. } if *purpose == Purpose::Reply => {
                let turn = self.standing.turn(&recorded.turn).cloned();
                self.reply(&reply.message.content, turn.as_ref());
            }
            Record::ModelFailed { error, .. } => {
                self.paragraph(&format!("*The model failed: {error}*"));
            }
            Record::Planned { plan, .. } => self.planned(recorded, plan),
            Record::Answered { decision, .. } => {
                self.about(recorded, &answer(decision));
            }
            Record::ConnectionAsked { reason, .. } => {
                self.about(recorded, &format!("needs approval: {reason}"));
            }
            Record::ConnectionAnswered {
                host,
                port,
                decision,
                ..
            } => {
                let connection = format!("the connection to `{host}:{port}`: {}", answer(decision));
                self.about(recorded, &connection);
            }
            Record::Submitted { .. } => self.about(recorded, "handed out to be run elsewhere"),
            Record::Compacted { .. } => {
                self.paragraph("*From here on the model saw a summary of what stands above.*");
            }
            Record::Interrupt => self.paragraph("*Interrupted.*"),
            Record::Resumed => self.paragraph("*Taken up again after the process had ended.*"),
            _ => {}
        }
    }

    fn planned(&mut self, recorded: &Recorded, plan: &Plan) {
        if let Verdict::Ask { reason, .. } = &plan.verdict {
            self.about(recorded, &format!("needs approval: {reason}"));
        }
        if let Execution::Delegate { agent } = &plan.execution {
            self.about(recorded, &format!("is for the agent {agent}"));
        }
    }

    fn about(&mut self, recorded: &Recorded, what: &str) {
        let calls: Vec<String> = recorded.calls().map(|call| format!("`{call}`")).collect();
        self.paragraph(&format!("{}: {what}", calls.join(", ")));
    }

    /// Writes the results that there were not before this record, those that the turn gave included.
    fn results(&mut self, recorded: &Recorded) {
        let Some(turn) = self.standing.turn(&recorded.turn).cloned() else {
            return;
        };
        for (key, call) in turn.calls() {
            let address = turn.address(key);
            let Some(outcome) = turn.outcome(key).filter(|_| !self.told.contains(&address)) else {
                continue;
            };
            let failed = if outcome.is_error { ", failed" } else { "" };
            let text: Vec<String> = outcome.content.iter().map(block).collect();
            let result = fenced("", &text.join("\n"));
            self.paragraph(&format!(
                "Result of **{}** (`{address}`){failed}\n\n{result}",
                call.name
            ));
            self.told.insert(address);
        }
    }

    fn turn_ended(&mut self, ended: &TurnEnded) {
        let error = ended
            .error
            .as_ref()
            .map_or(String::new(), |error| format!(": {error}"));
        self.paragraph(&format!(
            "*Turn {} ended: {}{error}*",
            ended.turn, ended.reason
        ));
    }
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Image { mime_type, .. } => format!("[image, {mime_type}]"),
        ContentBlock::Audio { mime_type, .. } => format!("[sound, {mime_type}]"),
        ContentBlock::Resource { resource } => match &resource.text {
            Some(text) => format!("[{}]\n{text}", resource.uri),
            None => format!("[{}]", resource.uri),
        },
        ContentBlock::ResourceLink { uri, name, .. } => format!("[{name}: {uri}]"),
    }
}

fn answer(decision: &Decision) -> String {
    let (what, message) = match decision {
        Decision::AllowOnce { message } => ("allowed".to_owned(), message),
        Decision::RejectOnce { message } => ("rejected".to_owned(), message),
        Decision::AllowAlways {
            rules,
            scope,
            message,
        } => (
            format!("allowed always, {}: {}", reach(*scope), list(rules)),
            message,
        ),
        Decision::RejectAlways {
            rules,
            scope,
            message,
        } => (
            format!("rejected always, {}: {}", reach(*scope), list(rules)),
            message,
        ),
        Decision::Unanswered { reason } => return format!("not answered: {reason}"),
    };
    match message {
        Some(message) => format!("{what} (\"{message}\")"),
        None => what,
    }
}

fn reach(scope: RuleScope) -> &'static str {
    match scope {
        RuleScope::Session => "in this session",
        RuleScope::Project => "in this project",
        RuleScope::User => "for this user",
    }
}

fn list(rules: &[Rule]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
    rules.join(", ")
}

fn rules(allow: &[Rule], deny: &[Rule]) -> String {
    let part =
        |what: &str, rules: &[Rule]| (!rules.is_empty()).then(|| format!("{what} {}", list(rules)));
    let parts: Vec<String> = [part("allow", allow), part("deny", deny)]
        .into_iter()
        .flatten()
        .collect();
    parts.join("; ")
}

/// Sets text apart, so that it is nobody's heading.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// Puts text between fences that are longer than any in it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}")
}
