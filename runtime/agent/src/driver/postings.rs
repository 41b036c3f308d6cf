//! Posted answers to questions, and posted results of external calls.

use super::call_execution::result_input;
use super::reviewing::guard_result;
use super::state::Driver;
use crate::session::{Posting, ReceivedPosting};
use crate::turn::{CallState, Record};
use crate::{Delivery, EventKind};
use helve_core::schema;
use helve_core::tool::{ToolOutput, chain_text};
use helve_core::transcript::{CallKey, Label};
use serde_json::Value;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Takes the postings for this turn. A posting that cannot be used is refused with a warning.
    pub(super) async fn take_posted_records(&mut self) -> Vec<Record> {
        if !self.recorder.is_recording() {
            return Vec::new();
        }
        // The future is boxed, since it is large and awaited in three places.
        Box::pin(self.read_posted_records()).await
    }

    async fn read_posted_records(&mut self) -> Vec<Record> {
        // Notes are taken where the turn can record them.
        let posted = self
            .take_postings(|posting| !matches!(posting, Posting::Say { .. }))
            .await;
        let mut records = Vec::new();
        for posted in posted {
            if let Posting::Stop { .. } = &posted.posting {
                if self.clock.interrupt() {
                    records.push(Record::Interrupt);
                }
                continue;
            }
            if self.answer_open_access(&posted.posting) {
                // The record of the answer removes the posting.
                continue;
            }
            match self.posting_record(&posted.posting).await {
                Ok(record) => records.push(record),
                Err(reason) => self.reject_posting(posted, reason).await,
            }
        }
        records
    }

    async fn take_postings(&mut self, wants: impl Fn(&Posting) -> bool) -> Vec<ReceivedPosting> {
        let origin = self.origin().clone();
        let taking = self.recorder.take_postings(&origin, wants);
        let taken = self.in_flight.drive_while(taking).await;
        match taken {
            Ok(posted) => {
                if let Some(rare) = &mut self.rare {
                    rare.postings_error = None;
                }
                posted
            }
            Err(error) => {
                self.warn_of_unread_postings(chain_text(&error));
                Vec::new()
            }
        }
    }

    /// Takes the notes that the model reads with its next call: those of the agent's queue, and those that were posted.
    /// A turn that begins takes what waits for the next prompt, too.
    pub(super) async fn take_notes_with_posted(&mut self, begins: bool) -> Option<Box<Record>> {
        let queued = self.take_notes();
        if !self.recorder.is_recording() || self.origin().parent_call.is_some() {
            return queued;
        }
        let mut notes = match queued.map(|queued| *queued) {
            Some(Record::Noted { notes }) => notes,
            _ => Vec::new(),
        };
        let is_due = move |posting: &Posting| match posting {
            Posting::Say { delivery, .. } => begins || *delivery == Delivery::Now,
            _ => false,
        };
        // The future is boxed, since it is large.
        for posted in Box::pin(self.take_postings(is_due)).await {
            if let Posting::Say { note, .. } = posted.posting
                && !self.turn.has_note(&note.id)
                && !notes.iter().any(|other| other.id == note.id)
            {
                notes.push(note);
            }
        }
        (!notes.is_empty()).then(|| Box::new(Record::Noted { notes }))
    }

    /// Warns that the postings cannot be read. A waiting turn reads the postings repeatedly: an unchanged error is
    /// reported once.
    fn warn_of_unread_postings(&mut self, error: String) {
        let rare = self.rare.get_or_insert_default();
        if rare.postings_error.as_ref() == Some(&error) {
            return;
        }
        tracing::warn!(%error, "the posted answers and results cannot be read");
        let message = format!("the posted answers and results cannot be read: {error}");
        rare.postings_error = Some(error);
        self.events.emit(EventKind::Warning { message });
    }

    async fn posting_record(&mut self, posting: &Posting) -> Result<Record, String> {
        let call = posting.call().map(|address| address.call);
        let state = call.and_then(|call| self.turn.state(call));
        if !matches!(state, Some(CallState::Asking | CallState::Submitted)) {
            return Err("the call does not wait for it any more".to_owned());
        }
        match posting {
            Posting::Answer { call, decision } => Ok(Record::Answered {
                call: call.call,
                decision: decision.clone(),
            }),
            Posting::Result {
                call,
                result,
                label,
            } => self.result_record(call.call, result, label).await,
            Posting::Say { .. } | Posting::Stop { .. } => Err("it is not about a call".to_owned()),
        }
    }

    /// Validates a posted result against the output schema of the tool, and processes it. The label of the posting joins that of
    /// the turn.
    async fn result_record(
        &mut self,
        key: CallKey,
        result: &Value,
        label: &Label,
    ) -> Result<Record, String> {
        let site = self.call_site(key).ok_or("no such call")?;
        let tool = self.tools.visible.find_any(&site.call.name);
        let tool =
            tool.ok_or_else(|| format!("the tool `{}` does not exist any more", site.call.name))?;
        if let Some(schema) = &tool.spec().output_schema {
            let mistakes = schema::explain(schema, &result.to_string());
            if !mistakes.is_empty() {
                return Err(format!(
                    "the result does not match the output schema of `{}`: {mistakes}",
                    site.call.name
                ));
            }
        }
        let output = match result {
            Value::String(text) => ToolOutput::plain(text.clone()),
            structured => ToolOutput::json(structured).map_err(|error| error.to_string())?,
        };
        let input = result_input(self.context, &site, self.turn.calls().count());
        let mut input = input.spec(tool.spec());
        if label.is_untrusted() {
            input = input.label(label);
        }
        let outcome = self.agent.results.process(input, Ok(output)).await.outcome;
        let outcome = outcome.with_joined_label(label);
        let outcome = guard_result(self.agent, self.context, &site, outcome).await;
        Ok(Record::Finished { call: key, outcome })
    }

    async fn reject_posting(&mut self, posted: ReceivedPosting, reason: String) {
        if let Some(address) = posted.posting.call() {
            let message = format!("the posting for this call was rejected: {reason}");
            let warning = EventKind::Warning { message };
            self.events.emit_for(address.call, warning);
        }
        let refusing = self.recorder.reject_posting(posted, reason);
        let refused = self.in_flight.drive_while(refusing).await;
        if let Err(error) = refused {
            tracing::warn!(error = %chain_text(&error), "failed to move a rejected posting");
        }
    }
}
