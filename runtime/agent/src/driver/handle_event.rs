//! Handling events: each is recorded before it changes the turn.

use std::slice::from_mut;

use super::driver_event::{DriverEvent, RareEvent};
use super::round_calls::QuestionState;
use super::state::{Driver, Recorded};
use crate::turn::{Purpose, Record};
use helve_model::StopReason;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Records an event and applies it.
    pub(super) async fn handle(&mut self, event: &mut DriverEvent) -> Recorded {
        match event {
            DriverEvent::Record(record) => self.record_all(from_mut(record)).await,
            DriverEvent::Records(records) => self.record_all(records).await,
            DriverEvent::Planned(records, judged) => {
                for (key, judged) in judged.drain(..) {
                    self.calls.entry(key).judged = Some(judged);
                }
                self.record_all(records).await
            }
            DriverEvent::Replied(record, silent) => {
                self.clock.time_to_first_token = *silent;
                match self.compaction_record(record) {
                    Some(settled) => {
                        let reply = std::mem::replace(record, Record::Resumed);
                        Box::pin(self.record(vec![reply, settled])).await
                    }
                    None => match self.notes_beside(record).await {
                        Some(noted) => {
                            let reply = std::mem::replace(record, Record::Resumed);
                            Box::pin(self.record(vec![*noted, reply])).await
                        }
                        None => self.record_all(from_mut(record)).await,
                    },
                }
            }
            DriverEvent::Rare(rare) => {
                let rare = std::mem::replace(rare, RareEvent::ReadPostings);
                Box::pin(self.handle_rare(rare)).await
            }
        }
    }

    /// Takes the notes that came while the model wrote a reply, so that the turn does not end with it.
    async fn notes_beside(&mut self, record: &Record) -> Option<Box<Record>> {
        match record {
            Record::ModelDone {
                purpose: Purpose::Reply,
                reply,
                ..
            } if reply.stop != StopReason::Cancelled => match reply.message.calls().next() {
                Some(_) => self.take_notes(),
                None => self.take_notes_with_posted(false).await,
            },
            _ => None,
        }
    }

    async fn handle_rare(&mut self, event: RareEvent) -> Recorded {
        match event {
            RareEvent::QuestionDeferred(call) => {
                if let Some(call) = self.calls.get_mut(call) {
                    call.question = Some(QuestionState::Deferred);
                }
                Ok(())
            }
            RareEvent::CallEdited(call, plan, judged) => {
                self.replace_arguments(call, *plan, judged).await
            }
            RareEvent::DelegateReturned(call, report) => {
                self.handle_delegate_report(call, *report).await
            }
            RareEvent::ReadPostings => {
                let posted = self.take_posted_records().await;
                self.record(posted).await
            }
            RareEvent::PromptReviewed(records) => {
                self.end_prompt_review();
                self.record(records).await
            }
            RareEvent::ReplyReviewed(records) => {
                let records = self.review_records(records);
                self.record(records).await
            }
            RareEvent::LeaseLost => match self.recorder.lost_error() {
                Some(error) => Err(self.unrecorded(&error)),
                None => Ok(()),
            },
            RareEvent::AccessHeld(held) => self.ask_about_access(*held).await,
            RareEvent::AccessDecided(held, decision) => self.answer_access(*held, decision).await,
        }
    }
}
